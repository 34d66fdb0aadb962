//! Who is signed in.

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, Moment};
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

/// Where somebody comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The address.
    pub address: String,
    /// What the browser calls itself.
    pub browser: String,
}

/// A session that goes on, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRow {
    /// Its number, which opens nothing.
    pub id: i64,
    /// Where it was begun.
    pub address: String,
    /// What the browser called itself.
    pub browser: String,
    /// When it was begun.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// The last sign of life, to a few minutes.
    #[serde(with = "Moment")]
    pub seen_at: Timestamp,
    /// When it ends at the latest.
    #[serde(with = "Moment")]
    pub expires_at: Timestamp,
}

/// What is kept of a session to know whether it goes on.
#[derive(Clone, Copy)]
struct Kept {
    number: i64,
    user: i64,
    seen: Timestamp,
    expires: Timestamp,
}

/// Longest text that is kept of where somebody comes from, in characters.
const LONGEST: usize = 300;
/// Most sessions of one user: the oldest make room.
const MOST: u32 = 50;

impl Registry {
    /// Begins a session. What has ended by itself is swept out on the way.
    pub fn open_session(
        &self,
        secret: &SecretDigest,
        (user, origin): (i64, &Origin),
        (rules, now): (Sessions, Timestamp),
    ) -> Result<(), Error> {
        let cut = |text: &str| -> String { text.chars().take(LONGEST).collect() };
        self.write(|tx| {
            tx.execute("DELETE FROM sessions WHERE expires_at <= ?1", params![now])?;
            let sql = "DELETE FROM sessions WHERE user_id = ?1 AND id NOT IN
                (SELECT id FROM sessions WHERE user_id = ?1 ORDER BY seen_at DESC LIMIT ?2)";
            tx.execute(sql, params![user, MOST - 1])?;
            let sql = "INSERT INTO sessions
                    (token_sha256, user_id, address, browser, created_at, seen_at, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)";
            let (address, browser) = (cut(&origin.address), cut(&origin.browser));
            tx.execute(sql, params![secret, user, address, browser, now, now.after(rules.most)])?;
            Ok(())
        })
    }

    /// The user of a session that still goes on, and its number: neither idle for too long nor too
    /// old, of a user and an institution that were not shut out meanwhile.
    pub fn session_user(
        &self,
        secret: &SecretDigest,
        (rules, now): (Sessions, Timestamp),
    ) -> Result<Option<(User, i64)>, Error> {
        let Some(kept) = self.kept_session(secret)? else { return Ok(None) };
        let Kept { number, user, seen, expires } = kept;
        if now >= expires || now.since(seen) >= rules.idle {
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
        Ok(self.active_user(user)?.map(|user| (user, number)))
    }

    /// Whether a session still goes on. Unlike a request, asking is no sign of life.
    pub fn session_goes_on(
        &self,
        secret: &SecretDigest,
        (rules, now): (Sessions, Timestamp),
    ) -> Result<bool, Error> {
        let kept = self.kept_session(secret)?;
        Ok(kept.is_some_and(|kept| now < kept.expires && now.since(kept.seen) < rules.idle))
    }

    /// A session as it was begun, whether it goes on or not. Every page asks for it.
    fn kept_session(&self, secret: &SecretDigest) -> Result<Option<Kept>, Error> {
        let sql = "SELECT id, user_id, seen_at, expires_at FROM sessions WHERE token_sha256 = ?1";
        let read = |row: &Row<'_>| {
            let mut of = Fields::of(row);
            Ok(Kept { number: of.take()?, user: of.take()?, seen: of.take()?, expires: of.take()? })
        };
        let name = format!("{sql} {secret:?}");
        self.memory.figure((self.memory.mark(), &name), || self.one(sql, params![secret], read))
    }

    /// The user, unless shut out, alone or with the institution.
    pub fn active_user(&self, user: i64) -> Result<Option<User>, Error> {
        let name = format!("active user {user}");
        self.memory.figure((self.memory.mark(), &name), || self.read_active_user(user))
    }

    fn read_active_user(&self, user: i64) -> Result<Option<User>, Error> {
        self.read(|conn| {
            let sql = format!(
                "SELECT {} FROM users WHERE id = ?1 AND deactivated_at IS NULL AND role <> 'none'
                    AND institution_id IN (SELECT id FROM institutions WHERE state = 'A')",
                USERS.column_list()
            );
            Ok(conn.prepare_cached(&sql)?.query_row([user], User::read).optional()?)
        })
    }

    /// The sessions of a user that go on, the last seen first.
    pub fn sessions_of(
        &self,
        user: i64,
        (rules, now): (Sessions, Timestamp),
    ) -> Result<Vec<SessionRow>, Error> {
        let sql = "SELECT id, address, browser, created_at, seen_at, expires_at FROM sessions
            WHERE user_id = ?1 AND expires_at > ?2 AND seen_at > ?3
            ORDER BY seen_at DESC, id DESC LIMIT ?4";
        let since = now.before(rules.idle);
        self.rows(sql, params![user, now, since, MOST], SessionRow::read)
    }

    /// Ends a session; one that is not there has ended.
    pub fn end_session(&self, secret: &SecretDigest) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM sessions WHERE token_sha256 = ?1", params![secret])?;
            Ok(())
        })
    }

    /// Ends a session of this user by its number; false when the user has no such session.
    pub fn end_session_number(&self, user: i64, number: i64) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "DELETE FROM sessions WHERE user_id = ?1 AND id = ?2";
            Ok(tx.execute(sql, [user, number])? > 0)
        })
    }
}

impl SessionRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
        let mut of = Fields::of(row);
        Ok(SessionRow {
            id: of.take()?,
            address: of.take()?,
            browser: of.take()?,
            created_at: of.take()?,
            seen_at: of.take()?,
            expires_at: of.take()?,
        })
    }
}
