//! Second factors: what codes are computed from, which of them were used, and the moment between the
//! password and the code.

use rusqlite::{OptionalExtension, Transaction, params};

use super::seal::SECRET;
use super::session::SecretDigest;
use crate::clock::Timestamp;
use crate::registry::audit::NewNote;
use crate::registry::{Error, Registry};

/// What the codes of a user are computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Shared with the user's device; none when the key that it was sealed with is not there.
    pub secret: Option<[u8; SECRET]>,
    /// Since when it counts; none until the first right code.
    pub confirmed_at: Option<Timestamp>,
    /// The last step whose code was taken.
    pub last_step: i64,
}

/// Half-open sign-ins of one user at a time.
const HALVES: u32 = 10;

impl Registry {
    /// The second factor of a user, confirmed or not.
    pub fn factor(&self, user: i64) -> Result<Option<Factor>, Error> {
        let sql = "SELECT secret, confirmed_at, last_step FROM factors WHERE user_id = ?1";
        self.one(sql, [user], |row| {
            let sealed: Vec<u8> = row.get(0)?;
            let secret = self.sealing.open(user, &sealed);
            Ok(Factor { secret, confirmed_at: row.get(1)?, last_step: row.get(2)? })
        })
    }

    /// Keeps a secret that is still to be confirmed, in place of an earlier one that was not.
    ///
    /// # Errors
    ///
    /// `Refused` when the user has a confirmed one.
    pub fn offer_factor(
        &self,
        user: i64,
        secret: &[u8; SECRET],
        now: Timestamp,
    ) -> Result<(), Error> {
        let sealed = self.sealing.seal(user, secret)?;
        self.write(|tx| {
            let sql = "INSERT INTO factors (user_id, secret, created_at) VALUES (?1, ?2, ?3)
                ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret,
                    created_at = excluded.created_at, last_step = 0
                WHERE confirmed_at IS NULL";
            match tx.execute(sql, params![user, sealed, now])? {
                0 => {
                    let why = "there is a second factor already: switch it off first".to_owned();
                    Err(Error::Refused { why })
                }
                _ => Ok(()),
            }
        })
    }

    /// Counts the factor from now on, by a first right code; false when there was nothing to confirm
    /// or the step was used. The backup codes begin with it.
    pub fn confirm_factor(
        &self,
        (user, step): (i64, i64),
        codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE factors SET confirmed_at = ?2, last_step = ?3
                WHERE user_id = ?1 AND confirmed_at IS NULL AND last_step < ?3";
            if tx.execute(sql, params![user, now, step])? == 0 {
                return Ok(false);
            }
            put_codes(tx, user, codes)?;
            Ok(true)
        })
    }

    /// Uses a step up; false when it, or a later one, was used before.
    pub fn use_step(&self, user: i64, step: i64) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE factors SET last_step = ?2
                WHERE user_id = ?1 AND confirmed_at IS NOT NULL AND last_step < ?2";
            Ok(tx.execute(sql, [user, step])? > 0)
        })
    }

    /// Uses a backup code up; false when it is none of the user's, or was used.
    pub fn use_backup_code(
        &self,
        user: i64,
        code: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE backup_codes SET used_at = ?3
                WHERE user_id = ?1 AND code_sha256 = ?2 AND used_at IS NULL";
            Ok(tx.execute(sql, params![user, code, now])? > 0)
        })
    }

    /// Keeps new backup codes in place of all earlier ones.
    pub fn replace_backup_codes(&self, user: i64, codes: &[SecretDigest]) -> Result<(), Error> {
        self.write(|tx| put_codes(tx, user, codes))
    }

    /// How many backup codes are left.
    pub fn backup_codes_left(&self, user: i64) -> Result<u32, Error> {
        let sql = "SELECT count(*) FROM backup_codes WHERE user_id = ?1 AND used_at IS NULL";
        Ok(self.one(sql, [user], |row| row.get(0))?.unwrap_or(0))
    }

    /// Takes the second factor away, with its backup codes, and writes what the log says of it. Every
    /// session of the user ends; `keep` is the one that may go on. False when there was none.
    pub fn drop_factor(
        &self,
        user: i64,
        keep: Option<&SecretDigest>,
        (note, now): (Option<NewNote>, Timestamp),
    ) -> Result<bool, Error> {
        self.write_noted(now, |tx| {
            tx.execute("DELETE FROM backup_codes WHERE user_id = ?1", [user])?;
            tx.execute("DELETE FROM half_sign_ins WHERE user_id = ?1", [user])?;
            let sql = "DELETE FROM sessions WHERE user_id = ?1 AND token_sha256 IS NOT ?2";
            tx.execute(sql, params![user, keep])?;
            let dropped = tx.execute("DELETE FROM factors WHERE user_id = ?1", [user])? > 0;
            Ok((dropped, note.filter(|_| dropped).into_iter().collect()))
        })
    }

    /// Keeps that the password was right, until the code comes.
    pub fn open_half(
        &self,
        secret: &SecretDigest,
        user: i64,
        (now, expires): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM half_sign_ins WHERE expires_at <= ?1", params![now])?;
            let sql = "DELETE FROM half_sign_ins WHERE user_id = ?1 AND token_sha256 NOT IN
                (SELECT token_sha256 FROM half_sign_ins WHERE user_id = ?1
                 ORDER BY expires_at DESC LIMIT ?2)";
            tx.execute(sql, params![user, HALVES - 1])?;
            let sql = "INSERT INTO half_sign_ins (token_sha256, user_id, expires_at)
                VALUES (?1, ?2, ?3)";
            tx.execute(sql, params![secret, user, expires])?;
            Ok(())
        })
    }

    /// Whose password was right.
    pub fn half_user(&self, secret: &SecretDigest, now: Timestamp) -> Result<Option<i64>, Error> {
        let sql = "SELECT user_id FROM half_sign_ins WHERE token_sha256 = ?1 AND expires_at > ?2";
        self.one(sql, params![secret, now], |row| row.get(0))
    }

    /// Uses a half-open sign-in up; false when it is not there any more.
    pub fn close_half(&self, secret: &SecretDigest) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "DELETE FROM half_sign_ins WHERE token_sha256 = ?1 RETURNING user_id";
            let closed: Option<i64> =
                tx.query_row(sql, params![secret], |row| row.get(0)).optional()?;
            Ok(closed.is_some())
        })
    }
}

fn put_codes(tx: &Transaction<'_>, user: i64, codes: &[SecretDigest]) -> Result<(), Error> {
    tx.execute("DELETE FROM backup_codes WHERE user_id = ?1", [user])?;
    for code in codes {
        let sql = "INSERT INTO backup_codes (user_id, code_sha256) VALUES (?1, ?2)";
        tx.execute(sql, params![user, code])?;
    }
    Ok(())
}
