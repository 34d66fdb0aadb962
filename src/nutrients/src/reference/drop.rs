//! A drop: the files of one delivery of reference data.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::ReferenceError;
use super::table::Table;

/// Which file holds which table, and what the delivery is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDrop {
    pub data_version: String,
    pub tables: BTreeMap<Table, PathBuf>,
}

/// A manifest as deliveries have it: a version, and a map from tables to objects.
#[derive(Deserialize)]
struct Manifest {
    data_version: String,
    tables: BTreeMap<String, String>,
}

/// The largest manifest that is read.
const MANIFEST_BYTES: u64 = 1 << 20;

impl SourceDrop {
    /// The drop in a folder, by its `manifest.json`, or by the names of its files if there is none:
    /// then `data_version` names it.
    pub fn in_folder(folder: &Path, data_version: &str) -> Result<SourceDrop, ReferenceError> {
        let manifest = folder.join("manifest.json");
        match fs::metadata(&manifest) {
            Ok(status) if status.len() <= MANIFEST_BYTES => {
                let bytes = fs::read(&manifest).map_err(ReferenceError::io(&manifest))?;
                SourceDrop::of_manifest(&bytes, folder)
            }
            Ok(_) => {
                let why = "it is larger than a manifest may be".to_owned();
                Err(ReferenceError::Unreadable { path: manifest, why })
            }
            Err(_) => SourceDrop::of_names(folder, data_version),
        }
    }

    /// The drop that a manifest describes, with its objects in `folder`.
    pub fn of_manifest(bytes: &[u8], folder: &Path) -> Result<SourceDrop, ReferenceError> {
        let read: Manifest =
            serde_json::from_slice(bytes).map_err(|error| ReferenceError::Unreadable {
                path: folder.join("manifest.json"),
                why: error.to_string(),
            })?;
        let mut tables = BTreeMap::new();
        for (name, object) in read.tables {
            let table = Table::named(&name).ok_or(ReferenceError::UnknownTable(name))?;
            let plain = Path::new(&object).file_name().is_some_and(|it| *it == *object);
            if !plain {
                let why = "an object's name leads out of its folder".to_owned();
                return Err(ReferenceError::Unreadable { path: object.into(), why });
            }
            tables.insert(table, folder.join(object));
        }
        SourceDrop { data_version: read.data_version, tables }.checked()
    }

    fn of_names(folder: &Path, data_version: &str) -> Result<SourceDrop, ReferenceError> {
        let mut tables = BTreeMap::new();
        for table in Table::ALL {
            let end = if table == Table::Lookups { "sqlite" } else { "gpkg" };
            let path = folder.join(format!("{}.{end}", table.name()));
            if path.try_exists().map_err(ReferenceError::io(&path))? {
                tables.insert(table, path);
            }
        }
        SourceDrop { data_version: data_version.to_owned(), tables }.checked()
    }

    fn checked(self) -> Result<SourceDrop, ReferenceError> {
        match self.data_version.trim().is_empty() {
            true => Err(ReferenceError::NoDataVersion),
            false => Ok(self),
        }
    }
}
