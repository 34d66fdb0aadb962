//! Copies that a storage option asks for and that a replica does not have yet.
//!
//! Which replicas an option asks for is configuration, and is told at every start. An object has a row
//! for each replica that lacks copies of it: where nothing is missing, nothing is counted.

use rusqlite::{Connection, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BATCH_MAX;
use super::derive::note_reach;
use super::identity::{FileId, ObjectId, ReplicaId, Version};
use super::own_checks::seen;
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, Millis, Moment};
use crate::registry::query::Sight;
use crate::registry::{Error, Registry};

/// Copies that one replica lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingCopies {
    /// The replica's name.
    pub replica: String,
    /// Objects that it lacks copies of.
    pub object_count: u64,
    /// Copies that it lacks: one of each version of each file that is kept.
    pub copy_count: u64,
    /// Since when the first of these objects lacks copies.
    #[serde(with = "Moment")]
    pub since: Timestamp,
}

impl MissingCopies {
    /// One sentence for people.
    pub fn sentence(&self) -> String {
        let MissingCopies { replica, object_count, copy_count, since } = self;
        let objects = if *object_count == 1 { "object" } else { "objects" };
        let copies = if *copy_count == 1 { "copy" } else { "copies" };
        format!(
            "Copies missing in replica {replica}: {object_count} {objects} ({copy_count} {copies}), \
             since {}. Strongroom copies them from the hot replicas that hold them.",
            since.to_minute()
        )
    }
}

/// Objects `o` that a replica `w` lacks copies of.
macro_rules! lacking {
    () => {
        "FROM objects AS o CROSS JOIN wanted_replicas AS w ON w.storage_option = o.storage_option
            LEFT JOIN replicas AS r ON r.name = w.replica
            LEFT JOIN object_copies AS n ON n.object_id = o.id AND n.replica_id = r.id
         WHERE o.kept_count > coalesce(n.copy_count, 0)"
    };
}

const DROP_FILLED: &str = concat!(
    "NOT EXISTS (SELECT 1 ",
    lacking!(),
    " AND o.id = missing_copies.object_id AND w.replica = missing_copies.replica)"
);

const SELECT_LACKING: &str = concat!(
    "SELECT w.replica, o.id, o.kept_count - coalesce(n.copy_count, 0), coalesce(?2, o.updated_at) ",
    lacking!()
);

const ADD_COPIES: &str =
    "INSERT INTO object_copies (object_id, replica_id, copy_count, unsound_count,
        last_checked_at, oldest_checked_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?5)
    ON CONFLICT (object_id, replica_id) DO UPDATE SET
        copy_count = copy_count + excluded.copy_count,
        unsound_count = unsound_count + excluded.unsound_count,
        last_checked_at = max(last_checked_at, excluded.last_checked_at),
        oldest_checked_at = iif(copy_count = 0, excluded.oldest_checked_at,
            min(oldest_checked_at, excluded.oldest_checked_at))";

const PUT_UNSOUND: &str =
    "INSERT INTO copies (file_id, version, replica_id, stored_at, verified_at,
        last_checked_at, state)
    SELECT v.file_id, v.version, ?3, ?4, ?4, ?4, 2
    FROM file_versions AS v JOIN files AS f ON f.id = v.file_id
    WHERE v.file_id = ?1 AND v.version = ?2 AND f.object_id = ?5 AND v.deleted_at IS NULL
    ON CONFLICT DO NOTHING";

const PUT_SOUND: &str = "INSERT INTO copies (file_id, version, replica_id, stored_at, verified_at,
        last_checked_at, state)
    SELECT v.file_id, v.version, ?3, ?4, ?4, ?4, 0
    FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
    WHERE f.object_id = ?1 AND v.version <= ?2 AND v.deleted_at IS NULL
        AND f.path > ?5 AND f.path <= ?6
    ON CONFLICT DO NOTHING";

/// An object in a replica, as it was examined.
#[derive(Clone, Copy, Debug)]
pub struct ExaminedCopies<'u> {
    /// The object.
    pub object: ObjectId,
    /// Its version at that time.
    pub version: Version,
    /// The replica.
    pub replica: ReplicaId,
    /// Copies that could not be made, because no replica has their bytes.
    pub missing: &'u [(FileId, Version)],
    /// When.
    pub at: Timestamp,
}

