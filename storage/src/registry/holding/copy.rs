//! Where files are kept, and how each copy was found when last looked at.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_batch;
use super::derive::{Looked, note_look};
use super::identity::{FileId, ObjectId, ReplicaId, Uuid, Version, by_name};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, Millis, Moment};
use crate::registry::{Error, Registry};

/// How fast a replica answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaClass {
    /// At once.
    Hot,
    /// After a request and hours.
    Cold,
}

impl ReplicaClass {
    /// Both.
    pub const ALL: [ReplicaClass; 2] = [ReplicaClass::Hot, ReplicaClass::Cold];

    /// The word in settings.
    pub fn name(self) -> &'static str {
        match self {
            ReplicaClass::Hot => "hot",
            ReplicaClass::Cold => "cold",
        }
    }
}

by_name!(ReplicaClass);

/// A storage root that copies are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replica {
    /// Drawn when the root was made, and kept in it.
    pub uuid: Uuid,
    /// The name in the settings.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// How fast it answers.
    pub class: ReplicaClass,
    /// Which building or provider.
    pub place: String,
}

/// A replica that the registry knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplicaRow {
    /// Given by the registry.
    pub id: ReplicaId,
    /// What is known about it.
    #[serde(flatten)]
    pub replica: Replica,
}

/// How a copy was found when last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CopyState {
    /// Its digest was the right one.
    Sound,
    /// Its digest was another one.
    Damaged,
    /// It was not there.
    Missing,
}

/// A copy of one version of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopyRow {
    /// The file.
    pub file_id: FileId,
    /// Its version.
    pub version: Version,
    /// Where.
    pub replica_id: ReplicaId,
    /// The replica's name.
    pub replica: String,
    /// The replica's address.
    pub url: String,
    /// Which building or provider it is in.
    pub place: String,
    /// When it was written.
    #[serde(with = "Moment")]
    pub stored_at: Timestamp,
    /// When it was read back after that.
    #[serde(with = "Moment")]
    pub verified_at: Timestamp,
    /// When it was last looked at.
    #[serde(with = "Moment")]
    pub last_checked_at: Timestamp,
    /// How it was found then.
    pub state: CopyState,
}

/// What one replica has of an object: a copy of each version of each file that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopyCount {
    /// The replica's name.
    pub replica: String,
    /// The replica's address.
    pub url: String,
    /// Which building or provider it is in.
    pub place: String,
    /// Copies it has.
    pub copy_count: u64,
    /// Those of them that were damaged or missing when last looked at.
    pub unsound_count: u64,
    /// When one of them was last looked at.
    #[serde(with = "Moment")]
    pub last_checked_at: Timestamp,
    /// When the one that was not looked at for longest was looked at.
    #[serde(with = "Moment")]
    pub oldest_checked_at: Timestamp,
}

/// What a look at a copy, or its repair, has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedCopy {
    /// The file.
    pub file_id: FileId,
    /// Its version.
    pub version: Version,
    /// Where.
    pub replica: ReplicaId,
    /// How it was found.
    pub state: CopyState,
    /// When.
    pub at: Timestamp,
}

impl Registry {
    /// Makes a replica known, or brings what is known about it up to date.
    ///
    /// # Errors
    ///
    /// `Conflict` when another replica has this name.
    pub fn put_replica(&self, replica: &Replica) -> Result<ReplicaId, Error> {
        let Replica { uuid, name, url, class, place } = replica;
        self.write(|tx| {
            tx.execute(
                "INSERT INTO replicas (uuid, name, url, class, place) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (uuid) DO UPDATE SET name = excluded.name, url = excluded.url,
                     class = excluded.class, place = excluded.place",
                params![uuid, name, url, class, place],
            )?;
            let sql = "SELECT id FROM replicas WHERE uuid = ?1";
            Ok(tx.query_row(sql, [uuid], |row| row.get(0))?)
        })
    }

    /// The replicas, by name.
    pub fn replicas(&self, limit: u32) -> Result<Vec<ReplicaRow>, Error> {
        let sql = "SELECT id, uuid, name, url, class, place FROM replicas ORDER BY name LIMIT ?1";
        self.rows(sql, [limit], |row| {
            let mut of = Fields::of(row);
            let id = of.take()?;
            let (uuid, name, url) = (of.take()?, of.take()?, of.take()?);
            let replica = Replica { uuid, name, url, class: of.take()?, place: of.take()? };
            Ok(ReplicaRow { id, replica })
        })
    }

