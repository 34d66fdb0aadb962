//! What is held, added up by replica and by storage option.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::registry::moment::Fields;
use crate::registry::query::Sight;
use crate::registry::{Error, Registry};

/// What one replica has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaSums {
    /// Its name.
    pub replica: String,
    /// Objects with a copy there.
    pub object_count: u64,
    /// Copies of files, of all versions.
    pub copy_count: u64,
    /// Bytes of the files of these objects, in their newest version.
    pub size: u64,
}

/// What is held under one storage option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionSums {
    /// Its name.
    pub storage_option: String,
    /// Objects that are there.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// The bytes of these.
    pub size: u64,
}

impl Registry {
    /// What every replica has, by name.
    pub fn replica_sums(&self) -> Result<Vec<ReplicaSums>, Error> {
        let sql = "SELECT r.name, coalesce(sum(d.object_count), 0), coalesce(sum(d.copy_count), 0),
                 coalesce(sum(d.size), 0)
             FROM replicas AS r LEFT JOIN replica_days AS d ON d.replica_id = r.id
             GROUP BY r.id ORDER BY r.name LIMIT 1000";
        let read = |row: &Row<'_>| {
            let mut of = Fields::of(row);
            Ok(ReplicaSums {
                replica: of.take()?,
                object_count: of.count()?,
                copy_count: of.count()?,
                size: of.count()?,
            })
        };
        self.rows(sql, [], read)
    }

    /// What somebody sees of what is held, by storage option.
    pub fn option_sums(&self, sight: Sight) -> Result<Vec<OptionSums>, Error> {
        let seen = match sight {
            Sight::All => "?1 IS NULL",
            Sight::Own { restricted: true, .. } => "institution_id = ?1",
            Sight::Own { restricted: false, .. } => {
                "institution_id = ?1 AND access <> 'restricted'"
            }
            Sight::Shared { .. } => "institution_id <> ?1 AND access = 'consortia'",
        };
        let sql = format!(
            "SELECT storage_option, count(*), coalesce(sum(file_count), 0), coalesce(sum(size), 0)
             FROM objects INDEXED BY objects_by_figures
             WHERE {seen} AND state = 'A' AND version > 0
             GROUP BY storage_option ORDER BY storage_option LIMIT 1000"
        );
        let read = |row: &Row<'_>| {
            let mut of = Fields::of(row);
            Ok(OptionSums {
                storage_option: of.take()?,
                object_count: of.count()?,
                file_count: of.count()?,
                size: of.count()?,
            })
        };
        let name = format!("{sql} {sight:?}");
        self.memory
            .figure((self.memory.mark(), &name), || self.rows(&sql, [sight.institution()], read))
    }
}