impl Registry {
    /// Says which replicas every storage option asks for: pairs of an option and the name of a
    /// replica. What is missing is counted anew if that has changed.
    pub fn want_replicas(&self, wanted: &[(String, String)], now: Timestamp) -> Result<(), Error> {
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        self.write(|tx| {
            let sql = "SELECT storage_option, replica FROM wanted_replicas ORDER BY 1, 2";
            let mut known = tx.prepare_cached(sql)?;
            let known = known.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let known: Vec<(String, String)> = known.collect::<Result<_, _>>()?;
            if known == wanted {
                return Ok(());
            }
            tx.execute("DELETE FROM wanted_replicas", [])?;
            let sql = "INSERT INTO wanted_replicas (storage_option, replica) VALUES (?1, ?2)";
            for pair in &wanted {
                tx.prepare_cached(sql)?.execute(params![pair.0, pair.1])?;
            }
            recount(tx, "?1 IS NULL", None, Some(now))
        })
    }

    /// What is missing of what somebody sees, by the name of the replica; none where nothing is.
    pub fn missing_copies(&self, sight: Sight) -> Result<Vec<MissingCopies>, Error> {
        let sql = format!(
            "SELECT m.replica, count(*), sum(m.copy_count), min(m.since)
             FROM missing_copies AS m CROSS JOIN objects AS o ON o.id = m.object_id
             WHERE {} GROUP BY m.replica ORDER BY m.replica LIMIT 1000",
            seen(sight)
        );
        let name = format!("{sql} {sight:?}");
        self.memory.figure((self.memory.mark(), &name), || {
            self.rows(&sql, [sight.institution()], |row| {
                let mut of = Fields::of(row);
                let (replica, object_count) = (of.take()?, of.count()?);
                let (copy_count, since) = (of.count()?, of.take()?);
                Ok(MissingCopies { replica, object_count, copy_count, since })
            })
        })
    }

    /// How many copies of an object a replica lacks.
    pub fn missing_in(&self, object: ObjectId, replica: &str) -> Result<u64, Error> {
        let sql = "SELECT copy_count FROM missing_copies WHERE replica = ?1 AND object_id = ?2";
        let count = self.one(sql, params![replica, object], |row| Fields::of(row).count())?;
        Ok(count.unwrap_or(0))
    }

    /// Objects that a replica lacks copies of, by number: those that a hot replica holds, from which the
    /// copies can be made, and those that no replica is known to hold.
    pub fn objects_missing_in(&self, replica: &str, limit: u32) -> Result<Vec<ObjectId>, Error> {
        let sql = "SELECT m.object_id FROM missing_copies AS m WHERE m.replica = ?1
                AND (EXISTS (SELECT 1 FROM object_copies AS n JOIN replicas AS r ON r.id = n.replica_id
                        WHERE n.object_id = m.object_id AND n.copy_count > 0 AND r.class = 'hot')
                    OR NOT EXISTS (SELECT 1 FROM object_copies AS n
                        WHERE n.object_id = m.object_id AND n.copy_count > 0))
            ORDER BY m.object_id LIMIT ?2";
        self.rows(sql, params![replica, limit], |row| row.get(0))
    }

    /// Notes that a replica has a copy of everything that an object keeps in a version, but for what is
    /// named as missing. Copies that are known already stay as they are. Done in bounded steps: after a
    /// crash what was not noted is still counted as missing, and the call can be repeated.
    pub fn record_copies(&self, examined: &ExaminedCopies<'_>) -> Result<(), Error> {
        let ExaminedCopies { object, version, replica, missing, at } = *examined;
        for some in missing.chunks(BATCH_MAX) {
            self.write(|tx| {
                let mut put = tx.prepare_cached(PUT_UNSOUND)?;
                let mut added = 0;
                for (file, of) in some {
                    added += put.execute(params![file, of, replica, Millis(at), object])?;
                }
                add_copies(tx, examined, (added, added))
            })?;
        }
        let mut after = String::new();
        loop {
            let sql = "SELECT max(path) FROM (SELECT path FROM files
                WHERE object_id = ?1 AND path > ?2 ORDER BY path LIMIT ?3)";
            let most = BATCH_MAX as i64;
            let last: Option<Option<String>> =
                self.one(sql, params![object, after, most], |row| row.get(0))?;
            let Some(last) = last.flatten() else { return Ok(()) };
            self.write(|tx| {
                let values = params![object, version, replica, Millis(at), after, last];
                let added = tx.prepare_cached(PUT_SOUND)?.execute(values)?;
                add_copies(tx, examined, (added, 0))
            })?;
            after = last;
        }
    }

    /// Notes that a replica was replaced by an empty one: it has no copy any more. A copy that was the
    /// only one of its file stays known as missing, so that the file is counted as lost. Done in
    /// bounded steps; the call can be repeated.
    pub fn forget_copies(&self, replica: ReplicaId, now: Timestamp) -> Result<(), Error> {
        let mut after = ObjectId(0);
        loop {
            let sql = "SELECT object_id FROM object_copies
                WHERE replica_id = ?1 AND object_id > ?2 AND copy_count > 0
                ORDER BY object_id LIMIT 100";
            let some: Vec<ObjectId> = self.rows(sql, (replica, after), |row| row.get(0))?;
            let Some(last) = some.last().copied() else { return Ok(()) };
            self.write(|tx| some.iter().try_for_each(|object| forget(tx, *object, replica, now)))?;
            after = last;
        }
    }
}

