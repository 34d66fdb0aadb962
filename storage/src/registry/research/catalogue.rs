//! Episodes and clips: told, told again, and listed in the order of work.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clip_set::ClipSet;
use super::recording::{NewRecording, Recording, RecordingKind};
use super::{changed, removed};
use crate::clock::Timestamp;
use crate::registry::{Error, Registry};

/// Most episodes, and most clips: what is given out next is chosen among all of them in memory.
const RECORDINGS_MAX: u32 = 1_000_000;

/// What came of telling recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Added {
    /// Not known before.
    pub new: u32,
    /// Known, and something about them is different now.
    pub changed: u32,
    /// Known as they were told.
    pub same: u32,
}

/// What the order of work hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The recording.
    pub id: u32,
    /// Higher comes first.
    pub priority: i32,
    /// When it was first known of; newer comes first.
    pub first_curated_at: Timestamp,
    /// When it was broadcast.
    pub date_aired: Option<Timestamp>,
}

impl Registry {
    /// Takes recordings in, by what they are known by; all of them or none. One that lies elsewhere
    /// than before is to be searched anew, and one that was removed is there again.
    ///
    /// # Errors
    ///
    /// `Invalid` for a field that breaks its rule, `Refused` when there are too many.
    pub fn add_recordings(
        &self,
        kind: RecordingKind,
        recordings: &[NewRecording],
        now: Timestamp,
    ) -> Result<Added, Error> {
        self.take_in(kind, recordings, (now, true))
    }

    /// The same for what a feed lists, time and again: what a person has removed stays so, and counts
    /// as known.
    ///
    /// # Errors
    ///
    /// As for [`Registry::add_recordings`].
    pub fn add_listed(
        &self,
        kind: RecordingKind,
        recordings: &[NewRecording],
        now: Timestamp,
    ) -> Result<Added, Error> {
        self.take_in(kind, recordings, (now, false))
    }

    fn take_in(
        &self,
        kind: RecordingKind,
        recordings: &[NewRecording],
        when: (Timestamp, bool),
    ) -> Result<Added, Error> {
        recordings.iter().try_for_each(NewRecording::check)?;
        self.write(|tx| {
            let (mut added, mut moved) = (Added::default(), ClipSet::default());
            for recording in recordings {
                match put(tx, kind, recording, when)? {
                    Put::New => added.new += 1,
                    Put::Changed => added.changed += 1,
                    Put::Same => added.same += 1,
                    Put::Moved(id) => {
                        added.changed += 1;
                        moved.insert(id);
                    }
                }
            }
            changed::void(tx, kind, &moved, when.0)?;
            let sql = format!("SELECT count(*) FROM {} WHERE removed_at IS NULL", kind.table());
            let count: u32 = tx.query_row(&sql, [], |row| row.get(0))?;
            if count > RECORDINGS_MAX {
                let why = format!(
                    "there would be {count} {}s, and {RECORDINGS_MAX} is the most; nothing was added",
                    kind.word()
                );
                return Err(Error::Refused { why });
            }
            Ok(added)
        })
    }

    /// One recording.
    pub fn recording(&self, kind: RecordingKind, id: u32) -> Result<Option<Recording>, Error> {
        let (columns, table) = (Recording::COLUMNS, kind.table());
        let sql = format!("SELECT {columns} FROM {table} WHERE id = ?1 AND removed_at IS NULL");
        self.one(&sql, [id], Recording::read)
    }

