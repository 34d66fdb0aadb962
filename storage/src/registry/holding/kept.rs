//! Files that a deposit did not bring, and that stay in their object as they are.

use rusqlite::{OptionalExtension, Transaction, params};

use super::check_batch;
use super::deposit;
use super::identity::{DepositId, FileId, ObjectId, Version};
use crate::registry::{Error, Registry};

impl Registry {
    /// Says of files of the version before that the deposit does not have them, in one transaction.
    /// Nothing of it is seen before the seal. Repeating it changes nothing; after the seal, a
    /// repetition is all that is let in, and not looked at.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many, `NotFound` for a deposit or file that is not there.
    pub fn put_kept_files(&self, deposit: DepositId, paths: &[String]) -> Result<(), Error> {
        check_batch("files", paths.len())?;
        self.write(|tx| {
            let deposit = deposit::require(tx, deposit)?;
            if deposit.sealed_at.is_some() {
                return Ok(());
            }
            for path in paths {
                keep(tx, deposit.object_id, path, deposit.version)?;
            }
            Ok(())
        })
    }

    /// The last version whose bag had a file that this version of the object holds and its own bag had
    /// not; none for a file that its bag had.
    pub fn kept_from(&self, file: FileId, version: Version) -> Result<Option<Version>, Error> {
        let sql = "SELECT from_version - 1 FROM kept_files
            WHERE file_id = ?1 AND from_version <= ?2 AND to_version >= ?2";
        self.one(sql, params![file, version], |row| row.get(0))
    }
}

fn keep(tx: &Transaction<'_>, object: ObjectId, path: &str, version: Version) -> Result<(), Error> {
    let sql = "SELECT id FROM files WHERE object_id = ?1 AND path = ?2";
    let found: Option<FileId> =
        tx.prepare_cached(sql)?.query_row(params![object, path], |row| row.get(0)).optional()?;
    let file = found.ok_or_else(|| Error::NotFound { what: format!("file {path}") })?;
    let sql = "UPDATE kept_files SET to_version = ?2
        WHERE file_id = ?1 AND to_version IN (?2 - 1, ?2)";
    if tx.prepare_cached(sql)?.execute(params![file, version])? == 0 {
        let sql = "INSERT INTO kept_files (file_id, from_version, to_version) VALUES (?1, ?2, ?2)";
        tx.prepare_cached(sql)?.execute(params![file, version])?;
    }
    Ok(())
}

/// Takes back what was said of a version that will not be sealed.
pub(super) fn forget_version(
    tx: &Transaction<'_>,
    object: ObjectId,
    version: Version,
) -> Result<(), Error> {
    for sql in [
        "DELETE FROM kept_files WHERE from_version = ?2
            AND file_id IN (SELECT id FROM files WHERE object_id = ?1)",
        "UPDATE kept_files SET to_version = ?2 - 1 WHERE to_version = ?2
            AND file_id IN (SELECT id FROM files WHERE object_id = ?1)",
    ] {
        tx.execute(sql, params![object, version])?;
    }
    Ok(())
}
