//! Work items as people search them: the read model of the queue.
//!
//! The queue in sled says what is to be done; these rows only make it searchable, so they are
//! written after it, may be written again, and can be rebuilt from it at any time.

mod access;
mod ask;
mod listing;
mod record;
mod row;

pub use ask::{ParkedGroup, UnfinishedItem};
pub use listing::ITEMS;
pub use record::{AttemptRow, FindingRow};
pub use row::ItemRow;

/// The states that nothing follows; the index of unfinished items spells them out too.
pub const TERMINAL_STATES: [&str; 4] = ["finished", "failed", "cancelled", "expired"];

#[cfg(test)]
mod tests;
