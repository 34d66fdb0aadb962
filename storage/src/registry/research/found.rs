//! Where clips were found, by episode and by clip.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::report::Occurrence;
use crate::clock::Timestamp;
use crate::registry::moment::Moment;
use crate::registry::{Error, Registry};

/// A clip that was found in an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundPair {
    /// The episode.
    pub episode: u32,
    /// Its title.
    pub episode_title: String,
    /// The clip.
    pub clip: u32,
    /// Its title.
    pub clip_title: String,
    /// The version of the analyst.
    pub analyst: u32,
    /// Who found it.
    pub researcher: String,
    /// When.
    #[serde(with = "Moment")]
    pub recorded_at: Timestamp,
    /// Everywhere it occurs, in order.
    pub occurrences: Vec<Occurrence>,
}

const ROWS: &str = "SELECT f.id, f.episode_id, e.title, f.clip_id, c.title, f.analyst, r.name,
        f.recorded_at
    FROM research_findings AS f JOIN research_episodes AS e ON e.id = f.episode_id
        JOIN research_clips AS c ON c.id = f.clip_id
        JOIN research_researchers AS r ON r.id = f.researcher_id";

impl Registry {
    /// What was found in an episode, by every version of the analyst, from behind a clip on.
    pub fn found_in(&self, episode: u32, after: u32, limit: u32) -> Result<Vec<FoundPair>, Error> {
        let sql = format!(
            "{ROWS} WHERE f.episode_id = ?1 AND f.clip_id > ?2
                 AND EXISTS (SELECT 1 FROM research_occurrences WHERE finding_id = f.id)
             ORDER BY f.clip_id, f.analyst LIMIT ?3"
        );
        self.found(&sql, [episode, after, limit])
    }

    /// Where a clip was found, by every version of the analyst, from behind an episode on.
    pub fn found_of(&self, clip: u32, after: u32, limit: u32) -> Result<Vec<FoundPair>, Error> {
        let sql = format!(
            "{ROWS} WHERE f.clip_id = ?1 AND f.episode_id > ?2
                 AND EXISTS (SELECT 1 FROM research_occurrences WHERE finding_id = f.id)
             ORDER BY f.episode_id, f.analyst LIMIT ?3"
        );
        self.found(&sql, [clip, after, limit])
    }

    fn found(&self, sql: &str, key: [u32; 3]) -> Result<Vec<FoundPair>, Error> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let rows = statement.query_map(params![key[0], key[1], key[2]], read)?;
            let mut found: Vec<(i64, FoundPair)> = rows.collect::<Result<_, _>>()?;
            let mut occurrences = conn.prepare_cached(
                "SELECT offset_ns, extent_ns, confidence_ppm, heard_ns FROM research_occurrences
                 WHERE finding_id = ?1 ORDER BY ordinal",
            )?;
            for (id, pair) in &mut found {
                let rows = occurrences.query_map([*id], |row| {
                    Ok(Occurrence {
                        offset_ns: row.get(0)?,
                        extent_ns: row.get(1)?,
                        confidence_ppm: row.get(2)?,
                        heard_ns: row.get(3)?,
                    })
                })?;
                pair.occurrences = rows.collect::<Result<_, _>>()?;
            }
            Ok(found.into_iter().map(|(_, pair)| pair).collect())
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, FoundPair)> {
    let pair = FoundPair {
        episode: row.get(1)?,
        episode_title: row.get(2)?,
        clip: row.get(3)?,
        clip_title: row.get(4)?,
        analyst: row.get(5)?,
        researcher: row.get(6)?,
        recorded_at: row.get(7)?,
        occurrences: Vec::new(),
    };
    Ok((row.get(0)?, pair))
}
