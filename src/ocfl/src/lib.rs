//! OCFL 1.1 storage roots in folders and S3 buckets, readable without this program.
//!
//! A [`Replica`] is one storage root. An object is stored in several of them from one read,
//! verified, and mended from one another.
//!
//! # What it promises
//!
//! - **Versions:** a reader sees a version whole, or the one before it. A step may be repeated
//!   after a crash, and then has the same result. Only between the steps of [`Replica::expunge`] may
//!   a validator find inventories that disagree.
//! - **Durability:** a step that returns without an error has made durable what it wrote: in a
//!   folder it is synced, in a bucket it was acknowledged. A file of a folder gets its name in one
//!   rename.
//! - **Verification:** [`store()`] digests every file on its way. Bytes whose sha512 is not the
//!   expected one are not left in a draft. [`Replica::verify`] reads copies back from the medium,
//!   with the caches of the system dropped where it allows that.
//! - **Preservation:** bytes that are replaced or do not belong are kept under `set-aside/` until
//!   their object is deleted.
//! - **Determinism:** the inventory of a version is a function of the one before, the entries and
//!   the note. It is the same, byte by byte, in every replica with the same history.
//! - **Memory:** it does not grow with the size of files, but for the parts of an upload to a bucket:
//!   they have 8 MiB, and more where a file would need too many of them. A file of a new version
//!   takes 152 bytes and its path. A file that is held already takes some 50 bytes while files are
//!   placed, and 32 bytes while an object is examined. Inventories are read and written as streams,
//!   by way of the scratch folder.
//! - **No panic:** nothing that a replica holds makes it panic. What is damaged is an error or a
//!   flaw.
//!
//! One writer per object at a time is the caller's part, and one process per replica.
//!
//! # What it never does
//!
//! A replica in a folder uses no network. A bucket is asked at its endpoint. Where credentials come
//! from the environment and it has none, `object_store` asks the metadata service of the machine. A
//! place that is neither empty nor a storage root of this crate is never written to. A folder
//! without the marker of its replica counts as not mounted, and is not filled. Times in inventories
//! are the caller's. Only requests to a bucket are signed with the time of the system. The crate
//! knows no registry and no schedule.
//!
//! # Steps
//!
//! One ingest, in order: [`Replica::prepare`] once; [`Placing`] says which files must be copied;
//! [`store()`] copies them into drafts of all replicas from one read; [`Replica::verify`] reads the
//! drafts back; [`Replica::seal`] shows the version; [`Replica::put_chronicle`] writes the caller's
//! record of the version beside it. Each step may be repeated after a crash. [`Replica::reclaim`]
//! clears up after an ingest that was given up, and [`Replica::drafts`] lists what is left over.
//! [`Replica::look_for`] asks for copies that cannot be read, and [`Replica::store_again`] stores
//! those that are not there. [`Replica::expunge`] takes deleted files out of every version.
//!
//! Later, again and again: [`Truth::find`] says which inventory is true, [`Replica::examine`] reads
//! everything back and reports every flaw, and [`Replica::mend`] makes it whole from other
//! replicas. [`Replica::replace`] repairs one file from bytes that somebody supplied.
//!
//! # Reading order
//!
//! `settings`, `error` and `address` are the types. `replica` recognises a storage root, `root`
//! checks the files that describe it. `placement`, `store` (with `pipeline` for large files),
//! `verify`, `seal`, `reclaim`, `left_over`, `sighting`, `records`, `deletions` and `expunge` are
//! the steps. `ledger` keeps pages of the caller's journal. `care` examines and mends; `aside` adds
//! up what that kept. `inventory` is the file that describes an object. `media` is what the steps
//! ask of a folder or a bucket.
//!
//! # Example
//!
//! ```
//! use std::convert::Infallible;
//! use std::io::Read;
//!
//! use digests::{Algorithm, AlgorithmSet, Source, digest_buffers};
//! use ocfl::{
//!     CopyState, Draft, Entries, Entry, Expected, Intake, Note, ObjectId, Placement, Placing,
//!     Replica, ReplicaSettings, Sealing, Sha512, store,
//! };
//!
//! let folder = tempfile::tempdir()?;
//! let root = folder.path().join("storage-root");
//! let settings = ReplicaSettings::folder("first", &root.to_string_lossy());
//! let replica = Replica::new(settings, None, folder.path())?;
//! replica.prepare()?;
//!
//! // Two files in the order of their paths, and which of them must be copied.
//! let files: [(&str, &[u8]); 2] = [("data/1.txt", b"one"), ("data/2.txt", b"two")];
//! let digests = digest_buffers(AlgorithmSet::FOUR, &files.map(|(_, bytes)| bytes));
//! let object = ObjectId::new("example.edu/letters");
//! let draft = Draft { object: &object, version: 1 };
//! let mut placing = Placing::new(draft, &[&replica])?;
//! let (mut intake, mut entries) = (Vec::new(), Vec::new());
//! for ((path, bytes), digests) in files.into_iter().zip(digests) {
//!     let sha512: Sha512 = digests.get(Algorithm::Sha512).unwrap_or_default().try_into()?;
//!     let size_bytes = bytes.len() as u64;
//!     if let Placement::Copy(content_path) = placing.place(path, &sha512) {
//!         let source = Source::Bytes(bytes.into());
//!         intake.push(Intake { content_path, source, size_bytes, sha512, done: Vec::new() });
//!     }
//!     entries.push(Entry { logical: path.to_owned(), size_bytes, digests });
//! }
//!
//! // Copy, and seal: from here on readers see version 1.
//! let go_on = |_bytes| Ok::<(), Infallible>(());
//! let stored = store(intake.into_iter(), draft, &[&replica], go_on, &|_, _| {});
//! assert!(stored.rejected.is_empty() && stored.replicas[0].is_ok());
//! let note = Note {
//!     created: "2026-11-16T10:00:00Z".to_owned(),
//!     message: "First deposit".to_owned(),
//!     user: "An archive".to_owned(),
//!     user_address: "mailto:archive@example.edu".to_owned(),
//! };
//! let entries = Entries::collect(entries)?;
//! assert_eq!(replica.seal(&Sealing { draft, note: &note, entries: &entries })?.version, 1);
//!
//! // Read back every copy that the inventory names.
//! let inventory = replica.inventory(&object)?.expect("a version is sealed");
//! let mut copies = Vec::new();
//! inventory.contents(&mut |path, sha512| {
//!     let (key, content_path) = (path.to_owned(), path.to_owned());
//!     copies.push(Expected { key, content_path, sha512: *sha512, size_bytes: None });
//!     Ok(())
//! })?;
//! let mut verified = Vec::new();
//! replica.verify(&object, copies.into_iter(), go_on, |path, state| {
//!     assert!(matches!(state, CopyState::Equal), "{path}: {state:?}");
//!     verified.push(path);
//! })?;
//! verified.sort();
//! assert_eq!(verified, ["v1/content/data/1.txt", "v1/content/data/2.txt"]);
//!
//! let mut text = String::new();
//! replica.read_copy(&object, "v1/content/data/1.txt")?.read_to_string(&mut text)?;
//! assert_eq!(text, "one");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
