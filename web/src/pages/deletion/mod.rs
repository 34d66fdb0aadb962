//! Deletion, which takes two people: the list of requests, asking for one, and judging it.

mod ask;
mod list;
mod offer;
mod review;

pub use ask::{AskDeletionPage, ask_deletion_page};
pub use list::{DeletionFilter, DeletionLine, DeletionsPage, deletions_page};
pub use offer::DeletionOffer;
pub use review::{DeletionPage, DeletionPartLine, Verdict, deletion_fragment, deletion_page};

pub(super) use offer::offer;
