//! A drop becomes a version: every table is streamed, judged and packed into a folder of its own.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::drop::SourceDrop;
use super::error::ReferenceError;
use super::gate::{GateReport, Severity};
use super::intake::stream;
use super::lookups::{self, Lookups};
use super::table::Table;
use crate::layer::{LayerWriter, Written};

/// What happens to lookups and names that lead nowhere. Public deliveries have hundreds of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// The load is refused.
    Strict,
    /// They are left out or left alone, and told in the report.
    #[default]
    CleanUp,
}

impl Strictness {
    pub(super) fn of_lookups(self) -> Severity {
        match self {
            Strictness::Strict => Severity::Refusal,
            Strictness::CleanUp => Severity::CleanedUp,
        }
    }
}

/// How far a load has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// The table that is read now.
    pub table: Table,
    /// Rows since the last sign of life.
    pub rows: u64,
}

/// Called between blocks of rows; a load that is told to break ends there and leaves nothing.
pub type LoadPulse<'p> = &'p dyn Fn(LoadProgress) -> ControlFlow<()>;

/// For those who neither watch nor stop a load.
pub(super) fn no_pulse(_: LoadProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Rows between two signs of life: a fraction of a second.
const ROWS: u64 = 2000;

/// A version as its folder describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) data_version: String,
    pub(super) tables: BTreeMap<Table, TableFile>,
    pub(super) report: GateReport,
}

/// One table of a version, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// Rows that were taken.
    pub records: u64,
    /// Bytes of the file that they were packed into.
    pub size_bytes: u64,
    /// The digest of that file.
    pub sha256: String,
}

impl From<Written> for TableFile {
    fn from(written: Written) -> TableFile {
        let Written { records, size_bytes, sha256 } = written;
        TableFile { records, size_bytes, sha256 }
    }
}

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const LOOKUPS: &str = "lookups.json";

pub(super) fn layer_name(table: Table) -> String {
    format!("{}.layer", table.name())
}

/// The file of a version that a table is packed into.
pub(super) fn file_name(table: Table) -> String {
    if table == Table::Lookups { LOOKUPS.to_owned() } else { layer_name(table) }
}

/// The description of the version in a folder.
pub(super) fn read_manifest(folder: &Path) -> Result<Manifest, ReferenceError> {
    read_own_json(&folder.join(MANIFEST))
}

/// Reads a file that was written here; one that is not in form is damaged.
pub(super) fn read_own_json<T: for<'de> Deserialize<'de>>(
    path: &Path,
) -> Result<T, ReferenceError> {
    let read = std::fs::read(path);
    let parsed = read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(io::Error::from));
    parsed.map_err(ReferenceError::reading(path))
}

/// Packs a drop into an empty folder. The report says whether the version may be used.
pub(super) fn pack(
    drop: &SourceDrop,
    folder: &Path,
    strictness: Strictness,
    pulse: LoadPulse<'_>,
) -> Result<Manifest, ReferenceError> {
    let mut packing = Packing {
        folder,
        strictness,
        pulse,
        report: GateReport::default(),
        ids: BTreeMap::new(),
        names: BTreeMap::new(),
        referred: [BTreeSet::new(), BTreeSet::new()],
    };
    let mut tables = BTreeMap::new();
    for (table, path) in &drop.tables {
        let file = match table {
            Table::Lookups => packing.lookups(path)?,
            Table::CoefficientLayer
            | Table::WwtwCatchments
            | Table::LpaBoundaries
            | Table::NnCatchments
            | Table::Subcatchments
            | Table::EdpBoundaries => packing.layer(*table, path)?,
        };
        if file.records == 0 {
            let rule = "the table is empty";
            packing.report.note(*table, rule, Severity::Refusal, path.display().to_string());
        }
        packing.report.rows.insert(*table, file.records);
        tables.insert(*table, file);
    }
    packing.judge_references();
    let report = packing.report;
    let manifest = Manifest { data_version: drop.data_version.clone(), tables, report };
    let path = folder.join(MANIFEST);
    let bytes = serde_json::to_vec_pretty(&manifest)
        .map_err(|it| ReferenceError::Unreadable { path: path.clone(), why: it.to_string() })?;
    byteio::durable::write(&path, &bytes, false).map_err(ReferenceError::io(&path))?;
    Ok(manifest)
}

struct Packing<'f> {
    folder: &'f Path,
    strictness: Strictness,
    pulse: LoadPulse<'f>,
    report: GateReport,
    /// Ids and names of small layers, for the references to them.
    ids: BTreeMap<Table, HashSet<String>>,
    names: BTreeMap<Table, HashSet<String>>,
    /// Catchments and subcatchments that coefficients name.
    referred: [BTreeSet<String>; 2],
}

