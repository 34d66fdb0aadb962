//! Writing the files of a deposit, a batch at a time.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::check_batch;
use super::deposit::{self, DepositRow};
use super::identity::{DepositId, Digests, FileId, ReplicaId, Uuid, Version};
use crate::clock::Timestamp;
use crate::registry::moment::{self, Millis};
use crate::registry::{Error, Registry};

/// Longest path, in bytes: what the common file systems can hold.
const PATH_MAX: usize = 4096;

/// What a file was identified as; one row for all files it is said of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FormatFacts {
    /// PRONOM's identifier; empty when unknown.
    pub puid: String,
    /// Name of the format; empty when unknown.
    pub name: String,
    /// Version of the format; empty when it has none.
    pub version: String,
    /// Media type.
    pub mime: String,
    /// What that rests on, in one word.
    pub basis: String,
}

/// A copy that was written and read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewCopy {
    /// Where.
    pub replica: ReplicaId,
    /// When it was written.
    pub stored_at: Timestamp,
    /// When it was read back and found equal.
    pub verified_at: Timestamp,
}

/// A file that a deposit saves: one never seen before, or one that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFileVersion {
    /// Its path in the bag.
    pub path: String,
    /// Its UUID for life: the stored one, or a new one for a path never seen.
    pub uuid: Uuid,
    /// Its bytes.
    pub size: u64,
    /// When the depositor last changed it.
    #[serde(with = "moment::option")]
    pub modified_at: Option<Timestamp>,
    /// Its digests.
    pub digests: Digests,
    /// What it is.
    pub format: FormatFacts,
    /// What the archivist should know about the identification.
    pub format_warnings: Option<String>,
    /// Where in the vault's object the bytes are, when that is not `v<version>/content/<path>`.
    pub content_path: Option<String>,
    /// Where it is kept; replicas are numbered differently in every registry, so that a record says
    /// it in its own way.
    #[serde(skip)]
    pub copies: Vec<NewCopy>,
}

const FIND_FILE: &str = "SELECT id, uuid FROM files WHERE object_id = ?1 AND path = ?2";
const ADD_FILE: &str =
    "INSERT INTO files (object_id, path, uuid, first_version) VALUES (?1, ?2, ?3, ?4)";
const HAS_VERSION: &str =
    "SELECT sha512 = ?3 FROM file_versions WHERE file_id = ?1 AND version = ?2";
const SUPERSEDE: &str = "UPDATE file_versions SET superseded_by = ?2
    WHERE file_id = ?1 AND version < ?2 AND superseded_by IS NULL";
const PUT_VERSION: &str = "INSERT INTO file_versions (file_id, version, deposit_id, size,
        modified_at, format_id, format_warnings, content_path, md5, sha1, sha256, sha512,
        institution_id, object_id)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
        (SELECT institution_id FROM deposits WHERE id = ?3),
        (SELECT object_id FROM files WHERE id = ?1))
    ON CONFLICT (file_id, version) DO UPDATE SET
        size = excluded.size, modified_at = excluded.modified_at,
        format_id = excluded.format_id, format_warnings = excluded.format_warnings,
        content_path = excluded.content_path, md5 = excluded.md5, sha1 = excluded.sha1,
        sha256 = excluded.sha256, sha512 = excluded.sha512";
const PUT_COPY: &str = "INSERT INTO copies (file_id, version, replica_id, stored_at, verified_at,
        last_checked_at, state)
    VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0)
    ON CONFLICT (file_id, version, replica_id) DO UPDATE SET
        stored_at = excluded.stored_at, verified_at = excluded.verified_at,
        last_checked_at = excluded.last_checked_at";
const FIND_FORMAT: &str = "SELECT id FROM formats
    WHERE puid = ?1 AND name = ?2 AND version = ?3 AND mime = ?4 AND basis = ?5";
const ADD_FORMAT: &str = "INSERT INTO formats (puid, name, version, mime, basis)
    VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";

impl Registry {
    /// Writes files that the deposit saves, with their copies, in one transaction, and says how
    /// many of them it did not have yet. Nothing of it is seen before the seal. Files that the
    /// deposit brings unchanged are not written: their last version stands.
    ///
    /// Repeating it changes nothing; after the seal, a repetition is all that is let in.
    ///
    /// # Errors
    ///
    /// `Invalid` for a bad path or too many files, `NotFound` for a deposit that is not there,
    /// `Refused` when a path has another UUID or a sealed deposit other contents.
    pub fn put_files(&self, deposit: DepositId, files: &[NewFileVersion]) -> Result<u64, Error> {
        check_batch("files", files.len())?;
        files.iter().try_for_each(check_path)?;
        self.write(|tx| {
            let deposit = deposit::require(tx, deposit)?;
            let mut formats = HashMap::new();
            let mut added = 0;
            for new in files {
                let file = ensure_file(tx, &deposit, new)?;
                let held = held_version(tx, file, deposit.version, new)?;
                if deposit.sealed_at.is_some() {
                    require_same(held, new, &deposit)?;
                    continue;
                }
                let format = ensure_format(tx, &mut formats, &new.format)?;
                put_version(tx, &deposit, (file, format), new)?;
                put_copies(tx, file, deposit.version, &new.copies)?;
                added += u64::from(held.is_none());
            }
            Ok(added)
        })
    }
}

