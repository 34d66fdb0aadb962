//! The reference data of this appliance: layers and lookups that sites are assessed with.
//!
//! A version is opened when it is first asked for and shared by everybody until another comes into
//! use; whoever still works with the old one keeps it until the end of that work.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nutrients::{
    Examination, Library, Reference, ReferenceError, RolledBack, Stamp, Table, VersionNote,
};
use storage::home::Home;

use crate::fault::{Classify, Kind};

/// The folder of the data directory that it lives in.
const FOLDER: &str = "reference";

/// How often the files of the version in use are read again though nothing tells that they changed: bits
/// of a disk change without a word.
const EXAMINE_EVERY: Duration = Duration::from_hours(24);

/// Bytes of them that are read at a time: less than a second on a slow disk.
const EXAMINE_BYTES: u64 = 8 << 20;

/// Reference data, open while it is used.
pub struct Atlas {
    folder: PathBuf,
    /// The number of the version in use when it was opened, and the version.
    open: Mutex<Option<(u32, Arc<Reference>)>>,
    examined: Mutex<Option<Examined>>,
}

/// What is known of the files of the version in use.
struct Examined {
    number: u32,
    /// As they were when the reading began.
    stamps: Vec<Stamp>,
    /// The reading that goes on.
    reading: Option<Examination>,
    /// When the last one ended, by the steady clock.
    ended: Duration,
    damaged: Vec<Table>,
}

impl Atlas {
    /// The atlas of a data directory. Nothing is opened.
    pub fn of(home: &Home) -> Atlas {
        let folder = home.dir().join(FOLDER);
        Atlas { folder, open: Mutex::new(None), examined: Mutex::new(None) }
    }

    /// Where it lives.
    pub fn folder(&self) -> &PathBuf {
        &self.folder
    }

    /// The library, for loading.
    pub fn library(&self) -> Result<Library, ReferenceError> {
        Library::open(&self.folder)
    }

    /// Whether anything was ever loaded.
    pub fn is_filled(&self) -> bool {
        Library::is_one(&self.folder)
    }

    /// The versions that are kept, the one in use first.
    pub fn versions(&self) -> Result<Vec<VersionNote>, ReferenceError> {
        if !self.is_filled() {
            return Ok(Vec::new());
        }
        let mut versions = self.library()?.versions()?;
        versions.sort_by_key(|note| (!note.is_current, std::cmp::Reverse(note.number)));
        Ok(versions)
    }

    /// The version in use, open.
    pub fn reference(&self) -> Result<Arc<Reference>, ReferenceError> {
        if !self.is_filled() {
            return Err(ReferenceError::Empty);
        }
        let number = self.library()?.current_number()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, reference)) = open.as_ref()
            && *known == number
        {
            return Ok(Arc::clone(reference));
        }
        let reference = Arc::new(Reference::open(&self.folder)?);
        *open = Some((number, Arc::clone(&reference)));
        Ok(reference)
    }

    /// The tables of the version in use that are known to be damaged. Each call reads some of its files;
    /// they are read whole once, again when one of them changed, and once a day. `now` is of the steady
    /// clock.
    pub fn damaged(&self, now: Duration) -> Result<Vec<Table>, ReferenceError> {
        if !self.is_filled() {
            return Ok(Vec::new());
        }
        let library = self.library()?;
        let number = library.current_number()?;
        let stamps = library.stamps(number);
        let mut examined = self.examined.lock().unwrap_or_else(PoisonError::into_inner);
        let known = examined.take().filter(|it| it.number == number && it.stamps == stamps);
        let mut known = match known {
            Some(known) => known,
            None => {
                let reading = Some(library.examination(number)?);
                Examined { number, stamps, reading, ended: now, damaged: Vec::new() }
            }
        };
        if known.reading.is_none() && now.saturating_sub(known.ended) >= EXAMINE_EVERY {
            known.reading = Some(library.examination(number)?);
        }
        if let Some(reading) = known.reading.as_mut() {
            let has_ended = reading.go_on(EXAMINE_BYTES);
            let found: Vec<Table> = reading.damaged().collect();
            if has_ended || !found.is_empty() {
                known.damaged = found;
            }
            if has_ended {
                (known.reading, known.ended) = (None, now);
            }
        }
        Ok(examined.insert(known).damaged.clone())
    }

    /// Goes back to the version before the one in use.
    pub fn roll_back(&self) -> Result<RolledBack, ReferenceError> {
        self.library()?.roll_back()
    }
}

impl Classify for ReferenceError {
    fn kind(&self) -> Kind {
        match self {
            ReferenceError::Io { .. } => Kind::Transient { retry_after: None },
            // Somebody loads it, or is loading it.
            ReferenceError::Empty | ReferenceError::Busy | ReferenceError::Stopped => {
                Kind::Transient { retry_after: Some(Duration::from_secs(60)) }
            }
            // No later try finds another file there.
            ReferenceError::Damaged { .. }
            | ReferenceError::Unreadable { .. }
            | ReferenceError::MissingTable(_)
            | ReferenceError::UnknownTable(_)
            | ReferenceError::NoDataVersion
            | ReferenceError::Refused(_)
            | ReferenceError::EmptyTable(_)
            | ReferenceError::NothingToRollBack
            | ReferenceError::OtherContent { .. }
            | ReferenceError::SameVersion(_) => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        "reference-data"
    }

    fn advice(&self) -> String {
        match self {
            ReferenceError::Damaged { .. } => {
                "load the same delivery once more (`strongroom reference load DIR`), which replaces \
                 what is damaged, or go back to the version before (`strongroom reference \
                 roll-back`); then requeue the items that wait for it"
            }
            ReferenceError::Io { .. } => {
                "see that the disk is there and that its files may be read and written; it is tried \
                 again by itself"
            }
            ReferenceError::Empty => {
                "load reference data (`strongroom reference load DIR`); what waits for it goes on by \
                 itself"
            }
            ReferenceError::Busy | ReferenceError::Stopped => "it is tried again by itself",
            ReferenceError::Unreadable { .. } => {
                "take the file from the delivery once more, or correct it; then requeue the item"
            }
            ReferenceError::MissingTable(_)
            | ReferenceError::UnknownTable(_)
            | ReferenceError::NoDataVersion => {
                "correct the folder or its manifest.json, then requeue the item; or load another \
                 folder"
            }
            ReferenceError::Refused(_) => {
                "correct the rows that are named, then requeue the item; or load another delivery"
            }
            ReferenceError::EmptyTable(_) => "load a delivery in which the table has rows",
            ReferenceError::NothingToRollBack => "load the version that is wanted",
            ReferenceError::OtherContent { .. } => {
                "give the delivery a name of its own, as data_version in its manifest.json or with \
                 --version where it has none, and load it again; with --force it is loaded under the \
                 name that is known"
            }
            ReferenceError::SameVersion(_) => "nothing is to be done; --force loads it once more",
        }
        .into()
    }
}
