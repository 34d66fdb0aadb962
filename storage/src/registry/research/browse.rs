//! Episodes and clips as people look through them: by words, dates, priority and state, in pages.
//!
//! Rows are walked in an order that an index has, and no more are counted than a page tells. Words
//! are looked for in what is walked: a word that nothing has costs one look at every row, of which
//! there are a million at most.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::lease::LeaseRow;
use super::recording::{Recording, RecordingKind};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Most words that are looked for.
const WORDS_MAX: usize = 8;
/// Most rows that are counted.
const COUNTED: u32 = 10_001;

/// How far a recording is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingState {
    /// Nobody has searched it, or for it.
    Waiting,
    /// Somebody has.
    Searched,
    /// It could not be searched, or not together with another.
    Trouble,
}

/// What the rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingOrder {
    /// The title.
    Title,
    /// When it was aired.
    DateAired,
    /// The priority, and among the same the newest first.
    Priority,
    /// When it was first known of.
    FirstCurated,
}

/// Which recordings are wanted, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingQuestion {
    /// Words of title or description; all of them.
    pub find: String,
    /// The least priority.
    pub priority: Option<i32>,
    /// Aired at or after.
    pub from: Option<Timestamp>,
    /// Aired at or before.
    pub to: Option<Timestamp>,
    /// How far it is.
    pub state: Option<RecordingState>,
    /// What the rows are ordered by.
    pub order: RecordingOrder,
    /// Whether the largest or newest comes first.
    pub descending: bool,
}

impl Default for RecordingQuestion {
    /// All, in the order of work.
    fn default() -> RecordingQuestion {
        RecordingQuestion {
            find: String::new(),
            priority: None,
            from: None,
            to: None,
            state: None,
            order: RecordingOrder::Priority,
            descending: true,
        }
    }
}

/// Some rows of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browsed<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// How many there are, as far as they are counted: 10,001 stands for more.
    pub count: u32,
}

impl RecordingQuestion {
    /// What holds for the rows wanted, with its values.
    fn conditions(&self, kind: RecordingKind) -> (String, Vec<Value>) {
        let (mut sql, mut values) = (String::from("removed_at IS NULL"), Vec::new());
        for word in self.find.split_whitespace().take(WORDS_MAX) {
            sql.push_str(" AND (title LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')");
            let pattern = format!("%{}%", escaped(word));
            values.extend([Value::Text(pattern.clone()), Value::Text(pattern)]);
        }
        if let Some(least) = self.priority {
            sql.push_str(" AND priority >= ?");
            values.push(Value::Integer(least.into()));
        }
        for (condition, moment) in
            [(" AND date_aired >= ?", self.from), (" AND date_aired <= ?", self.to)]
        {
            if let Some(moment) = moment {
                sql.push_str(condition);
                values.push(Value::Text(moment.to_string()));
            }
        }
        let in_trouble = match kind {
            RecordingKind::Episode => {
                "id IN (SELECT episode_id FROM research_troubles
                     WHERE ended_at IS NULL AND clip_id = 0)"
            }
            RecordingKind::Clip => {
                "id IN (SELECT clip_id FROM research_troubles
                     WHERE ended_at IS NULL AND episode_id = 0)"
            }
        };
        match self.state {
            None => {}
            Some(RecordingState::Waiting) => {
                sql.push_str(&format!(" AND duration_ns IS NULL AND NOT {in_trouble}"));
            }
            Some(RecordingState::Searched) => sql.push_str(" AND duration_ns IS NOT NULL"),
            Some(RecordingState::Trouble) => sql.push_str(match kind {
                RecordingKind::Episode => {
                    " AND id IN (SELECT episode_id FROM research_troubles WHERE ended_at IS NULL)"
                }
                RecordingKind::Clip => {
                    " AND id IN (SELECT clip_id FROM research_troubles WHERE ended_at IS NULL)"
                }
            }),
        }
        (sql, values)
    }

    /// The order of an index, there or back.
    fn order(&self) -> &'static str {
        match (self.order, self.descending) {
            (RecordingOrder::Title, false) => "title, id",
            (RecordingOrder::Title, true) => "title DESC, id DESC",
            (RecordingOrder::DateAired, false) => "date_aired, id",
            (RecordingOrder::DateAired, true) => "date_aired DESC, id DESC",
            (RecordingOrder::Priority, false) => "priority, first_curated_at DESC, id",
            (RecordingOrder::Priority, true) => "priority DESC, first_curated_at DESC, id",
            (RecordingOrder::FirstCurated, false) => "first_curated_at, id",
            (RecordingOrder::FirstCurated, true) => "first_curated_at DESC, id DESC",
        }
    }
}

