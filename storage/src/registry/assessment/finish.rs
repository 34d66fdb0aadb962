//! The end of an assessment: its result with all that is to be sent about it, or that there is none.

use rusqlite::params;

use super::delivery::{NewDelivery, post, supersede};
use super::levy::{NewLevy, record};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// A result to be kept.
#[derive(Clone, Debug)]
pub struct Assessed {
    /// The version of the reference data that it was assessed with.
    pub data_version: String,
    /// The key that the same question with that version has.
    pub same: String,
    /// What was found, in a word.
    pub outcome: String,
    /// Hectares.
    pub area_ha: String,
    /// Kilograms of nitrogen a year, where they are known.
    pub nitrogen_kg: Option<String>,
    /// Kilograms of phosphorus a year, where they are known.
    pub phosphorus_kg: Option<String>,
    /// The whole result as JSON.
    pub result: String,
    /// The price, where one was worked out.
    pub levy: Option<NewLevy>,
    /// What is to be sent.
    pub deliveries: Vec<NewDelivery>,
    /// Whether it takes the place of calls about older results of the same reference.
    pub supersedes: bool,
}

impl Registry {
    /// Keeps a result and what is to be sent about it, in one transaction. False, and nothing is
    /// written, when there is a result or the assessment was cancelled.
    pub fn finish_assessment(
        &self,
        id: i64,
        assessed: &Assessed,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE assessments SET state = 'assessed', data_version = ?2, same = ?3,
                    outcome = ?4, area_ha = ?5, nitrogen_kg = ?6, phosphorus_kg = ?7, result = ?8,
                    ended_at = ?9
                WHERE id = ?1 AND state = 'waiting'";
            let changed = tx.execute(
                sql,
                params![
                    id,
                    assessed.data_version,
                    assessed.same,
                    assessed.outcome,
                    assessed.area_ha,
                    assessed.nitrogen_kg,
                    assessed.phosphorus_kg,
                    assessed.result,
                    now
                ],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            if let Some(levy) = &assessed.levy {
                record(tx, id, levy, now)?;
            }
            post(tx, id, &assessed.deliveries, now)?;
            if assessed.supersedes {
                supersede(tx, id, now)?;
            }
            Ok(true)
        })
    }

    /// Notes that an assessment was cancelled; false when it had ended before.
    pub fn cancel_assessment(&self, id: i64, now: Timestamp) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE assessments SET state = 'cancelled', ended_at = ?2
                WHERE id = ?1 AND state = 'waiting'";
            Ok(tx.execute(sql, params![id, now])? > 0)
        })
    }
}
