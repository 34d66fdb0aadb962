//! What follows from the other tables and is written down all the same, so that no page has to add
//! up or search through millions of files.
//!
//! A seal adds what its deposit brought; the others make everything anew, after a migration or an
//! import.

use rusqlite::{Connection, Transaction, params};

use super::deposit::DepositRow;
use super::identity::{FileId, ObjectId, ReplicaId, Version};
use super::missing::note_missing;
use super::seal::{REPLACED, SAVED};
use crate::clock::Timestamp;
use crate::registry::moment::Millis;
#[cfg(any(test, feature = "testing"))]
use crate::registry::search::DERIVE_WORDS;
use crate::registry::{Error, Registry, Sight};

/// The files of sealed versions by format; the table is empty before.
pub(in crate::registry) const DERIVE_FORMATS: &str =
    "INSERT INTO object_formats (object_id, format_id, file_count, size)
        SELECT intellectual_object_id, format_id, count(*), sum(size) FROM held_files
        WHERE deleted_at IS NULL GROUP BY intellectual_object_id, format_id";

/// The sums of copies, made anew from the copies and the checks of whole objects.
pub(in crate::registry) const DERIVE_COPIES: &str = "DELETE FROM object_copies;
    INSERT INTO object_copies (object_id, replica_id, copy_count, unsound_count, last_checked_at,
            oldest_checked_at)
        SELECT f.object_id, c.replica_id, count(*), sum(c.state <> 0),
            max(max(c.last_checked_at, coalesce(k.checked_at, 0))),
            min(max(c.last_checked_at, coalesce(k.checked_at, 0)))
        FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
            CROSS JOIN objects AS o ON o.id = f.object_id
            LEFT JOIN checks AS k ON k.object_id = f.object_id AND k.replica_id = c.replica_id
        WHERE c.version <= o.version GROUP BY f.object_id, c.replica_id";

/// In which replicas there is a sound copy of every version that an object keeps. A replica that
/// lacks one of them, or has one that is not sound, is none of them.
macro_rules! reach {
    () => {
        "UPDATE objects SET sound_in =
            coalesce((SELECT group_concat(n.replica_id, ',' ORDER BY n.replica_id)
            FROM object_copies AS n WHERE n.object_id = objects.id AND n.copy_count > 0
                AND n.copy_count = objects.kept_count AND n.unsound_count = 0), '')"
    };
}

/// The versions that objects keep, and where they are sound, made anew from the files and the sums
/// of copies; after [`DERIVE_COPIES`].
pub(in crate::registry) const DERIVE_REACH: &str = concat!(
    "UPDATE objects SET kept_count =
        (SELECT count(*) FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
         WHERE f.object_id = objects.id AND v.version <= objects.version
             AND v.deleted_at IS NULL);",
    reach!()
);

/// What is held altogether.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldSums {
    /// Objects that are there.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

impl Registry {
    /// What is held altogether.
    pub fn held_sums(&self) -> Result<HeldSums, Error> {
        let sql = "SELECT object_count, file_count, size FROM held_sums";
        let sums = self.one(sql, [], |row| {
            let mut of = crate::registry::moment::Fields::of(row);
            Ok(HeldSums { object_count: of.count()?, file_count: of.count()?, size: of.count()? })
        })?;
        Ok(sums.unwrap_or_default())
    }

    /// What somebody sees of it.
    pub fn held_sums_of(&self, sight: Sight) -> Result<HeldSums, Error> {
        let seen = match sight {
            Sight::All => return self.held_sums(),
            Sight::Own { restricted: true, .. } => "institution_id = ?1",
            Sight::Own { restricted: false, .. } => {
                "institution_id = ?1 AND access <> 'restricted'"
            }
            Sight::Shared { .. } => "institution_id <> ?1 AND access = 'consortia'",
        };
        let sql = format!(
            "SELECT count(*), coalesce(sum(file_count), 0), coalesce(sum(size), 0)
             FROM objects INDEXED BY objects_by_figures WHERE {seen} AND state = 'A' AND version > 0"
        );
        let sums = self.one(&sql, [sight.institution()], |row| {
            let mut of = crate::registry::moment::Fields::of(row);
            Ok(HeldSums { object_count: of.count()?, file_count: of.count()?, size: of.count()? })
        })?;
        Ok(sums.unwrap_or_default())
    }
}

#[cfg(any(test, feature = "testing"))]
impl Registry {
    /// Makes everything that follows from other rows, for one that was filled behind its back.
    pub fn derive_anew(&self) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute_batch(DERIVE_FORMATS)?;
            tx.execute_batch(DERIVE_WORDS)?;
            Ok(tx.execute_batch(DERIVE_COPIES)?)
        })
    }
}

