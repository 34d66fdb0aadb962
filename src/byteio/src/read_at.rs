//! Bytes that can be read at any position and from any thread: a file, a part of one such as an
//! entry of a tar, or bytes in memory.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// Something that can be read anywhere.
pub trait ReadAt {
    /// Reads some bytes from `offset` on; 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills the buffer from `offset` on, as far as the bytes go.
    fn fill_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], offset.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Something that can be read anywhere and knows its length.
pub trait Extent: ReadAt {
    fn size_bytes(&self) -> u64;
}

impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }
}

impl Extent for [u8] {
    fn size_bytes(&self) -> u64 {
        self.len() as u64
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let count = buffer.len().min(self.len() - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
}

impl<T: Extent + ?Sized> Extent for &T {
    fn size_bytes(&self) -> u64 {
        (**self).size_bytes()
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }
}

/// Some bytes of an open file, or all of them.
pub struct FilePart<F> {
    file: F,
    start: u64,
    len: u64,
}

impl<F: Borrow<File>> FilePart<F> {
    pub fn new(file: F, start: u64, len: u64) -> FilePart<F> {
        FilePart { file, start, len }
    }

    /// The whole file, as long as it is now.
    pub fn whole(file: F) -> io::Result<FilePart<F>> {
        let len = file.borrow().metadata()?.len();
        Ok(FilePart { file, start: 0, len })
    }
}

impl<F: Borrow<File>> Extent for FilePart<F> {
    fn size_bytes(&self) -> u64 {
        self.len
    }
}

impl<F: Borrow<File>> ReadAt for FilePart<F> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.len.saturating_sub(offset);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        FileExt::read_at(self.file.borrow(), &mut buffer[..most], self.start.saturating_add(offset))
    }
}

/// A reader of some of the bytes, with a position of its own.
pub struct Range<'s, S: ?Sized> {
    source: &'s S,
    at: u64,
    left: u64,
}

impl<'s, S: ReadAt + ?Sized> Range<'s, S> {
    pub fn new(source: &'s S, start: u64, len: u64) -> Range<'s, S> {
        Range { source, at: start, left: len }
    }
}

impl<S: ReadAt + ?Sized> Read for Range<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.source.read_at(&mut buffer[..most], self.at)?;
        self.at += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Fills the buffer as far as the reader goes.
pub fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
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
