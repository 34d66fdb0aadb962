//! Everything that lies in one receiving area: in a folder as it is now, in a bucket as it was when
//! the sweep last listed it.

use std::fs;
use std::io;
use std::path::Path;

use ocfl::InArea;
use storage::clock::Timestamp;

use super::DeskError;
use crate::app::App;
use crate::ingest::{Lying, etag, lying, lying_in_bucket, modified};

/// Entries of one area that are looked at; nobody reads further.
const LOOKED_AT: usize = 10_000;

/// Something in a receiving area.
pub(super) struct Entry {
    pub(super) name: String,
    /// None for a folder.
    pub(super) size_bytes: Option<u64>,
    pub(super) changed: Option<Timestamp>,
    pub(super) etag: String,
    pub(super) lying: Lying,
}

/// What was found in one area.
#[derive(Default)]
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    /// How many there are beyond those.
    pub(super) more: u64,
    /// Why that may not be all, or not be so any more.
    pub(super) note: Option<String>,
}

pub(super) fn in_folder(app: &App, folder: &Path) -> Result<Found, DeskError> {
    let unreadable = |error: io::Error| {
        DeskError::Areas(format!("{} cannot be read: {error}", folder.display()))
    };
    let mut found = Found::default();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        other => other.map_err(unreadable)?,
    };
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if found.entries.len() >= LOOKED_AT {
            found.more += 1;
            continue;
        }
        // What is gone meanwhile lies there no more.
        if let Ok(about) = fs::symlink_metadata(&path) {
            found.entries.push(Entry {
                name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                size_bytes: about.is_file().then_some(about.len()),
                changed: modified(&about),
                etag: etag(&about),
                lying: lying(app, &path, &about),
            });
        }
    }
    Ok(found)
}

/// Asks nobody: a page does not wait for a bucket.
pub(super) fn in_bucket(app: &App, institution: &str) -> Found {
    let Some(seen) = app.doorstep.seen(institution) else {
        let note = Some("The bucket has not been looked at since the start.".to_owned());
        return Found { note, ..Found::default() };
    };
    let note = seen.trouble.map(|trouble| {
        format!("The bucket could not be looked at since {}: {trouble}.", seen.at.to_minute())
    });
    let entry = |entry: InArea| {
        let lying = lying_in_bucket(&entry);
        match entry {
            InArea::Folder(name) => {
                Entry { name, size_bytes: None, changed: None, etag: String::new(), lying }
            }
            InArea::Object(letter) => Entry {
                name: letter.name,
                size_bytes: Some(letter.size_bytes),
                changed: Some(Timestamp(letter.modified)),
                etag: letter.etag,
                lying,
            },
        }
    };
    Found { entries: seen.entries.into_iter().map(entry).collect(), more: seen.more, note }
}
