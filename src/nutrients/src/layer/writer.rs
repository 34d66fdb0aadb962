//! Makes a layer file, record by record, in bounded memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::blocks::{BLOCK_BYTES, Block, MAGIC, RECORDS, Tail, crc};
use super::codec::Record;
use super::curve::place_of;
use super::runs::Runs;
use crate::shape::{Bounds, hex};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) records: u64,
    pub(crate) size_bytes: u64,
    pub(crate) sha256: String,
}

pub(crate) struct LayerWriter {
    path: PathBuf,
    runs: Runs,
    draft: Vec<u8>,
}

impl LayerWriter {
    /// A layer to be written to `path`; what does not fit into memory lies beside it meanwhile.
    pub(crate) fn new(path: &Path) -> LayerWriter {
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        LayerWriter { path: path.to_owned(), runs: Runs::new(folder), draft: Vec::new() }
    }

    pub(crate) fn push(&mut self, record: &Record) -> io::Result<()> {
        self.draft.clear();
        let bounds = record.shape.bounds();
        record.encode(&mut self.draft);
        self.runs.push(place_of(&bounds), &self.draft)
    }

    /// Writes and syncs the file. `go_on` is asked before each record.
    pub(crate) fn finish(self, mut go_on: impl FnMut() -> io::Result<()>) -> io::Result<Written> {
        let mut out = Output::new(BufWriter::with_capacity(1 << 20, File::create(&self.path)?))?;
        self.runs.drain(|bytes| {
            go_on()?;
            out.record(bytes)
        })?;
        out.finish()
    }
}

struct Output {
    file: BufWriter<File>,
    hash: Sha256,
    at: u64,
    block: Vec<u8>,
    bounds: Bounds,
    in_block: u32,
    index: Vec<u8>,
    blocks: u64,
    records: u64,
}

impl Output {
    fn new(file: BufWriter<File>) -> io::Result<Output> {
        let mut output = Output {
            file,
            hash: Sha256::new(),
            at: 0,
            block: Vec::new(),
            bounds: Bounds::NOTHING,
            in_block: 0,
            index: Vec::new(),
            blocks: 0,
            records: 0,
        };
        output.write(MAGIC)?;
        Ok(output)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    fn record(&mut self, record: &[u8]) -> io::Result<()> {
        // The box follows the length.
        let number =
            |at| byteio::little_endian::u64_at(record, at).map_or(f64::NAN, f64::from_bits);
        let bounds =
            Bounds { min_x: number(4), min_y: number(12), max_x: number(20), max_y: number(28) };
        if self.in_block == RECORDS
            || self.in_block > 0 && self.block.len() + record.len() > BLOCK_BYTES
        {
            self.close_block()?;
        }
        self.block.extend_from_slice(record);
        self.bounds = self.bounds.union(bounds);
        self.in_block += 1;
        Ok(())
    }

    fn close_block(&mut self) -> io::Result<()> {
        if self.in_block == 0 {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.block);
        let len = u32::try_from(bytes.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a shape is too large"))?;
        let block = Block {
            at: self.at,
            len,
            records: self.in_block,
            crc: crc(&bytes),
            bounds: self.bounds,
        };
        block.encode(&mut self.index);
        self.write(&bytes)?;
        self.blocks += 1;
        self.records += u64::from(self.in_block);
        (self.in_block, self.bounds) = (0, Bounds::NOTHING);
        self.block = bytes;
        self.block.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Written> {
        self.close_block()?;
        let index = std::mem::take(&mut self.index);
        let tail = Tail {
            index_at: self.at,
            blocks: self.blocks,
            records: self.records,
            index_crc: crc(&index),
        };
        self.write(&index)?;
        self.write(&tail.encode())?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let sha256 = hex(&self.hash.finalize());
        Ok(Written { records: self.records, size_bytes: self.at, sha256 })
    }
}
