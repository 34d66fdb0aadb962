//! The vault: OCFL 1.1 storage roots that hold the preserved bytes and describe them, readable
//! without this program.
//!
//! One ingest, in order: [`Replica::prepare`] once; [`Placing`] says which files must be copied;
//! [`store`] copies them into drafts of all replicas from one read; [`Replica::verify`] reads the
//! drafts back; [`Replica::seal`] shows the version; [`Replica::put_chronicle`] writes what the
//! registry knows beside it. Each step may be repeated after a crash, and [`Replica::reclaim`]
//! clears up after an ingest that was given up. One writer per object at a time is the caller's
//! part.
//!
//! In reading order: `settings`, `error` and `address` are the words; `replica` recognises a
//! storage root; `placement`, `store` (with `pipeline` for large files), `verify`, `seal`,
//! `reclaim` and `records` are the steps; `inventory` is the file that describes an object;
//! `media` is what the steps ask of a folder or a bucket.

mod address;
mod error;
mod inventory;
mod media;
mod pipeline;
mod placement;
mod reclaim;
mod records;
mod replica;
mod seal;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod verify;

pub use address::{ObjectId, Sha512, content_path};
pub use error::{Kind, VaultError};
pub use inventory::{Entries, Entry, Inventory, Note};
pub use media::{InArea, Inbox, InboxError, Letter, Thawing};
pub use placement::{Draft, Placement, Placing};
pub use replica::{Replica, ReplicaId};
pub use seal::{Sealed, Sealing};
pub use settings::{Class, Credentials, ReplicaSettings};
pub use store::{Intake, Stored, store};
pub use verify::{CopyState, Expected};
