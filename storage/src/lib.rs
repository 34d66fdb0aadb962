//! Everything of Strongroom that survives a restart, in two rooms.
//!
//! [`work`] says what is to be done (sled); [`registry`] says what is held (SQLite). They share no
//! transaction: the vault is written first, then the registry, then the work state is settled, and
//! each earlier step may be repeated. See `README.md` beside this crate for what is promised.

pub mod clock;
mod error;
pub mod home;
pub mod mirror;
pub mod registry;
pub mod work;

#[cfg(feature = "testing")]
pub mod testing;

pub use error::Error;
