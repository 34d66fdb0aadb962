//! What one bag brings to a version: every path with its four digests, held compactly.
//!
//! Memory per file: 152 bytes and its path (300,000 files with paths of 60 bytes need 64 MB). What
//! earlier versions hold is never kept in memory, however much it is.

use std::ops::Range;

use digests::{Algorithm, Digests};

use super::super::address::{Sha512, ancestors, content_path, is_logical_path, unhex};
use super::super::error::VaultError;

/// The algorithms of the fixity block, in its order.
pub(super) const FIXITY: [Algorithm; 3] = [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256];

/// One file of a bag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path within the bag.
    pub logical: String,
    pub size_bytes: u64,
    /// At least md5, sha1, sha256 and sha512.
    pub digests: Digests,
}

struct Row {
    path_end: u32,
    size_bytes: u64,
    md5: [u8; 16],
    sha1: [u8; 20],
    sha256: [u8; 32],
    sha512: Sha512,
}

/// The files of a bag, in the order of their paths.
pub struct Entries {
    paths: String,
    rows: Vec<Row>,
    /// Rows in the order of their sha512; equal ones stand together, the first path first.
    by_sha512: Vec<u32>,
}

impl Entries {
    /// Takes entries sorted by path. Refuses what an inventory could not say: paths out of order or
    /// twice, paths OCFL forbids, a file that is also a folder, and missing digests.
    pub fn collect(entries: impl IntoIterator<Item = Entry>) -> Result<Entries, VaultError> {
        let mut all = Entries { paths: String::new(), rows: Vec::new(), by_sha512: Vec::new() };
        for entry in entries {
            let row = all.row_of(&entry)?;
            all.paths.push_str(&entry.logical);
            all.rows.push(row);
        }
        for row in 0..all.rows.len() {
            let path = all.logical(row);
            if let Some(folder) = ancestors(path).find(|folder| all.find(folder).is_some()) {
                return Err(refused(folder, "it is a file and a folder at once"));
            }
        }
        let count = u32::try_from(all.rows.len()).map_err(|_| refused("", "too many files"))?;
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_unstable_by_key(|row| (&all.rows[*row as usize].sha512, *row));
        all.by_sha512 = order;
        Ok(all)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn row_of(&self, entry: &Entry) -> Result<Row, VaultError> {
        let path = &entry.logical;
        if !is_logical_path(path) {
            return Err(refused(path, "OCFL forbids such a path"));
        }
        if self.rows.len().checked_sub(1).is_some_and(|last| self.logical(last) >= &**path) {
            return Err(refused(path, "the paths are not in order"));
        }
        let row = || {
            Some(Row {
                path_end: u32::try_from(self.paths.len() + path.len()).ok()?,
                size_bytes: entry.size_bytes,
                md5: entry.digests.get(Algorithm::Md5)?.try_into().ok()?,
                sha1: entry.digests.get(Algorithm::Sha1)?.try_into().ok()?,
                sha256: entry.digests.get(Algorithm::Sha256)?.try_into().ok()?,
                sha512: entry.digests.get(Algorithm::Sha512)?.try_into().ok()?,
            })
        };
        row()
            .ok_or_else(|| refused(path, "a digest is missing, or all paths together are too long"))
    }

    pub(super) fn logical(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].path_end as usize);
        &self.paths[start..self.rows[row].path_end as usize]
    }

    pub(super) fn sha512(&self, row: usize) -> &Sha512 {
        &self.rows[row].sha512
    }

    pub(in super::super) fn size_bytes(&self, row: usize) -> u64 {
        self.rows[row].size_bytes
    }

    /// A digest of the fixity block.
    pub(super) fn fixity(&self, row: usize, algorithm: usize) -> &[u8] {
        let row = &self.rows[row];
        [&row.md5[..], &row.sha1, &row.sha256][algorithm]
    }

    pub(in super::super) fn content_path(&self, row: usize, version: u32) -> String {
        content_path(version, self.logical(row), self.sha512(row))
    }

    /// The first entry whose content lies at this path of a version, if any.
    pub(in super::super) fn holder_of(&self, content: &str, version: u32) -> Option<usize> {
        let name = content.strip_prefix(&format!("v{version}/content/"))?;
        let by_path = || self.find(name);
        let by_digest = || {
            let half: [u8; 32] = unhex(name.rsplit('/').next()?)?;
            let before = |row: &u32| self.sha512(*row as usize)[..32] < half[..];
            self.by_sha512.get(self.by_sha512.partition_point(before)).map(|row| *row as usize)
        };
        let is_there = |row: &usize| self.content_path(*row, version) == content;
        by_path().filter(is_there).or_else(|| by_digest().filter(is_there))
    }

    /// The row of a path.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        let at = self.lower_bound(path);
        (at < self.rows.len() && self.logical(at) == path).then_some(at)
    }

    /// Whether a path that stays from an earlier version is a folder now, or lies in a file.
    pub(super) fn collides(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let next = self.lower_bound(&below);
        (next < self.rows.len() && self.logical(next).starts_with(&below))
            || ancestors(path).any(|folder| self.find(folder).is_some())
    }

    /// Rows with this sha512, as a range of [`Entries::group`].
    pub(super) fn with_sha512(&self, sha512: &Sha512) -> Range<usize> {
        let start = self.by_sha512.partition_point(|row| self.sha512(*row as usize) < sha512);
        let same = |row: &u32| self.sha512(*row as usize) == sha512;
        let count = self.by_sha512[start..].iter().take_while(|row| same(row)).count();
        start..start + count
    }

    /// Rows by their position in the order of sha512.
    pub(super) fn group(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        self.by_sha512[range].iter().map(|row| *row as usize)
    }

    /// Every group of rows with the same sha512.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let row = *self.by_sha512.get(start)? as usize;
            let group = self.with_sha512(self.sha512(row));
            start = group.end;
            Some(group)
        })
    }

    fn lower_bound(&self, path: &str) -> usize {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.logical(middle) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn refused(path: &str, why: &str) -> VaultError {
    VaultError::Refused { what: format!("`{path}`: {why}") }
}
