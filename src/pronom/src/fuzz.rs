//! What fuzzing drives: each takes any bytes and must neither panic nor use time or memory without
//! bound.

use std::cell::Cell;
use std::io;
use std::sync::OnceLock;

use byteio::read_at::{Extent, ReadAt};

use super::container::inside::look_inside;
use super::looking::identify::Hits;
use super::looking::look::{Look, Looking};
use super::signature::{SignatureSet, syntax};
use super::{ContainerKind, Formats};

/// Identifies bytes as a file, and as the inside of either container.
pub fn fuzz_file(bytes: &[u8]) {
    static FORMATS: OnceLock<Option<Formats>> = OnceLock::new();
    let Some(formats) = FORMATS.get_or_init(|| Formats::built_in().ok()) else { return };
    let looking = Looking::default();
    let source = Counted { bytes, read_bytes: Cell::new(0) };
    if let Ok(found) = formats.identify(&source, "file.doc", &looking) {
        assert!(found.matches.is_empty() == found.unknown.is_some());
    }
    assert!(source.read_bytes.get() <= looking.bounds.read_bytes);
    for kind in [ContainerKind::Zip, ContainerKind::Ole2] {
        let mut look = Look::new(&bytes, &looking);
        drop(look_inside(formats, kind, &mut look, &mut Hits::default()));
    }
}

/// Reads bytes as both signature files, as an expression of theirs, and as a stored set.
pub fn fuzz_signatures(bytes: &[u8]) {
    drop(SignatureSet::compile(bytes, bytes, None));
    drop(SignatureSet::from_bytes(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        drop(syntax::parse(text));
    }
}

struct Counted<'b> {
    bytes: &'b [u8],
    read_bytes: Cell<u64>,
}

impl Extent for Counted<'_> {
    fn size_bytes(&self) -> u64 {
        self.bytes.size_bytes()
    }
}

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let count = self.bytes.read_at(buffer, offset)?;
        self.read_bytes.set(self.read_bytes.get() + count as u64);
        Ok(count)
    }
}