    /// Recordings by number, from behind `after` on.
    pub fn recordings(
        &self,
        kind: RecordingKind,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recording>, Error> {
        let (columns, table) = (Recording::COLUMNS, kind.table());
        let sql = format!(
            "SELECT {columns} FROM {table} WHERE id > ?1 AND removed_at IS NULL
             ORDER BY id LIMIT ?2"
        );
        self.rows(&sql, [after, limit], Recording::read)
    }

    /// These recordings, in the order they are asked for; those that are not there are left out.
    pub fn some_recordings(
        &self,
        kind: RecordingKind,
        ids: &[u32],
    ) -> Result<Vec<Recording>, Error> {
        let (columns, table) = (Recording::COLUMNS, kind.table());
        let sql = format!("SELECT {columns} FROM {table} WHERE id = ?1 AND removed_at IS NULL");
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                found.extend(statement.query_row([id], Recording::read).optional()?);
            }
            Ok(found)
        })
    }

    /// What the order of all recordings hangs on.
    pub fn ranks(&self, kind: RecordingKind) -> Result<Vec<Rank>, Error> {
        let table = kind.table();
        let sql = format!(
            "SELECT id, priority, first_curated_at, date_aired FROM {table}
             WHERE removed_at IS NULL ORDER BY id LIMIT ?1"
        );
        self.rows(&sql, [RECORDINGS_MAX], |row| {
            Ok(Rank {
                id: row.get(0)?,
                priority: row.get(1)?,
                first_curated_at: row.get(2)?,
                date_aired: row.get(3)?,
            })
        })
    }
}

enum Put {
    New,
    Changed,
    Same,
    /// Known by this number, and its bytes are somewhere else now.
    Moved(u32),
}

fn put(
    tx: &Transaction<'_>,
    kind: RecordingKind,
    new: &NewRecording,
    (now, is_revived): (Timestamp, bool),
) -> Result<Put, Error> {
    let table = kind.table();
    let (place, object, rest) = new.location.columns();
    let Some(known) = known(tx, kind, new)? else {
        let first = new.first_curated_at.or(new.last_curated_at).unwrap_or(now);
        let last = new.last_curated_at.unwrap_or(first.max(now));
        tx.prepare_cached(&format!(
            "INSERT INTO {table} (title, description, date_aired, location_kind, location_object,
                location, media_type, curator, priority, first_curated_at, last_curated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            new.title.trim(),
            new.description,
            new.date_aired,
            place,
            object,
            rest,
            new.media_type,
            new.curator,
            new.priority,
            first,
            last
        ])?;
        return Ok(Put::New);
    };
    let was_removed = removed::is_removed(tx, kind, known.id)?;
    if was_removed && !is_revived {
        return Ok(Put::Same);
    }
    // An older telling that comes late does not turn the clock back.
    let last = new.last_curated_at.unwrap_or(now).max(known.last_curated_at);
    let is_same = known.description == new.description
        && known.location == new.location
        && known.media_type == new.media_type
        && known.curator == new.curator
        && known.priority == new.priority
        && known.date_aired == new.date_aired;
    if is_same && last == known.last_curated_at && !was_removed {
        return Ok(Put::Same);
    }
    tx.prepare_cached(&format!(
        "UPDATE {table} SET description = ?2, date_aired = ?3, location_kind = ?4,
            location_object = ?5, location = ?6, media_type = ?7, curator = ?8, priority = ?9,
            last_curated_at = ?10, removed_at = NULL
         WHERE id = ?1"
    ))?
    .execute(params![
        known.id,
        new.description,
        new.date_aired,
        place,
        object,
        rest,
        new.media_type,
        new.curator,
        new.priority,
        last
    ])?;
    if was_removed {
        return Ok(Put::New);
    }
    Ok(match (is_same, known.location == new.location) {
        (true, _) => Put::Same,
        (false, true) => Put::Changed,
        (false, false) => Put::Moved(known.id),
    })
}

/// What is there under the same name.
fn known(
    conn: &Connection,
    kind: RecordingKind,
    new: &NewRecording,
) -> Result<Option<Recording>, Error> {
    let (columns, table) = (Recording::COLUMNS, kind.table());
    let title = new.title.trim();
    let found = match kind {
        RecordingKind::Clip => conn
            .prepare_cached(&format!("SELECT {columns} FROM {table} WHERE title = ?1"))?
            .query_row([title], Recording::read)
            .optional()?,
        RecordingKind::Episode => conn
            .prepare_cached(&format!(
                "SELECT {columns} FROM {table} WHERE title = ?1
                     AND coalesce(date_aired, '') = coalesce(?2, '')"
            ))?
            .query_row(params![title, new.date_aired], Recording::read)
            .optional()?,
    };
    Ok(found)
}
