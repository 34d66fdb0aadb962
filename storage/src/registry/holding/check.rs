//! Whole objects looked at, and how long ago.
//!
//! A look at an object in a replica is one row however many copies it has; a copy that was found
//! unsound has its own word in its row. The later of both counts.

use rusqlite::{Connection, OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copy::CopyState;
use super::identity::{Digests, FileId, ObjectId, ReplicaId, Uuid, Version};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Millis, Moment};
use crate::registry::{Error, Registry};

pub(super) const DAY_MS: u64 = 86_400_000;

/// Whether the version of a file that the copy `c` is of is lost: no hot replica has a sound copy of
/// it. Of what is in cold storage only, no replica has one.
const IS_LOST: &str =
    "(NOT EXISTS (SELECT 1 FROM copies AS s JOIN replicas AS h ON h.id = s.replica_id
         WHERE s.file_id = c.file_id AND s.version = c.version AND s.state = 0 AND h.class = 'hot')
     AND (EXISTS (SELECT 1 FROM copies AS s JOIN replicas AS h ON h.id = s.replica_id
             WHERE s.file_id = c.file_id AND s.version = c.version AND h.class = 'hot')
         OR NOT EXISTS (SELECT 1 FROM copies AS s
             WHERE s.file_id = c.file_id AND s.version = c.version AND s.state = 0)))";

/// The name of a cold replica that has a sound copy of the same; null if none has.
const IN_COLD: &str =
    "(SELECT min(h.name) FROM copies AS s JOIN replicas AS h ON h.id = s.replica_id
     WHERE s.file_id = c.file_id AND s.version = c.version AND s.state = 0 AND h.class <> 'hot')";

/// An object that is due to be looked at in a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DueObject {
    /// The object.
    pub object_id: ObjectId,
    /// Its identifier.
    pub identifier: String,
    /// Its owner.
    pub institution_id: i64,
    /// Copies that this replica has of its files.
    pub copy_count: u64,
    /// Bytes of its files.
    pub size: u64,
    /// When the copy that was not looked at for longest was looked at.
    #[serde(with = "Moment")]
    pub oldest_checked_at: Timestamp,
}

/// How a replica stands with its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaChecks {
    /// The replica.
    pub replica_id: ReplicaId,
    /// Its name.
    pub replica: String,
    /// Which building or provider it is in.
    pub place: String,
    /// Objects that it has copies of.
    pub object_count: u64,
    /// Copies that it has.
    pub copy_count: u64,
    /// Those of them that were damaged or missing when last looked at.
    pub unsound_count: u64,
    /// When the copy that was not looked at for longest was looked at; none if it has no copies.
    #[serde(with = "MaybeMoment")]
    pub oldest_checked_at: Option<Timestamp>,
}

/// Copies that were last looked at this long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckAge {
    /// Whole days.
    pub days: u64,
    /// Objects.
    pub object_count: u64,
    /// Copies of their files.
    pub copy_count: u64,
}

/// A copy that was damaged or missing when last looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsoundCopy {
    /// The file's identifier.
    pub file: String,
    /// The file.
    pub uuid: Uuid,
    /// Of which version.
    pub version: Version,
    /// The replica's name.
    pub replica: String,
    /// What is wrong.
    pub state: CopyState,
    /// When it was looked at.
    #[serde(with = "Moment")]
    pub last_checked_at: Timestamp,
    /// The replica is a cold one, which checks do not read.
    pub is_cold: bool,
    /// No hot replica has a sound copy of it; of what is in cold storage only, no replica has one.
    pub is_lost: bool,
    /// A cold replica that has a sound copy of it, as far as is known.
    pub cold_replica: Option<String>,
}

/// A version of a file that no hot replica has an intact copy of. A cold replica may have one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostFile {
    /// Its path in the bag.
    pub path: String,
    /// The file.
    pub uuid: Uuid,
    /// The version.
    pub version: Version,
    /// Its bytes.
    pub size: u64,
    /// Its place in the vault's object.
    pub content_path: String,
    /// Of its bytes.
    #[serde(flatten)]
    pub digests: Digests,
    /// A cold replica that has a sound copy of it, as far as is known.
    pub cold_replica: Option<String>,
}

