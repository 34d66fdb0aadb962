//! Where sign-ins come from, and how many wrong passwords and codes came from there.
//!
//! A browser that a user has signed in with, and an address they have signed in from, have a count
//! of their own. Everything else has two: its address, and one row for all that is not known. So
//! nobody elsewhere can make a user wait who comes as before, and many addresses together are bounded
//! all the same. What is kept is bounded: see the constants.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::session::SecretDigest;
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Browsers of one user that are known; the one that was not seen for longest makes room.
const BROWSERS: u32 = 20;
/// Addresses of one user that are known.
const ADDRESSES: u32 = 50;
/// Addresses that are counted though nobody signed in from there.
const UNKNOWN: u32 = 200;

/// Where a sign-in comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInSource {
    /// The address; of IPv6 the network of its first 64 bits.
    pub address: String,
    /// The digest of the secret that the browser bears, if it bears one.
    pub browser: Option<SecretDigest>,
    /// Whether who asks has signed in and proves themselves once more: what comes from places that are
    /// not known does not count for them.
    pub is_signed_in: bool,
}

/// What a user and a source have had to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquaintance {
    /// The user has signed in with this browser.
    Browser,
    /// The user has signed in from this address.
    Address,
    /// Neither.
    Unknown,
}

/// What is known of a source before a password from there is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// Whether the user has come from there before.
    pub known: Acquaintance,
    /// Until when nothing from there is looked at.
    pub locked_until: Option<Timestamp>,
}

/// What failures are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// One browser or one address.
    Source,
    /// Everything that is not known.
    Others,
}

/// One row.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    signed_in: Option<Timestamp>,
    failures: u32,
    failed: Option<Timestamp>,
    locked: Option<Timestamp>,
}

/// What is left of a count of failures.
fn halved(kept: &Kept, now: Timestamp, half_life: Duration) -> u32 {
    let quiet = kept.failed.map_or(Duration::ZERO, |at| now.since(at));
    let halvings = quiet.as_millis() / half_life.as_millis().max(1);
    let halvings = u32::try_from(halvings).unwrap_or(u32::MAX);
    kept.failures.checked_shr(halvings).unwrap_or(0)
}

impl Registry {
    /// What is known of a source. Sign-ins before `since` are too long ago to count.
    pub fn sign_in_source(
        &self,
        user: i64,
        source: &SignInSource,
        since: Timestamp,
    ) -> Result<SourceState, Error> {
        self.read(|conn| state(conn, user, source, since))
    }

    /// Counts a wrong password or code from a source. `lock` says until when none is looked at, by
    /// what is counted and the new count; the count of everything that is not known halves with every
    /// `half_life` in which nothing was added to it. Gives the end of the longest wait back.
    pub fn count_failure(
        &self,
        user: i64,
        (source, since): (&SignInSource, Timestamp),
        (now, half_life): (Timestamp, Duration),
        lock: impl Fn(Counted, u32) -> Option<Timestamp>,
    ) -> Result<Option<Timestamp>, Error> {
        self.write(|tx| {
            let known = state(tx, user, source, since)?.known;
            let count = |kind: &str, name: &str, counted: Counted| {
                let kept = kept(tx, user, kind, name)?.unwrap_or_default();
                let before = match counted {
                    Counted::Source => kept.failures,
                    Counted::Others => halved(&kept, now, half_life),
                };
                let failures = before.saturating_add(1);
                let until = lock(counted, failures);
                let sql = "INSERT INTO sign_in_sources
                        (user_id, kind, name, failure_count, failed_at, locked_until)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET
                        failure_count = ?4, failed_at = ?5, locked_until = ?6";
                tx.execute(sql, params![user, kind, name, failures, now, until])?;
                Ok::<_, Error>(until)
            };
            match (known, &source.browser) {
                (Acquaintance::Browser, Some(browser)) => {
                    count("browser", &hex(browser), Counted::Source)
                }
                (Acquaintance::Browser | Acquaintance::Address, _) => {
                    count("address", &source.address, Counted::Source)
                }
                (Acquaintance::Unknown, _) => {
                    let own = count("address", &source.address, Counted::Source)?;
                    let others = count("others", "", Counted::Others)?;
                    let sql = "DELETE FROM sign_in_sources
                        WHERE user_id = ?1 AND kind = 'address' AND signed_in_at IS NULL
                        AND name NOT IN (SELECT name FROM sign_in_sources WHERE user_id = ?1
                            AND kind = 'address' AND signed_in_at IS NULL
                            ORDER BY failed_at DESC LIMIT ?2)";
                    tx.execute(sql, params![user, UNKNOWN])?;
                    Ok(own.max(others))
                }
            }
        })
    }