fn check_path(new: &NewFileVersion) -> Result<(), Error> {
    let path = &new.path;
    let good = !path.is_empty()
        && path.len() <= PATH_MAX
        && !path.contains('\0')
        && !path.starts_with('/')
        && !path.ends_with('/');
    if !good {
        let rule = format!("must have 1 to {PATH_MAX} bytes and no slash at its ends");
        return Err(Error::Invalid { field: "path", rule });
    }
    Ok(())
}

/// Finds the file or makes it; one path has one UUID for ever.
fn ensure_file(
    conn: &Connection,
    deposit: &DepositRow,
    new: &NewFileVersion,
) -> Result<FileId, Error> {
    let found: Option<(FileId, Uuid)> = conn
        .prepare_cached(FIND_FILE)?
        .query_row((deposit.object_id, &new.path), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((file, uuid)) if uuid == new.uuid => Ok(file),
        Some((_, uuid)) => {
            let why = format!("{:?} has the UUID {uuid}, not {}", new.path, new.uuid);
            Err(Error::Refused { why })
        }
        None if deposit.sealed_at.is_some() => Err(sealed(deposit, &new.path)),
        None => {
            let values = params![deposit.object_id, new.path, new.uuid, deposit.version];
            conn.prepare_cached(ADD_FILE)?.execute(values)?;
            Ok(FileId(conn.last_insert_rowid()))
        }
    }
}

/// Whether the file has this version, and with the same content.
fn held_version(
    conn: &Connection,
    file: FileId,
    version: Version,
    new: &NewFileVersion,
) -> Result<Option<bool>, Error> {
    let mut has = conn.prepare_cached(HAS_VERSION)?;
    let values = params![file, version, new.digests.sha512];
    Ok(has.query_row(values, |row| row.get(0)).optional()?)
}

fn require_same(
    held: Option<bool>,
    new: &NewFileVersion,
    deposit: &DepositRow,
) -> Result<(), Error> {
    match held {
        Some(true) => Ok(()),
        Some(false) | None => Err(sealed(deposit, &new.path)),
    }
}

fn sealed(deposit: &DepositRow, path: &str) -> Error {
    let why = format!("deposit {} is sealed and cannot take {path:?} any more", deposit.id);
    Error::Refused { why }
}

fn put_version(
    conn: &Connection,
    deposit: &DepositRow,
    (file, format): (FileId, i64),
    new: &NewFileVersion,
) -> Result<(), Error> {
    let usual = format!("v{}/content/{}", deposit.version, new.path);
    conn.prepare_cached(SUPERSEDE)?.execute((file, deposit.version))?;
    conn.prepare_cached(PUT_VERSION)?.execute(params![
        file,
        deposit.version,
        deposit.id,
        i64::try_from(new.size).unwrap_or(i64::MAX),
        new.modified_at.map(Millis),
        format,
        new.format_warnings,
        new.content_path.as_ref().filter(|path| **path != usual),
        new.digests.md5,
        new.digests.sha1,
        new.digests.sha256,
        new.digests.sha512
    ])?;
    Ok(())
}

fn put_copies(
    conn: &Connection,
    file: FileId,
    version: Version,
    copies: &[NewCopy],
) -> Result<(), Error> {
    let mut put = conn.prepare_cached(PUT_COPY)?;
    for copy in copies {
        let (stored, verified) = (Millis(copy.stored_at), Millis(copy.verified_at));
        put.execute(params![file, version, copy.replica, stored, verified])?;
    }
    Ok(())
}

/// The row of a format, looked up once in a batch.
fn ensure_format<'a>(
    conn: &Connection,
    known: &mut HashMap<&'a FormatFacts, i64>,
    format: &'a FormatFacts,
) -> Result<i64, Error> {
    if let Some(id) = known.get(format) {
        return Ok(*id);
    }
    let FormatFacts { puid, name, version, mime, basis } = format;
    let values = params![puid, name, version, mime, basis];
    let found = conn.prepare_cached(FIND_FORMAT)?.query_row(values, |row| row.get(0)).optional()?;
    let id = match found {
        Some(id) => id,
        None => conn.prepare_cached(ADD_FORMAT)?.query_row(values, |row| row.get(0))?,
    };
    known.insert(format, id);
    Ok(id)
}
