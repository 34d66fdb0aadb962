//! Catalogues of episodes or clips: files of JSON, JSON lines or CSV, and feeds, RSS or Atom, in a
//! file or as a page of one that is read over the network.
//!
//! An entry that cannot be used is told with its line and left out; all others are taken. What a feed
//! writes carelessly is put right where its meaning is clear enough, and a note says so. Only a
//! file that is not what it should be, or is too large, is refused as a whole.

mod atom;
mod chapters;
mod csv;
mod date;
mod entry;
mod feed;
mod json;
mod media;
mod rss;

use std::io::{self, Read};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use storage::registry::NewRecording;

use entry::Entry;
pub use feed::{FeedPage, PageLinks, read_page};

/// The largest file.
pub const FILE_BYTES: u64 = 64 << 20;
/// Most entries of one file.
pub const ENTRIES_MAX: usize = 200_000;
/// Most findings that are told one by one.
const FINDINGS_MAX: usize = 1000;

/// How a catalogue is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A list of objects, or an object with one list in it.
    Json,
    /// An object on every line.
    JsonLines,
    /// A line of names, then one line for each entry.
    Csv,
    /// A feed, RSS or Atom, with an enclosure in each item.
    Rss,
}

impl Format {
    /// What a file is by its name.
    pub fn of(path: &Path) -> Option<Format> {
        let suffix = path.extension()?.to_str()?.to_ascii_lowercase();
        match suffix.as_str() {
            "json" => Some(Format::Json),
            "jsonl" | "ndjson" => Some(Format::JsonLines),
            "csv" | "tsv" => Some(Format::Csv),
            "rss" | "xml" | "atom" => Some(Format::Rss),
            _ => None,
        }
    }
}

/// Something about one entry: why it was left out, or what was put right in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineFinding {
    /// The line it begins on; in a list of JSON, which entry it is.
    pub line: usize,
    /// In words.
    pub sentence: String,
}

/// A catalogue that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// What can be used.
    pub recordings: Vec<NewRecording>,
    /// What cannot, the first thousand.
    pub findings: Vec<LineFinding>,
    /// How many entries were left out.
    pub left_out: usize,
    /// What was put right in entries that were taken, the first thousand.
    pub notes: Vec<LineFinding>,
    /// How many times something was put right.
    pub noted: usize,
}

/// Why a file is no catalogue. Nothing of it was taken.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It could not be read.
    #[error("the file could not be read")]
    File(#[from] io::Error),
    /// It is too large, or not what it should be.
    #[error("{0}")]
    Refused(String),
}

impl Catalogue {
    fn take(&mut self, line: usize, entry: Result<Entry, String>) -> Result<(), Unreadable> {
        if self.recordings.len() + self.left_out >= ENTRIES_MAX {
            let why = format!("the file has more than {ENTRIES_MAX} entries: split it");
            return Err(Unreadable::Refused(why));
        }
        let taken = entry.and_then(|mut entry| {
            let notes = std::mem::take(&mut entry.notes);
            Ok((entry.into_recording()?, notes))
        });
        match taken {
            Ok((recording, notes)) => {
                self.recordings.push(recording);
                self.noted += notes.len();
                let room = FINDINGS_MAX - self.notes.len();
                let told = notes.into_iter().map(|sentence| LineFinding { line, sentence });
                self.notes.extend(told.take(room));
            }
            Err(sentence) => {
                self.left_out += 1;
                if self.findings.len() < FINDINGS_MAX {
                    self.findings.push(LineFinding { line, sentence });
                }
            }
        }
        Ok(())
    }
}

/// Reads a catalogue.
///
/// # Errors
///
/// `Refused` with a sentence when the file as a whole is of no use.
pub fn read(input: &mut dyn Read, format: Format) -> Result<Catalogue, Unreadable> {
    let text = text(input, FILE_BYTES)?;
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => json::list(text),
        Format::JsonLines => json::lines(text),
        Format::Csv => csv::read(text),
        Format::Rss => Ok(feed::read(text, None)?.catalogue),
    }
}

/// All of it, if it is text and not too large.
fn text(input: &mut dyn Read, most_bytes: u64) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    input.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let why = format!("the file has more than {} megabytes: split it", most_bytes >> 20);
        return Err(Unreadable::Refused(why));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Unreadable::Refused(format!("the file is not UTF-8 text: the byte at {at} is not"))
    })
}

#[cfg(test)]
mod tests;
