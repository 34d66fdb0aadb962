//! Researchers by name, and what each has held.
//!
//! What is out now is in the work state; here is written down how it ended, right after. A power cut
//! between the two loses the line, as it may lose one of the log of who did what.

use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::Moment;
use crate::registry::{Error, Registry};

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
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Revoked => "revoked",
            Ending::Expired => "expired",
        }
    }
}

/// What a lease has come to.
#[derive(Clone, Debug)]
pub struct LeaseEnd<'a> {
    /// Its name.
    pub name: &'a str,
    /// What was searched.
    pub episode: u32,
    /// Who held it.
    pub researcher: &'a str,
    /// How many clips it was for.
    pub clip_count: u32,
    /// Of how many of them something was heard.
    pub done_count: u32,
    /// How often it was extended.
    pub renewals: u32,
    /// Since when it was held.
    pub taken_at: Timestamp,
    /// How it ended.
    pub ending: Ending,
}

/// One lease of the past.
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
    /// Of how many of them something was heard.
    pub done_count: u32,
    /// How often it was extended.
    pub renewals: u32,
    /// Since when it was held.
    #[serde(with = "Moment")]
    pub taken_at: Timestamp,
    /// When it ended.
    #[serde(with = "Moment")]
    pub ended_at: Timestamp,
    /// How: `finished`, `revoked` or `expired`.
    pub ending: String,
}

impl Registry {
    /// Which house this is, for work that is carried away.
    pub fn research_house(&self) -> Result<String, Error> {
        let house = self.one("SELECT id FROM research_house", [], |row| row.get(0))?;
        house.ok_or_else(|| Error::NotFound { what: "the name of this house".into() })
    }

    /// Writes down how leases ended. One that was written down before stays as it is.
    pub fn note_lease_ends(&self, ends: &[LeaseEnd<'_>], now: Timestamp) -> Result<(), Error> {
        if ends.is_empty() {
            return Ok(());
        }
        self.write(|tx| {
            for end in ends {
                let researcher = researcher_id(tx, end.researcher, now)?;
                tx.prepare_cached(
                    "INSERT OR IGNORE INTO research_leases (name, episode_id, researcher_id,
                        clip_count, done_count, renewals, taken_at, ended_at, ending)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )?
                .execute(params![
                    end.name,
                    end.episode,
                    researcher,
                    end.clip_count,
                    end.done_count,
                    end.renewals,
                    end.taken_at,
                    now,
                    end.ending.word()
                ])?;
            }
            Ok(())
        })
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
