//! Passwords as digests, and the links that set them.

use rusqlite::{OptionalExtension, Transaction, params};

use super::session::SecretDigest;
use super::source::forget_sources;
use crate::clock::Timestamp;
use crate::registry::audit::NewNote;
use crate::registry::user::{NewUser, User, insert};
use crate::registry::{Error, Registry};

/// What a password is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The digest, with how it was made.
    pub password_hash: String,
}

impl Registry {
    /// What a user's password is held against; none for one who never set it.
    pub fn credential(&self, user: i64) -> Result<Option<Credential>, Error> {
        let sql = "SELECT password_hash FROM credentials WHERE user_id = ?1";
        self.one(sql, [user], |row| Ok(Credential { password_hash: row.get(0)? }))
    }

    /// Sets a password. Every session of the user ends and every link is used up: whoever knew the
    /// old secrets is out.
    pub fn set_password(&self, user: i64, hash: &str, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| put_password(tx, user, hash, now))
    }

    /// Makes a user who has a password from the start, both or neither.
    ///
    /// # Errors
    ///
    /// As `create_user`.
    pub fn create_user_with_password(
        &self,
        new: &NewUser,
        hash: &str,
        now: Timestamp,
    ) -> Result<User, Error> {
        self.write(|tx| {
            let user = insert(tx, new, now)?;
            put_password(tx, user.id, hash, now)?;
            Ok(user)
        })
    }

    /// Keeps a link that sets this user's password, in place of any earlier one, and writes what the
    /// log says of it.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such user.
    pub fn keep_link(
        &self,
        link: &SecretDigest,
        (user, note): (i64, Option<NewNote>),
        (now, expires): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        self.write_noted(now, |tx| {
            let sql = "SELECT count(*) FROM users WHERE id = ?1";
            let known: u32 = tx.query_row(sql, [user], |row| row.get(0))?;
            if known == 0 {
                return Err(Error::NotFound { what: format!("user {user}") });
            }
            tx.execute("DELETE FROM one_time_links WHERE user_id = ?1", [user])?;
            tx.execute("DELETE FROM password_wishes WHERE user_id = ?1", [user])?;
            let sql = "INSERT INTO one_time_links (token_sha256, user_id, created_at, expires_at)
                VALUES (?1, ?2, ?3, ?4)";
            tx.execute(sql, params![link, user, now, expires])?;
            Ok(((), Vec::from_iter(note)))
        })
    }

    /// When the link of a user that still works was made.
    pub fn link_made_at(&self, user: i64, now: Timestamp) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT max(created_at) FROM one_time_links
            WHERE user_id = ?1 AND used_at IS NULL AND expires_at > ?2";
        Ok(self.one(sql, params![user, now], |row| row.get(0))?.flatten())
    }

    /// Keeps that a user has forgotten the password and waits for an administrator.
    pub fn wish_for_password(&self, user: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "INSERT INTO password_wishes (user_id, asked_at) VALUES (?1, ?2)
                ON CONFLICT (user_id) DO NOTHING";
            tx.execute(sql, params![user, now])?;
            Ok(())
        })
    }

    /// Since when a user waits for an administrator to make a link.
    pub fn password_wish(&self, user: i64) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT asked_at FROM password_wishes WHERE user_id = ?1";
        self.one(sql, [user], |row| row.get(0))
    }

    /// Who waits for a link, by number.
    pub fn password_wishes(&self, limit: u32) -> Result<Vec<i64>, Error> {
        let sql = "SELECT user_id FROM password_wishes ORDER BY asked_at LIMIT ?1";
        self.rows(sql, [limit], |row| row.get(0))
    }

    /// Whose password a link sets, while it does.
    pub fn link_user(&self, link: &SecretDigest, now: Timestamp) -> Result<Option<i64>, Error> {
        let sql = "SELECT user_id FROM one_time_links
            WHERE token_sha256 = ?1 AND used_at IS NULL AND expires_at > ?2";
        self.one(sql, params![link, now], |row| row.get(0))
    }

    /// Sets a password by a link, which is used up by it, and revokes every token of the user: a
    /// link is asked for when secrets may be known to others. Says how many tokens that were; none
    /// when the link does not work any more.
    pub fn redeem_link(
        &self,
        link: &SecretDigest,
        hash: &str,
        now: Timestamp,
    ) -> Result<Option<usize>, Error> {
        self.write(|tx| {
            let sql = "UPDATE one_time_links SET used_at = ?2
                WHERE token_sha256 = ?1 AND used_at IS NULL AND expires_at > ?2
                RETURNING user_id";
            let user: Option<i64> =
                tx.query_row(sql, params![link, now], |row| row.get(0)).optional()?;
            let Some(user) = user else { return Ok(None) };
            put_password(tx, user, hash, now)?;
            let sql = "UPDATE tokens SET revoked_at = ?2
                WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2";
            Ok(Some(tx.execute(sql, params![user, now])?))
        })
    }
}

fn put_password(tx: &Transaction<'_>, user: i64, hash: &str, now: Timestamp) -> Result<(), Error> {
    let sql = "INSERT INTO credentials (user_id, password_hash, changed_at) VALUES (?1, ?2, ?3)
        ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash,
            changed_at = excluded.changed_at";
    tx.execute(sql, params![user, hash, now])?;
    for table in ["sessions", "half_sign_ins", "password_wishes", "email_changes"] {
        tx.execute(&format!("DELETE FROM {table} WHERE user_id = ?1"), [user])?;
    }
    let sql = "UPDATE one_time_links SET used_at = ?2 WHERE user_id = ?1 AND used_at IS NULL";
    tx.execute(sql, params![user, now])?;
    forget_sources(tx, user)
}
