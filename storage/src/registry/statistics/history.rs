//! What was held at the beginning of each month, written down once.
//!
//! The state at a moment that has passed is still known: an object that was not changed since has its
//! sums, and of the others every version, with when it was sealed and when it was deleted, has a row.
//! Only what an object says of itself (its option, its access) is taken as it is now. So a month that
//! was missed can be worked out later, and is marked.

use rusqlite::{params, params_from_iter};

use super::figures::Figures;
use super::month::Month;
use super::sights::{Kin, seen};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, Millis};
use crate::registry::{Error, Registry, Sight};

/// Months told at once: two hundred years.
const MONTHS_MAX: usize = 2400;
/// Rows of figures told at once.
const ROWS_MAX: u32 = 500_000;

/// A month that is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMonth {
    /// Which.
    pub month: Month,
    /// Whether it was worked out afterwards.
    pub is_derived: bool,
    /// When it was written down.
    pub recorded_at: Timestamp,
}

/// What an institution held under one option when a month began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthFigures {
    /// Which month.
    pub month: Month,
    /// Whose.
    pub institution_id: i64,
    /// Under which option.
    pub storage_option: String,
    /// How much.
    pub figures: Figures,
}

/// One row of a month before it is written down.
struct Row {
    institution_id: i64,
    storage_option: String,
    is_restricted: bool,
    figures: Figures,
}

const AT: &str = "SELECT institution_id, storage_option, is_restricted, count(*), sum(files),
        sum(bytes)
    FROM (SELECT institution_id, storage_option, access = 'restricted' AS is_restricted,
            file_count AS files, size AS bytes
        FROM objects WHERE version > 0 AND state = 'A' AND updated_at < ?1
        UNION ALL
        SELECT o.institution_id, o.storage_option, o.access = 'restricted', count(*), sum(v.size)
        FROM objects AS o
            CROSS JOIN deposits AS d ON d.object_id = o.id AND d.version =
                (SELECT max(e.version) FROM deposits AS e
                 WHERE e.object_id = o.id AND e.sealed_at < ?1)
            CROSS JOIN files AS f ON f.object_id = o.id AND f.first_version <= d.version
            CROSS JOIN file_versions AS v ON v.file_id = f.id AND v.version <= d.version
                AND (v.superseded_by IS NULL OR v.superseded_by > d.version)
                AND (v.deleted_at IS NULL OR v.deleted_at >= ?2)
        WHERE o.version > 0 AND o.updated_at >= ?1 GROUP BY o.id)
    GROUP BY institution_id, storage_option, is_restricted";

impl Registry {
    /// The months that began since the first object was held and are not written down, the earliest
    /// first.
    pub fn missing_months(&self, now: Timestamp) -> Result<Vec<Month>, Error> {
        let sql = "SELECT min(created_at) FROM objects WHERE version > 0";
        let first: Option<Timestamp> = self.one(sql, [], |row| row.get(0))?.flatten();
        let known = self.recorded_months()?;
        let mut missing = Vec::new();
        let mut next = first.and_then(|first| Month::of(first).next());
        while let Some(month) = next.filter(|month| month.begins() <= now) {
            if known.binary_search_by_key(&month, |known| known.month).is_err() {
                missing.push(month);
            }
            if missing.len() >= MONTHS_MAX {
                break;
            }
            next = month.next();
        }
        Ok(missing)
    }

    /// Writes a month down; false if it was already, and then nothing is changed.
    pub fn record_month(
        &self,
        month: Month,
        is_derived: bool,
        now: Timestamp,
    ) -> Result<bool, Error> {
        // Read first and apart: it may take a while, and nobody should wait to write for it.
        let begins = month.begins();
        let rows = self.rows(AT, params![begins, Millis(begins)], |row| {
            let mut of = Fields::of(row);
            Ok(Row {
                institution_id: of.take()?,
                storage_option: of.take()?,
                is_restricted: of.take()?,
                figures: figures(&mut of)?,
            })
        })?;
        self.write(|tx| {
            let sql = "INSERT INTO statistics_months (month, is_derived, recorded_at)
                VALUES (?1, ?2, ?3) ON CONFLICT (month) DO NOTHING";
            if tx.execute(sql, params![begins, is_derived, now])? == 0 {
                return Ok(false);
            }
            let id = tx.last_insert_rowid();
            let mut add = tx.prepare_cached(
                "INSERT INTO statistics (month_id, institution_id, storage_option, is_restricted,
                     object_count, file_count, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for row in &rows {
                let Row { institution_id, storage_option, is_restricted, figures: it } = row;
                let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
                add.execute(params![
                    id,
                    institution_id,
                    storage_option,
                    is_restricted,
                    number(it.object_count),
                    number(it.file_count),
                    number(it.size)
                ])?;
            }
            Ok(true)
        })
    }

    /// The months that are written down, the earliest first.
    pub fn recorded_months(&self) -> Result<Vec<RecordedMonth>, Error> {
        let sql = "SELECT month, is_derived, recorded_at FROM statistics_months
            ORDER BY month LIMIT 12000";
        self.rows(sql, [], |row| {
            let mut of = Fields::of(row);
            let month = Month::of(of.take()?);
            Ok(RecordedMonth { month, is_derived: of.take()?, recorded_at: of.take()? })
        })
    }

    /// What was held when months began, from one to another, both included; a member with its
    /// accounts.
    pub fn month_figures(
        &self,
        sight: Sight,
        (from, until): (Month, Month),
    ) -> Result<Vec<MonthFigures>, Error> {
        let mut seen = seen(sight, Kin::WithAccounts, "is_restricted = 0");
        let at = seen.values.len();
        seen.values.push(from.begins().to_string().into());
        seen.values.push(until.begins().to_string().into());
        let sql = format!(
            "SELECT m.month, s.institution_id, s.storage_option, sum(s.object_count),
                 sum(s.file_count), sum(s.size)
             FROM statistics_months AS m CROSS JOIN statistics AS s ON s.month_id = m.id
             WHERE {} AND m.month BETWEEN ?{} AND ?{}
             GROUP BY m.month, s.institution_id, s.storage_option ORDER BY 1, 2, 3
             LIMIT {ROWS_MAX}",
            seen.sql,
            at + 1,
            at + 2
        );
        self.rows(&sql, params_from_iter(seen.values), |row| {
            let mut of = Fields::of(row);
            Ok(MonthFigures {
                month: Month::of(of.take()?),
                institution_id: of.take()?,
                storage_option: of.take()?,
                figures: figures(&mut of)?,
            })
        })
    }
}

fn figures(of: &mut Fields<'_>) -> rusqlite::Result<Figures> {
    Ok(Figures { object_count: of.count()?, file_count: of.count()?, size: of.count()? })
}
