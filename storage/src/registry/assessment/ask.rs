//! Asking for an assessment.

use rusqlite::{OptionalExtension, Transaction, params};

use super::row::{AssessmentRow, found_by};
use crate::clock::Timestamp;
use crate::registry::account::SecretDigest;
use crate::registry::holding::Uuid;
use crate::registry::{Error, Registry};

/// Longest names, in characters.
const NAME_MAX: usize = 200;
/// Tokens that are kept of one assessment beside its first; of more the oldest go.
const TOKENS_MAX: u32 = 50;

/// An assessment to be kept.
#[derive(Clone, Debug)]
pub struct NewAssessment {
    /// Drawn by the caller.
    pub uuid: Uuid,
    /// What the asker calls it, in 1 to 200 characters.
    pub reference: String,
    /// Whether the asker chose that: then it belongs to the institution that first used it.
    pub is_named: bool,
    /// The name of the site, in up to 200 characters.
    pub name: String,
    /// Whose it is.
    pub institution_id: i64,
    /// Who asks.
    pub asked_by: String,
    /// The method, by its name.
    pub method: String,
    /// The version of the reference data in use.
    pub data_version: String,
    /// Dwellings.
    pub dwellings: u32,
    /// The same for the same question about the same data by the same method.
    pub same: String,
    /// Who has this may read the result.
    pub token: SecretDigest,
    /// The site and all else that was asked, as JSON.
    pub wish: String,
}

/// What became of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The assessment.
    pub row: AssessmentRow,
    /// False when it was asked before: nothing was written but that the new token opens it, too.
    pub new: bool,
}

impl Registry {
    /// Keeps what was asked; durable when this returns. The same question of the same institution is
    /// answered with the row that is there, unless that was cancelled. Every token that was given for
    /// it opens it, up to the last fifty.
    ///
    /// # Errors
    ///
    /// `Invalid` names a text that breaks its rule; `Conflict` for an institution that is not there;
    /// `Refused` for a reference that belongs to another institution.
    pub fn keep_assessment(&self, new: &NewAssessment, now: Timestamp) -> Result<Kept, Error> {
        new.validate()?;
        self.write(|tx| {
            let sql = found_by(
                "same = ?1 AND institution_id = ?2 AND state <> 'cancelled' ORDER BY id LIMIT 1",
            );
            let values = params![new.same, new.institution_id];
            let there = tx.query_row(&sql, values, AssessmentRow::read).optional()?;
            if let Some(row) = there {
                add_token(tx, row.id, &new.token)?;
                return Ok(Kept { row, new: false });
            }
            if new.is_named {
                check_owner(tx, new)?;
            }
            tx.execute(
                "INSERT INTO assessments (uuid, reference, name, institution_id, asked_by, method,
                    data_version, dwellings, state, created_at, same, token_sha256, wish)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting', ?9, ?10, ?11, ?12)",
                params![
                    new.uuid,
                    new.reference,
                    new.name,
                    new.institution_id,
                    new.asked_by,
                    new.method,
                    new.data_version,
                    new.dwellings,
                    now,
                    new.same,
                    new.token,
                    new.wish
                ],
            )?;
            let id = tx.last_insert_rowid();
            let row = tx.query_row(&found_by("id = ?1"), [id], AssessmentRow::read)?;
            Ok(Kept { row, new: true })
        })
    }

    /// Notes which item works on an assessment.
    pub fn note_assessment_item(&self, id: i64, item: i64) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "UPDATE assessments SET item_id = ?2 WHERE id = ?1 AND item_id IS NOT ?2";
            tx.execute(sql, params![id, item])?;
            Ok(())
        })
    }
}

/// What is told about a reference goes to one receiver, so it has one owner.
fn check_owner(tx: &Transaction<'_>, new: &NewAssessment) -> Result<(), Error> {
    let sql = "SELECT 1 FROM assessments WHERE reference = ?1 AND institution_id <> ?2 LIMIT 1";
    let values = params![new.reference, new.institution_id];
    match tx.query_row(sql, values, |_| Ok(())).optional()? {
        None => Ok(()),
        Some(()) => Err(Error::Refused {
            why: format!(
                "reference {:?} belongs to another institution; nothing was kept: use another one",
                new.reference
            ),
        }),
    }
}

fn add_token(tx: &Transaction<'_>, id: i64, token: &SecretDigest) -> Result<(), Error> {
    let sql = "INSERT INTO assessment_tokens (assessment_id, token_sha256) VALUES (?1, ?2)";
    tx.execute(sql, params![id, token])?;
    let sql = "DELETE FROM assessment_tokens WHERE assessment_id = ?1 AND id <= coalesce(
        (SELECT id FROM assessment_tokens WHERE assessment_id = ?1 ORDER BY id DESC
            LIMIT 1 OFFSET ?2), 0)";
    tx.execute(sql, params![id, TOKENS_MAX])?;
    Ok(())
}

impl NewAssessment {
    fn validate(&self) -> Result<(), Error> {
        let odd = |text: &str| text.chars().any(char::is_control);
        let long = |text: &str| text.chars().count() > NAME_MAX;
        if self.reference.is_empty() || long(&self.reference) || odd(&self.reference) {
            let rule = format!("must have 1 to {NAME_MAX} characters in one line");
            return Err(Error::Invalid { field: "reference", rule });
        }
        if long(&self.name) || odd(&self.name) {
            let rule = format!("must have at most {NAME_MAX} characters in one line");
            return Err(Error::Invalid { field: "name", rule });
        }
        Ok(())
    }
}