/// Adds what a deposit brings to the sums of its object, and takes away what it replaces.
pub(super) fn add_deposit(tx: &Transaction<'_>, deposit: &DepositRow) -> Result<(), Error> {
    let formats = format!(
        "INSERT INTO object_formats (object_id, format_id, file_count, size)
         SELECT ?3, format_id, sum(n), sum(n * size) FROM
             (SELECT v.format_id, v.size, 1 AS n FROM {SAVED}
              UNION ALL SELECT v.format_id, v.size, -1 FROM {REPLACED})
         GROUP BY format_id HAVING true
         ON CONFLICT (object_id, format_id) DO UPDATE SET
             file_count = file_count + excluded.file_count, size = size + excluded.size"
    );
    let values = params![deposit.id, deposit.version, deposit.object_id];
    tx.prepare_cached(&formats)?.execute(values)?;
    let copies = "INSERT INTO object_copies (object_id, replica_id, copy_count, unsound_count,
            last_checked_at, oldest_checked_at)
        SELECT ?2, c.replica_id, count(*), sum(c.state <> 0), max(c.last_checked_at),
            min(c.last_checked_at)
        FROM file_versions AS v
            CROSS JOIN copies AS c ON c.file_id = v.file_id AND c.version = v.version
        WHERE v.deposit_id = ?1 GROUP BY c.replica_id HAVING true
        ON CONFLICT (object_id, replica_id) DO UPDATE SET
            copy_count = copy_count + excluded.copy_count,
            unsound_count = unsound_count + excluded.unsound_count,
            last_checked_at = max(last_checked_at, excluded.last_checked_at),
            oldest_checked_at = iif(copy_count = 0, excluded.oldest_checked_at,
                min(oldest_checked_at, excluded.oldest_checked_at))";
    tx.prepare_cached(copies)?.execute(params![deposit.id, deposit.object_id])?;
    tx.prepare_cached(
        "UPDATE objects SET kept_count = kept_count
             + (SELECT count(*) FROM file_versions WHERE deposit_id = ?1) WHERE id = ?2",
    )?
    .execute(params![deposit.id, deposit.object_id])?;
    note_reach(tx, deposit.object_id)
}

/// Brings up to date where an object is sound, and where copies of it are missing.
pub(super) fn note_reach(conn: &Connection, object: ObjectId) -> Result<(), Error> {
    conn.prepare_cached(concat!(reach!(), " WHERE id = ?1"))?.execute([object])?;
    note_missing(conn, object)
}

/// Takes a file that is about to be deleted out of the sums of its object.
pub(super) fn take_file(
    tx: &Transaction<'_>,
    (object, sealed): (ObjectId, Version),
    file: FileId,
) -> Result<(), Error> {
    tx.prepare_cached(
        "UPDATE object_formats SET file_count = file_count - 1, size = object_formats.size - v.size
         FROM (SELECT format_id, size FROM file_versions WHERE file_id = ?2 AND version <= ?3
                   AND (superseded_by IS NULL OR superseded_by > ?3)) AS v
         WHERE object_id = ?1 AND object_formats.format_id = v.format_id",
    )?
    .execute(params![object, file, sealed])?;
    tx.prepare_cached(
        "UPDATE object_copies SET copy_count = copy_count - n.copies,
             unsound_count = unsound_count - n.unsound
         FROM (SELECT replica_id, count(*) AS copies, sum(state <> 0) AS unsound FROM copies
               WHERE file_id = ?2 AND version <= ?3 GROUP BY replica_id) AS n
         WHERE object_id = ?1 AND object_copies.replica_id = n.replica_id",
    )?
    .execute(params![object, file, sealed])?;
    tx.prepare_cached(
        "UPDATE objects SET kept_count = kept_count - (SELECT count(*) FROM file_versions
             WHERE file_id = ?2 AND version <= ?3 AND deleted_at IS NULL) WHERE id = ?1",
    )?
    .execute(params![object, file, sealed])?;
    note_reach(tx, object)
}

/// Takes an object that is about to be deleted out of the sums.
pub(super) fn take_object(tx: &Transaction<'_>, object: ObjectId) -> Result<(), Error> {
    tx.execute("DELETE FROM object_formats WHERE object_id = ?1", [object])?;
    tx.execute("DELETE FROM object_copies WHERE object_id = ?1", [object])?;
    tx.execute("UPDATE objects SET kept_count = 0, sound_in = '' WHERE id = ?1", [object])?;
    note_missing(tx, object)
}

/// What a look at a copy has changed.
pub(super) struct Looked {
    pub(super) file: FileId,
    pub(super) version: Version,
    pub(super) replica: ReplicaId,
    /// Whether it was sound before, and is now.
    pub(super) sound: (bool, bool),
    pub(super) at: Timestamp,
}

/// Brings a look at a copy into the sums; what is not sealed has none yet.
pub(super) fn note_look(conn: &Connection, looked: &Looked) -> Result<(), Error> {
    let (was, is) = looked.sound;
    conn.prepare_cached(
        "UPDATE object_copies SET unsound_count = unsound_count + ?4,
             last_checked_at = max(last_checked_at, ?5)
         WHERE replica_id = ?3 AND object_id = (SELECT o.id FROM files AS f
             JOIN objects AS o ON o.id = f.object_id WHERE f.id = ?1 AND ?2 <= o.version)",
    )?
    .execute(params![
        looked.file,
        looked.version,
        looked.replica,
        i64::from(was) - i64::from(is),
        Millis(looked.at)
    ])?;
    if was != is {
        let sql = "SELECT object_id FROM files WHERE id = ?1";
        let object = conn.prepare_cached(sql)?.query_row([looked.file], |row| row.get(0))?;
        note_reach(conn, object)?;
    }
    Ok(())
}
