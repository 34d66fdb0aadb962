//! Maintenance: the house is open to those who look after it, and to nobody else. No work is given
//! out and no sweep looks; what was paused before is paused afterwards, and nothing else is.
//!
//! It is a file in the data directory, so that it lasts over a restart and can be seen, and taken
//! away, when nothing runs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::home::Home;

/// The longest sentence that people are told, in characters.
pub const LONGEST: usize = 500;
/// What people are told when nothing else was said.
pub const USUAL: &str = "The archive is closed for maintenance.";
/// The largest file that is read: a sentence of the longest kind, and room to spare.
const LARGEST: u64 = 16 << 10;

/// What people are told, since when, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// For everybody who comes.
    pub sentence: String,
    /// Since when.
    pub since: Timestamp,
    /// Who closed the house.
    pub by: String,
}

/// Why the house was neither closed nor opened. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The sentence cannot be shown.
    #[error("the sentence for people is {0}")]
    Sentence(&'static str),
    /// The file could not be written or removed.
    #[error("{} cannot be changed: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Whether the house is closed.
pub struct Maintenance {
    path: PathBuf,
    now: Mutex<Option<Arc<Closed>>>,
}

impl Maintenance {
    /// As it was left.
    pub fn open(home: &Home, now: Timestamp) -> Maintenance {
        let path = home.dir().join("maintenance.json");
        let found = read(&path, now).map(Arc::new);
        Maintenance { path, now: Mutex::new(found) }
    }

    /// What people are told, while the house is closed.
    pub fn closed(&self) -> Option<Arc<Closed>> {
        self.lock().clone()
    }

    /// Closes the house; one that is closed gets the new sentence. On the medium when it returns.
    pub fn close(
        &self,
        sentence: &str,
        by: &str,
        now: Timestamp,
    ) -> Result<Closed, MaintenanceError> {
        let sentence = checked(sentence)?;
        let mut held = self.lock();
        let since = held.as_ref().map_or(now, |closed| closed.since);
        let closed = Closed { sentence, since, by: by.to_owned() };
        let written = serde_json::to_vec(&closed).map_err(io::Error::from);
        let written = written.and_then(|bytes| byteio::durable::write(&self.path, &bytes, true));
        written.map_err(|source| self.failed(source))?;
        *held = Some(Arc::new(closed.clone()));
        Ok(closed)
    }

    /// Opens the house to everybody. On the medium when it returns.
    pub fn reopen(&self) -> Result<(), MaintenanceError> {
        let mut held = self.lock();
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(self.failed(error));
            }
            Ok(()) | Err(_) => {}
        }
        if let Some(folder) = self.path.parent() {
            byteio::durable::sync_folder(folder).map_err(|source| self.failed(source))?;
        }
        *held = None;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> MaintenanceError {
        MaintenanceError::File { path: self.path.clone(), source }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Closed>>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that cannot be read still says that somebody closed the house.
fn read(path: &std::path::Path, now: Timestamp) -> Option<Closed> {
    let size = match path.metadata() {
        Ok(file) => file.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(_) => LARGEST,
    };
    let bytes = if size < LARGEST { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    let told: Option<Closed> = serde_json::from_slice(&bytes).ok();
    told.or_else(|| {
        tracing::warn!(file = %path.display(), "cannot be read: the house stays closed");
        Some(Closed { sentence: USUAL.into(), since: now, by: "not known".into() })
    })
}

fn checked(sentence: &str) -> Result<String, MaintenanceError> {
    let sentence = sentence.trim();
    if sentence.is_empty() {
        return Ok(USUAL.into());
    }
    if sentence.chars().count() > LONGEST {
        return Err(MaintenanceError::Sentence("longer than 500 characters"));
    }
    if sentence.chars().any(char::is_control) {
        return Err(MaintenanceError::Sentence("more than one line, or no text"));
    }
    Ok(sentence.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: Timestamp = Timestamp(1_794_813_641_000);

    #[test]
    fn it_lasts_until_it_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(&dir.path().join("data")).unwrap();
        let house = Maintenance::open(&home, THEN);
        assert_eq!(house.closed(), None);
        house.close(" Back at noon. ", "ann", THEN).unwrap();
        house.close("Back at two.", "bob", Timestamp(THEN.0 + 1)).unwrap();
        let again = Maintenance::open(&home, Timestamp(THEN.0 + 9)).closed().unwrap();
        let told = (again.sentence.as_str(), again.since, again.by.as_str());
        assert_eq!(told, ("Back at two.", THEN, "bob"));
        house.reopen().unwrap();
        house.reopen().unwrap();
        assert_eq!((house.closed(), Maintenance::open(&home, THEN).closed()), (None, None));
    }

    #[test]
    fn a_damaged_file_keeps_the_house_closed() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(&dir.path().join("data")).unwrap();
        byteio::durable::write(&home.dir().join("maintenance.json"), b"{", true).unwrap();
        assert_eq!(Maintenance::open(&home, THEN).closed().unwrap().sentence, USUAL);
    }

    #[test]
    fn only_a_sentence_is_told() {
        assert_eq!(checked("  ").unwrap(), USUAL);
        assert!(checked(&"ä".repeat(LONGEST)).is_ok());
        assert!(checked(&"ä".repeat(LONGEST + 1)).is_err());
        assert!(checked("one\ntwo").is_err());
    }
}