impl Packing<'_> {
    fn layer(&mut self, table: Table, path: &Path) -> Result<TableFile, ReferenceError> {
        let target = self.folder.join(layer_name(table));
        let mut writer = LayerWriter::new(&target);
        let life = Life { table, pulse: self.pulse, rows: Cell::new(0) };
        life.sign()?;
        let mut seen: Vec<u64> = Vec::new();
        let (mut ids, mut names) = (HashSet::new(), HashSet::new());
        let referred = &mut self.referred;
        stream(table, path, &mut self.report, |taken| {
            life.row()?;
            let Some(taken) = taken else { return Ok(()) };
            // Eight bytes for each of millions: two ids with one hash are as good as impossible.
            if table.has_unique_ids() {
                seen.push(hash(&taken.record.id));
            }
            if table == Table::CoefficientLayer {
                let both = [taken.catchment, taken.subcatchment];
                for (names, name) in referred.iter_mut().zip(both) {
                    if let Some(name) = name.filter(|it| !names.contains(it)) {
                        names.insert(name);
                    }
                }
            } else {
                ids.insert(taken.record.id.clone());
                names.insert(taken.record.name.clone());
            }
            writer.push(&taken.record).map_err(ReferenceError::io(&target))
        })?;
        seen.sort_unstable();
        let twice = seen.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if twice > 0 {
            let example = format!("{twice} of {}", seen.len());
            self.report.note(table, "keys come twice", Severity::Refusal, example);
        }
        self.ids.insert(table, ids);
        self.names.insert(table, names);
        // Sorting and writing take as long as reading does.
        let mut stopped = false;
        let written = writer.finish(|| {
            stopped = life.row().is_err();
            if stopped { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
        });
        match written {
            Err(_) if stopped => Err(ReferenceError::Stopped),
            written => written.map(TableFile::from).map_err(ReferenceError::io(&target)),
        }
    }

    fn lookups(&mut self, path: &Path) -> Result<TableFile, ReferenceError> {
        let lookups = lookups::read(path, self.strictness, &mut self.report)?;
        self.judge_lookups(&lookups);
        let target = self.folder.join(LOOKUPS);
        let bytes = serde_json::to_vec_pretty(&lookups).map_err(|it| {
            ReferenceError::Unreadable { path: target.clone(), why: it.to_string() }
        })?;
        byteio::durable::write(&target, &bytes, false).map_err(ReferenceError::io(&target))?;
        let records = lookups.rates.len().min(lookups.works.len()) as u64;
        let sha256 =
            crate::layer::LayerFile::digest(&target).map_err(ReferenceError::io(&target))?;
        Ok(TableFile { records, size_bytes: bytes.len() as u64, sha256 })
    }

    /// Lookups come last of all tables, so that what they refer to is known.
    fn judge_lookups(&mut self, lookups: &Lookups) {
        let severity = self.strictness.of_lookups();
        let missing = |known: Option<&HashSet<String>>, name: &str| {
            known.is_some_and(|known| !known.contains(name))
        };
        for row in &lookups.rates {
            if missing(self.names.get(&Table::NnCatchments), &row.catchment) {
                let rule = "rates of a catchment that is not in the layer";
                self.report.note(Table::Lookups, rule, severity, row.catchment.clone());
            }
        }
        for (code, row) in &lookups.works {
            if missing(self.ids.get(&Table::WwtwCatchments), &code.to_string()) {
                let rule = "works whose catchment is not in the layer";
                self.report.note(Table::Lookups, rule, severity, code.to_string());
            }
            if let Some(name) = &row.subcatchment
                && missing(self.names.get(&Table::Subcatchments), name)
            {
                let rule = "works in a subcatchment that is not in the layer";
                self.report.note(Table::Lookups, rule, severity, name.clone());
            }
        }
    }

    /// Coefficients come first of all tables, so what they refer to is judged at the end.
    fn judge_references(&mut self) {
        let severity = self.strictness.of_lookups();
        let layers = [Table::NnCatchments, Table::Subcatchments];
        for (names, layer) in self.referred.iter().zip(layers) {
            let Some(known) = self.names.get(&layer) else { continue };
            for name in names.iter().filter(|name| !known.contains(*name)) {
                let rule = format!("names that are not in {layer}");
                self.report.note(Table::CoefficientLayer, &rule, severity, name.clone());
            }
        }
    }
}

/// The signs of life of one table.
struct Life<'p> {
    table: Table,
    pulse: LoadPulse<'p>,
    rows: Cell<u64>,
}

impl Life<'_> {
    /// Counts a row, and shows a sign of life after some.
    fn row(&self) -> Result<(), ReferenceError> {
        self.rows.set(self.rows.get() + 1);
        if self.rows.get() < ROWS { Ok(()) } else { self.sign() }
    }

    fn sign(&self) -> Result<(), ReferenceError> {
        let progress = LoadProgress { table: self.table, rows: self.rows.replace(0) };
        match (self.pulse)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ReferenceError::Stopped),
        }
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
