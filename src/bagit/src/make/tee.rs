//! Bytes on their way to the digests, written to their place in the bag as they pass.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where bytes are written.
pub(super) enum Sink {
    /// Nowhere: a link to the source stands there already.
    Linked,
    /// A file of their own, which then gets a time.
    File { file: File, path: PathBuf, modified: i64 },
    /// Their place in the tar.
    Tar { file: Arc<File>, path: PathBuf, offset: u64 },
}

/// What went wrong besides reading. Travels through the digests as the inside of an I/O error.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error("the file changed while it was being read")]
    Changed,
    #[error("{} cannot be written", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Trouble {
    pub(super) fn write(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> io::Error {
        let path = path.into();
        move |source| io::Error::other(Trouble::Write { path, source })
    }
}

/// A source whose bytes are written to a sink as they are read.
pub(super) struct Tee<'a> {
    pub(super) source: Reader<'a>,
    pub(super) sink: Sink,
    /// How many bytes are still to come.
    pub(super) left: u64,
}

/// Where bytes are read.
pub(super) enum Reader<'a> {
    /// A file, with what it was when it was opened.
    File(File, Box<Metadata>),
    /// Anything else.
    Other(Box<dyn Read + Send + 'a>),
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.source {
            Reader::File(file, _) => file.read(buffer)?,
            Reader::Other(reader) => reader.read(buffer)?,
        };
        // Bytes beyond the expected are left to the digests to complain of.
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(count);
        self.sink.write(&buffer[..wanted])?;
        self.left -= wanted as u64;
        if self.left == 0 && !buffer.is_empty() {
            self.finish()?;
        }
        Ok(count)
    }
}

impl Tee<'_> {
    /// Called with the last byte, and maybe once more at the end.
    fn finish(&mut self) -> io::Result<()> {
        if let Reader::File(file, before) = &self.source {
            let after = file.metadata()?;
            if after.len() != before.len() || stamp(&after) != stamp(before) {
                return Err(io::Error::other(Trouble::Changed));
            }
        }
        if let Sink::File { file, path, modified } = &self.sink {
            file.set_modified(time(*modified)).map_err(Trouble::write(path))?;
        }
        Ok(())
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Linked => Ok(()),
            Sink::File { file, path, .. } => {
                file.write_all(bytes).map_err(Trouble::write(path.as_path()))
            }
            Sink::Tar { file, path, offset } => {
                file.write_all_at(bytes, *offset).map_err(Trouble::write(path.as_path()))?;
                *offset += bytes.len() as u64;
                Ok(())
            }
        }
    }
}

fn stamp(about: &Metadata) -> (i64, i64) {
    (about.mtime(), about.mtime_nsec())
}

fn time(seconds: i64) -> SystemTime {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let time = if seconds < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}
