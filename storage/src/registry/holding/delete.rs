//! Deleting: the bytes go, the tombstone stays.

use rusqlite::{OptionalExtension, Transaction, params};

use super::identity::{FileId, ObjectId, Version};
use super::{PAYLOAD, check_batch, derive};
use crate::clock::Timestamp;
use crate::registry::moment::Millis;
use crate::registry::{Error, Registry};

impl Registry {
    /// Says that the bytes of files are gone from every sealed version and replica, and how many of
    /// the files were there before. Their versions stay as tombstones without copies; a later
    /// deposit may bring the file back under its old UUID.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many files, `NotFound` for one that is not held; nothing is deleted then.
    pub fn delete_files(&self, files: &[FileId], at: Timestamp) -> Result<u64, Error> {
        check_batch("files", files.len())?;
        self.write(|tx| {
            let mut deleted = 0;
            for file in files {
                deleted += u64::from(delete_file(tx, *file, at)?);
            }
            Ok(deleted)
        })
    }

    /// Says that an object is deleted; true if it was not before.
    ///
    /// # Errors
    ///
    /// `NotFound` for an object that is not held, `Refused` while files of it are there.
    pub fn delete_object(&self, object: ObjectId, at: Timestamp) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "SELECT file_count FROM objects WHERE id = ?1 AND version > 0";
            let files: Option<i64> = tx.query_row(sql, [object], |row| row.get(0)).optional()?;
            match files {
                None => Err(Error::NotFound { what: format!("object {object}") }),
                Some(0) => {
                    let sql = "UPDATE objects SET state = 'D', updated_at = ?2
                        WHERE id = ?1 AND state = 'A'";
                    Ok(tx.execute(sql, params![object, at])? > 0)
                }
                Some(files) => {
                    let why = format!("object {object} still has {files} files");
                    Err(Error::Refused { why })
                }
            }
        })
    }
}

fn delete_file(tx: &Transaction<'_>, file: FileId, at: Timestamp) -> Result<bool, Error> {
    let sql = format!(
        "SELECT o.id, o.version, v.size, {PAYLOAD}, v.deleted_at IS NOT NULL
         FROM files AS f JOIN objects AS o ON o.id = f.object_id
             JOIN file_versions AS v ON v.file_id = f.id AND v.version <= o.version
                 AND (v.superseded_by IS NULL OR v.superseded_by > o.version)
         WHERE f.id = ?1"
    );
    let found = tx
        .prepare_cached(&sql)?
        .query_row([file], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let missing = || Error::NotFound { what: format!("file {file}") };
    let (object, sealed, size, payload, gone): (ObjectId, Version, i64, i64, bool) =
        found.ok_or_else(missing)?;
    if gone {
        return Ok(false);
    }
    derive::take_file(tx, (object, sealed), file)?;
    tx.prepare_cached("DELETE FROM copies WHERE file_id = ?1 AND version <= ?2")?
        .execute(params![file, sealed])?;
    tx.prepare_cached(
        "UPDATE file_versions SET deleted_at = ?3
         WHERE file_id = ?1 AND version <= ?2 AND deleted_at IS NULL",
    )?
    .execute(params![file, sealed, Millis(at)])?;
    tx.prepare_cached(
        "UPDATE objects SET file_count = file_count - 1, size = size - ?2,
             payload_file_count = payload_file_count - ?3, payload_size = payload_size - ?2 * ?3,
             updated_at = ?4 WHERE id = ?1",
    )?
    .execute(params![object, size, payload, at])?;
    Ok(true)
}
