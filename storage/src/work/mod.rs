//! What is to be done: queues, items in progress, dossiers, leases, schedules. In sled.

pub mod assignment;
pub mod check;
pub mod dossier;
mod engine;
pub mod export;
pub mod item;
pub mod key;
pub mod lease;
pub mod place;
pub mod queue;
pub mod schedule;
mod store;
mod tx;

pub use engine::TreeId;
pub use store::{Opened, Store};
pub use tx::{Range, Schema, Tx};
