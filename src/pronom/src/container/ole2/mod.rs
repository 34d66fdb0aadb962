//! The wanted entries of a compound file (OLE2, \[MS-CFB\]): a small file system in a file, with
//! sectors, chains of them, and a tree of storages and streams.
//!
//! Read by hand: the usual crate loads the whole allocation table and directory, so that memory
//! grows with the file. Here only the sectors are read that lead to wanted entries. Counts in the
//! header are not looked at, since old programs left them wrong and none are needed.

mod directory;
mod sectors;

use std::collections::HashMap;

use self::directory::{Directory, Kind, NO_ENTRY, ROOT};
use self::sectors::{Chain, LoopWatch, Sectors, is_sector};
use super::damage::Damage;
use crate::bounds::Bounds;
use byteio::read_at::Extent;

/// Streams shorter than this are kept in small sectors inside the stream of the root.
const SMALL_STREAM_BYTES: u64 = 4096;
const SMALL_SECTOR_BYTES: usize = 64;

pub(super) struct CompoundFile<'s> {
    sectors: Sectors<'s>,
    /// The chain of the root, which holds the small sectors.
    small_sectors: Chain,
    /// The chain of the table that links the small sectors.
    small_table: Chain,
    /// The wanted entries, by their paths below the root.
    entries: HashMap<String, Stream>,
    pub(super) damage: Option<Damage>,
}

/// Where a stream is. A storage is an empty stream.
#[derive(Clone, Copy)]
struct Stream {
    start: u32,
    size_bytes: u64,
}

/// An entry of the directory that is still to be visited, and the folder it is in: a start of
/// the path of the entry visited before it.
struct Pending {
    id: u32,
    folder_len: usize,
    depth: usize,
}

impl<'s> CompoundFile<'s> {
    pub(super) fn open(
        source: &'s dyn Extent,
        wanted: &dyn Fn(&str) -> bool,
        bounds: &Bounds,
    ) -> Result<CompoundFile<'s>, Damage> {
        let (sectors, starts) = Sectors::open(source)?;
        let mut directory = Directory::new(starts.directory, bounds);
        let mut file = CompoundFile {
            sectors,
            small_sectors: Chain::new(sectors::END),
            small_table: Chain::new(starts.small_table),
            entries: HashMap::new(),
            damage: None,
        };
        let root = directory.entry(&mut file.sectors, ROOT)?;
        let root = root.filter(|root| root.kind == Kind::Root).ok_or(Damage::CompoundDirectory)?;
        file.small_sectors = Chain::new(root.start);
        if root.child != NO_ENTRY {
            file.list(&mut directory, root.child, wanted)?;
        }
        Ok(file)
    }

    /// Visits the tree below the root: each entry, then what is in it, then its siblings. So one
    /// path serves all entries, as a folder is done before the next one starts. Folders deeper
    /// than the bound are passed over: e-mails in e-mails go deep, and no signature asks for them.
    fn list(
        &mut self,
        directory: &mut Directory,
        first: u32,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<(), Damage> {
        let mut path = String::new();
        let mut pending = vec![Pending { id: first, folder_len: 0, depth: 0 }];
        while let Some(next) = pending.pop() {
            let entry = match directory.entry(&mut self.sectors, next.id) {
                Ok(Some(entry)) => entry,
                Ok(None) => {
                    self.damage.get_or_insert(Damage::CompoundDirectory);
                    continue;
                }
                // The other branches of the tree are as good as ever.
                Err(damage) if damage.is_of_the_file() => {
                    self.damage.get_or_insert(damage);
                    continue;
                }
                Err(damage) => return Err(damage),
            };
            path.truncate(next.folder_len);
            path.push_str(&entry.name);
            let siblings = [entry.right, entry.left].into_iter().filter(|id| *id != NO_ENTRY);
            pending.extend(siblings.map(|id| Pending { id, ..next }));
            let is_folder = match entry.kind {
                Kind::Storage => true,
                Kind::Stream => false,
                Kind::Root | Kind::Unused => continue,
            };
            if wanted(&path) {
                let size_bytes = if is_folder { 0 } else { entry.size_bytes };
                let stream = Stream { start: entry.start, size_bytes };
                self.entries.entry(path.clone()).or_insert(stream);
            }
            if is_folder && entry.child != NO_ENTRY && next.depth < directory.depth {
                path.push('/');
                let depth = next.depth + 1;
                pending.push(Pending { id: entry.child, folder_len: path.len(), depth });
            }
        }
        Ok(())
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    /// Adds the first bytes of a stream, `most` of them; true if there are no more.
    pub(super) fn read(
        &mut self,
        path: &str,
        most: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<bool, Damage> {
        let stream = *self.entries.get(path).ok_or_else(|| Damage::Missing(path.to_owned()))?;
        let size = usize::try_from(stream.size_bytes).unwrap_or(usize::MAX);
        if stream.size_bytes < SMALL_STREAM_BYTES {
            self.read_small(stream.start, most.min(size), bytes)?;
        } else {
            self.read_large(stream.start, most.min(size), bytes)?;
        }
        Ok(size <= most)
    }

    fn read_large(&mut self, start: u32, goal: usize, bytes: &mut Vec<u8>) -> Result<(), Damage> {
        let mut chain = Chain::new(start);
        let mut index = 0;
        while bytes.len() < goal {
            let sector = chain.at(&mut self.sectors, index)?.ok_or(Damage::Short)?;
            let count = (goal - bytes.len()).min(self.sectors.sector_bytes());
            self.sectors.append(sector, count, bytes)?;
            index += 1;
        }
        Ok(())
    }

    fn read_small(&mut self, start: u32, goal: usize, bytes: &mut Vec<u8>) -> Result<(), Damage> {
        let mut small = start;
        let mut watch = LoopWatch::new(small);
        while bytes.len() < goal {
            if !is_sector(small) {
                return Err(Damage::Short);
            }
            let (index, at) = self.sectors.place(small, SMALL_SECTOR_BYTES);
            let sector = self.small_sectors.at(&mut self.sectors, index)?.ok_or(Damage::Short)?;
            let count = (goal - bytes.len()).min(SMALL_SECTOR_BYTES);
            let found = self.sectors.sector(sector)?.get(at..at + count).ok_or(Damage::Short)?;
            bytes.extend_from_slice(found);
            if bytes.len() < goal {
                let (index, at) = self.sectors.place(small, size_of::<u32>());
                let table = self.small_table.at(&mut self.sectors, index)?.ok_or(Damage::Chain)?;
                small = self.sectors.word(table, at)?;
                watch.pass(small)?;
            }
        }
        Ok(())
    }
}
