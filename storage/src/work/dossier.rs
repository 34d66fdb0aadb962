//! The dossier: interim state of one item while its stages work on it.
//!
//! One record about the whole, any number of records by name (one per file), one per stage, and what
//! is done of the step that is under way.
//! Writes are marks: atomic, not waiting for the medium, covered by the next settlement. A mark
//! lost in a crash costs the repetition of what it stood for, so it may only claim what can be
//! checked or repeated. Nothing here grows in memory with the number of files.

use super::engine::{Span, TreeId};
use super::item::ItemId;
use super::key::{Key, Tail};
use super::store::Store;
use crate::error::Error;
use std::ops::Bound;

use byteio::record::{Record, decode, encode};

/// Entries removed or written by one batch.
const BATCH: usize = 1000;
/// Longest name of a record: the longest path a file system takes, and some.
const NAME_LIMIT: usize = 16 << 10;

const WHOLE: u8 = 0;
const FILE: u8 = 1;
const RESULT: u8 = 2;
const STEP: u8 = 3;

/// The dossier of one item.
#[derive(Clone, Copy)]
pub struct Dossier<'a> {
    store: &'a Store,
    item: ItemId,
}

impl<'a> Dossier<'a> {
    /// The dossier of an item; empty until something is put in.
    pub fn of(store: &'a Store, item: ItemId) -> Dossier<'a> {
        Dossier { store, item }
    }

    /// Stores the record about the whole.
    pub fn put_whole<R: Record>(&self, record: &R) -> Result<(), Error> {
        self.put(WHOLE, std::iter::once((&b""[..], record)))
    }

    /// The record about the whole.
    pub fn whole<R: Record>(&self) -> Result<Option<R>, Error> {
        self.get(WHOLE, b"")
    }

    /// Stores what one stage found.
    pub fn put_result<R: Record>(&self, topic: &str, record: &R) -> Result<(), Error> {
        self.put(RESULT, std::iter::once((topic.as_bytes(), record)))
    }

    /// What one stage found.
    pub fn result<R: Record>(&self, topic: &str) -> Result<Option<R>, Error> {
        self.get(RESULT, topic.as_bytes())
    }

    /// Stores records by name, each call one atomic batch per thousand.
    pub fn put_files<'r, R: Record>(
        &self,
        files: impl IntoIterator<Item = (&'r [u8], &'r R)>,
    ) -> Result<(), Error> {
        self.put(FILE, files)
    }

    /// The record of one name.
    pub fn file<R: Record>(&self, name: &[u8]) -> Result<Option<R>, Error> {
        self.get(FILE, name)
    }

    /// Up to `limit` records in order of name, from behind `after` on.
    pub fn files<R: Record>(
        &self,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Vec<u8>, R)>, Error> {
        let start = match after {
            Some(name) => Bound::Excluded(self.key(FILE, name)),
            None => Bound::Included((self.item, FILE).bytes()),
        };
        let end = Bound::Excluded((self.item, FILE + 1).bytes());
        let mut found = Vec::new();
        for (key, value) in self.store.scan_raw(TreeId::Dossier, (start, end), limit)? {
            let (_, _, Tail(name)) =
                <(ItemId, u8, Tail)>::parse(&key).ok_or_else(|| unreadable("its key".into()))?;
            found.push((name, read(&value)?));
        }
        Ok(found)
    }

    /// Notes parts of a step that are done, by name; each once, however often it is noted.
    pub fn put_done<'n>(&self, names: impl IntoIterator<Item = &'n [u8]>) -> Result<(), Error> {
        self.put(STEP, names.into_iter().map(|name| (name, &())))
    }

    /// Up to `limit` of the parts that are done, in order of name.
    pub fn done(&self, limit: usize) -> Result<Vec<Vec<u8>>, Error> {
        let mut found = Vec::new();
        for (key, _) in self.store.scan_raw(TreeId::Dossier, self.step(), limit)? {
            let (_, _, Tail(name)) =
                <(ItemId, u8, Tail)>::parse(&key).ok_or_else(|| unreadable("its key".into()))?;
            found.push(name);
        }
        Ok(found)
    }

    /// Forgets which parts of a step are done, because the step is.
    pub fn clear_done(&self) -> Result<(), Error> {
        self.remove_all(self.step())
    }

    /// Removes everything in the dossier.
    pub fn remove(&self) -> Result<(), Error> {
        self.remove_all(self.span())
    }

    fn remove_all(&self, span: Span) -> Result<(), Error> {
        loop {
            let found = self.store.scan_raw(TreeId::Dossier, span.clone(), BATCH)?;
            if found.is_empty() {
                return Ok(());
            }
            let removals = found.iter().map(|(key, _)| (key.to_vec(), None));
            self.store.mark(TreeId::Dossier, removals)?;
        }
    }

    fn step(&self) -> Span {
        let (start, end) = ((self.item, STEP).bytes(), (self.item, STEP + 1).bytes());
        (Bound::Included(start), Bound::Excluded(end))
    }

    /// Whether anything is in it.
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.store.scan_raw(TreeId::Dossier, self.span(), 1)?.is_empty())
    }

    fn span(&self) -> Span {
        let end = match self.item.0.checked_add(1) {
            Some(next) => Bound::Excluded(ItemId(next).bytes()),
            None => Bound::Unbounded,
        };
        (Bound::Included(self.item.bytes()), end)
    }

    fn key(&self, section: u8, name: &[u8]) -> Vec<u8> {
        let mut key = (self.item, section).bytes();
        key.extend_from_slice(name);
        key
    }

    fn put<'r, R: Record>(
        &self,
        section: u8,
        records: impl IntoIterator<Item = (&'r [u8], &'r R)>,
    ) -> Result<(), Error> {
        let mut batch = Vec::new();
        for (name, record) in records {
            if name.len() > NAME_LIMIT {
                let problem = format!("is longer than {NAME_LIMIT} bytes");
                return Err(Error::Malformed { what: "a file's name", problem });
            }
            let value = encode(record).map_err(|error| unreadable(error.to_string()))?;
            batch.push((self.key(section, name), Some(value)));
            if batch.len() == BATCH {
                self.store.mark(TreeId::Dossier, batch.drain(..))?;
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.store.mark(TreeId::Dossier, batch.into_iter())
    }

    fn get<R: Record>(&self, section: u8, name: &[u8]) -> Result<Option<R>, Error> {
        let key = self.key(section, name);
        let value = self.store.read(|engine| engine.get(TreeId::Dossier, &key))?;
        value.as_deref().map(read).transpose()
    }
}

fn read<R: Record>(value: &[u8]) -> Result<R, Error> {
    decode(value).map_err(|source| Error::Unreadable { tree: TreeId::Dossier.name(), source })
}

fn unreadable(why: String) -> Error {
    let source = byteio::record::Undecodable::Damaged(why);
    Error::Unreadable { tree: TreeId::Dossier.name(), source }
}
