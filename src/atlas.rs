//! The reference data of this appliance: layers and lookups that sites are assessed with.
//!
//! A version is opened when it is first asked for and shared by everybody until another comes into
//! use; whoever still works with the old one keeps it until the end of that work.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use storage::home::Home;

use crate::fault::{Classify, Kind};
use crate::geo::{Library, Reference, ReferenceError, RolledBack, VersionNote};

/// The folder of the data directory that it lives in.
const FOLDER: &str = "reference";

/// Reference data, open while it is used.
pub struct Atlas {
    folder: PathBuf,
    /// The number of the version in use when it was opened, and the version.
    open: Mutex<Option<(u32, Arc<Reference>)>>,
}

impl Atlas {
    /// The atlas of a data directory. Nothing is opened.
    pub fn of(home: &Home) -> Atlas {
        Atlas { folder: home.dir().join(FOLDER), open: Mutex::new(None) }
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
        let number = self.library()?.versions()?.into_iter().find(|note| note.is_current);
        let number = number.ok_or(ReferenceError::Empty)?.number;
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
            ReferenceError::Unreadable { .. }
            | ReferenceError::MissingTable(_)
            | ReferenceError::UnknownTable(_)
            | ReferenceError::NoDataVersion
            | ReferenceError::Refused(_)
            | ReferenceError::EmptyTable(_)
            | ReferenceError::NothingToRollBack
            | ReferenceError::SameVersion(_) => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        "reference-data"
    }

    fn advice(&self) -> String {
        "look at the page of reference data; load a good version, then requeue the item".into()
    }
}
