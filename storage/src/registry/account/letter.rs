//! Letters to one person: a link, or the news that a password was changed. They wait here until they
//! were sent, as alerts do in the outbox; then their text is blanked, because it may hold a link.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::registry::moment::Fields;
use crate::registry::{Error, Registry};

/// Longest account of what went wrong, in characters.
const TROUBLE: usize = 500;

/// A letter on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterRow {
    /// Receivers know a repetition by it.
    pub id: i64,
    /// The address.
    pub recipient: String,
    /// One line.
    pub subject: String,
    /// The text.
    pub content: String,
    /// When it was put there.
    pub created_at: Timestamp,
    /// Attempts that failed.
    pub attempts: u32,
}

impl Registry {
    /// Puts a letter there, to be sent.
    pub fn post_letter(
        &self,
        recipient: &str,
        (subject, content): (&str, &str),
        now: Timestamp,
    ) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "INSERT INTO letters (recipient, subject, content, created_at, due_at)
                VALUES (?1, ?2, ?3, ?4, ?4)";
            tx.execute(sql, params![recipient, subject, content, now])?;
            Ok(())
        })
    }

    /// Letters that are due, the longest due first.
    pub fn due_letters(&self, now: Timestamp, limit: u32) -> Result<Vec<LetterRow>, Error> {
        let sql = "SELECT id, recipient, subject, content, created_at, attempts FROM letters
            WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= ?1
            ORDER BY due_at, id LIMIT ?2";
        self.rows(sql, params![now, limit], LetterRow::read)
    }

    /// Notes that a letter was sent, and forgets what it said.
    pub fn letter_sent(&self, id: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "UPDATE letters SET sent_at = ?2, content = '', trouble = NULL
                WHERE id = ?1 AND sent_at IS NULL";
            tx.execute(sql, params![id, now])?;
            Ok(())
        })
    }

    /// Notes that a letter could not be sent, and when to try again; without a moment, it is given
    /// up and what it said is forgotten.
    pub fn letter_failed(
        &self,
        id: i64,
        trouble: &str,
        again: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let trouble: String = trouble.chars().take(TROUBLE).collect();
        self.write(|tx| {
            let sql = "UPDATE letters SET attempts = attempts + 1, trouble = ?2,
                    due_at = coalesce(?3, due_at), given_up_at = iif(?3 IS NULL, ?4, NULL),
                    content = iif(?3 IS NULL, '', content)
                WHERE id = ?1 AND sent_at IS NULL";
            tx.execute(sql, params![id, trouble, again, now])?;
            Ok(())
        })
    }
}

impl LetterRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<LetterRow> {
        let mut of = Fields::of(row);
        Ok(LetterRow {
            id: of.take()?,
            recipient: of.take()?,
            subject: of.take()?,
            content: of.take()?,
            created_at: of.take()?,
            attempts: of.take()?,
        })
    }
}
