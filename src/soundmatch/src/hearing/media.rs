//! A recording that is about to be read, and what is said of its kind.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};
use symphonia::core::formats::probe::Hint;
use symphonia::core::io::MediaSource;

use super::edit::Edit;
use super::rf64::Rf64;
use crate::pulse::beat;
use crate::{AudioError, Progress, Pulse};

/// Bytes that are read at a time for the digest.
const CHUNK: usize = 1 << 20;

trait Readable: Read + Seek + Send + Sync {}

impl<R: Read + Seek + Send + Sync> Readable for R {}

/// A recording to be read, with a hint of its kind. The hint only says what to try first.
pub struct Media {
    reader: Box<dyn Readable>,
    hint: Hint,
}

impl Media {
    /// Opens a file; its extension is the hint.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is no file.
    pub fn open(path: &Path) -> Result<Media, AudioError> {
        let file = File::open(path).map_err(AudioError::Unreadable)?;
        if file.metadata().map_err(AudioError::Unreadable)?.is_dir() {
            return Err(AudioError::Unreadable(io::ErrorKind::IsADirectory.into()));
        }
        let media = Media::from_reader(file);
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) => media.hint_extension(extension),
            None => media,
        })
    }

    /// Takes anything that can be read from its start.
    pub fn from_reader(reader: impl Read + Seek + Send + Sync + 'static) -> Media {
        Media { reader: Box::new(reader), hint: Hint::new() }
    }

    /// Says which extension the recording has.
    #[must_use]
    pub fn hint_extension(mut self, extension: &str) -> Media {
        self.hint.with_extension(extension);
        self
    }

    /// Says which media type it was sent with.
    #[must_use]
    pub fn hint_media_type(mut self, media_type: &str) -> Media {
        self.hint.mime_type(media_type);
        self
    }

    /// The digest of all bytes in hexadecimal, and how many there are; then back at the start.
    pub(super) fn digest(&mut self, pulse: Pulse<'_>) -> Result<(String, u64), AudioError> {
        let mut chunk = vec![0; CHUNK];
        let mut digest = Sha256::new();
        let mut bytes = 0_u64;
        self.reader.seek(SeekFrom::Start(0)).map_err(AudioError::Unreadable)?;
        loop {
            let read = match self.reader.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(AudioError::Unreadable(error)),
            };
            digest.update(&chunk[..read]);
            bytes += read as u64;
            beat(pulse, Progress::Reading { bytes })?;
        }
        self.reader.seek(SeekFrom::Start(0)).map_err(AudioError::Unreadable)?;
        let digits = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((digits, bytes))
    }

    /// What the file says is to be heard of it.
    pub(super) fn edit(&mut self) -> Result<Edit, AudioError> {
        let edit = Edit::of(&mut *self.reader);
        self.reader.seek(SeekFrom::Start(0)).map_err(AudioError::Unreadable)?;
        Ok(edit)
    }

    /// What the decoder reads from.
    pub(super) fn into_source(mut self, bytes: u64) -> Result<Source, AudioError> {
        let rf64 = Rf64::of(&mut *self.reader);
        self.reader.seek(SeekFrom::Start(0)).map_err(AudioError::Unreadable)?;
        let end = rf64.as_ref().and_then(Rf64::end);
        let is_whole = end.is_some_and(|end| end <= bytes);
        let bytes = end.map_or(bytes, |end| end.min(bytes));
        let reader = Shown { reader: self.reader, rf64, at: 0, bytes };
        Ok(Source { reader: Box::new(reader), hint: self.hint, is_whole })
    }
}

/// What a decoder reads from.
pub(super) struct Source {
    pub(super) reader: Box<dyn MediaSource>,
    /// What kind of recording it is said to be.
    pub(super) hint: Hint,
    /// Whether the sound is known to end where there is nothing more to read.
    pub(super) is_whole: bool,
}

/// A reader whose length is known, as the decoder wants it; shown as a WAV file if it is one but for
/// its sizes.
struct Shown {
    reader: Box<dyn Readable>,
    rf64: Option<Rf64>,
    at: u64,
    bytes: u64,
}

impl Read for Shown {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let read = self.reader.read(&mut buffer[..most])?;
        if let Some(rf64) = &self.rf64 {
            rf64.show(self.at, &mut buffer[..read]);
        }
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Shown {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::End(back) => {
                let place = self.bytes.checked_add_signed(back);
                SeekFrom::Start(place.ok_or(io::ErrorKind::InvalidInput)?)
            }
            other @ (SeekFrom::Start(_) | SeekFrom::Current(_)) => other,
        };
        self.at = self.reader.seek(to)?;
        Ok(self.at)
    }
}

impl MediaSource for Shown {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.bytes)
    }
}
