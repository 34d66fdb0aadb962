//! A layer file that is read where a site needs it.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use byteio::read_at::ReadAt;
use sha2::{Digest, Sha256};

use super::blocks::{Block, ENTRY_BYTES, MAGIC, TAIL_BYTES, Tail, crc};
use super::codec::{Packed, Record};
use super::tree::Tree;
use crate::shape::{Bounds, hex};

/// An open layer; any number of threads may read it.
#[derive(Debug)]
pub(crate) struct LayerFile {
    file: File,
    path: PathBuf,
    blocks: Vec<Block>,
    tree: Tree,
    #[cfg(test)]
    records: u64,
}

/// Not as it was written. Whoever reads a layer says which.
fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl LayerFile {
    /// Opens a layer and checks its index.
    pub(crate) fn open(path: &Path) -> io::Result<LayerFile> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut magic = [0; 8];
        let tail_at =
            len.checked_sub(TAIL_BYTES as u64).ok_or_else(|| damaged("it is too short"))?;
        let mut tail = [0; TAIL_BYTES];
        let whole =
            file.fill_at(&mut magic, 0)? == 8 && file.fill_at(&mut tail, tail_at)? == tail.len();
        if !whole || &magic != MAGIC {
            return Err(damaged("it does not begin as a layer"));
        }
        let tail = Tail::decode(&tail).ok_or_else(|| damaged("its end is torn"))?;
        let index_len = tail.blocks.checked_mul(ENTRY_BYTES as u64);
        let fits = index_len.and_then(|len| len.checked_add(tail.index_at)) == Some(tail_at);
        let index_len = index_len.and_then(|len| usize::try_from(len).ok()).filter(|_| fits);
        let mut index =
            vec![0; index_len.ok_or_else(|| damaged("its index is not where it says"))?];
        if file.fill_at(&mut index, tail.index_at)? < index.len() || crc(&index) != tail.index_crc {
            return Err(damaged("its index is garbled"));
        }
        let blocks: Option<Vec<Block>> =
            index.chunks_exact(ENTRY_BYTES).map(Block::decode).collect();
        let blocks = blocks.ok_or_else(|| damaged("its index is garbled"))?;
        let tree = Tree::new(blocks.iter().map(|block| block.bounds).collect());
        Ok(LayerFile {
            file,
            path: path.to_owned(),
            blocks,
            tree,
            #[cfg(test)]
            records: tail.records,
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(test)]
    pub(crate) fn record_count(&self) -> u64 {
        self.records
    }

    /// The blocks with something near `window`.
    pub(crate) fn blocks_near(&self, window: &Bounds) -> Vec<usize> {
        self.tree.near(window)
    }

    pub(crate) fn all_blocks(&self) -> std::ops::Range<usize> {
        0..self.blocks.len()
    }

    /// How many records the blocks near `window` have: at least as many as lie in it.
    pub(crate) fn records_near(&self, window: &Bounds) -> u64 {
        self.blocks_near(window).iter().map(|at| u64::from(self.blocks[*at].records)).sum()
    }

    /// The records of one block.
    pub(crate) fn block(&self, at: usize) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        self.visit_near(at, &Bounds::EVERYTHING, &mut Vec::new(), |packed| {
            records.push(packed.unpack()?);
            Some(())
        })?;
        Ok(records)
    }

    /// Calls `visit` with those records of one block that lie near `window`, in their order; it says
    /// none of one that is not in form. `buffer` is where the block is read to.
    pub(crate) fn visit_near(
        &self,
        at: usize,
        window: &Bounds,
        buffer: &mut Vec<u8>,
        mut visit: impl FnMut(Packed<'_>) -> Option<()>,
    ) -> io::Result<()> {
        let Some(block) = self.blocks.get(at) else { return Ok(()) };
        buffer.resize(block.len as usize, 0);
        let filled = self.file.fill_at(buffer, block.at)?;
        if filled < buffer.len() || crc(buffer) != block.crc {
            return Err(damaged("a block is garbled"));
        }
        let mut rest = buffer.as_slice();
        while !rest.is_empty() {
            let told = Packed::take(&mut rest).and_then(|packed| {
                let near = packed.bounds.meets(window);
                if near { visit(packed) } else { Some(()) }
            });
            told.ok_or_else(|| damaged("a record is garbled"))?;
        }
        Ok(())
    }

    /// SHA-256 of the whole file.
    pub(crate) fn digest(path: &Path) -> io::Result<String> {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 20];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(hex(&hash.finalize())),
                count => hash.update(&buffer[..count]),
            }
        }
    }
}

/// Takes bytes apart as a block whose checksum is right.
pub(crate) fn fuzz_block(bytes: &[u8]) {
    let mut rest = bytes;
    let mut vertices = 0;
    while let Some(packed) = Packed::take(&mut rest) {
        let mut ring = Vec::new();
        let only = packed.open().is_some_and(|opened| opened.only_ring(&mut ring));
        let shape = packed.unpack().map(|record| record.shape);
        assert!(!only || shape.as_ref().is_some_and(|it| it.vertex_count() == ring.len()));
        vertices += shape.map_or(0, |shape| shape.vertex_count());
        // A ring may be closed where it is not: one vertex more for each.
        assert!(vertices <= bytes.len() / 4);
    }
    let _: Option<Tail> = Tail::decode(bytes);
}
