//! What lies in an object's folder, and what of it has a name in the inventory.
//!
//! Names are kept as 128 bits, keyed at random: 32 bytes for each file, whatever its path. Where
//! something has no name, the folder is listed again to say what it is.

use std::hash::{BuildHasher, RandomState};

use super::super::address::Sha512;
use super::super::deletions::is_deletion_record;
use super::super::error::VaultError;
use super::super::media::Lying;
use super::super::replica::Replica;
use super::flaw::{Flaw, Found, Part};
use super::truth::Truth;

/// Everything below an object's folder but what an ingest is just bringing.
pub(super) struct Survey<'s> {
    place: Place<'s>,
    /// In the order of their names.
    rows: Vec<Row>,
    hashing: [RandomState; 2],
    empty_folders: Vec<String>,
    /// The inventory of the version after the sealed one, if that lies here whole.
    pub(super) next: Option<Sha512>,
}

struct Place<'s> {
    replica: &'s Replica,
    root: String,
    /// What the version after the sealed one brings.
    coming: Coming,
}

/// An ingest may have put it there: it is no stray before that ingest has ended.
struct Coming {
    records: [String; 2],
    folder: String,
    /// Sealed and not yet recorded. Anything less grows in the object itself on some media only.
    is_whole: bool,
    grows_here: bool,
}

struct Row {
    name: u128,
    size_bytes: u64,
    is_file: bool,
    has_place: bool,
}

impl<'s> Survey<'s> {
    pub(super) fn of(replica: &'s Replica, truth: &'s Truth<'s>) -> Result<Survey<'s>, VaultError> {
        let next = replica.version_to_come(truth)?;
        let place = Place::new(replica, truth, next.is_some());
        let (rows, empty_folders) = (Vec::new(), Vec::new());
        let hashing = [RandomState::new(), RandomState::new()];
        let mut survey = Survey { place, rows, hashing, empty_folders, next };
        let (mut rows, mut empty_folders) = (Vec::new(), Vec::new());
        survey.place.each(&mut |path, lying| {
            let (size_bytes, is_file) = match lying {
                Lying::File(size_bytes) => (size_bytes, true),
                Lying::Other => (0, false),
                Lying::EmptyFolder => return empty_folders.push(path.to_owned()),
            };
            let name = survey.name(path);
            rows.push(Row { name, size_bytes, is_file, has_place: false });
        })?;
        rows.sort_unstable_by_key(|row: &Row| row.name);
        (survey.rows, survey.empty_folders) = (rows, empty_folders);
        Ok(survey)
    }

    /// Gives what lies at a path its place, and says what it is.
    pub(super) fn take(&mut self, path: &str) -> Option<Lying> {
        let name = self.name(path);
        let at = self.rows.binary_search_by_key(&name, |row| row.name).ok()?;
        let row = &mut self.rows[at];
        row.has_place = true;
        Some(if row.is_file { Lying::File(row.size_bytes) } else { Lying::Other })
    }

    /// What is left when everything that has a place was taken.
    pub(super) fn strays(self) -> Result<Vec<Flaw>, VaultError> {
        let folder = |path: &String| Flaw {
            part: Part::EmptyFolder,
            path: path.clone(),
            expected: None,
            found: Found::Unwanted { size_bytes: 0 },
        };
        let mut flaws: Vec<Flaw> = self.empty_folders.iter().map(folder).collect();
        if self.rows.iter().all(|row| row.has_place) {
            return Ok(flaws);
        }
        self.place.each(&mut |path, lying| {
            let name = self.name(path);
            let row = self.rows.binary_search_by_key(&name, |row| row.name);
            let is_stray = row.is_ok_and(|at| !self.rows[at].has_place);
            let size_bytes = match lying {
                Lying::File(size_bytes) => size_bytes,
                Lying::Other | Lying::EmptyFolder => 0,
            };
            // A record that no replica has finished yet is on its way.
            if is_stray && !is_deletion_record(path) {
                let (part, found) = (Part::Stray, Found::Unwanted { size_bytes });
                flaws.push(Flaw { part, path: path.to_owned(), expected: None, found });
            }
        })?;
        Ok(flaws)
    }

    fn name(&self, path: &str) -> u128 {
        let [high, low] = &self.hashing;
        (u128::from(high.hash_one(path)) << 64) | u128::from(low.hash_one(path))
    }
}

impl<'s> Place<'s> {
    fn new(replica: &'s Replica, truth: &Truth<'_>, is_whole: bool) -> Place<'s> {
        let (root, next) = (truth.object().root(), truth.sealed().saturating_add(1));
        let coming = Coming {
            records: [Part::Chronicle(next).path(), Part::ChronicleSidecar(next).path()],
            folder: format!("v{next}/"),
            is_whole,
            grows_here: replica.medium.draft_root(truth.object()) == root,
        };
        Place { replica, root, coming }
    }

    fn each(&self, found: &mut dyn FnMut(&str, Lying)) -> Result<(), VaultError> {
        self.replica.medium.survey(&self.root, &mut |key, lying| {
            let path = key.strip_prefix(&self.root).unwrap_or(key).trim_start_matches('/');
            if !self.coming.brings(path) {
                found(path, lying);
            }
            Ok(())
        })
    }
}

impl Coming {
    fn brings(&self, path: &str) -> bool {
        let is_draft = |inside: &str| {
            let frame = ["inventory.json", "inventory.json.sha512"];
            inside.starts_with("content/") || frame.contains(&inside)
        };
        let inside = path.strip_prefix(&self.folder);
        inside.is_some_and(|inside| self.is_whole || (self.grows_here && is_draft(inside)))
            || self.records.iter().any(|record| record == path)
    }
}

impl Replica {
    /// The inventory of a version that is sealed here and not yet recorded.
    pub(super) fn version_to_come(&self, truth: &Truth<'_>) -> Result<Option<Sha512>, VaultError> {
        let next = truth.sealed().saturating_add(1);
        let found = match self.version_inventory(truth.object(), next) {
            Ok(found) => found,
            Err(VaultError::Damaged { .. }) => None,
            Err(error) => self.at_fault(error).map(|_| None)?,
        };
        let is_next = |id: &str, head: u32| id == truth.object().as_str() && head == next;
        let found = found.filter(|found| is_next(found.id(), found.head()));
        Ok(found.map(|found| *found.sha512()))
    }
}
