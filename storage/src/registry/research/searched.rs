//! What was looked for in each episode, and which of it still counts.

use std::collections::BTreeMap;

use rusqlite::{Connection, Transaction, params};

use super::clip_set::ClipSet;
use crate::registry::{Error, Registry};

/// What one version of the analyst has looked for in an episode, found or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The version.
    pub analyst: u32,
    /// The clips.
    pub clips: ClipSet,
}

/// Below which version of the analyst results do not count any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Floors {
    /// Anywhere.
    pub all: u32,
    /// In these episodes.
    pub episodes: BTreeMap<u32, u32>,
    /// For these clips.
    pub clips: BTreeMap<u32, u32>,
}

impl Floors {
    /// Which of what was searched in an episode counts.
    pub fn standing(&self, episode: u32, searched: &[Searched]) -> ClipSet {
        let floor = self.of_episode(episode);
        let mut standing = ClipSet::default();
        for one in searched.iter().filter(|one| one.analyst >= floor) {
            let raised = self.clips.iter().filter(|(_, floor)| one.analyst < **floor);
            let mut clips = one.clips.clone();
            clips.take_out(&raised.map(|(clip, _)| *clip).collect());
            standing.add(&clips);
        }
        standing
    }

    /// The least version that work on an episode and these clips asks for.
    pub fn least(&self, episode: u32, clips: &[u32]) -> u32 {
        let of_clips = clips.iter().filter_map(|clip| self.clips.get(clip)).max();
        self.of_episode(episode).max(of_clips.copied().unwrap_or(0))
    }

    fn of_episode(&self, episode: u32) -> u32 {
        self.all.max(self.episodes.get(&episode).copied().unwrap_or(0))
    }
}

impl Registry {
    /// What was looked for in an episode, the oldest analyst first.
    pub fn searched(&self, episode: u32) -> Result<Vec<Searched>, Error> {
        let sql = "SELECT analyst, clips FROM research_searched WHERE episode_id = ?1
             ORDER BY analyst";
        self.rows(sql, [episode], |row| Ok(Searched { analyst: row.get(0)?, clips: row.get(1)? }))
    }

    /// Gives every episode in which something was looked for to `each`, with what that was.
    pub fn each_searched(&self, each: &mut dyn FnMut(u32, &[Searched])) -> Result<(), Error> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT episode_id, analyst, clips FROM research_searched
                 ORDER BY episode_id, analyst",
            )?;
            let mut rows = statement.query([])?;
            let (mut current, mut searched) = (0, Vec::new());
            while let Some(row) = rows.next()? {
                let episode: u32 = row.get(0)?;
                if episode != current && !searched.is_empty() {
                    each(current, &searched);
                    searched.clear();
                }
                current = episode;
                searched.push(Searched { analyst: row.get(1)?, clips: row.get(2)? });
            }
            if !searched.is_empty() {
                each(current, &searched);
            }
            Ok(())
        })
    }

    /// Below which version results do not count.
    pub fn floors(&self) -> Result<Floors, Error> {
        self.read(|conn| {
            let mut floors = Floors::default();
            let mut statement =
                conn.prepare_cached("SELECT episode_id, clip_id, analyst FROM research_floors")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (episode, clip, analyst): (u32, u32, u32) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                match (episode, clip) {
                    (0, 0) => floors.all = analyst,
                    (0, clip) => drop(floors.clips.insert(clip, analyst)),
                    (episode, _) => drop(floors.episodes.insert(episode, analyst)),
                }
            }
            Ok(floors)
        })
    }

    /// Lets results below a version count no more: everywhere, in an episode, or for a clip. It is
    /// never lowered.
    pub fn raise_floor(
        &self,
        (episode, clip): (Option<u32>, Option<u32>),
        analyst: u32,
    ) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO research_floors (episode_id, clip_id, analyst) VALUES (?1, ?2, ?3)
                 ON CONFLICT (episode_id, clip_id) DO UPDATE
                     SET analyst = max(analyst, excluded.analyst)",
                params![episode.unwrap_or(0), clip.unwrap_or(0), analyst],
            )?;
            Ok(())
        })
    }
}

/// Notes that a clip was looked for; whether that is new.
pub(super) fn note(
    tx: &Transaction<'_>,
    (episode, clip): (u32, u32),
    analyst: u32,
) -> Result<bool, Error> {
    let mut clips = clips_of(tx, episode, analyst)?;
    if !clips.insert(clip) {
        return Ok(false);
    }
    tx.prepare_cached(
        "INSERT INTO research_searched (episode_id, analyst, clips) VALUES (?1, ?2, ?3)
         ON CONFLICT (episode_id, analyst) DO UPDATE SET clips = excluded.clips",
    )?
    .execute(params![episode, analyst, clips])?;
    Ok(true)
}

/// What one version has looked for in an episode.
pub(super) fn clips_of(conn: &Connection, episode: u32, analyst: u32) -> Result<ClipSet, Error> {
    let mut statement = conn.prepare_cached(
        "SELECT clips FROM research_searched WHERE episode_id = ?1 AND analyst = ?2",
    )?;
    let mut rows = statement.query([episode, analyst])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or_default())
}
