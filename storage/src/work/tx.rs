//! Typed access to trees, inside a commit and outside of one.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Bound;

use byteio::record::{Record, decode, encode};

use super::engine::{Engine, Span, TreeId, Writes};
use super::key::Key;
use super::store::Store;
use crate::error::Error;

/// A tree with the types of its keys and values.
pub trait Schema: 'static {
    /// Where it is stored.
    const TREE: TreeId;
    /// Its keys.
    type Key: Key;
    /// Its values.
    type Value: Record;
}

/// What a scan finds.
type Entries<S> = Vec<(<S as Schema>::Key, <S as Schema>::Value)>;

/// A range of keys of one schema.
pub struct Range<S: Schema> {
    span: Span,
    schema: PhantomData<S>,
}

impl<S: Schema> Range<S> {
    /// Every key.
    pub fn all() -> Range<S> {
        Range { span: (Bound::Unbounded, Bound::Unbounded), schema: PhantomData }
    }

    /// Every key whose bytes begin with those of `prefix`.
    pub fn prefix(prefix: &impl Key) -> Range<S> {
        let start = prefix.bytes();
        let end = match successor(start.clone()) {
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        Range { span: (Bound::Included(start), end), schema: PhantomData }
    }

    /// The same range, from behind `key` on: for paging.
    pub fn after(mut self, key: &S::Key) -> Range<S> {
        self.span.0 = Bound::Excluded(key.bytes());
        self
    }

    /// The same range, up to and including what begins with `prefix`.
    pub fn through(mut self, prefix: &impl Key) -> Range<S> {
        self.span.1 = match successor(prefix.bytes()) {
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        self
    }
}

/// The smallest bytes greater than everything that begins with `bytes`.
fn successor(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if last < u8::MAX {
            bytes.push(last + 1);
            return Some(bytes);
        }
    }
    None
}

/// One atomic change: sees the committed state, what is staged before it, and its own writes.
pub struct Tx<'a> {
    engine: &'a Engine,
    applying: &'a Writes,
    pending: &'a Writes,
    own: Writes,
}

impl<'a> Tx<'a> {
    pub(super) fn new(engine: &'a Engine, applying: &'a Writes, pending: &'a Writes) -> Tx<'a> {
        Tx { engine, applying, pending, own: Writes::new() }
    }

    pub(super) fn into_writes(self) -> Writes {
        self.own
    }

    /// The value at `key`.
    pub fn get<S: Schema>(&self, key: &S::Key) -> Result<Option<S::Value>, Error> {
        let place = (S::TREE, key.bytes());
        for layer in [&self.own, self.pending, self.applying] {
            if let Some(write) = layer.get(&place) {
                return write.as_deref().map(read_value::<S>).transpose();
            }
        }
        self.engine.get(S::TREE, &place.1)?.as_deref().map(read_value::<S>).transpose()
    }

    /// Stores `value` at `key`.
    pub fn put<S: Schema>(&mut self, key: &S::Key, value: &S::Value) -> Result<(), Error> {
        let bytes =
            encode(value).map_err(|source| Error::Unreadable { tree: S::TREE.name(), source })?;
        self.own.insert((S::TREE, key.bytes()), Some(bytes));
        Ok(())
    }

    /// Removes what is at `key`, if anything.
    pub fn remove<S: Schema>(&mut self, key: &S::Key) {
        self.own.insert((S::TREE, key.bytes()), None);
    }

    /// The first `limit` entries of a range.
    pub fn scan<S: Schema>(&self, range: Range<S>, limit: usize) -> Result<Entries<S>, Error> {
        let mut staged: BTreeMap<&[u8], Option<&[u8]>> = BTreeMap::new();
        for layer in [self.applying, self.pending, &self.own] {
            let from = (in_tree(S::TREE, &range.span.0), Bound::Unbounded);
            for ((tree, key), value) in layer.range::<(TreeId, Vec<u8>), _>(from) {
                if *tree != S::TREE || past(key, &range.span.1) {
                    break;
                }
                staged.insert(key, value.as_deref());
            }
        }
        let mut found = Vec::new();
        let mut staged = staged.into_iter().peekable();
        for entry in self.engine.range(S::TREE, range.span) {
            let (key, value) = entry?;
            while let Some((ahead, write)) = staged.next_if(|(ahead, _)| *ahead < &*key) {
                push::<S>(&mut found, ahead, write)?;
            }
            let over = staged.next_if(|(ahead, _)| *ahead == &*key);
            if found.len() >= limit {
                break;
            }
            match over {
                Some((_, write)) => push::<S>(&mut found, &key, write)?,
                None => push::<S>(&mut found, &key, Some(&value))?,
            }
            if found.len() >= limit {
                break;
            }
        }
        while found.len() < limit
            && let Some((key, write)) = staged.next()
        {
            push::<S>(&mut found, key, write)?;
        }
        found.truncate(limit);
        Ok(found)
    }
}

impl Store {
    /// The committed value at `key`.
    pub fn get<S: Schema>(&self, key: &S::Key) -> Result<Option<S::Value>, Error> {
        self.read(|engine| {
            engine.get(S::TREE, &key.bytes())?.as_deref().map(read_value::<S>).transpose()
        })
    }

    /// The first `limit` committed entries of a range.
    pub fn scan<S: Schema>(&self, range: Range<S>, limit: usize) -> Result<Entries<S>, Error> {
        let mut found = Vec::new();
        for (key, value) in self.scan_raw(S::TREE, range.span, limit)? {
            push::<S>(&mut found, &key, Some(&value))?;
        }
        Ok(found)
    }
}

fn in_tree(tree: TreeId, bound: &Bound<Vec<u8>>) -> Bound<(TreeId, Vec<u8>)> {
    match bound {
        Bound::Included(key) => Bound::Included((tree, key.clone())),
        Bound::Excluded(key) => Bound::Excluded((tree, key.clone())),
        Bound::Unbounded => Bound::Included((tree, Vec::new())),
    }
}

fn past(key: &[u8], end: &Bound<Vec<u8>>) -> bool {
    match end {
        Bound::Included(end) => key > end.as_slice(),
        Bound::Excluded(end) => key >= end.as_slice(),
        Bound::Unbounded => false,
    }
}

fn push<S: Schema>(
    found: &mut Vec<(S::Key, S::Value)>,
    key: &[u8],
    value: Option<&[u8]>,
) -> Result<(), Error> {
    if let Some(value) = value {
        found.push((read_key::<S>(key)?, read_value::<S>(value)?));
    }
    Ok(())
}

fn read_key<S: Schema>(bytes: &[u8]) -> Result<S::Key, Error> {
    S::Key::parse(bytes).ok_or_else(|| Error::Unreadable {
        tree: S::TREE.name(),
        source: byteio::record::Undecodable::Damaged(format!("key {bytes:02x?}")),
    })
}

fn read_value<S: Schema>(bytes: &[u8]) -> Result<S::Value, Error> {
    decode(bytes).map_err(|source| Error::Unreadable { tree: S::TREE.name(), source })
}
