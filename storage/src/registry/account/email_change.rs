//! Changes of one's own e-mail that wait for the old address to confirm them.
//!
//! Until then the old e-mail stays. The secret of the link is kept as a digest, as all others are.

use rusqlite::{OptionalExtension, params};

use super::session::SecretDigest;
use crate::clock::Timestamp;
use crate::registry::audit::NewNote;
use crate::registry::user::{User, UserChange, change};
use crate::registry::{Error, Registry};

/// A change that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailChange {
    /// Whose e-mail it is.
    pub user_id: i64,
    /// The new one.
    pub email: String,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// Until when it can be confirmed.
    pub expires_at: Timestamp,
}

const SELECT: &str = "SELECT user_id, email, created_at, expires_at FROM email_changes";

impl Registry {
    /// Keeps a change of a user's own e-mail, in place of any earlier one that waits.
    ///
    /// # Errors
    ///
    /// `Invalid` for what is no e-mail, `Conflict` for one that is taken, `NotFound` for no such user.
    pub fn keep_email_change(&self, link: &SecretDigest, new: &EmailChange) -> Result<(), Error> {
        self.write(|tx| {
            // Tried and taken back: the rules of an e-mail are those of the users' table.
            let edit = UserChange { email: Some(new.email.clone()), ..UserChange::default() };
            tx.execute_batch("SAVEPOINT email_change")?;
            let fits = change(tx, new.user_id, &edit, new.created_at).map(drop);
            tx.execute_batch("ROLLBACK TO email_change; RELEASE email_change")?;
            fits?;
            let sql = "INSERT OR REPLACE INTO email_changes (user_id, email, token_sha256,
                created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (user, at, until) = (new.user_id, new.created_at, new.expires_at);
            tx.execute(sql, params![user, new.email, link, at, until])?;
            Ok(())
        })
    }

    /// The change of this user's e-mail that waits, while it can be confirmed.
    pub fn email_change(&self, user: i64, now: Timestamp) -> Result<Option<EmailChange>, Error> {
        let sql = format!("{SELECT} WHERE user_id = ?1 AND expires_at > ?2");
        self.one(&sql, params![user, now], EmailChange::read)
    }

    /// The change that this link confirms, while it can.
    pub fn email_change_of_link(
        &self,
        link: &SecretDigest,
        now: Timestamp,
    ) -> Result<Option<EmailChange>, Error> {
        let sql = format!("{SELECT} WHERE token_sha256 = ?1 AND expires_at > ?2");
        self.one(&sql, params![link, now], EmailChange::read)
    }

    /// Changes an e-mail by its link, which is used up by it, and writes what the log says of it: the
    /// user before and after. None when the link does not work any more.
    ///
    /// # Errors
    ///
    /// `Conflict` when the e-mail was taken meanwhile; the change waits on.
    pub fn confirm_email_change(
        &self,
        link: &SecretDigest,
        note: impl FnOnce(&(User, User)) -> Option<NewNote>,
        now: Timestamp,
    ) -> Result<Option<(User, User)>, Error> {
        self.write_noted(now, |tx| {
            let sql = "DELETE FROM email_changes WHERE token_sha256 = ?1 AND expires_at > ?2
                RETURNING user_id, email";
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let found: Option<(i64, String)> =
                tx.query_row(sql, params![link, now], read).optional()?;
            let Some((user, email)) = found else { return Ok((None, Vec::new())) };
            let edit = UserChange { email: Some(email), ..UserChange::default() };
            let pair = change(tx, user, &edit, now)?;
            let notes = note(&pair).into_iter().collect();
            Ok((Some(pair), notes))
        })
    }
}

impl EmailChange {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<EmailChange> {
        Ok(EmailChange {
            user_id: row.get(0)?,
            email: row.get(1)?,
            created_at: row.get(2)?,
            expires_at: row.get(3)?,
        })
    }
}
