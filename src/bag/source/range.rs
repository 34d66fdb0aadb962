//! Reading parts of one open file from many threads, without moving its position.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// Some bytes of an open file.
pub(crate) struct Range<'f> {
    file: &'f File,
    at: u64,
    left: u64,
}

impl<'f> Range<'f> {
    pub(crate) fn new(file: &'f File, start: u64, len: u64) -> Range<'f> {
        Range { file, at: start, left: len }
    }
}

impl Read for Range<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.file.read_at(&mut buffer[..most], self.at)?;
        self.at += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Fills the buffer as far as the reader goes.
pub(crate) fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
