//! The folder of versions: loads, the pointer to the version in use, and the way back.
//!
//! A version is a folder that is complete before anything points to it. The pointer is one small
//! file, replaced whole: all tables of a drop come into use at one moment or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use storage::durable;

use super::drop::SourceDrop;
use super::error::ReferenceError;
use super::gate::{GateReport, Severity};
use super::import::{LoadPulse, MANIFEST, Manifest, Strictness, TableFile, no_pulse, pack};
use super::table::Table;

const POINTER: &str = "active.json";
const LOCK: &str = "load.lock";

/// Where reference data lives.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
}

/// Which versions are in use and to hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pointer {
    current: u32,
    previous: Option<u32>,
}

/// A version that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionNote {
    pub number: u32,
    pub data_version: String,
    pub is_current: bool,
    pub report: GateReport,
    /// What is kept of each table.
    pub tables: BTreeMap<Table, TableFile>,
}

/// What a way back changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolledBack {
    pub from: u32,
    pub to: u32,
}

impl Library {
    /// The library in a folder, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<Library, ReferenceError> {
        durable::create_folder(folder).map_err(ReferenceError::io(folder))?;
        Ok(Library { folder: folder.to_owned() })
    }

    /// Whether a folder is a library with something in it.
    pub fn is_one(folder: &Path) -> bool {
        fs::metadata(folder.join(POINTER)).is_ok()
    }

    /// Loads a drop and, if the gate lets it pass, puts it into use. The version before it is kept,
    /// older ones are removed.
    pub fn load(
        &self,
        drop: &SourceDrop,
        strictness: Strictness,
        force: bool,
    ) -> Result<VersionNote, ReferenceError> {
        self.load_watched(drop, strictness, force, &no_pulse)
    }

    /// The same, with signs of life on the way.
    pub fn load_watched(
        &self,
        drop: &SourceDrop,
        strictness: Strictness,
        force: bool,
        pulse: LoadPulse<'_>,
    ) -> Result<VersionNote, ReferenceError> {
        let _lock = self.lock()?;
        for table in Table::ALL {
            if table.is_required() && !drop.tables.contains_key(&table) {
                return Err(ReferenceError::MissingTable(table));
            }
        }
        let pointer = self.pointer()?;
        let current = pointer.map(|it| self.manifest(it.current)).transpose()?;
        if let Some(current) = current.as_ref().filter(|_| !force)
            && current.data_version == drop.data_version
        {
            return Err(ReferenceError::SameVersion(drop.data_version.clone()));
        }
        let number = self.numbers()?.last().map_or(1, |last| last + 1);
        let staged = self.folder.join(format!("staged-{number:06}"));
        self.remove(&staged)?;
        durable::create_folder(&staged).map_err(ReferenceError::io(&staged))?;
        let packed = pack(drop, &staged, strictness, pulse).and_then(|mut manifest| {
            judge_counts(&mut manifest, current.as_ref());
            match manifest.report.is_refused() {
                true => Err(ReferenceError::Refused(Box::new(manifest.report))),
                false => Ok(manifest),
            }
        });
        let manifest = packed.inspect_err(|_| {
            // What was refused is of no use; the next load would remove it as well.
            std::mem::drop(fs::remove_dir_all(&staged));
        })?;
        let place = self.version_folder(number);
        durable::sync_folder(&staged).map_err(ReferenceError::io(&staged))?;
        durable::rename(&staged, &place).map_err(ReferenceError::io(&place))?;
        let previous = pointer.map(|it| it.current);
        self.point(Pointer { current: number, previous })?;
        self.remove_others(number, previous);
        Ok(VersionNote {
            number,
            data_version: manifest.data_version,
            is_current: true,
            report: manifest.report,
            tables: manifest.tables,
        })
    }

    /// Goes back to the version before the one in use. A second time fails: there is no third.
    pub fn roll_back(&self) -> Result<RolledBack, ReferenceError> {
        let _lock = self.lock()?;
        let pointer = self.pointer()?.ok_or(ReferenceError::Empty)?;
        let to = pointer.previous.ok_or(ReferenceError::NothingToRollBack)?;
        self.manifest(to).map_err(|_| ReferenceError::NothingToRollBack)?;
        self.point(Pointer { current: to, previous: None })?;
        Ok(RolledBack { from: pointer.current, to })
    }

    /// The versions that are kept, oldest first.
    pub fn versions(&self) -> Result<Vec<VersionNote>, ReferenceError> {
        let current = self.pointer()?.map(|it| it.current);
        let numbers = self.numbers()?;
        let note = |number: u32| {
            let manifest = self.manifest(number)?;
            Ok(VersionNote {
                number,
                data_version: manifest.data_version,
                is_current: current == Some(number),
                report: manifest.report,
                tables: manifest.tables,
            })
        };
        numbers.into_iter().map(note).collect()
    }

    /// The folder and description of the version in use.
    pub(super) fn current(&self) -> Result<(PathBuf, Manifest), ReferenceError> {
        let pointer = self.pointer()?.ok_or(ReferenceError::Empty)?;
        Ok((self.version_folder(pointer.current), self.manifest(pointer.current)?))
    }

    fn lock(&self) -> Result<File, ReferenceError> {
        let path = self.folder.join(LOCK);
        let file = File::create(&path).map_err(ReferenceError::io(&path))?;
        file.try_lock().map_err(|_| ReferenceError::Busy)?;
        Ok(file)
    }

    fn version_folder(&self, number: u32) -> PathBuf {
        self.folder.join(format!("version-{number:06}"))
    }

    fn numbers(&self) -> Result<Vec<u32>, ReferenceError> {
        let listed = fs::read_dir(&self.folder).map_err(ReferenceError::io(&self.folder))?;
        let mut numbers = Vec::new();
        for entry in listed {
            let name = entry.map_err(ReferenceError::io(&self.folder))?.file_name();
            let number = name.to_str().and_then(|it| it.strip_prefix("version-"));
            numbers.extend(number.and_then(|it| it.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn pointer(&self) -> Result<Option<Pointer>, ReferenceError> {
        let path = self.folder.join(POINTER);
        match fs::read(&path) {
            Ok(bytes) => read_json(&path, &bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ReferenceError::Io { path, source }),
        }
    }

    fn point(&self, pointer: Pointer) -> Result<(), ReferenceError> {
        let path = self.folder.join(POINTER);
        let bytes = serde_json::to_vec(&pointer)
            .map_err(|it| ReferenceError::Unreadable { path: path.clone(), why: it.to_string() })?;
        durable::write(&path, &bytes, false).map_err(ReferenceError::io(&path))
    }

    fn manifest(&self, number: u32) -> Result<Manifest, ReferenceError> {
        let path = self.version_folder(number).join(MANIFEST);
        let bytes = fs::read(&path).map_err(ReferenceError::io(&path))?;
        read_json(&path, &bytes)
    }

    fn remove(&self, folder: &Path) -> Result<(), ReferenceError> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ReferenceError::Io { path: folder.to_owned(), source: error })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Best effort: what cannot be removed now is removed after the next load.
    fn remove_others(&self, current: u32, previous: Option<u32>) {
        for number in self.numbers().unwrap_or_default() {
            if number != current && Some(number) != previous {
                drop(fs::remove_dir_all(self.version_folder(number)));
            }
        }
    }
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path, bytes: &[u8]) -> Result<T, ReferenceError> {
    serde_json::from_slice(bytes).map_err(|error| ReferenceError::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    })
}

/// A table that lost more than a tenth of its rows is more likely broken than shrunk.
fn judge_counts(manifest: &mut Manifest, current: Option<&Manifest>) {
    let Some(current) = current else { return };
    for (table, before) in &current.tables {
        let now = manifest.tables.get(table).map_or(0, |file| file.records);
        let floor = (before.records * 9).div_ceil(10);
        if now < floor {
            let example = format!("{now} rows, {floor} needed");
            let rule = "less than nine tenths of the rows of the version in use";
            manifest.report.note(*table, rule, Severity::Refusal, example);
        }
    }
}
