//! What somebody declares to be so, because no program can know it.

use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// Bytes of a sentence.
const SENTENCE_MAX: usize = 1000;

/// A declaration to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeclaration {
    /// Which requirement it answers, by its name.
    pub requirement: String,
    /// What is so, in 1 to 1,000 bytes.
    pub sentence: String,
    /// The user who says it.
    pub declared_by: i64,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declaration {
    /// Given by the registry.
    pub id: i64,
    /// Which requirement it answers, by its name.
    pub requirement: String,
    /// What is so.
    pub sentence: String,
    /// Who said it, by name.
    pub declared_by: String,
    /// When.
    #[serde(with = "Moment")]
    pub declared_at: Timestamp,
    /// Who took it back, by name.
    pub withdrawn_by: Option<String>,
    /// When.
    #[serde(with = "MaybeMoment")]
    pub withdrawn_at: Option<Timestamp>,
}

const ROWS: &str = "SELECT d.id, d.requirement, d.sentence, u.name, d.declared_at, w.name,
        d.withdrawn_at
    FROM declarations AS d LEFT JOIN users AS u ON u.id = d.declared_by_id
        LEFT JOIN users AS w ON w.id = d.withdrawn_by_id";

impl Registry {
    /// Writes a declaration down. An earlier one about the same stays as it is; the latest counts.
    ///
    /// # Errors
    ///
    /// `Invalid` for a sentence that is empty or too long, `Conflict` for a user who is not there.
    pub fn declare(&self, new: &NewDeclaration, now: Timestamp) -> Result<Declaration, Error> {
        let sentence = new.sentence.trim();
        if sentence.is_empty() || sentence.len() > SENTENCE_MAX {
            let rule = format!("must have 1 to {SENTENCE_MAX} bytes");
            return Err(Error::Invalid { field: "sentence", rule });
        }
        self.write(|tx| {
            tx.execute(
                "INSERT INTO declarations (requirement, sentence, declared_by_id, declared_at)
                 VALUES (?1, ?2, ?3, ?4)",
                params![new.requirement, sentence, new.declared_by, now],
            )?;
            let sql = format!("{ROWS} WHERE d.id = ?1");
            Ok(tx.query_row(&sql, [tx.last_insert_rowid()], Declaration::read)?)
        })
    }

    /// Takes a declaration back.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is none of this number, `Refused` when it was taken back before.
    pub fn withdraw_declaration(
        &self,
        id: i64,
        by: i64,
        now: Timestamp,
    ) -> Result<Declaration, Error> {
        self.write(|tx| {
            let sql = format!("{ROWS} WHERE d.id = ?1");
            let found = tx.query_row(&sql, [id], Declaration::read).optional()?;
            let found =
                found.ok_or_else(|| Error::NotFound { what: format!("declaration {id}") })?;
            if found.withdrawn_at.is_some() {
                let why = format!("declaration {id} was withdrawn before; nothing was changed");
                return Err(Error::Refused { why });
            }
            tx.execute(
                "UPDATE declarations SET withdrawn_by_id = ?2, withdrawn_at = ?3 WHERE id = ?1",
                params![id, by, now],
            )?;
            Ok(tx.query_row(&sql, [id], Declaration::read)?)
        })
    }

    /// The declarations, the latest first, those that were withdrawn among them.
    pub fn declarations(&self, limit: u32) -> Result<Vec<Declaration>, Error> {
        let sql = format!("{ROWS} ORDER BY d.declared_at DESC, d.id DESC LIMIT ?1");
        self.rows(&sql, [limit], Declaration::read)
    }

    /// For each requirement the latest declaration that was not withdrawn.
    pub fn standing_declarations(&self) -> Result<Vec<Declaration>, Error> {
        let sql = format!(
            "{ROWS} WHERE d.withdrawn_at IS NULL AND NOT EXISTS (SELECT 1 FROM declarations AS e
                 WHERE e.requirement = d.requirement AND e.withdrawn_at IS NULL
                     AND (e.declared_at, e.id) > (d.declared_at, d.id))
             ORDER BY d.requirement LIMIT 1000"
        );
        self.rows(&sql, [], Declaration::read)
    }
}

impl Declaration {
    fn read(row: &Row<'_>) -> rusqlite::Result<Declaration> {
        let mut of = Fields::of(row);
        Ok(Declaration {
            id: of.take()?,
            requirement: of.take()?,
            sentence: of.take()?,
            declared_by: of.take()?,
            declared_at: of.take()?,
            withdrawn_by: of.take()?,
            withdrawn_at: of.take()?,
        })
    }
}
