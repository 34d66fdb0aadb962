//! Where bytes come from, and what can go wrong on the way.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::digests::Digests;

/// One stream to digest, and the caller's name for it.
pub struct Job<'a, K> {
    pub key: K,
    pub source: Source<'a>,
    /// How long the stream must be. Without it a file must be as long as when it was first looked
    /// at; another kind of stream may have any length.
    pub size_bytes: Option<u64>,
}

/// A stream that is opened when its turn comes, so that a million of them need no million handles.
pub enum Source<'a> {
    /// A regular file.
    File(PathBuf),
    /// Some bytes of a regular file, such as an entry of a tar.
    Range { path: PathBuf, start: u64, len: u64 },
    /// Bytes in memory.
    Bytes(Cow<'a, [u8]>),
    /// Anything that can be read.
    Reader(Opener<'a>),
}

/// Opens a stream on the thread that is going to read it.
pub type Opener<'a> = Box<dyn FnOnce() -> io::Result<Box<dyn Read + Send + 'a>> + Send + 'a>;

/// The digests of a stream, or why it has none.
pub type Outcome = Result<Digested, ReadError>;

/// A stream that was read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digested {
    pub size_bytes: u64,
    pub digests: Digests,
}

/// Why a stream has no digests.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("the file cannot be opened")]
    Open(#[source] io::Error),
    #[error("reading failed after {read_bytes} bytes")]
    Read { read_bytes: u64, source: io::Error },
    #[error("ended after {read_bytes} of {expected_bytes} bytes")]
    Shorter { expected_bytes: u64, read_bytes: u64 },
    #[error("goes on after the expected {expected_bytes} bytes")]
    Longer { expected_bytes: u64 },
}

impl Source<'_> {
    /// How long the stream will be, if that can be told without opening it. What is wrong with a
    /// file is left for [`Stream::open`] to say.
    pub(super) fn size_bytes(&self) -> Option<u64> {
        match self {
            Source::File(path) => fs::metadata(path).ok().map(|file| file.len()),
            Source::Range { len, .. } => Some(*len),
            Source::Bytes(bytes) => Some(bytes.len() as u64),
            Source::Reader(_) => None,
        }
    }
}

/// An open stream.
pub(super) struct Stream<'a> {
    reader: Box<dyn Read + Send + 'a>,
    expected_bytes: Option<u64>,
    read_bytes: u64,
}

impl<'a> Stream<'a> {
    pub(super) fn open(source: Source<'a>, size_bytes: Option<u64>) -> Result<Self, ReadError> {
        let expected_bytes = size_bytes.or_else(|| source.size_bytes());
        let reader: io::Result<Box<dyn Read + Send + 'a>> = match source {
            Source::File(path) => File::open(path).map(|file| Box::new(file) as _),
            Source::Range { path, start, len } => File::open(path).and_then(|mut file| {
                file.seek(SeekFrom::Start(start))?;
                Ok(Box::new(file.take(len)) as _)
            }),
            Source::Bytes(bytes) => Ok(Box::new(io::Cursor::new(bytes))),
            Source::Reader(open) => open(),
        };
        let reader = reader.map_err(ReadError::Open)?;
        Ok(Stream { reader, expected_bytes, read_bytes: 0 })
    }

    /// Fills the buffer. Fewer bytes mean the end of the stream, at its expected length if there
    /// is one.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            let count = match self.reader.read(&mut buffer[filled..]) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(ReadError::Read { read_bytes: self.read_bytes, source });
                }
            };
            filled += count;
            self.read_bytes += count as u64;
            if let Some(expected_bytes) = self.expected_bytes {
                if self.read_bytes > expected_bytes {
                    return Err(ReadError::Longer { expected_bytes });
                }
                if count == 0 && self.read_bytes < expected_bytes {
                    let read_bytes = self.read_bytes;
                    return Err(ReadError::Shorter { expected_bytes, read_bytes });
                }
                // More was asked for and the length is right: this saves a call for every file.
                if filled < buffer.len() && self.read_bytes == expected_bytes {
                    break;
                }
            }
            if count == 0 {
                break;
            }
        }
        Ok(filled)
    }

    pub(super) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }
}
