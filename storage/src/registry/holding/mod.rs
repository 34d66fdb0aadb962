//! What is held: objects, deposits, files, digests, copies, and the events about them.
//!
//! A deposit is written in steps, each of them one bounded transaction that may be repeated:
//! `begin_deposit`, `put_files` and `put_events` as often as it takes, then `seal`. Until the seal
//! no reader sees anything of it; `abandon` takes all of it away again.
//!
//! A file is its path in an object and keeps its id and UUID for ever. What it holds is a chain of
//! versions that are never changed, only superseded. An event that is about many files is one row,
//! and is told about one of them by [`EventRow::about`].

mod check;
mod checksum;
mod content;
mod copy;
mod delete;
mod deposit;
mod derive;
mod event;
mod file;
mod flaw;
mod folder;
mod identity;
mod kept;
mod listing;
mod loss;
mod missing;
mod object;
mod own_checks;
mod put;
mod seal;
mod storage_record;
mod sums;

pub use check::{CheckAge, DueObject, LostFile, ReplicaChecks, UnsoundCopy, UnsoundSums};
pub use checksum::{CHECKSUMS, ChecksumRow};
pub use content::HeldContent;
pub use copy::{CheckedCopy, CopyCount, CopyRow, CopyState, Replica, ReplicaClass, ReplicaRow};
pub use delete::{DeletionTelling, ToldDeletion};
pub use deposit::{DepositFacts, DepositRow, NewDeposit, Tag};
pub use derive::HeldSums;
pub use event::{
    About, EachEvent, EachEventPage, EventRow, EventType, NewEvent, Outcome, Rows, Scope,
};
pub use file::{DigestPart, FileRow, FormatCount};
pub use folder::{Folder, FolderEntry, FolderPage};
pub use identity::{DepositId, Digests, FileId, HeldState, ObjectId, ReplicaId, Uuid, Version};
pub use listing::{EVENTS, FILES, OBJECTS};
pub use missing::{ExaminedCopies, MissingCopies};
pub use object::{Access, ObjectFacts, ObjectRow};
pub use put::{FormatFacts, NewCopy, NewFileVersion};
pub use seal::Seal;
pub use storage_record::{STORAGE_RECORDS, StorageRecordRow};
pub use sums::{OptionSums, ReplicaSums};

pub(super) use derive::{DERIVE_COPIES, DERIVE_FORMATS, DERIVE_REACH};
pub(super) use flaw::holding_flaws;
pub(super) use identity::{by_name, numbers};
pub(super) use listing::named;

/// Rows that one call may write: large enough for speed, small enough for everybody else's turn.
pub const BATCH_MAX: usize = 1000;

/// Whether a path is of the payload, in SQL; a range, so that no pattern has to be matched.
const PAYLOAD: &str = "f.path >= 'data/' AND f.path < 'data0'";

/// Refuses a batch that is too large.
pub(super) fn check_batch(field: &'static str, len: usize) -> Result<(), super::Error> {
    if len > BATCH_MAX {
        let rule = format!("must be at most {BATCH_MAX} at a time, not {len}");
        return Err(super::Error::Invalid { field, rule });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