fn add_copies(
    tx: &Transaction<'_>,
    examined: &ExaminedCopies<'_>,
    (added, unsound): (usize, usize),
) -> Result<(), Error> {
    if added == 0 {
        return Ok(());
    }
    let ExaminedCopies { object, replica, at, .. } = *examined;
    let (added, unsound) = (added as i64, unsound as i64);
    tx.prepare_cached(ADD_COPIES)?.execute(params![object, replica, added, unsound, Millis(at)])?;
    note_reach(tx, object)
}

fn forget(
    tx: &Transaction<'_>,
    object: ObjectId,
    replica: ReplicaId,
    now: Timestamp,
) -> Result<(), Error> {
    let of_it = "replica_id = ?2 AND file_id IN (SELECT id FROM files WHERE object_id = ?1)";
    let elsewhere = "EXISTS (SELECT 1 FROM copies AS s WHERE s.file_id = copies.file_id
        AND s.version = copies.version AND s.replica_id <> ?2)";
    let sql = format!("DELETE FROM copies WHERE {of_it} AND {elsewhere}");
    tx.prepare_cached(&sql)?.execute((object, replica))?;
    let sql = format!("UPDATE copies SET state = 2, last_checked_at = ?3 WHERE {of_it}");
    tx.prepare_cached(&sql)?.execute(params![object, replica, Millis(now)])?;
    for table in ["checks", "object_copies"] {
        let sql = format!("DELETE FROM {table} WHERE object_id = ?1 AND replica_id = ?2");
        tx.prepare_cached(&sql)?.execute((object, replica))?;
    }
    tx.prepare_cached(
        "INSERT INTO object_copies (object_id, replica_id, copy_count, unsound_count,
             last_checked_at, oldest_checked_at)
         SELECT ?1, ?2, count(*), count(*), max(c.last_checked_at), min(c.last_checked_at)
         FROM files AS f CROSS JOIN copies AS c ON c.file_id = f.id AND c.replica_id = ?2
             CROSS JOIN objects AS o ON o.id = f.object_id
         WHERE f.object_id = ?1 AND c.version <= o.version HAVING count(*) > 0",
    )?
    .execute((object, replica))?;
    note_reach(tx, object)?;
    let sql = "UPDATE missing_copies SET since = ?3 WHERE object_id = ?1
        AND replica = (SELECT name FROM replicas WHERE id = ?2)";
    tx.prepare_cached(sql)?.execute(params![object, replica, now])?;
    Ok(())
}

/// Brings up to date what replicas lack of one object.
pub(super) fn note_missing(conn: &Connection, object: ObjectId) -> Result<(), Error> {
    recount(conn, "object_id = ?1", Some(object), None)
}

/// Counts what is missing of the objects that `chosen` holds for. What begins to be missing is so since
/// the given moment, or since its object has changed.
fn recount(
    conn: &Connection,
    chosen: &str,
    object: Option<ObjectId>,
    since: Option<Timestamp>,
) -> Result<(), Error> {
    let drop = format!("DELETE FROM missing_copies WHERE {chosen} AND {DROP_FILLED}");
    conn.prepare_cached(&drop)?.execute([object])?;
    let chosen = chosen.replace("object_id", "o.id");
    let add = format!(
        "INSERT INTO missing_copies (replica, object_id, copy_count, since)
         {SELECT_LACKING} AND {chosen}
         ON CONFLICT (replica, object_id) DO UPDATE SET copy_count = excluded.copy_count"
    );
    conn.prepare_cached(&add)?.execute(params![object, since])?;
    Ok(())
}
