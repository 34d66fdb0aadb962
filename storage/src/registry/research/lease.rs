//! Researchers by name, and what each has held.

use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// A lease that somebody has taken.
#[derive(Clone, Debug)]
pub struct NewLease<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is searched.
    pub episode: u32,
    /// Who has it.
    pub researcher: &'a str,
    /// How many clips it is for.
    pub clip_count: u32,
    /// Since when.
    pub taken_at: Timestamp,
}

/// How a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Its holder has said so.
    Finished,
    /// A person has ended it.
    Revoked,
    /// Nothing was heard of it in time.
    Expired,
    /// It was gone after the work state was lost, or the program died at that moment.
    Unknown,
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Revoked => "revoked",
            Ending::Expired => "expired",
            Ending::Unknown => "unknown",
        }
    }
}

/// What a lease has come to.
#[derive(Clone, Debug)]
pub struct LeaseEnd<'a> {
    /// Its name.
    pub name: &'a str,
    /// How it ended.
    pub ending: Ending,
    /// Of how many clips something was heard.
    pub done_count: u32,
    /// How often it was extended.
    pub renewals: u32,
}

/// One lease of the past, or one that is out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeaseRow {
    /// Given by the registry.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What was searched.
    pub episode: u32,
    /// Who held it.
    pub researcher: String,
    /// How many clips it was for.
    pub clip_count: u32,
    /// Of how many of them something was heard; told when it ends.
    pub done_count: u32,
    /// How often it was extended; told when it ends.
    pub renewals: u32,
    /// Since when it was held.
    #[serde(with = "Moment")]
    pub taken_at: Timestamp,
    /// When it ended.
    #[serde(with = "MaybeMoment")]
    pub ended_at: Option<Timestamp>,
    /// How: `finished`, `revoked`, `expired` or `unknown`.
    pub ending: Option<String>,
}

impl Registry {
    /// Notes that a lease was taken; noted before, nothing changes.
    pub fn note_lease(&self, lease: &NewLease<'_>) -> Result<(), Error> {
        self.write(|tx| {
            let researcher = researcher_id(tx, lease.researcher, lease.taken_at)?;
            tx.prepare_cached(
                "INSERT OR IGNORE INTO research_leases (name, episode_id, researcher_id, clip_count,
                    taken_at, done_count, renewals) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0)",
            )?
            .execute(params![
                lease.name,
                lease.episode,
                researcher,
                lease.clip_count,
                lease.taken_at
            ])?;
            Ok(())
        })
    }

    /// Notes how leases ended. One that is not known, or has ended before, stays as it is.
    pub fn end_leases(&self, ends: &[LeaseEnd<'_>], now: Timestamp) -> Result<(), Error> {
        if ends.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            let mut statement = tx.prepare_cached(
                "UPDATE research_leases SET ended_at = ?2, ending = ?3, done_count = ?4,
                    renewals = ?5
                 WHERE name = ?1 AND ended_at IS NULL",
            )?;
            for end in ends {
                let word = end.ending.word();
                statement.execute(params![end.name, now, word, end.done_count, end.renewals])?;
            }
            Ok(())
        })
    }

    /// The names of leases that have not ended as far as is known here.
    pub fn leases_out(&self) -> Result<Vec<String>, Error> {
        let sql = "SELECT name FROM research_leases WHERE ended_at IS NULL ORDER BY id";
        self.rows(sql, [], |row| row.get(0))
    }

    /// Leases, the newest first, from before `before` on.
    pub fn lease_history(&self, before: Option<i64>, limit: u32) -> Result<Vec<LeaseRow>, Error> {
        let sql = "SELECT l.id, l.name, l.episode_id, r.name, l.clip_count, l.done_count,
                 l.renewals, l.taken_at, l.ended_at, l.ending
             FROM research_leases AS l JOIN research_researchers AS r ON r.id = l.researcher_id
             WHERE l.id < ?1 ORDER BY l.id DESC LIMIT ?2";
        self.rows(sql, params![before.unwrap_or(i64::MAX), limit], |row| {
            Ok(LeaseRow {
                id: row.get(0)?,
                name: row.get(1)?,
                episode: row.get(2)?,
                researcher: row.get(3)?,
                clip_count: row.get(4)?,
                done_count: row.get(5)?,
                renewals: row.get(6)?,
                taken_at: row.get(7)?,
                ended_at: row.get(8)?,
                ending: row.get(9)?,
            })
        })
    }
}

/// The number of a researcher, who is written down when first heard of.
pub(super) fn researcher_id(conn: &Connection, name: &str, now: Timestamp) -> Result<i64, Error> {
    let known = conn
        .prepare_cached("SELECT id FROM research_researchers WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    conn.prepare_cached("INSERT INTO research_researchers (name, first_heard_at) VALUES (?1, ?2)")?
        .execute(params![name, now])?;
    Ok(conn.last_insert_rowid())
}