impl LostFile {
    /// Versions of an object's files that no hot replica has an intact copy of: of one file, or of
    /// all.
    pub(super) fn find(
        conn: &Connection,
        (object, file): (ObjectId, Option<FileId>),
        limit: u32,
    ) -> Result<Vec<LostFile>, Error> {
        let sql = format!(
            "SELECT DISTINCT f.path, f.uuid, v.version, v.size,
                 coalesce(v.content_path, 'v' || v.version || '/content/' || f.path),
                 v.md5, v.sha1, v.sha256, v.sha512, {IN_COLD}
             FROM copies AS c CROSS JOIN replicas AS r ON r.id = c.replica_id
                 CROSS JOIN files AS f ON f.id = c.file_id
                 CROSS JOIN objects AS o ON o.id = f.object_id
                 CROSS JOIN file_versions AS v ON v.file_id = c.file_id AND v.version = c.version
             WHERE c.state <> 0 AND r.class = 'hot' AND f.object_id = ?1
                 AND (?2 IS NULL OR f.id = ?2) AND c.version <= o.version
                 AND v.deleted_at IS NULL AND {IS_LOST}
             ORDER BY f.path, v.version LIMIT ?3"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let found = statement.query_map(params![object, file, limit], |row| {
            let mut of = Fields::of(row);
            Ok(LostFile {
                path: of.take()?,
                uuid: of.take()?,
                version: of.take()?,
                size: of.count()?,
                content_path: of.take()?,
                digests: Digests {
                    md5: of.take()?,
                    sha1: of.take()?,
                    sha256: of.take()?,
                    sha512: of.take()?,
                },
                cold_replica: of.take()?,
            })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

/// How much is not sound altogether, however much that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsoundSums {
    /// Copies that were damaged or missing when last looked at.
    pub copy_count: u64,
    /// Versions of files that are lost: no hot replica has a sound copy of them. Of what is in cold
    /// storage only, no replica has one.
    pub lost_count: u64,
}

impl Registry {
    /// Objects in a replica with a copy that was last looked at no later than `before`, the longest
    /// ago first.
    pub fn due_objects(
        &self,
        replica: ReplicaId,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueObject>, Error> {
        let sql = "SELECT o.id, o.identifier, o.institution_id, n.copy_count, o.size,
                 n.oldest_checked_at
             FROM object_copies AS n CROSS JOIN objects AS o ON o.id = n.object_id
             WHERE n.replica_id = ?1 AND n.oldest_checked_at <= ?2 AND n.copy_count > 0
             ORDER BY n.oldest_checked_at, n.object_id LIMIT ?3";
        self.rows(sql, params![replica, Millis(before), limit], |row| {
            let mut of = Fields::of(row);
            Ok(DueObject {
                object_id: of.take()?,
                identifier: of.take()?,
                institution_id: of.take()?,
                copy_count: of.count()?,
                size: of.count()?,
                oldest_checked_at: of.millis()?,
            })
        })
    }

    /// Copies in a replica that are due by `before`.
    pub fn due_copy_count(&self, replica: ReplicaId, before: Timestamp) -> Result<u64, Error> {
        // Whole days, and what of the last one is due already.
        let sql = format!(
            "SELECT (SELECT coalesce(sum(copy_count), 0) FROM replica_days
                 WHERE replica_id = ?1 AND day < ?2 / {DAY_MS})
             + (SELECT coalesce(sum(copy_count), 0) FROM object_copies WHERE replica_id = ?1
                 AND oldest_checked_at BETWEEN ?2 / {DAY_MS} * {DAY_MS} AND ?2)"
        );
        let count =
            self.one(&sql, params![replica, Millis(before)], |row| Fields::of(row).count())?;
        Ok(count.unwrap_or(0))
    }

    /// Notes that everything which an object had in a replica at this moment was looked at. An
    /// earlier look never replaces a later one.
    pub fn record_object_check(
        &self,
        object: ObjectId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO checks (object_id, replica_id, checked_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (object_id, replica_id) DO UPDATE SET checked_at = excluded.checked_at
                 WHERE checked_at < excluded.checked_at",
                params![object, replica, Millis(at)],
            )?;
            tx.execute(
                "UPDATE object_copies SET last_checked_at = max(last_checked_at, ?3),
                     oldest_checked_at = max(oldest_checked_at, ?3)
                 WHERE object_id = ?1 AND replica_id = ?2",
                params![object, replica, Millis(at)],
            )?;
            Ok(())
        })
    }

    /// When everything of an object in a replica was last looked at; none if it never was.
    pub fn object_check(
        &self,
        object: ObjectId,
        replica: ReplicaId,
    ) -> Result<Option<Timestamp>, Error> {
        self.read(|conn| {
            let sql = "SELECT checked_at FROM checks WHERE object_id = ?1 AND replica_id = ?2";
            let mut statement = conn.prepare_cached(sql)?;
            let at = statement.query_row((object, replica), |row| Fields::of(row).millis());
            Ok(at.optional()?)
        })
    }

    /// How every replica stands, by name.
    pub fn replica_checks(&self) -> Result<Vec<ReplicaChecks>, Error> {
        let sql = "SELECT r.id, r.name, r.place, coalesce(sum(d.object_count), 0),
                 coalesce(sum(d.copy_count), 0), coalesce(sum(d.unsound_count), 0),
                 (SELECT n.oldest_checked_at FROM object_copies AS n
                  WHERE n.replica_id = r.id AND n.copy_count > 0
                  ORDER BY n.oldest_checked_at LIMIT 1)
             FROM replicas AS r LEFT JOIN replica_days AS d ON d.replica_id = r.id
             GROUP BY r.id ORDER BY r.name LIMIT 1000";
        self.rows(sql, [], ReplicaChecks::read)
    }

