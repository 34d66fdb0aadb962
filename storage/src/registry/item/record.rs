//! Writing what the queue says, as often as it says it.

use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::listing::{ITEMS, STORED};
use super::row::ItemRow;
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Column;
use crate::registry::search::add_item;
use crate::registry::{Error, Registry};

/// One attempt at one stage of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptRow {
    /// The item.
    pub item_id: i64,
    /// Counts up over the whole life of the item.
    pub number: i64,
    /// The topic of the stage it was an attempt at.
    pub topic: String,
    /// When it began.
    #[serde(with = "Moment")]
    pub started_at: Timestamp,
    /// When it ended; none while it runs.
    #[serde(with = "MaybeMoment")]
    pub finished_at: Option<Timestamp>,
    /// How it ended; none while it runs.
    pub outcome: Option<String>,
    /// What it had to say.
    pub note: String,
}

/// Something wrong with a deposit, found by one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRow {
    /// The item.
    pub item_id: i64,
    /// The number of the attempt.
    pub attempt: i64,
    /// Its place among the attempt's findings.
    pub ordinal: i64,
    /// Stable code.
    pub code: String,
    /// How bad it is.
    pub severity: String,
    /// The file or tag it is about.
    pub place: String,
    /// What is wrong.
    pub sentence: String,
}

// A later word on an attempt wins, except that what has ended never runs again.
const PUT_ATTEMPT: &str = "INSERT INTO work_attempts
    (item_id, number, topic, started_at, finished_at, outcome, note)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (item_id, number) DO UPDATE SET
        topic = excluded.topic, started_at = excluded.started_at,
        finished_at = excluded.finished_at, outcome = excluded.outcome, note = excluded.note
    WHERE work_attempts.finished_at IS NULL OR excluded.finished_at IS NOT NULL";

const PUT_FINDING: &str = "INSERT INTO work_findings
    (item_id, attempt, ordinal, code, severity, place, sentence)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (item_id, attempt, ordinal) DO UPDATE SET
        code = excluded.code, severity = excluded.severity, place = excluded.place,
        sentence = excluded.sentence";

impl Registry {
    /// Writes items, attempts and findings as one transaction. Writing the same again changes
    /// nothing; an item whose stored revision is higher stays as it is. Attempts and findings may
    /// be of items written earlier.
    ///
    /// # Errors
    ///
    /// `Conflict` when an attempt or finding is of an item that is not there; nothing is written.
    pub fn record_items(
        &self,
        rows: &[ItemRow],
        attempts: &[AttemptRow],
        findings: &[FindingRow],
    ) -> Result<(), Error> {
        self.write(|tx| {
            let mut put = tx.prepare_cached(&put_item())?;
            for row in rows {
                put.execute(row.stored())?;
                add_item(tx, row.id)?;
            }
            put_attempts(tx, attempts)?;
            put_findings(tx, findings)
        })
    }
}

/// The upsert, made from the one list of columns.
fn put_item() -> String {
    let names: Vec<&str> = ITEMS.columns().iter().take(STORED).map(Column::name).collect();
    let update: Vec<String> = names
        .iter()
        .filter(|name| **name != "id")
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    format!(
        "INSERT INTO work_items ({}) VALUES ({}) ON CONFLICT (id) DO UPDATE SET {} \
         WHERE excluded.revision >= work_items.revision",
        names.join(", "),
        vec!["?"; STORED].join(", "),
        update.join(", "),
    )
}

fn put_attempts(conn: &Connection, attempts: &[AttemptRow]) -> Result<(), Error> {
    let mut put = conn.prepare_cached(PUT_ATTEMPT)?;
    for row in attempts {
        put.execute(params![
            row.item_id,
            row.number,
            row.topic,
            row.started_at,
            row.finished_at,
            row.outcome,
            row.note
        ])?;
    }
    Ok(())
}

fn put_findings(conn: &Connection, findings: &[FindingRow]) -> Result<(), Error> {
    let mut put = conn.prepare_cached(PUT_FINDING)?;
    for row in findings {
        put.execute(params![
            row.item_id,
            row.attempt,
            row.ordinal,
            row.code,
            row.severity,
            row.place,
            row.sentence
        ])?;
    }
    Ok(())
}

impl AttemptRow {
    pub(super) const SELECT: &str = "SELECT item_id, number, topic, started_at, finished_at, \
        outcome, note FROM work_attempts";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<AttemptRow> {
        let mut of = Fields::of(row);
        Ok(AttemptRow {
            item_id: of.take()?,
            number: of.take()?,
            topic: of.take()?,
            started_at: of.take()?,
            finished_at: of.take()?,
            outcome: of.take()?,
            note: of.take()?,
        })
    }
}

impl FindingRow {
    pub(super) const SELECT: &str = "SELECT item_id, attempt, ordinal, code, severity, place, \
        sentence FROM work_findings";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<FindingRow> {
        let mut of = Fields::of(row);
        Ok(FindingRow {
            item_id: of.take()?,
            attempt: of.take()?,
            ordinal: of.take()?,
            code: of.take()?,
            severity: of.take()?,
            place: of.take()?,
            sentence: of.take()?,
        })
    }
}
