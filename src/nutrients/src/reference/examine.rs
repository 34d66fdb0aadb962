//! Reads the files of a version whole, and compares their digests with those that they were made with.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::error::ReferenceError;
use super::import::{MANIFEST, file_name, read_manifest};
use super::table::Table;
use crate::shape::hex;

/// Bytes read at a time.
const BLOCK: usize = 1 << 20;

/// An examination of one version, some bytes at a time: a layer may have gigabytes.
pub struct Examination {
    files: Vec<(Table, PathBuf, String)>,
    /// The file that is read now.
    at: usize,
    open: Option<(File, Sha256)>,
    damaged: BTreeSet<Table>,
}

impl Examination {
    /// The examination of the version in a folder. Nothing but its description is read.
    pub(super) fn of(folder: &Path) -> Result<Examination, ReferenceError> {
        let manifest = read_manifest(folder)?;
        let file = |(table, file): (Table, super::TableFile)| {
            (table, folder.join(file_name(table)), file.sha256)
        };
        let files = manifest.tables.into_iter().map(file).collect();
        Ok(Examination { files, at: 0, open: None, damaged: BTreeSet::new() })
    }

    /// Reads about so many bytes more, and says whether that was all.
    pub fn go_on(&mut self, most: u64) -> bool {
        let mut left = most;
        let mut buffer = vec![0; BLOCK];
        while left > 0 {
            let Some((table, path, sha256)) = self.files.get(self.at) else { break };
            match read_some(&mut self.open, path, &mut buffer) {
                Ok(0) => {
                    let digest = self.open.take().map(|(_, hash)| hex(&hash.finalize()));
                    if digest.as_ref() != Some(sha256) {
                        self.damaged.insert(*table);
                    }
                    self.at += 1;
                }
                Ok(count) => left = left.saturating_sub(count as u64),
                // What cannot be read is of no more use than what reads otherwise.
                Err(_) => {
                    self.open = None;
                    self.damaged.insert(*table);
                    self.at += 1;
                }
            }
        }
        self.at == self.files.len()
    }

    /// The table that is read now.
    pub fn table(&self) -> Option<Table> {
        self.files.get(self.at).map(|(table, _, _)| *table)
    }

    /// The tables that differ from what they were, as far as it has read.
    pub fn damaged(&self) -> impl Iterator<Item = Table> {
        self.damaged.iter().copied()
    }
}

/// Reads the next bytes of a file, from its beginning where it is not open yet.
fn read_some(
    open: &mut Option<(File, Sha256)>,
    path: &Path,
    buffer: &mut [u8],
) -> io::Result<usize> {
    let (file, hash) = match open {
        Some(open) => open,
        None => open.insert((File::open(path)?, Sha256::new())),
    };
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => {
                let count = read?;
                hash.update(&buffer[..count]);
                return Ok(count);
            }
        }
    }
}

/// What tells cheaply that a file is another than it was: its size and when it was written.
pub type Stamp = Option<(u64, Option<SystemTime>)>;

/// The stamps of every file that a version may have.
pub(super) fn stamps(folder: &Path) -> Vec<Stamp> {
    let stamp = |name: String| -> Stamp {
        let found = fs::metadata(folder.join(name)).ok()?;
        Some((found.len(), found.modified().ok()))
    };
    let names = Table::ALL.into_iter().map(file_name);
    names.chain([MANIFEST.to_owned()]).map(stamp).collect()
}