    /// The copies of one version of a file, by the name of the replica, once it is sealed.
    pub fn copies(&self, file: FileId, version: Version) -> Result<Vec<CopyRow>, Error> {
        let sql = "SELECT c.file_id, c.version, c.replica_id, r.name, r.url, r.place,
                 c.stored_at, c.verified_at, max(c.last_checked_at, coalesce((SELECT k.checked_at
                     FROM checks AS k WHERE k.object_id = f.object_id
                         AND k.replica_id = c.replica_id), 0)), c.state
             FROM copies AS c JOIN replicas AS r ON r.id = c.replica_id
                 JOIN files AS f ON f.id = c.file_id JOIN objects AS o ON o.id = f.object_id
             WHERE c.file_id = ?1 AND c.version = ?2 AND c.version <= o.version
             ORDER BY r.name LIMIT 1000";
        self.rows(sql, (file, version), CopyRow::read)
    }

    /// The copies of all sealed versions of an object's files, by the name of the replica.
    pub fn copy_counts(&self, object: ObjectId, limit: u32) -> Result<Vec<CopyCount>, Error> {
        let sql = "SELECT r.name, r.url, r.place, n.copy_count, n.unsound_count,
                 n.last_checked_at, n.oldest_checked_at
             FROM object_copies AS n JOIN replicas AS r ON r.id = n.replica_id
             WHERE n.object_id = ?1 AND n.copy_count > 0 ORDER BY r.name LIMIT ?2";
        self.rows(sql, (object, limit), |row| {
            let mut of = Fields::of(row);
            Ok(CopyCount {
                replica: of.take()?,
                url: of.take()?,
                place: of.take()?,
                copy_count: of.count()?,
                unsound_count: of.count()?,
                last_checked_at: of.millis()?,
                oldest_checked_at: of.millis()?,
            })
        })
    }

    /// Notes how copies were found; an earlier look never replaces a later one. A copy that the
    /// registry does not know, because it was deleted meanwhile, is left out. Says how many were
    /// noted.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many at a time.
    pub fn record_checks(&self, checks: &[CheckedCopy]) -> Result<u64, Error> {
        check_batch("checks", checks.len())?;
        self.write(|tx| {
            let mut note = tx.prepare_cached(
                "UPDATE copies SET last_checked_at = ?4, state = ?5
                 WHERE file_id = ?1 AND version = ?2 AND replica_id = ?3
                     AND last_checked_at <= ?4",
            )?;
            let mut before = tx.prepare_cached(
                "SELECT state FROM copies WHERE file_id = ?1 AND version = ?2 AND replica_id = ?3",
            )?;
            let mut noted = 0;
            for check in checks {
                let CheckedCopy { file_id, version, replica, state, at } = check;
                let key = params![file_id, version, replica];
                let was: Option<CopyState> = before.query_row(key, |row| row.get(0)).optional()?;
                let changed =
                    note.execute(params![file_id, version, replica, Millis(*at), state])?;
                if let (Some(was), true) = (was, changed > 0) {
                    let sound = (was == CopyState::Sound, *state == CopyState::Sound);
                    let (file, version, replica) = (*file_id, *version, *replica);
                    note_look(tx, &Looked { file, version, replica, sound, at: *at })?;
                }
                noted += changed;
            }
            Ok(noted as u64)
        })
    }
}

impl CopyRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<CopyRow> {
        let mut of = Fields::of(row);
        Ok(CopyRow {
            file_id: of.take()?,
            version: of.take()?,
            replica_id: of.take()?,
            replica: of.take()?,
            url: of.take()?,
            place: of.take()?,
            stored_at: of.millis()?,
            verified_at: of.millis()?,
            last_checked_at: of.millis()?,
            state: of.take()?,
        })
    }
}

impl ToSql for CopyState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            CopyState::Sound => 0.into(),
            CopyState::Damaged => 1.into(),
            CopyState::Missing => 2.into(),
        })
    }
}

impl FromSql for CopyState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<CopyState> {
        match value.as_i64()? {
            0 => Ok(CopyState::Sound),
            1 => Ok(CopyState::Damaged),
            2 => Ok(CopyState::Missing),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}
