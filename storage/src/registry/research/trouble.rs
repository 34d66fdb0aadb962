//! What could not be searched, how often that was tried, and when it is tried again.
//!
//! A recording that cannot be fetched or decoded is trouble of its own, not of every pair it is in:
//! it is kept out of all work until its time comes. That is believed of a researcher of this house,
//! who had the recording itself. Others had a copy, which may be damaged where the recording is not:
//! what they say keeps the pair alone waiting, until the third lease says it of the same recording.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clip_set::ClipSet;
use super::report::{NewResult, Recorded, SearchOutcome, TroubleAbout};
use super::{lease, searched};
use crate::clock::Timestamp;
use crate::registry::moment::{MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// The wait after the first failure; four times as long after each further one.
const FIRST_WAIT: Duration = Duration::from_secs(600);
/// As many leases of researchers elsewhere have to tell of a recording before that is believed.
const TELLERS: u32 = 3;
/// Longest code.
const CODE_MAX: usize = 64;
/// Rows shown of one episode or clip.
const SHOWN: u32 = 1000;

/// One trouble that is not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// The episode, if it is about one.
    pub episode: Option<u32>,
    /// The clip, if it is about one.
    pub clip: Option<u32>,
    /// How often it was tried.
    pub tries: u32,
    /// Stable, kebab-case.
    pub code: String,
    /// In a sentence.
    pub why: String,
    /// When it was last met.
    #[serde(with = "Moment")]
    pub last_at: Timestamp,
    /// When it is tried again; never by itself when absent.
    #[serde(with = "MaybeMoment")]
    pub retry_at: Option<Timestamp>,
}

/// Troubles of whole recordings: when each is tried again, never by itself when absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// Of episodes.
    pub episodes: BTreeMap<u32, Option<Timestamp>>,
    /// Of clips.
    pub clips: BTreeMap<u32, Option<Timestamp>>,
}

/// How much could not be searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TroubleCounts {
    /// Whole episodes.
    pub episodes: u64,
    /// Whole clips.
    pub clips: u64,
    /// Pairs of an episode and a clip that can be searched otherwise.
    pub pairs: u64,
}

const COLUMNS: &str = "episode_id, clip_id, tries, code, why, last_at, retry_at";

impl Trouble {
    fn read(row: &Row<'_>) -> rusqlite::Result<Trouble> {
        let some = |id: u32| (id != 0).then_some(id);
        Ok(Trouble {
            episode: some(row.get(0)?),
            clip: some(row.get(1)?),
            tries: row.get(2)?,
            code: row.get(3)?,
            why: row.get(4)?,
            last_at: row.get(5)?,
            retry_at: row.get(6)?,
        })
    }
}

impl Registry {
    /// Which whole recordings are in trouble.
    pub fn troubles(&self) -> Result<Troubles, Error> {
        let sql = "SELECT episode_id, clip_id, retry_at FROM research_troubles
             WHERE ended_at IS NULL AND (episode_id = 0 OR clip_id = 0)";
        let rows: Vec<(u32, u32, Option<Timestamp>)> =
            self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut troubles = Troubles::default();
        for (episode, clip, retry_at) in rows {
            if clip == 0 {
                troubles.episodes.insert(episode, retry_at);
            } else {
                troubles.clips.insert(clip, retry_at);
            }
        }
        Ok(troubles)
    }

    /// Gives every pair to `each` that a person has to ask for again, though its recordings can be read.
    pub fn each_given_up_pair(&self, each: &mut dyn FnMut(u32, u32)) -> Result<(), Error> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT episode_id, clip_id FROM research_troubles
                 WHERE ended_at IS NULL AND retry_at IS NULL AND episode_id > 0 AND clip_id > 0",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(row.get(0)?, row.get(1)?);
            }
            Ok(())
        })
    }

    /// How much could not be searched.
    pub fn trouble_counts(&self) -> Result<TroubleCounts, Error> {
        let sql =
            "SELECT count(*) FILTER (WHERE clip_id = 0), count(*) FILTER (WHERE episode_id = 0),
                 count(*) FILTER (WHERE episode_id > 0 AND clip_id > 0)
             FROM research_troubles WHERE ended_at IS NULL";
        let counted = self.one(sql, [], |row| {
            let count = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok(TroubleCounts { episodes: count(0)?, clips: count(1)?, pairs: count(2)? })
        })?;
        Ok(counted.unwrap_or_default())
    }

    /// Clips that are not to be looked for in this episode now, because that failed.
    pub fn troubled_clips(&self, episode: u32, now: Timestamp) -> Result<ClipSet, Error> {
        let sql = "SELECT clip_id FROM research_troubles
             WHERE episode_id = ?1 AND clip_id > 0 AND ended_at IS NULL
                 AND (retry_at IS NULL OR retry_at > ?2)";
        let clips = self.rows(sql, params![episode, now], |row| row.get::<_, u32>(0))?;
        Ok(clips.into_iter().collect())
    }

    /// What stands in the way of an episode and of pairs with it, or of a clip.
    pub fn troubles_of(
        &self,
        (episode, clip): (Option<u32>, Option<u32>),
    ) -> Result<Vec<Trouble>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM research_troubles WHERE ended_at IS NULL
                 AND (episode_id = ?1 OR clip_id = ?2) ORDER BY episode_id, clip_id LIMIT ?3"
        );
        // No row has the number that stands for none.
        self.rows(&sql, params![episode, clip, SHOWN], Trouble::read)
    }

    /// Ends the troubles of an episode and its pairs, or of a clip and its: they are tried again.
    /// Says how many there were.
    pub fn forget_troubles(
        &self,
        (episode, clip): (Option<u32>, Option<u32>),
        now: Timestamp,
    ) -> Result<usize, Error> {
        self.write(|tx| {
            let sql = "UPDATE research_troubles SET ended_at = ?3
                 WHERE ended_at IS NULL AND (episode_id = ?1 OR clip_id = ?2)";
            Ok(tx.execute(sql, params![episode, clip, now])?)
        })
    }
}

