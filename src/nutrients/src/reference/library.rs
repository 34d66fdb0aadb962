//! The folder of versions: loads, the pointer to the version in use, and the way back.
//!
//! A version is a folder that is complete before anything points to it. The pointer is one small
//! file, replaced whole: all tables of a drop come into use at one moment or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use byteio::durable;
use serde::{Deserialize, Serialize};

use super::drop::SourceDrop;
use super::error::ReferenceError;
use super::examine::{Examination, Stamp, stamps};
use super::gate::{GateReport, Severity};
use super::import::{
    LoadProgress, LoadPulse, Manifest, Strictness, TableFile, no_pulse, pack, read_manifest,
    read_own_json,
};
use super::table::Table;

const POINTER: &str = "active.json";
const LOCK: &str = "load.lock";

/// Bytes of the version in use that are read between two signs of life.
const EXAMINED: u64 = 32 << 20;

/// What a version is called whose description cannot be read.
const NAMELESS: &str = "(its description is damaged)";

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
    /// unless it is damaged, and older ones are removed. A drop is known by its content: the same under
    /// the same name is loaded where the version in use is damaged, or with `force`; other content under
    /// a name that is known is refused, but with `force`.
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
        let in_use = self.in_use(pulse)?;
        let number = self.numbers()?.last().map_or(1, |last| last + 1);
        let staged = self.folder.join(format!("staged-{number:06}"));
        self.remove(&staged)?;
        durable::create_folder(&staged).map_err(ReferenceError::io(&staged))?;
        let packed = pack(drop, &staged, strictness, pulse).and_then(|mut manifest| {
            let current = in_use.as_ref().and_then(|it| it.manifest.as_ref());
            judge_counts(&mut manifest, current);
            if manifest.report.is_refused() {
                return Err(ReferenceError::Refused(Box::new(manifest.report)));
            }
            if let Some(in_use) = in_use.as_ref().filter(|_| !force) {
                self.judge_name(&manifest, in_use)?;
            }
            Ok(manifest)
        });
        let manifest = packed.inspect_err(|_| {
            // What was refused is of no use; the next load would remove it as well.
            std::mem::drop(fs::remove_dir_all(&staged));
        })?;
        let place = self.version_folder(number);
        durable::sync_folder(&staged).map_err(ReferenceError::io(&staged))?;
        durable::rename(&staged, &place).map_err(ReferenceError::io(&place))?;
        let previous = in_use.and_then(|it| it.way_back());
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
        let current = match self.pointer() {
            // Nobody knows which is in use; what is there is shown all the same.
            Err(ReferenceError::Damaged { .. }) => None,
            pointer => pointer?.map(|it| it.current),
        };
        let numbers = self.numbers()?;
        let note = |number: u32| {
            let unknown = Manifest {
                data_version: NAMELESS.to_owned(),
                tables: BTreeMap::new(),
                report: GateReport::default(),
            };
            let manifest = match self.manifest(number) {
                // The others, and a way to load, are shown all the same.
                Err(ReferenceError::Damaged { .. }) => unknown,
                manifest => manifest?,
            };
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

    /// The number of the version in use.
    pub fn current_number(&self) -> Result<u32, ReferenceError> {
        Ok(self.pointer()?.ok_or(ReferenceError::Empty)?.current)
    }

    /// An examination of the files of a version.
    pub fn examination(&self, number: u32) -> Result<Examination, ReferenceError> {
        Examination::of(&self.version_folder(number))
    }

    /// What tells cheaply that a file of a version is another than it was.
    pub fn stamps(&self, number: u32) -> Vec<Stamp> {
        stamps(&self.version_folder(number))
    }

    /// The version in use, read whole. What is damaged is of no use, and keeps no good delivery out.
    fn in_use(&self, pulse: LoadPulse<'_>) -> Result<Option<InUse>, ReferenceError> {
        let pointer = match self.pointer() {
            Err(ReferenceError::Damaged { .. }) => {
                self.numbers()?.last().map(|last| Pointer { current: *last, previous: None })
            }
            pointer => pointer?,
        };
        let Some(Pointer { current: number, previous }) = pointer else { return Ok(None) };
        let folder = self.version_folder(number);
        let read = read_manifest(&folder).and_then(|it| Ok((it, Examination::of(&folder)?)));
        let (manifest, mut examination) = match read {
            Err(ReferenceError::Damaged { .. }) => {
                return Ok(Some(InUse { number, previous, manifest: None, is_damaged: true }));
            }
            read => read?,
        };
        while let Some(table) = examination.table() {
            if pulse(LoadProgress { table, rows: 0 }).is_break() {
                return Err(ReferenceError::Stopped);
            }
            examination.go_on(EXAMINED);
        }
        let is_damaged = examination.damaged().next().is_some();
        Ok(Some(InUse { number, previous, manifest: Some(manifest), is_damaged }))
    }

    /// Nobody may take a delivery for another because it bears the same name.
    fn judge_name(&self, new: &Manifest, in_use: &InUse) -> Result<(), ReferenceError> {
        let before = in_use.previous.and_then(|number| self.manifest(number).ok());
        let bears_name = |it: &&Manifest| it.data_version == new.data_version;
        let current = in_use.manifest.as_ref().filter(bears_name);
        let known = current.into_iter().chain(before.as_ref().filter(bears_name));
        let differing: Vec<Vec<Table>> = known.map(|known| differing(new, known)).collect();
        let version = || new.data_version.clone();
        let is_same = |tables: &Vec<Table>| tables.is_empty();
        if let Some(tables) = differing.first().filter(|_| !differing.iter().any(is_same)) {
            return Err(ReferenceError::OtherContent {
                version: version(),
                tables: tables.clone(),
            });
        }
        if current.is_some() && differing.first().is_some_and(is_same) && !in_use.is_damaged {
            return Err(ReferenceError::SameVersion(version()));
        }
        Ok(())
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
        match read_own_json(&self.folder.join(POINTER)) {
            Err(ReferenceError::Damaged { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            pointer => pointer.map(Some),
        }
    }

    fn point(&self, pointer: Pointer) -> Result<(), ReferenceError> {
        let path = self.folder.join(POINTER);
        let bytes = serde_json::to_vec(&pointer)
            .map_err(|it| ReferenceError::Unreadable { path: path.clone(), why: it.to_string() })?;
        durable::write(&path, &bytes, false).map_err(ReferenceError::io(&path))
    }

    fn manifest(&self, number: u32) -> Result<Manifest, ReferenceError> {
        read_manifest(&self.version_folder(number))
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

/// The version in use, as a load finds it.
struct InUse {
    number: u32,
    previous: Option<u32>,
    /// None if it cannot be read.
    manifest: Option<Manifest>,
    is_damaged: bool,
}

impl InUse {
    /// The version to go back to from one that takes its place.
    fn way_back(&self) -> Option<u32> {
        if self.is_damaged { self.previous } else { Some(self.number) }
    }
}

/// The tables that one of two versions lacks or has otherwise.
fn differing(one: &Manifest, other: &Manifest) -> Vec<Table> {
    let digest = |of: &Manifest, table| of.tables.get(&table).map(|file| file.sha256.clone());
    let differs = |table: &Table| digest(one, *table) != digest(other, *table);
    Table::ALL.into_iter().filter(differs).collect()
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
