//! One version, open.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::drop::SourceDrop;
use super::error::ReferenceError;
use super::examine::Examination;
use super::gate::GateReport;
use super::import::{LOOKUPS, Manifest, Strictness, layer_name, no_pulse, pack, read_own_json};
use super::layers::Layer;
use super::library::Library;
use super::lookups::Lookups;
use super::table::Table;
use crate::layer::LayerFile;
use crate::shape::{Bounds, hex};

/// Reference data of one version. Cheap to share between threads.
#[derive(Debug)]
pub struct Reference {
    data_version: String,
    digest: String,
    report: GateReport,
    folder: PathBuf,
    pub(crate) works: Layer,
    pub(crate) authorities: Layer,
    pub(crate) catchments: Layer,
    pub(crate) subcatchments: Layer,
    pub(crate) plans: Layer,
    pub(crate) coefficients: Option<LayerFile>,
    pub(crate) lookups: Lookups,
    /// Which nutrient catchment each works drains to, once somebody asked.
    drains: Mutex<BTreeMap<i64, Option<i64>>>,
    /// Where a version lives that was made for this one use.
    _room: Option<tempfile::TempDir>,
}

/// Whether tables may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Refused,
    /// Areas, works and wastewater can be told without coefficients, and every result warns.
    CoefficientsAllowed,
}

impl Reference {
    /// Opens the version in use of a library. Index and checksums are looked at, and no table may
    /// be empty: results would be plausible zeros.
    pub fn open(folder: &Path) -> Result<Reference, ReferenceError> {
        let (place, manifest) = Library::open(folder)?.current()?;
        Reference::of(&place, manifest, Missing::Refused, None)
    }

    /// Opens the files of a drop as they were delivered, by way of a folder that is gone at the
    /// end.
    pub fn open_drop(
        drop: &SourceDrop,
        strictness: Strictness,
        missing: Missing,
    ) -> Result<Reference, ReferenceError> {
        let room = tempfile::tempdir().map_err(ReferenceError::io(std::env::temp_dir()))?;
        let manifest = pack(drop, room.path(), strictness, &no_pulse)?;
        if manifest.report.is_refused() {
            return Err(ReferenceError::Refused(Box::new(manifest.report)));
        }
        let folder = room.path().to_owned();
        Reference::of(&folder, manifest, missing, Some(room))
    }

    fn of(
        folder: &Path,
        manifest: Manifest,
        missing: Missing,
        room: Option<tempfile::TempDir>,
    ) -> Result<Reference, ReferenceError> {
        for table in Table::ALL {
            let records = manifest.tables.get(&table).map_or(0, |file| file.records);
            let allowed =
                missing == Missing::CoefficientsAllowed && table == Table::CoefficientLayer;
            if table.is_required() && records == 0 && !allowed {
                return Err(ReferenceError::EmptyTable(table));
            }
        }
        let has = |table| manifest.tables.contains_key(&table);
        let layer = |table| match has(table) {
            true => Layer::open(&folder.join(layer_name(table))),
            false => Ok(Layer::empty()),
        };
        let coefficients = folder.join(layer_name(Table::CoefficientLayer));
        let coefficients = match has(Table::CoefficientLayer) {
            true => {
                let file = LayerFile::open(&coefficients);
                Some(file.map_err(ReferenceError::reading(coefficients))?)
            }
            false => None,
        };
        let lookups = lookups_of(&folder.join(LOOKUPS), &manifest)?;
        let mut hash = Sha256::new();
        for (table, file) in &manifest.tables {
            hash.update(table.name());
            hash.update(&file.sha256);
        }
        Ok(Reference {
            data_version: manifest.data_version,
            digest: hex(&hash.finalize()),
            report: manifest.report,
            folder: folder.to_owned(),
            works: layer(Table::WwtwCatchments)?,
            authorities: layer(Table::LpaBoundaries)?,
            catchments: layer(Table::NnCatchments)?,
            subcatchments: layer(Table::Subcatchments)?,
            plans: layer(Table::EdpBoundaries)?,
            coefficients,
            lookups,
            drains: Mutex::default(),
            _room: room,
        })
    }

    /// What the delivery is called.
    pub fn version(&self) -> &str {
        &self.data_version
    }

    /// One digest for all tables: data of the same one give the same results.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What the gate said when it was loaded.
    pub fn report(&self) -> &GateReport {
        &self.report
    }

    pub fn lookups(&self) -> &Lookups {
        &self.lookups
    }

    /// The nutrient catchment that most of a works' own ground lies in; of equal ones the lowest id.
    pub(crate) fn drains_to(&self, works: i64) -> Option<i64> {
        let mut known = self.drains.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(works).or_insert_with(|| {
            let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
            for ground in self.works.areas.iter().filter(|it| it.id == works) {
                for (area, share) in self.catchments.shares(&ground.outline, ground.shape.area_m2())
                {
                    *sums.entry(area.id).or_default() += share;
                }
            }
            let better = |a: &(i64, f64), b: &(i64, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
            sums.into_iter().max_by(better).map(|(id, _)| id)
        })
    }

    /// How many parcels lie near a place, at least; for the time that an assessment may take.
    pub fn parcels_near(&self, window: &Bounds) -> u64 {
        self.coefficients.as_ref().map_or(0, |layer| layer.records_near(window))
    }

    /// Reads every file again and compares its digest with the one it was made with: the tables
    /// that differ.
    pub fn verify(&self) -> Result<Vec<Table>, ReferenceError> {
        let mut examination = Examination::of(&self.folder)?;
        while !examination.go_on(u64::MAX) {}
        Ok(examination.damaged().collect())
    }
}

/// Layers have checksums of their own; a number of the lookups that is another would be believed.
fn lookups_of(path: &Path, manifest: &Manifest) -> Result<Lookups, ReferenceError> {
    let lookups = read_own_json(path)?;
    let digest = LayerFile::digest(path).map_err(ReferenceError::reading(path))?;
    if manifest.tables.get(&Table::Lookups).is_some_and(|file| file.sha256 == digest) {
        return Ok(lookups);
    }
    let why = io::Error::new(io::ErrorKind::InvalidData, "its content is not what was loaded");
    Err(ReferenceError::reading(path)(why))
}
