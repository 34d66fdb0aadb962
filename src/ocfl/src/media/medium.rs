//! What a vault asks of the place its bytes lie in: a folder or a bucket.
//!
//! Keys are paths relative to the storage root, with `/`. The whole crash safety of the vault rests
//! on three promises: `put` is seen whole or not at all and is durable when it returns; a batch is
//! durable when its `sync` returns; and `install` is one step. Everything above is written in terms
//! of these, so that a test can fail each of them once.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;

use bytes::Bytes;

use super::super::address::ObjectId;
use super::super::error::VaultError;
use super::thaw::Thawing;

/// A place for bytes.
pub(in super::super) trait Medium: Send + Sync {
    /// Reads what is at the key, from the medium itself and not from a cache where the system lets
    /// us; `None` if nothing is there.
    fn open(&self, key: &str) -> Result<Option<Box<dyn Read + Send + '_>>, VaultError>;

    /// The file at the key itself, on a medium of files: it can be read anywhere without a copy.
    /// `None` elsewhere, and if nothing is there.
    fn file(&self, key: &str) -> Result<Option<File>, VaultError> {
        let _ = key;
        Ok(None)
    }

    /// Writes or replaces one file, whole and durable.
    fn put(&self, key: &str, source: Upload<'_>) -> Result<(), VaultError>;

    /// Begins to write many files that become durable together.
    fn batch(&self) -> Result<Box<dyn Batch + '_>, VaultError>;

    /// Names every file below the key with its size.
    fn list(&self, key: &str, found: Found<'_>) -> Result<(), VaultError>;

    /// Names everything below the key that is not a folder of something, and what it is.
    fn survey(&self, key: &str, found: Surveyed<'_>) -> Result<(), VaultError>;

    /// What the medium says of the file at the key without reading it; `None` if no file is there.
    fn look(&self, key: &str) -> Result<Option<Told>, VaultError> {
        let size_bytes = self.size_of(key)?;
        Ok(size_bytes.map(|size_bytes| Told { size_bytes, md5: None }))
    }

    /// The bytes of the file at the key; `None` if no file is there.
    fn size_of(&self, key: &str) -> Result<Option<u64>, VaultError>;

    /// Keeps what is at one key under another as well, or instead if it is not to stay; never over
    /// something else: a number is added to the name. Tells the name; `None` if nothing is there.
    fn set_aside(&self, from: &str, to: &str, stays: bool) -> Result<Option<String>, VaultError>;

    /// Removes folders below the key that hold no file.
    fn prune(&self, key: &str) -> Result<(), VaultError>;

    /// Removes the file at the key; nothing being there is fine.
    fn remove(&self, key: &str) -> Result<(), VaultError>;

    /// Removes everything below the key; nothing being there is fine.
    fn clear(&self, key: &str) -> Result<(), VaultError>;

    /// Where drafts of an object grow until they are sealed: the object's own root on a medium
    /// where nothing is seen before an inventory names it.
    fn draft_root(&self, object: &ObjectId) -> String;

    /// Moves a finished version from its draft into the object; nothing to do where both are one.
    fn install(&self, draft: &str, place: &str) -> Result<(), VaultError>;

    /// Gives up what is on its way to an object: a draft in its own place, uploads never ended.
    fn abandon(&self, object: &ObjectId) -> Result<(), VaultError>;

    /// The objects that something is on its way to, by the hashes of their ids, finished or not.
    fn unfinished(&self) -> Result<BTreeSet<String>, VaultError>;

    /// Gives up what is on its way to the object of this hash, which nobody works on.
    fn give_up(&self, hash: &str) -> Result<(), VaultError>;

    /// Removes files that earlier processes did not finish to write; the number of them.
    fn remove_parts(&self) -> Result<u64, VaultError> {
        Ok(0)
    }

    /// Whether nothing is here, or nothing but our own corner.
    fn is_vacant(&self) -> Result<bool, VaultError>;

    /// Asks that what lies at the key in cold storage be brought. Most media have no such thing.
    fn thaw(&self, key: &str) -> Result<Thawing, VaultError> {
        let _ = key;
        Ok(Thawing::There)
    }

    /// How far it is.
    fn thawing(&self, key: &str) -> Result<Thawing, VaultError> {
        let _ = key;
        Ok(Thawing::There)
    }

    /// Threads that wait for this medium side by side, if more than the machine's cores pay.
    fn readers(&self) -> Option<&rayon::ThreadPool>;
}

/// What a medium says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Told {
    pub size_bytes: u64,
    /// What may be the md5 of its bytes, in hex: some servers tell it, and others something else that
    /// looks like one.
    pub md5: Option<String>,
}

/// Told a key and a size.
pub(in super::super) type Found<'f> = &'f mut dyn FnMut(&str, u64) -> Result<(), VaultError>;

/// What lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Lying {
    /// A file of so many bytes.
    File(u64),
    /// A link, or something else that is not of bytes.
    Other,
    EmptyFolder,
}

/// Told a key and what lies there.
pub(in super::super) type Surveyed<'f> = &'f mut dyn FnMut(&str, Lying) -> Result<(), VaultError>;

/// Names to try for what is set aside twice at the same moment.
const NAMES_MAX: u32 = 100;

/// The name itself, then with a number.
pub(super) fn names(to: &str) -> impl Iterator<Item = String> {
    let numbered = move |number: u32| match number {
        1 => to.to_owned(),
        _ => format!("{to}~{number}"),
    };
    (1..=NAMES_MAX).map(numbered)
}

/// Bytes for one `put`.
pub(in super::super) struct Upload<'u> {
    pub source: &'u mut (dyn Read + Send),
    pub size_bytes: u64,
}

/// Files on their way to a medium. Dropping it gives up what is not yet durable.
pub(in super::super) trait Batch: Send + Sync {
    /// Writes a small file; errors may be told only by `sync`.
    fn copy(&self, key: &str, bytes: Bytes) -> Result<(), VaultError>;

    /// Begins a file of this size that arrives in pieces.
    fn writer(&self, key: &str, size_bytes: u64) -> Result<Box<dyn CopyWriter + '_>, VaultError>;

    /// Makes all that was written until now durable, or tells the first error of any of it.
    fn sync(&self) -> Result<(), VaultError>;

    /// The keys of files that have become durable since this was last asked.
    fn durable(&self) -> Vec<String>;
}

/// One file on its way. Dropping it without `finish` leaves no file; a medium may keep what it has of it
/// and continue there when the same file comes again.
pub(in super::super) trait CopyWriter: Send {
    fn write(&mut self, piece: Bytes) -> Result<(), VaultError>;
    fn finish(self: Box<Self>) -> Result<(), VaultError>;
    /// Gives up all of it: these were not the right bytes.
    fn reject(self: Box<Self>);
}
