//! The journal of the registry: everything it knows that no chronicle tells, as pages of JSON lines in
//! every hot replica.
//!
//! Items that have ended, events after a deposit, checks, deletions, people and messages are rows
//! that change long after a version was sealed. The registry notes which of them changed; `keep`
//! writes them to the newest page until it is full. Pages are signed with a `key` of this appliance
//! and chained. `catch_up` gives a replica that was away the pages it missed, and believes what is
//! signed only. `rewrite` writes everything to a new series of pages where an old one is of no use.
//! `retell` reads pages back into a registry that is rebuilt. A kill loses nothing: what is not written
//! yet is still noted.

mod alarm;
mod begin;
mod catch_up;
mod keep;
mod key;
mod page;
mod retell;
mod rewrite;
#[cfg(test)]
mod tests;

pub use alarm::Alarm;
pub use keep::Keeper;
pub use key::Key;
pub use retell::RetellError;
pub(crate) use retell::{Replayed, retell};
