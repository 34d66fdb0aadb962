//! The readers of containers against containers that other programs' libraries write, and
//! against files that are out to do harm.

mod hostile;
mod ole2;
mod zip;

use std::cell::Cell;
use std::io::{self, Cursor, Write};

use byteio::read_at::{Extent, ReadAt};

use super::contents::{Content, Contents};
use super::damage::Damage;
use crate::bounds::Bounds;

/// Bytes with zeros after them, which counts what is read and fails when it is too much.
struct Metered {
    bytes: Vec<u8>,
    size_bytes: u64,
    read: Cell<u64>,
    budget: u64,
}

impl Metered {
    fn new(bytes: Vec<u8>, budget: u64) -> Metered {
        let size_bytes = bytes.len() as u64;
        Metered { bytes, size_bytes, read: Cell::new(0), budget }
    }
}

fn plain(bytes: &[u8]) -> Metered {
    Metered::new(bytes.to_vec(), u64::MAX)
}

impl Extent for Metered {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

impl ReadAt for Metered {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = usize::try_from(self.size_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        self.read.set(self.read.get() + count as u64);
        if self.read.get() > self.budget {
            return Err(io::Error::other("the budget is spent"));
        }
        buffer[..count].fill(0);
        self.bytes.as_slice().read_at(&mut buffer[..count], offset)?;
        Ok(count)
    }
}

type Open =
    for<'s> fn(&'s dyn Extent, &dyn Fn(&str) -> bool, &Bounds) -> Result<Contents<'s>, Damage>;

const OPEN_ZIP: Open = |source, wanted, bounds| Contents::open_zip(source, wanted, bounds);
const OPEN_OLE2: Open = |source, wanted, bounds| Contents::open_ole2(source, wanted, bounds);

fn all(_: &str) -> bool {
    true
}

/// The whole of an entry that is sound.
fn whole(contents: &mut Contents<'_>, path: &str) -> Vec<u8> {
    let Content { bytes, whole, damage } = contents.content(path, usize::MAX).unwrap();
    assert!(whole, "{path} is not whole");
    assert!(damage.is_none(), "{path}: {damage:?}");
    bytes
}

/// Bytes that differ from sector to sector.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| u8::try_from((at * 7 + at / 64 * 13 + at / 4096) % 251).unwrap()).collect()
}

fn compound(version: cfb::Version, streams: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file =
        cfb::CompoundFile::create_with_version(version, Cursor::new(Vec::new())).unwrap();
    for (path, bytes) in streams {
        if let Some((folder, _)) = path.rsplit_once('/') {
            file.create_storage_all(folder).unwrap();
        }
        file.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn zipped(method: ::zip::CompressionMethod, entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = ::zip::write::SimpleFileOptions::default().compression_method(method);
    for (path, bytes) in entries {
        if path.ends_with('/') {
            writer.add_directory(*path, options).unwrap();
        } else {
            writer.start_file(*path, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    byteio::little_endian::u32_at(bytes, at).unwrap()
}

fn put_word(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

#[test]
fn a_limit_and_a_failing_source_are_told_from_damage() {
    let source = Damage::Source(io::Error::other("the budget is spent"));
    assert!(!source.is_limit());
    assert_eq!(source.to_string(), "the container cannot be read");
    assert_eq!(std::error::Error::source(&source).unwrap().to_string(), "the budget is spent");
    assert!(Damage::EntryLimit(5).is_limit());
    assert!(Damage::UnpackedLimit(5).is_limit());
    assert!(!Damage::Loop.is_limit());
}

#[test]
fn all_entries_together_are_unpacked_up_to_the_bound() {
    let bounds = Bounds { entry_bytes: 600, unpacked_bytes: 1000, ..Bounds::default() };
    let bytes = zipped(::zip::CompressionMethod::Deflated, &[("a", pattern(5000))]);
    let compound = compound(cfb::Version::V3, &[("a", pattern(5000))]);
    for (open, bytes) in [(OPEN_ZIP, bytes), (OPEN_OLE2, compound)] {
        let source = plain(&bytes);
        let mut contents = open(&source, &all, &bounds).unwrap();
        let first = contents.content("a", usize::MAX).unwrap();
        assert_eq!((first.bytes, first.whole), (pattern(600), false), "one entry has its bound");
        assert_eq!(contents.content("a", 10).unwrap().bytes, pattern(10));
        let limit = contents.content("a", 600).unwrap_err();
        assert!(limit.is_limit(), "{limit}");
        assert_eq!(limit.to_string(), "more than 1000 bytes to unpack");
        assert!(contents.content("a", 1).unwrap_err().is_limit(), "nothing is left");
    }
}
