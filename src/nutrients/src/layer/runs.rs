//! Records in any order, given back along the curve, with little memory: sorted runs on disk that
//! are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

use byteio::little_endian::u32_at;
use byteio::read_at::fill;

/// Bytes that are sorted in memory.
const RUN_BYTES: usize = 32 << 20;

/// Where a record goes: along the curve, and by its id where several lie at one place, so that the
/// order of the input does not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    place: u32,
    /// SHA would be too much: records with equal bytes are equal anyway.
    bytes: Vec<u8>,
}

pub(super) struct Runs {
    folder: PathBuf,
    bytes: Vec<u8>,
    /// Place, start and length in `bytes`.
    entries: Vec<(u32, u32, u32)>,
    runs: Vec<File>,
}

impl Runs {
    pub(super) fn new(folder: PathBuf) -> Runs {
        Runs { folder, bytes: Vec::new(), entries: Vec::new(), runs: Vec::new() }
    }

    /// Takes an encoded record.
    pub(super) fn push(&mut self, place: u32, record: &[u8]) -> io::Result<()> {
        if !self.entries.is_empty() && self.bytes.len() + record.len() > RUN_BYTES {
            self.spill()?;
        }
        let too_large = || io::Error::new(io::ErrorKind::InvalidData, "a shape is too large");
        let start = u32::try_from(self.bytes.len()).map_err(|_| too_large())?;
        let len = u32::try_from(record.len()).map_err(|_| too_large())?;
        self.bytes.extend_from_slice(record);
        self.entries.push((place, start, len));
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let of = |entry: &(u32, u32, u32)| &bytes[entry.1 as usize..(entry.1 + entry.2) as usize];
        self.entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| of(a).cmp(of(b))));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut writer = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        for (place, start, len) in &self.entries {
            writer.write_all(&place.to_le_bytes())?;
            writer.write_all(&len.to_le_bytes())?;
            writer.write_all(&self.bytes[*start as usize..(start + len) as usize])?;
        }
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes.clear();
        self.entries.clear();
        Ok(())
    }

    /// Calls `visit` with every record, in order.
    pub(super) fn drain(
        mut self,
        mut visit: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            for (_, start, len) in &self.entries {
                visit(&self.bytes[*start as usize..(start + len) as usize])?;
            }
            return Ok(());
        }
        self.spill()?;
        self.bytes = Vec::new();
        let mut readers: Vec<BufReader<File>> =
            self.runs.into_iter().map(|run| BufReader::with_capacity(128 << 10, run)).collect();
        let mut heap = BinaryHeap::new();
        for (at, reader) in readers.iter_mut().enumerate() {
            heap.extend(next(reader)?.map(|key| Reverse((key, at))));
        }
        while let Some(Reverse((key, at))) = heap.pop() {
            visit(&key.bytes)?;
            heap.extend(next(&mut readers[at])?.map(|key| Reverse((key, at))));
        }
        Ok(())
    }
}

fn next(reader: &mut BufReader<File>) -> io::Result<Option<Key>> {
    let mut head = [0; 8];
    match fill(reader, &mut head)? {
        0 => return Ok(None),
        8 => {}
        _ => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    let (place, len) = (u32_at(&head, 0).unwrap_or(0), u32_at(&head, 4).unwrap_or(0));
    let mut bytes = vec![0; len as usize];
    reader.read_exact(&mut bytes)?;
    Ok(Some(Key { place, bytes }))
}
