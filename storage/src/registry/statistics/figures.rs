//! What is held now, added up.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sights::{Kin, seen};
use crate::registry::moment::Fields;
use crate::registry::{Error, Registry, ReplicaId, Sight};

/// Objects, their files and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// Objects.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

impl Figures {
    /// Adds others.
    pub fn add(&mut self, other: Figures) {
        self.object_count = self.object_count.saturating_add(other.object_count);
        self.file_count = self.file_count.saturating_add(other.file_count);
        self.size = self.size.saturating_add(other.size);
    }
}

/// What an institution holds under one option, of which every copy is sound in the same replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldFigures {
    /// Whose.
    pub institution_id: i64,
    /// Under which option.
    pub storage_option: String,
    /// The replicas that have a sound copy of every version of every file.
    pub sound_in: Vec<ReplicaId>,
    /// How much.
    pub figures: Figures,
    /// Objects of it without any file.
    pub empty_count: u64,
}

/// Files of one format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatFigures {
    /// Its identifier at PRONOM; empty when it is not known.
    pub puid: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its media type.
    pub mime: String,
    /// What that rests on.
    pub basis: String,
    /// Files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

/// Rows of the widest figures: far more than institutions, options and sets of replicas make.
const ROWS_MAX: u32 = 100_000;

impl Registry {
    /// What is held now, by institution, option and where it is sound.
    pub fn held_figures(&self, sight: Sight) -> Result<Vec<HeldFigures>, Error> {
        self.figures_of(sight, Kin::Alone)
    }

    /// The same, with the accounts of a member: for reports about deposits only.
    pub fn deposit_figures(&self, sight: Sight) -> Result<Vec<HeldFigures>, Error> {
        self.figures_of(sight, Kin::WithAccounts)
    }

    fn figures_of(&self, sight: Sight, kin: Kin) -> Result<Vec<HeldFigures>, Error> {
        let seen = seen(sight, kin, OPEN);
        // For all, the planner would go through the rows; of one, it finds few.
        let by = if sight == Sight::All { "INDEXED BY objects_by_figures" } else { "" };
        let sql = format!(
            "SELECT institution_id, storage_option, sound_in, count(*), sum(file_count), sum(size),
                 sum(file_count = 0)
             FROM objects {by} WHERE version > 0 AND state = 'A' AND {}
             GROUP BY institution_id, storage_option, access, sound_in LIMIT {ROWS_MAX}",
            seen.sql
        );
        let name = format!("{sql} {:?}", seen.values);
        let read = |row: &Row<'_>| {
            let mut of = Fields::of(row);
            Ok(HeldFigures {
                institution_id: of.take()?,
                storage_option: of.take()?,
                sound_in: replicas(&of.take::<String>()?),
                figures: Figures {
                    object_count: of.count()?,
                    file_count: of.count()?,
                    size: of.count()?,
                },
                empty_count: of.count()?,
            })
        };
        let begun = self.memory.mark();
        self.memory.figure((begun, &name), || self.rows(&sql, params_from_iter(seen.values), read))
    }

    /// The files that are held now by format, the most bytes first.
    pub fn format_figures(&self, sight: Sight, limit: u32) -> Result<Vec<FormatFigures>, Error> {
        let seen = seen(sight, Kin::Alone, "is_restricted = 0");
        let sql = format!(
            "SELECT m.puid, m.name, m.version, m.mime, m.basis, s.files, s.bytes
             FROM (SELECT format_id, sum(file_count) AS files, sum(size) AS bytes FROM format_sums
                   WHERE {} GROUP BY format_id HAVING sum(file_count) > 0) AS s
                 JOIN formats AS m ON m.id = s.format_id
             ORDER BY s.bytes DESC, s.files DESC, m.puid, m.name, m.version, m.mime, m.basis
             LIMIT {limit}",
            seen.sql
        );
        self.rows(&sql, params_from_iter(seen.values), |row| {
            let mut of = Fields::of(row);
            Ok(FormatFigures {
                puid: of.take()?,
                name: of.take()?,
                version: of.take()?,
                mime: of.take()?,
                basis: of.take()?,
                file_count: of.count()?,
                size: of.count()?,
            })
        })
    }
}

/// What is not restricted, among objects.
const OPEN: &str = "access <> 'restricted'";

fn replicas(text: &str) -> Vec<ReplicaId> {
    text.split(',').filter_map(|number| number.parse().ok()).map(ReplicaId).collect()
}
