//! Sets of clips as compressed bitmaps. The only file that names roaring.
//!
//! Clips are looked for in one order, so that what was searched in an episode is a few runs of
//! numbers: such a set takes some tens of bytes, and all of 10,000 clips are compared in microseconds.

use std::fmt;

use roaring::RoaringBitmap;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// A set of numbers of clips.
#[derive(Clone, Default, PartialEq)]
pub struct ClipSet(RoaringBitmap);

impl ClipSet {
    /// Adds one; whether it was new.
    pub fn insert(&mut self, clip: u32) -> bool {
        self.0.insert(clip)
    }

    /// Takes one out; whether it was there.
    pub fn remove(&mut self, clip: u32) -> bool {
        self.0.remove(clip)
    }

    /// Whether it is there.
    pub fn contains(&self, clip: u32) -> bool {
        self.0.contains(clip)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds all of another.
    pub fn add(&mut self, other: &ClipSet) {
        self.0 |= &other.0;
    }

    /// Takes all of another out.
    pub fn take_out(&mut self, other: &ClipSet) {
        self.0 -= &other.0;
    }

    /// Whether all of these are in another.
    pub fn is_within(&self, other: &ClipSet) -> bool {
        self.0.is_subset(&other.0)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter()
    }

    /// As it is stored: in the format that all of roaring's libraries read, as short as it gets.
    pub fn bytes(&self) -> Vec<u8> {
        let mut set = self.0.clone();
        set.optimize();
        let mut out = Vec::with_capacity(set.serialized_size());
        // A vector takes everything.
        drop(set.serialize_into(&mut out));
        out
    }
}

impl FromIterator<u32> for ClipSet {
    fn from_iter<T: IntoIterator<Item = u32>>(clips: T) -> ClipSet {
        ClipSet(clips.into_iter().collect())
    }
}

impl fmt::Debug for ClipSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} clips", self.len())
    }
}

impl ToSql for ClipSet {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.bytes()))
    }
}

impl FromSql for ClipSet {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ClipSet> {
        let read = RoaringBitmap::deserialize_from(value.as_blob()?);
        read.map(ClipSet).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back_and_runs_are_short() {
        for clips in [vec![], vec![1], (1..10_000).collect(), vec![0, 65_535, 65_536, u32::MAX]] {
            let set: ClipSet = clips.iter().copied().collect();
            let bytes = set.bytes();
            assert!(bytes.len() < 64, "{} bytes for {set:?}", bytes.len());
            let back = ClipSet::column_result(ValueRef::Blob(&bytes)).unwrap();
            assert_eq!(back.iter().collect::<Vec<_>>(), clips);
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = (1..500).step_by(3).collect::<ClipSet>().bytes();
        for end in 0..bytes.len() {
            assert!(ClipSet::column_result(ValueRef::Blob(&bytes[..end])).is_err(), "{end}");
        }
    }
}
