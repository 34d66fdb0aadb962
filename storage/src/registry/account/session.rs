//! Who is signed in.

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{OptionalExtension, params};
use std::time::Duration;

use crate::clock::Timestamp;
use crate::registry::user::{USERS, User};
use crate::registry::{Error, Registry};

/// The sha256 of a secret that only its bearer knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretDigest(pub [u8; 32]);

impl ToSql for SecretDigest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(&self.0[..]))
    }
}

/// How long sessions last.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    /// Without a sign of life.
    pub idle: Duration,
    /// At most.
    pub most: Duration,
    /// How old a sign of life may be before it is written again: a page must not cost a sync.
    pub note_after: Duration,
}

impl Registry {
    /// Begins a session. What has ended by itself is swept out on the way.
    pub fn open_session(
        &self,
        secret: &SecretDigest,
        user: i64,
        (rules, now): (Sessions, Timestamp),
    ) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM sessions WHERE expires_at <= ?1", params![now])?;
            let sql = "INSERT INTO sessions
                    (token_sha256, user_id, created_at, seen_at, expires_at)
                VALUES (?1, ?2, ?3, ?3, ?4)";
            tx.execute(sql, params![secret, user, now, now.after(rules.most)])?;
            Ok(())
        })
    }

    /// The user of a session that still goes on: neither idle for too long nor too old, of a user
    /// and an institution that were not shut out meanwhile.
    pub fn session_user(
        &self,
        secret: &SecretDigest,
        (rules, now): (Sessions, Timestamp),
    ) -> Result<Option<User>, Error> {
        let found: Option<(i64, Timestamp)> = self.one(
            "SELECT user_id, seen_at FROM sessions WHERE token_sha256 = ?1 AND expires_at > ?2",
            params![secret, now],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let Some((user, seen)) = found else { return Ok(None) };
        if now.since(seen) >= rules.idle {
            return Ok(None);
        }
        if now.since(seen) >= rules.note_after {
            self.write::<_, Error>(|tx| {
                let sql = "UPDATE sessions SET seen_at = ?2
                    WHERE token_sha256 = ?1 AND seen_at < ?2";
                tx.execute(sql, params![secret, now])?;
                Ok(())
            })?;
        }
        self.active_user(user)
    }

    /// The user, unless shut out, alone or with the institution.
    pub fn active_user(&self, user: i64) -> Result<Option<User>, Error> {
        self.read(|conn| {
            let sql = format!(
                "SELECT {} FROM users WHERE id = ?1 AND deactivated_at IS NULL AND role <> 'none'
                    AND institution_id IN (SELECT id FROM institutions WHERE state = 'A')",
                USERS.column_list()
            );
            Ok(conn.prepare_cached(&sql)?.query_row([user], User::read).optional()?)
        })
    }

    /// Ends a session; one that is not there has ended.
    pub fn end_session(&self, secret: &SecretDigest) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM sessions WHERE token_sha256 = ?1", params![secret])?;
            Ok(())
        })
    }
}
