//! Requests to delete, and what two people made of them.
//!
//! The rule of two people stands here, in the transactions, so that no page, command or item gets
//! around it: an institutional administrator asks, another one of the same institution approves, and
//! only a part of an approved request lets [`Registry::delete_file`](super::Registry::delete_file)
//! and [`Registry::delete_object`](super::Registry::delete_object) touch anything. A part that is
//! done lets nothing be touched any more.

mod agree;
mod part;
mod people;
mod request;
mod row;

pub use part::{DeletionPart, DeletionPartId, GoneCopy};
pub use request::{DeletionTarget, NewDeletion, TARGETS_MAX};
pub use row::{DELETIONS, DeletionId, DeletionRow, DeletionState};

pub(super) use part::{agreed, part_done};