    /// How many days ago the copies of a replica were looked at, the newest first.
    pub fn check_ages(&self, replica: ReplicaId, now: Timestamp) -> Result<Vec<CheckAge>, Error> {
        let sql = format!(
            "SELECT max(0, ?2 / {DAY_MS} - day) AS days, sum(object_count), sum(copy_count)
             FROM replica_days WHERE replica_id = ?1 AND object_count > 0
             GROUP BY days ORDER BY days LIMIT 40000"
        );
        self.rows(&sql, params![replica, Millis(now)], |row| {
            let mut of = Fields::of(row);
            Ok(CheckAge { days: of.count()?, object_count: of.count()?, copy_count: of.count()? })
        })
    }

    /// Copies of an object in a replica that were not sound when last looked at.
    pub fn unsound_in(
        &self,
        object: ObjectId,
        replica: ReplicaId,
    ) -> Result<Vec<(FileId, Version)>, Error> {
        let sql = "SELECT c.file_id, c.version FROM copies AS c
             CROSS JOIN files AS f ON f.id = c.file_id
             WHERE c.state <> 0 AND c.replica_id = ?2 AND f.object_id = ?1
             ORDER BY c.file_id, c.version";
        self.rows(sql, (object, replica), |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Copies that were not sound when last looked at: of one object, or of all.
    pub fn unsound_copies(
        &self,
        object: Option<ObjectId>,
        limit: u32,
    ) -> Result<Vec<UnsoundCopy>, Error> {
        let sql = UnsoundCopy::select("(?1 IS NULL OR o.id = ?1)");
        self.rows(&sql, params![object, limit], UnsoundCopy::read)
    }

    /// Versions of an object's files that no hot replica has an intact copy of: of one file, or of
    /// all.
    pub fn lost_files(
        &self,
        object: ObjectId,
        file: Option<FileId>,
        limit: u32,
    ) -> Result<Vec<LostFile>, Error> {
        self.read(|conn| LostFile::find(conn, (object, file), limit))
    }

    /// How many copies are not sound, and how many versions of files are lost.
    pub fn unsound_sums(&self) -> Result<UnsoundSums, Error> {
        let sql = UnsoundSums::select("1");
        Ok(self.one(&sql, [], UnsoundSums::read)?.unwrap_or_default())
    }
}

impl ReplicaChecks {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<ReplicaChecks> {
        let mut of = Fields::of(row);
        Ok(ReplicaChecks {
            replica_id: of.take()?,
            replica: of.take()?,
            place: of.take()?,
            object_count: of.count()?,
            copy_count: of.count()?,
            unsound_count: of.count()?,
            oldest_checked_at: of.maybe_millis()?,
        })
    }
}

impl UnsoundCopy {
    /// Those of the objects `o` that `chosen` holds for; `?2` is how many at most.
    pub(super) fn select(chosen: &str) -> String {
        format!(
            "SELECT o.identifier || '/' || f.path, f.uuid, c.version, r.name, c.state,
                 max(c.last_checked_at, coalesce((SELECT k.checked_at FROM checks AS k
                     WHERE k.object_id = f.object_id AND k.replica_id = c.replica_id), 0)),
                 r.class <> 'hot', {IS_LOST}, {IN_COLD}
             FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
                 CROSS JOIN objects AS o ON o.id = f.object_id
                 CROSS JOIN replicas AS r ON r.id = c.replica_id
             WHERE c.state <> 0 AND c.version <= o.version AND ({chosen})
             ORDER BY o.identifier, f.path, c.version, r.name LIMIT ?2"
        )
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<UnsoundCopy> {
        let mut of = Fields::of(row);
        Ok(UnsoundCopy {
            file: of.take()?,
            uuid: of.take()?,
            version: of.take()?,
            replica: of.take()?,
            state: of.take()?,
            last_checked_at: of.millis()?,
            is_cold: of.take()?,
            is_lost: of.take()?,
            cold_replica: of.take()?,
        })
    }
}

impl UnsoundSums {
    /// Over the objects `o` that `chosen` holds for.
    pub(super) fn select(chosen: &str) -> String {
        format!(
            "SELECT coalesce(sum(n.unsound), 0), coalesce(sum(n.lost), 0)
             FROM (SELECT count(*) AS unsound, {IS_LOST} AS lost
                 FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
                     CROSS JOIN objects AS o ON o.id = f.object_id
                 WHERE c.state <> 0 AND c.version <= o.version AND ({chosen})
                 GROUP BY c.file_id, c.version) AS n"
        )
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<UnsoundSums> {
        let mut of = Fields::of(row);
        Ok(UnsoundSums { copy_count: of.count()?, lost_count: of.count()? })
    }
}