/// A word as `LIKE` takes it for itself.
fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for letter in word.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

impl Registry {
    /// Recordings by what is asked, so many from a place on.
    pub fn browse_recordings(
        &self,
        kind: RecordingKind,
        question: &RecordingQuestion,
        (offset, limit): (u64, u32),
    ) -> Result<Browsed<Recording>, Error> {
        let (conditions, values) = question.conditions(kind);
        let (columns, table, order) = (Recording::COLUMNS, kind.table(), question.order());
        let rows = format!(
            "SELECT {columns} FROM {table} WHERE {conditions} ORDER BY {order} LIMIT ? OFFSET ?"
        );
        let count =
            format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {conditions} LIMIT ?)");
        self.read(|conn| {
            let mut counting = values.clone();
            counting.push(Value::Integer(COUNTED.into()));
            let count = conn
                .prepare_cached(&count)?
                .query_row(params_from_iter(counting), |row| row.get(0))?;
            let mut asked = values;
            asked.push(Value::Integer(limit.into()));
            asked.push(Value::Integer(i64::try_from(offset).unwrap_or(i64::MAX)));
            let mut statement = conn.prepare_cached(&rows)?;
            let found = statement.query_map(params_from_iter(asked), Recording::read)?;
            Ok(Browsed { rows: found.collect::<Result<_, _>>()?, count })
        })
    }

    /// How often clips were found in each of these episodes, or each of these clips was found. What a
    /// later analyst has found in the same pair counts instead of what an earlier one has.
    pub fn occurrence_counts(&self, kind: RecordingKind, ids: &[u32]) -> Result<Vec<u64>, Error> {
        let key = match kind {
            RecordingKind::Episode => "f.episode_id",
            RecordingKind::Clip => "f.clip_id",
        };
        let sql = format!(
            "SELECT count(*) FROM research_findings AS f
                 JOIN research_occurrences AS o ON o.finding_id = f.id
             WHERE {key} = ?1 AND NOT EXISTS (SELECT 1 FROM research_findings AS later
                 WHERE later.episode_id = f.episode_id AND later.clip_id = f.clip_id
                     AND later.analyst > f.analyst)"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let mut count = |id| statement.query_row([id], |row| row.get::<_, i64>(0));
            let counts = ids.iter().map(|id| count(id).map(i64::unsigned_abs));
            Ok(counts.collect::<Result<_, _>>()?)
        })
    }

    /// Leases that are over, the newest first, so many from a place on.
    pub fn ended_leases(&self, offset: u64, limit: u32) -> Result<Browsed<LeaseRow>, Error> {
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let count = self.one(
            "SELECT count(*) FROM (SELECT 1 FROM research_leases LIMIT ?1)",
            [COUNTED],
            |row| row.get(0),
        )?;
        // The id of the row before the first is found by the index alone.
        let before = match offset {
            0 => None,
            offset => {
                let sql = "SELECT id FROM research_leases ORDER BY id DESC LIMIT 1 OFFSET ?1";
                match self.one(sql, [offset - 1], |row| row.get(0))? {
                    Some(id) => Some(id),
                    None => return Ok(Browsed { rows: Vec::new(), count: count.unwrap_or(0) }),
                }
            }
        };
        Ok(Browsed { rows: self.lease_history(before, limit)?, count: count.unwrap_or(0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_looked_for_as_they_are() {
        assert_eq!(escaped("50%_a\\b"), "50\\%\\_a\\\\b");
    }
}
