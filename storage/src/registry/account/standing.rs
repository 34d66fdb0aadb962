//! Who may come in: shutting people and institutions out, and letting people in again.

use rusqlite::{Transaction, params};

use crate::clock::Timestamp;
use crate::registry::audit::NewNote;
use crate::registry::institution::Standing;
use crate::registry::{Error, Registry};

impl Registry {
    /// Shuts a user out, and writes what the log says of it: sessions end and links stop working with
    /// it.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such user, `Refused` when it is the last administrator.
    pub fn deactivate_user(
        &self,
        user: i64,
        note: Option<NewNote>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.write_noted(now, |tx| {
            let before = active_admins(tx)?;
            let sql = "UPDATE users SET deactivated_at = coalesce(deactivated_at, ?2),
                updated_at = ?2 WHERE id = ?1";
            if tx.execute(sql, params![user, now])? == 0 {
                return Err(Error::NotFound { what: format!("user {user}") });
            }
            for table in KEYS {
                tx.execute(&format!("DELETE FROM {table} WHERE user_id = ?1"), [user])?;
            }
            keep_an_admin(tx, before)?;
            Ok(((), Vec::from_iter(note)))
        })
    }

    /// Lets a user in again, and writes what the log says of it.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such user.
    pub fn reactivate_user(
        &self,
        user: i64,
        note: Option<NewNote>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.write_noted(now, |tx| {
            let sql = "UPDATE users SET deactivated_at = NULL, updated_at = ?2 WHERE id = ?1";
            match tx.execute(sql, params![user, now])? {
                0 => Err(Error::NotFound { what: format!("user {user}") }),
                _ => Ok(((), Vec::from_iter(note))),
            }
        })
    }

    /// Shuts an institution out: the sessions of its users end with it. What it holds stays.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such institution, `Refused` when the last administrator is of it.
    pub fn deactivate_institution(&self, institution: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let before = active_admins(tx)?;
            let sql = "UPDATE institutions SET state = ?3, updated_at = ?2,
                deactivated_at = coalesce(deactivated_at, ?2) WHERE id = ?1";
            if tx.execute(sql, params![institution, now, Standing::Deactivated])? == 0 {
                return Err(Error::NotFound { what: format!("institution {institution}") });
            }
            for table in KEYS {
                let sql = format!(
                    "DELETE FROM {table} WHERE user_id IN
                        (SELECT id FROM users WHERE institution_id = ?1)"
                );
                tx.execute(&sql, [institution])?;
            }
            keep_an_admin(tx, before)
        })
    }

    /// Lets an institution in again, with those of its users who are not shut out themselves.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such institution.
    pub fn reactivate_institution(&self, institution: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "UPDATE institutions SET state = ?3, updated_at = ?2, deactivated_at = NULL
                WHERE id = ?1";
            match tx.execute(sql, params![institution, now, Standing::Active])? {
                0 => Err(Error::NotFound { what: format!("institution {institution}") }),
                _ => Ok(()),
            }
        })
    }

    /// Whether anybody looks after the appliance: an administrator who can sign in.
    pub fn has_admin(&self) -> Result<bool, Error> {
        let found = self.one(&format!("SELECT 1 {ADMINS} LIMIT 1"), [], |_| Ok(()))?;
        Ok(found.is_some())
    }
}

/// What opens the door until it is taken away. Tokens look for themselves who their owner is.
const KEYS: [&str; 4] = ["sessions", "half_sign_ins", "one_time_links", "email_changes"];

/// Administrators who are not shut out and have set a password.
const ADMINS: &str = "FROM users AS u JOIN institutions AS i ON i.id = u.institution_id
    JOIN credentials AS c ON c.user_id = u.id
    WHERE u.role = 'admin' AND u.deactivated_at IS NULL AND i.state = 'A'";

pub(in crate::registry) fn active_admins(tx: &Transaction<'_>) -> Result<u32, Error> {
    Ok(tx.query_row(&format!("SELECT count(*) {ADMINS}"), [], |row| row.get(0))?)
}

/// Undoes the change when nobody would be left to look after the appliance.
pub(in crate::registry) fn keep_an_admin(tx: &Transaction<'_>, before: u32) -> Result<(), Error> {
    if before > 0 && active_admins(tx)? == 0 {
        let why = "this is the last administrator, without whom nobody could look after the appliance: make \
            another one first".to_owned();
        return Err(Error::Refused { why });
    }
    Ok(())
}
