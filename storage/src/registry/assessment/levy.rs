//! Prices that were worked out, with all that went into them.

use rusqlite::{Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// A price to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLevy {
    /// Pounds and pence.
    pub total_gbp: String,
    /// Inputs, rows used and the version of the rule, as JSON.
    pub record: String,
}

/// A price that was worked out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LevyRow {
    /// Given by the registry.
    pub id: i64,
    /// The assessment it is of.
    pub assessment_id: i64,
    /// Pounds and pence.
    pub total_gbp: String,
    /// Inputs, rows used and the version of the rule, as JSON.
    pub record: String,
    /// When.
    #[serde(with = "Moment")]
    pub calculated_at: Timestamp,
    /// When it was sent to whoever asked.
    #[serde(with = "MaybeMoment")]
    pub sent_at: Option<Timestamp>,
}

pub(super) fn record(
    tx: &Transaction<'_>,
    assessment: i64,
    levy: &NewLevy,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO levies (assessment_id, total_gbp, record, calculated_at)
        VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    tx.execute(sql, params![assessment, levy.total_gbp, levy.record, now])?;
    Ok(())
}

impl Registry {
    /// The price of an assessment.
    pub fn levy_of(&self, assessment: i64) -> Result<Option<LevyRow>, Error> {
        let sql = "SELECT id, assessment_id, total_gbp, record, calculated_at, sent_at FROM levies
            WHERE assessment_id = ?1";
        self.one(sql, [assessment], |row| {
            Ok(LevyRow {
                id: row.get(0)?,
                assessment_id: row.get(1)?,
                total_gbp: row.get(2)?,
                record: row.get(3)?,
                calculated_at: row.get(4)?,
                sent_at: row.get(5)?,
            })
        })
    }
}
