//! What is missing from what is known: for the scorecard and for whoever fills gaps.

use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sights::{Kin, seen};
use crate::registry::moment::Fields;
use crate::registry::{Error, Registry, Sight};

/// Counted no further: a page does not wait for the exact number of many.
const MOST: u64 = 10_000;

/// What is missing, each counted up to ten thousand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Objects without a title.
    pub untitled_count: u64,
    /// Objects without a title or a description.
    pub undescribed_count: u64,
    /// Deposits that were not validated.
    pub unvalidated_count: u64,
    /// Deposits whose copies were not read back.
    pub unverified_count: u64,
    /// Deposits whose formats were not looked at.
    pub unidentified_count: u64,
}

/// Files whose name and format do not go together, counted up to ten thousand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warned {
    /// Files.
    pub file_count: u64,
    /// Whether there may be more.
    pub is_at_least: bool,
}

impl Registry {
    /// What is missing from what is known.
    pub fn gaps(&self, sight: Sight) -> Result<Gaps, Error> {
        let objects = "FROM objects AS o WHERE version > 0 AND state = 'A'
            AND (title = '' OR coalesce(description, '') = '')";
        let deposits = "FROM deposits AS d CROSS JOIN objects AS o ON o.id = d.object_id
            WHERE (d.validated_at IS NULL OR d.identified_at IS NULL OR d.verified_at IS NULL)
            AND d.sealed_at IS NOT NULL AND o.state = 'A'";
        Ok(Gaps {
            untitled_count: self.few(objects, "title = ''", sight)?,
            undescribed_count: self.few(objects, "1", sight)?,
            unvalidated_count: self.few(deposits, "d.validated_at IS NULL", sight)?,
            unverified_count: self.few(deposits, "d.verified_at IS NULL", sight)?,
            unidentified_count: self.few(deposits, "d.identified_at IS NULL", sight)?,
        })
    }

    /// Files that are there with a word about their format.
    pub fn format_warnings(&self, sight: Sight) -> Result<Warned, Error> {
        let files = "FROM file_versions AS v CROSS JOIN files AS f ON f.id = v.file_id
            CROSS JOIN objects AS o ON o.id = f.object_id
            WHERE v.format_warnings IS NOT NULL AND v.deleted_at IS NULL
            AND v.version <= o.version AND (v.superseded_by IS NULL OR v.superseded_by > o.version)";
        let file_count = self.few(files, "1", sight)?;
        Ok(Warned { file_count, is_at_least: file_count >= MOST })
    }

    fn few(&self, from: &str, which: &str, sight: Sight) -> Result<u64, Error> {
        let seen = seen(sight, Kin::Alone, "access <> 'restricted'");
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM (SELECT o.institution_id, o.access {from} AND {which})
             WHERE {} LIMIT {MOST})",
            seen.sql
        );
        let count = self.one(&sql, params_from_iter(seen.values), |row| Fields::of(row).count())?;
        Ok(count.unwrap_or(0))
    }
}
