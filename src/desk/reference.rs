//! Reference data, as the desk offers it: what is in use, a load, and the way back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nutrients::{TableFile, VersionNote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::Deed;

use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::assess::{LastLoad, Wanted, ask_load, is_parked, last_load, load_of, wanted_folder};
use crate::fault::Fault;

/// What is in use and how it came there.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceTold {
    /// The versions that are kept, the one in use first.
    pub versions: Vec<ReferenceVersion>,
    /// How the last load went, taken or refused.
    pub last_load: Option<LastLoad>,
    /// The item that loads now.
    pub loading: Option<LoadRun>,
}

/// A version that is kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceVersion {
    /// Counted from one.
    pub number: u32,
    /// What the delivery is called.
    pub data_version: String,
    /// Whether sites are assessed with it.
    pub is_current: bool,
    /// Rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// What is kept of each table.
    #[serde(default)]
    pub tables: BTreeMap<String, ReferenceTable>,
    /// What the quality gate found, for people.
    pub report: String,
    /// When it was loaded, as RFC 3339 in UTC, and by whom; empty where nobody wrote it down.
    pub loaded_at: String,
    /// Who loaded it.
    pub loaded_by: String,
}

/// A table of a version, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceTable {
    /// Rows that were taken.
    pub rows: u64,
    /// Bytes of the file that they were packed into.
    pub size_bytes: u64,
    /// The digest of that file.
    pub sha256: String,
}

impl ReferenceVersion {
    fn of(note: VersionNote, load: Option<LastLoad>) -> ReferenceVersion {
        let rows = note.report.rows.iter().map(|(table, rows)| (table.to_string(), *rows));
        let tables = note.tables.iter().map(|(table, file)| {
            let TableFile { records, size_bytes, sha256 } = file.clone();
            (table.to_string(), ReferenceTable { rows: records, size_bytes, sha256 })
        });
        ReferenceVersion {
            tables: tables.collect(),
            number: note.number,
            data_version: note.data_version,
            is_current: note.is_current,
            rows: rows.collect(),
            report: note.report.to_text(),
            loaded_at: load.as_ref().map(|load| load.at.to_string()).unwrap_or_default(),
            loaded_by: load.map(|load| load.by).unwrap_or_default(),
        }
    }
}

/// A load that is on its way.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoadRun {
    /// The item that does it.
    pub item: u64,
    /// `running`, `waiting`, or `parked` when it was refused and somebody is to mend its files.
    pub status: String,
    /// The folder that is loaded.
    pub folder: String,
    /// Since when, as RFC 3339 in UTC.
    pub since: String,
}

/// What is to be loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadWish {
    /// The folder with the delivered files, as the appliance sees it.
    #[schemars(example = "no-such-folder")]
    pub folder: String,
    /// What the delivery is called, where its manifest does not say.
    #[serde(default)]
    pub data_version: String,
    /// Loads it even where the same is in use, or its name is known with other content.
    #[serde(default)]
    pub force: bool,
    /// Refuses rows that could be put right.
    #[serde(default)]
    pub strict: bool,
}

/// Where a way back led.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RolledBackTold {
    /// The number of the version that was in use.
    pub from: u32,
    /// The number of the one that is.
    pub to: u32,
}

impl Desk<'_> {
    /// What is in use, and how it came there.
    pub fn reference_data(&self) -> Result<ReferenceTold, DeskError> {
        let versions = self.app.atlas.versions()?;
        let folder = wanted_folder(self.app).map_err(loads)?.unwrap_or_default();
        let loading = self.app.shop.queue.named("reference")?.map(|item| LoadRun {
            item: item.id.0,
            status: match (is_parked(&item), item.started) {
                (true, _) => "parked",
                (false, Some(_)) => "running",
                (false, None) => "waiting",
            }
            .to_owned(),
            folder,
            since: item.started.unwrap_or(item.created).to_string(),
        });
        let told = |note: VersionNote| {
            let load = load_of(self.app, note.number).map_err(loads)?;
            Ok(ReferenceVersion::of(note, load))
        };
        Ok(ReferenceTold {
            versions: versions.into_iter().map(told).collect::<Result<_, DeskError>>()?,
            last_load: last_load(self.app).map_err(loads)?,
            loading,
        })
    }

    /// Has a folder loaded: checked whole, and put to use whole or not at all.
    pub fn load_reference(&self, wish: &LoadWish) -> Result<LoadRun, DeskError> {
        let folder = wish.folder.trim();
        let is_folder = fs::metadata(Path::new(folder)).is_ok_and(|found| found.is_dir());
        if !is_folder || !Path::new(folder).is_absolute() {
            let shown: String = folder.chars().take(200).collect();
            return Err(DeskError::BadFolder(format!(
                "{shown:?} is no folder of this machine that can be read; name it with its whole path"
            )));
        }
        let data_version = match wish.data_version.trim() {
            "" => Path::new(folder).file_name().unwrap_or_default().to_string_lossy().into_owned(),
            named => named.to_owned(),
        };
        let wanted = Wanted {
            folder: folder.to_owned(),
            data_version,
            force: wish.force,
            strict: wish.strict,
            by: self.caller.name().to_owned(),
        };
        let asked = ask_load(self.app, &wanted).map_err(loads)?;
        if !asked.new {
            return Err(DeskError::LoadUnderWay(asked.item));
        }
        self.note(Note::of(Deed::LoadReference).to("reference data", &wanted.data_version));
        Ok(LoadRun {
            item: asked.item,
            status: "waiting".into(),
            folder: wanted.folder,
            since: self.app.shop.clock.now().to_string(),
        })
    }

    /// Goes back to the version before the one in use.
    pub fn roll_back_reference(&self) -> Result<RolledBackTold, DeskError> {
        let under_way = self.app.shop.queue.named("reference")?.filter(|item| !is_parked(item));
        if let Some(item) = under_way {
            return Err(DeskError::LoadUnderWay(item.id.0));
        }
        let nutrients::RolledBack { from, to } = self.app.atlas.roll_back()?;
        let note = Note::of(Deed::RollBackReference).to("reference data", &to.to_string());
        self.note(note.saying(format!("from version {from}")));
        Ok(RolledBackTold { from, to })
    }
}

fn loads(fault: Fault) -> DeskError {
    DeskError::Loading(fault.sentence_or("its notes cannot be read"))
}
