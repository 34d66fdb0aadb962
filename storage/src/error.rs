//! What can go wrong in the work room, by what the caller can do about it.

use std::io;
use std::path::PathBuf;

use byteio::record::Undecodable;

use crate::work::item::ItemId;

/// A failure of the data directory or of the work state in it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process holds the data directory.
    #[error(
        "the data directory {dir} is in use by another process{holder}: stop it first, or use another directory with --data"
    )]
    InUse {
        /// The data directory.
        dir: PathBuf,
        /// ` (process 123)` when the holder left its number.
        holder: String,
    },
    /// A later Strongroom wrote here.
    #[error(
        "{dir} was written by a newer Strongroom (format {found}, this one knows {known}): use that version, nothing was changed"
    )]
    Newer {
        /// What was being opened.
        dir: PathBuf,
        /// Format found.
        found: u64,
        /// Format known.
        known: u64,
    },
    /// Something else lives here.
    #[error(
        "{dir} holds files that are not Strongroom's: choose an empty directory with --data, nothing was changed"
    )]
    Foreign {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory cannot be read or written.
    #[error("cannot {what} {path}")]
    Files {
        /// What was attempted, as a verb: `open`, `create`, `write`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// No room on the disk. Everything acknowledged before is kept.
    #[error("the disk is full: everything confirmed so far is kept, make room and work goes on")]
    Full,
    /// What is stored is damaged; nothing was changed.
    #[error("the work state in {dir} is damaged ({why})")]
    Damaged {
        /// Where.
        dir: PathBuf,
        /// What was found.
        why: String,
    },
    /// The engine failed and must be reopened before anything else is written.
    #[error("the work state failed earlier and waits to be reopened")]
    Ailing,
    /// The engine failed for a reason of its own.
    #[error("the work state engine failed")]
    Engine(#[source] sled::Error),
    /// A stored value cannot be read.
    #[error("a record in tree {tree} cannot be read")]
    Unreadable {
        /// The tree.
        tree: &'static str,
        /// Why.
        #[source]
        source: Undecodable,
    },
    /// The lease was lost: expired, taken over or revoked. Nothing was written.
    #[error("the lease on item {0} is no longer held, nothing was written")]
    LeaseLost(ItemId),
    /// No live item has this number.
    #[error("there is no item {0} in progress")]
    NoSuchItem(ItemId),
    /// The item is in a state that does not allow this.
    #[error("item {item} is {state}: {allowed}")]
    WrongState {
        /// The item.
        item: ItemId,
        /// The state it is in.
        state: &'static str,
        /// What would have been needed.
        allowed: &'static str,
    },
    /// The topic holds as many items as it may.
    #[error("topic {topic} already holds {limit} waiting items, no more are taken")]
    TopicFull {
        /// The topic.
        topic: String,
        /// The limit.
        limit: u64,
    },
    /// A value is over its bound or malformed.
    #[error("{what} {problem}")]
    Malformed {
        /// Which value.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A lease over these keys overlaps a live one. Nothing was leased.
    #[error("{key} is already leased to {holder} until {until}")]
    Overlap {
        /// The first key that overlaps.
        key: String,
        /// Who holds it.
        holder: String,
        /// Until when.
        until: crate::clock::Timestamp,
    },
}

impl Error {
    /// Whether this is the disk being full, in whatever way it showed.
    pub fn is_full(&self) -> bool {
        match self {
            Error::Full => true,
            Error::Files { source, .. } => no_room(source),
            Error::InUse { .. }
            | Error::Newer { .. }
            | Error::Foreign { .. }
            | Error::Damaged { .. }
            | Error::Ailing
            | Error::Engine(_)
            | Error::Unreadable { .. }
            | Error::LeaseLost(_)
            | Error::NoSuchItem(_)
            | Error::WrongState { .. }
            | Error::TopicFull { .. }
            | Error::Malformed { .. }
            | Error::Overlap { .. } => false,
        }
    }
}

/// Whether an I/O error means that the medium, the quota or the allowed file size is used up.
pub(crate) fn no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

impl From<sled::Error> for Error {
    fn from(error: sled::Error) -> Error {
        match error {
            sled::Error::Io(io) if no_room(&io) => Error::Full,
            other @ (sled::Error::CollectionNotFound(_)
            | sled::Error::Unsupported(_)
            | sled::Error::ReportableBug(_)
            | sled::Error::Io(_)
            | sled::Error::Corruption { .. }) => Error::Engine(other),
        }
    }
}