/// Notes a failure. One lease is one try, however often it says so.
pub(super) fn note(
    tx: &Transaction<'_>,
    result: &NewResult<'_>,
    now: Timestamp,
) -> Result<Recorded, Error> {
    let SearchOutcome::Failed { about, code, why } = result.outcome else {
        return Ok(Recorded::Again);
    };
    // What was searched already is not in trouble, whatever somebody who is late met.
    if searched::clips_of(tx, result.episode, result.analyst)?.contains(result.clip) {
        return Ok(Recorded::Again);
    }
    let pair = (result.episode, result.clip);
    let ((episode, clip), code) = match about {
        TroubleAbout::Episode => place(tx, result, ((result.episode, 0), "episode-", code), now)?,
        TroubleAbout::Clip => place(tx, result, ((0, result.clip), "clip-", code), now)?,
        TroubleAbout::Pair => (pair, code.clone()),
    };
    let known = tx
        .prepare_cached(
            "SELECT tries, lease FROM research_troubles
             WHERE episode_id = ?1 AND clip_id = ?2 AND ended_at IS NULL",
        )?
        .query_row([episode, clip], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    if known.as_ref().is_some_and(|(_, lease)| lease == result.lease) {
        return Ok(Recorded::Again);
    }
    let tries = known.map_or(0, |(tries, _)| tries).saturating_add(1);
    let wait = FIRST_WAIT.saturating_mul(4_u32.saturating_pow(tries.min(8) - 1));
    let retry_at = (tries < result.tries_max).then(|| now.after(wait));
    let researcher = lease::researcher_id(tx, result.researcher, now)?;
    tx.prepare_cached(
        "INSERT OR REPLACE INTO research_troubles (episode_id, clip_id, tries, code, why, lease,
            researcher_id, last_at, retry_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        episode,
        clip,
        tries,
        code,
        why,
        result.lease,
        researcher,
        now,
        retry_at
    ])?;
    Ok(Recorded::New)
}

/// Where a failure of a whole recording is noted, and under which code: with the recording when it is
/// believed, else with the pair, under a code that tells which of the two it is about.
fn place(
    tx: &Transaction<'_>,
    result: &NewResult<'_>,
    (whole, prefix, code): ((u32, u32), &str, &str),
    now: Timestamp,
) -> Result<((u32, u32), String), Error> {
    let pair = (result.episode, result.clip);
    let of_recording = params![whole.0, whole.1, format!("{prefix}%"), result.lease];
    let others: u32 = tx
        .prepare_cached(
            "SELECT count(DISTINCT lease) FROM research_troubles WHERE ended_at IS NULL
                 AND (episode_id = ?1 OR clip_id = ?2) AND code LIKE ?3 AND lease <> ?4
                 AND episode_id > 0 AND clip_id > 0",
        )?
        .query_row(of_recording, |row| row.get(0))?;
    let is_known = tx
        .prepare_cached(
            "SELECT 1 FROM research_troubles
             WHERE episode_id = ?1 AND clip_id = ?2 AND ended_at IS NULL",
        )?
        .exists([whole.0, whole.1])?;
    if !result.is_of_house && !is_known && others + 1 < TELLERS {
        return Ok((pair, format!("{prefix}{code}").chars().take(CODE_MAX).collect()));
    }
    // Its pairs wait for the recording from now on.
    tx.prepare_cached(
        "UPDATE research_troubles SET ended_at = ?4 WHERE ended_at IS NULL
             AND (episode_id = ?1 OR clip_id = ?2) AND code LIKE ?3
             AND episode_id > 0 AND clip_id > 0",
    )?
    .execute(params![whole.0, whole.1, format!("{prefix}%"), now])?;
    Ok((whole, code.to_owned()))
}

/// A pair that was searched shows that both its recordings can be read.
pub(super) fn end(
    tx: &Transaction<'_>,
    (episode, clip): (u32, u32),
    now: Timestamp,
) -> Result<(), Error> {
    tx.prepare_cached(
        "UPDATE research_troubles SET ended_at = ?3 WHERE ended_at IS NULL
             AND (episode_id, clip_id) IN (VALUES (?1, ?2), (?1, 0), (0, ?2))",
    )?
    .execute(params![episode, clip, now])?;
    Ok(())
}