    /// Notes that a user has signed in from this address, and forgets the failures that were counted
    /// for it or for this known browser. Nothing is written when that was noted after `note_after`
    /// and nothing failed since.
    pub fn note_sign_in(
        &self,
        user: i64,
        source: &SignInSource,
        (now, note_after): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        let is_noted = |kept: Option<Kept>| {
            kept.is_some_and(|it| {
                it.failures == 0 && it.signed_in.is_some_and(|at| at > note_after)
            })
        };
        let browser = source.browser.as_ref().map(hex);
        let (noted, is_known) = self.read(|conn| {
            let address = is_noted(kept(conn, user, "address", &source.address)?);
            let found = match &browser {
                Some(name) => kept(conn, user, "browser", name)?,
                None => None,
            };
            Ok::<_, Error>((address && (found.is_none() || is_noted(found)), found.is_some()))
        })?;
        if noted {
            return Ok(());
        }
        self.write(|tx| {
            put(tx, user, ("address", &source.address), now)?;
            prune(tx, user, "address", ADDRESSES)?;
            if let Some(name) = browser.filter(|_| is_known) {
                put(tx, user, ("browser", &name), now)?;
            }
            Ok(())
        })
    }

    /// Makes a browser known as one that a user signs in with.
    pub fn know_browser(
        &self,
        user: i64,
        browser: &SecretDigest,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.write(|tx| {
            put(tx, user, ("browser", &hex(browser)), now)?;
            prune(tx, user, "browser", BROWSERS)
        })
    }

    /// Whether anybody has signed in with this browser.
    pub fn is_known_browser(&self, browser: &SecretDigest) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM sign_in_sources WHERE kind = 'browser' AND name = ?1 LIMIT 1";
        Ok(self.one(sql, [hex(browser)], |_| Ok(()))?.is_some())
    }

    /// Until when passwords of a user are not looked at from somewhere; the latest of several.
    pub fn locked_until(&self, user: i64) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT max(locked_until) FROM sign_in_sources WHERE user_id = ?1";
        Ok(self.one(sql, [user], |row| row.get(0))?.flatten())
    }
}

/// Forgets all sources of a user: whoever knew the old password is nobody known any more.
pub(super) fn forget_sources(tx: &Transaction<'_>, user: i64) -> Result<(), Error> {
    tx.execute("DELETE FROM sign_in_sources WHERE user_id = ?1", [user])?;
    Ok(())
}

fn state(
    conn: &Connection,
    user: i64,
    source: &SignInSource,
    since: Timestamp,
) -> Result<SourceState, Error> {
    let is_known = |it: &Kept| it.signed_in.is_some_and(|at| at >= since);
    if let Some(browser) = &source.browser
        && let Some(found) = kept(conn, user, "browser", &hex(browser))?.filter(is_known)
    {
        return Ok(SourceState { known: Acquaintance::Browser, locked_until: found.locked });
    }
    let address = kept(conn, user, "address", &source.address)?;
    let locked_until = address.and_then(|it| it.locked);
    if source.is_signed_in || address.as_ref().is_some_and(is_known) {
        return Ok(SourceState { known: Acquaintance::Address, locked_until });
    }
    let others = kept(conn, user, "others", "")?.and_then(|it| it.locked);
    Ok(SourceState { known: Acquaintance::Unknown, locked_until: locked_until.max(others) })
}

fn kept(conn: &Connection, user: i64, kind: &str, name: &str) -> Result<Option<Kept>, Error> {
    let sql = "SELECT signed_in_at, failure_count, failed_at, locked_until FROM sign_in_sources
        WHERE user_id = ?1 AND kind = ?2 AND name = ?3";
    let read = |row: &Row<'_>| {
        Ok(Kept {
            signed_in: row.get(0)?,
            failures: row.get(1)?,
            failed: row.get(2)?,
            locked: row.get(3)?,
        })
    };
    Ok(conn.prepare_cached(sql)?.query_row(params![user, kind, name], read).optional()?)
}

fn put(
    tx: &Transaction<'_>,
    user: i64,
    (kind, name): (&str, &str),
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO sign_in_sources (user_id, kind, name, signed_in_at)
        VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET signed_in_at = ?4, failure_count = 0,
            failed_at = NULL, locked_until = NULL";
    tx.execute(sql, params![user, kind, name, now])?;
    Ok(())
}

/// Forgets all but the last seen of the known ones.
fn prune(tx: &Transaction<'_>, user: i64, kind: &str, most: u32) -> Result<(), Error> {
    let sql = "DELETE FROM sign_in_sources WHERE user_id = ?1 AND kind = ?2
        AND signed_in_at IS NOT NULL AND name NOT IN (SELECT name FROM sign_in_sources
            WHERE user_id = ?1 AND kind = ?2 AND signed_in_at IS NOT NULL
            ORDER BY signed_in_at DESC LIMIT ?3)";
    tx.execute(sql, params![user, kind, most])?;
    Ok(())
}

fn hex(digest: &SecretDigest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}
