//! The vault: OCFL 1.1 storage roots that hold the preserved bytes and describe them, readable
//! without this program.
//!
//! One ingest, in order: [`Replica::prepare`] once; [`Placing`] says which files must be copied;
//! [`store`] copies them into drafts of all replicas from one read; [`Replica::verify`] reads the
//! drafts back; [`Replica::seal`] shows the version; [`Replica::put_chronicle`] writes what the
//! registry knows beside it. Each step may be repeated after a crash, and [`Replica::reclaim`]
//! clears up after an ingest that was given up; [`Replica::drafts`] tells what is left over.
//! [`Replica::look_for`] asks for copies that cannot be read, and [`Replica::store_again`] stores those
//! that are not there. [`Replica::expunge`] takes what two people agreed to delete out of every version.
//! One writer per object at a time is the caller's part.
//!
//! Later, again and again: [`Truth::find`] says which inventory is true, [`Replica::examine`] reads
//! everything back and tells every flaw, and [`Replica::mend`] makes it whole from other replicas.
//! [`Replica::replace`] repairs one file from bytes that somebody supplied.
//!
//! In reading order: `settings`, `error` and `address` are the words; `replica` recognises a
//! storage root, `root` checks the files that describe it; `placement`, `store` (with `pipeline` for large files), `verify`, `seal`,
//! `reclaim`, `left_over`, `sighting`, `records`, `deletions` and `expunge` are the steps; `care` examines and mends; `aside` adds up what that kept;
//! `inventory` is the file that describes an object;
//! `media` is what the steps ask of a folder or a bucket.

mod address;
mod aside;
mod care;
mod deletions;
mod error;
mod expunge;
mod inventory;
mod ledger;
mod left_over;
mod media;
mod pipeline;
mod placement;
mod reclaim;
mod records;
mod replica;
mod root;
mod seal;
mod settings;
mod sighting;
mod store;
#[cfg(test)]
mod tests;
mod verify;

pub use address::{ObjectId, Sha512, content_path};
pub use aside::SetAside;
pub use care::{Became, Confirm, Examined, Flaw, Found, Mending, Part, Supplied, Truth};
pub use error::{Kind, VaultError};
pub use expunge::Expunged;
pub use inventory::{Entries, Entry, Expunging, Inventory, Note};
pub use ledger::PageId;
pub use left_over::DraftName;
pub use media::{AwsAnswer, AwsService, AwsUnanswered, InArea, Inbox, InboxError, Letter, Thawing};
pub use placement::{Draft, Placement, Placing};
pub use replica::{Replica, ReplicaId};
pub use root::{RootFlaw, RootFound};
pub use seal::{Sealed, Sealing};
pub use settings::{Class, Credentials, ReplicaSettings};
pub use sighting::{Sighting, Sought};
pub use store::{Intake, Stored, TellDone, store};
pub use verify::{CopyState, Expected};
