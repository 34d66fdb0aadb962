//! The care of what is held: everything below an object's folder is read, every flaw is told, and
//! what is damaged is made whole from another replica.
//!
//! In order: [`Truth::find`] says which inventory is true; [`Replica::examine`] reads one replica
//! against it; [`Replica::mend`] mends what was found, in an order that a crash cannot turn into
//! another damage. `flaw` is the words, `votes` decides between bytes that differ, `survey` knows
//! what lies where, `frame` looks at what describes an object whose content is not read, `judging` weighs what was read, `sources` says who may have the bytes, `reading`
//! reads one file.
//!
//! [`Replica::examine`]: super::Replica::examine
//! [`Replica::mend`]: super::Replica::mend
//! [`Replica::replace`]: super::Replica::replace

mod examine;
mod flaw;
mod frame;
mod judging;
mod mend;
mod reading;
mod replace;
mod sources;
mod survey;
mod truth;
mod votes;

pub use examine::Examined;
pub use flaw::{Flaw, Found, Part};
pub use mend::{Became, Mending};
pub use replace::Supplied;
pub use truth::{Confirm, Truth};
