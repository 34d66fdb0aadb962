//! The bytes of episodes and clips, wherever they are: in a vault, in a folder of this machine, or on
//! the network.
//!
//! Promises: what is opened is a file that can be read anywhere, and stays as it is while it is read;
//! nothing on this machine is read outside the folders that the configuration names, whatever links
//! lead there; what is fetched has a largest size and a longest time, and leaves nothing behind.

mod error;
mod fetch;
mod kept;
mod local;
mod vault;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::sync::Arc;

use byteio::read_at::ReadAt;
use soundmatch::Media;
use storage::registry::{Location, Recording};

pub use error::MediaError;

use crate::app::App;

/// Asked between pieces of what takes long; `Break` ends it.
pub type GoOn<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// A recording that is open for reading.
#[derive(Clone, Debug)]
pub struct Opened {
    file: Arc<File>,
    /// How much there is of it.
    pub size_bytes: u64,
    /// Changes when the bytes do: a digest where one is known.
    pub tag: String,
}

impl Opened {
    fn new(file: File, size_bytes: u64, tag: String) -> Opened {
        Opened { file: Arc::new(file), size_bytes, tag }
    }

    /// A file as it is now, known by its length and when it was last changed.
    pub fn of_file(file: File) -> io::Result<Opened> {
        let facts = file.metadata()?;
        let changed = facts.modified()?.duration_since(std::time::UNIX_EPOCH);
        let tag = format!("{}-{}", facts.len(), changed.map_or(0, |since| since.as_nanos()));
        Ok(Opened::new(file, facts.len(), tag))
    }

    /// Reads it from the beginning on, with a position of its own.
    pub fn reader(&self) -> Reader {
        Reader { file: Arc::clone(&self.file), size_bytes: self.size_bytes, at: 0 }
    }

    /// The same for an analyst, with what is said of its kind.
    pub fn media(&self, recording: &Recording) -> Media {
        let media = Media::from_reader(self.reader());
        let media = match extension(&recording.location) {
            Some(extension) => media.hint_extension(extension),
            None => media,
        };
        match recording.media_type.as_str() {
            "" => media,
            kind => media.hint_media_type(kind),
        }
    }
}

/// Opens a recording for reading.
pub fn open(app: &App, recording: &Recording, go_on: GoOn<'_>) -> Result<Opened, MediaError> {
    match &recording.location {
        Location::Vault { object, path } => vault::open(app, (object, path), go_on),
        Location::File { path } => local::open(&app.config.researching.media_folders, path),
        Location::Url { url } => fetch::open(app, url, go_on),
    }
}

/// What stands behind the last dot of a location; often the kind of the recording.
pub fn extension(location: &Location) -> Option<&str> {
    let path = match location {
        Location::Vault { path, .. } | Location::File { path } => path,
        Location::Url { url } => url.split(['?', '#']).next().unwrap_or(url),
    };
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    let is_plain = extension.bytes().all(|it| it.is_ascii_alphanumeric());
    (is_plain && (1..=5).contains(&extension.len())).then_some(extension)
}

/// Reads an open recording; many may at once.
#[derive(Debug)]
pub struct Reader {
    file: Arc<File>,
    size_bytes: u64,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // No further than it was when it was opened, whatever happens to the file.
        let left = usize::try_from(self.size_bytes.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let count = ReadAt::read_at(&*self.file, &mut buffer[..most], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size_bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_location_may_say_what_it_is() {
        let told = |text: &str| {
            let location = Location::parse(text).unwrap();
            extension(&location).map(str::to_owned)
        };
        assert_eq!(told("/srv/a.b/Show.MP3").as_deref(), Some("MP3"));
        assert_eq!(told("https://a.example/x.flac?token=1.2#y").as_deref(), Some("flac"));
        assert_eq!(told("vault:a.b/c#data/tape.wav").as_deref(), Some("wav"));
        assert_eq!(told("https://a.example"), None);
        assert_eq!(told("/srv/a.b/show"), None);
    }

    #[test]
    fn a_reader_ends_where_the_file_ended_when_it_was_opened() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, b"0123456789").unwrap();
        let opened = Opened::new(file.try_clone().unwrap(), 8, String::new());
        io::Write::write_all(&mut file, b"more").unwrap();
        let mut reader = opened.reader();
        let mut text = String::new();
        reader.seek(SeekFrom::End(-3)).unwrap();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "567");
        assert!(reader.seek(SeekFrom::Current(-100)).is_err());
        assert_eq!(reader.seek(SeekFrom::Start(90)).unwrap(), 90);
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
    }
}
