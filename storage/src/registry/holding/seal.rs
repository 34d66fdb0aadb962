//! The end of a deposit: seen from now on, or never there.

use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, params};

use super::deposit::{self, DepositRow};
use super::derive;
use super::identity::{DepositId, FileId, Version};
use super::kept::forget_version;
use super::object::{ObjectFacts, ObjectRow, select};
use super::{BATCH_MAX, PAYLOAD};
use crate::clock::Timestamp;
use crate::registry::search::{
    ADD_FILE_WORDS, FORGET_FILE_WORDS, NEW_FILE_WORDS, add_object, forget_object,
};
use crate::registry::{Error, Registry};

/// What it takes to seal a deposit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// What the object says of itself from now on.
    pub facts: ObjectFacts,
    /// How many files the deposit has saved. A deposit with more or fewer is not sealed.
    pub saved_file_count: u64,
    /// When; drawn once, so that a repetition says the same.
    pub at: Timestamp,
}

/// Files and bytes, of all and of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sums {
    files: i64,
    bytes: i64,
    payload_files: i64,
    payload_bytes: i64,
}

const SEAL_OBJECT: &str = "UPDATE objects SET version = ?2, state = 'A', title = ?3,
        description = ?4, alt_identifier = ?5, access = ?6, etag = ?7, bag_group_identifier = ?8,
        storage_option = ?9, bagit_profile_identifier = ?10, source_organization = ?11,
        internal_sender_identifier = ?12, internal_sender_description = ?13, updated_at = ?14,
        file_count = file_count + ?15, size = size + ?16,
        payload_file_count = payload_file_count + ?17, payload_size = payload_size + ?18
    WHERE id = ?1";

/// Rows of one step; each has some dozens of bytes.
const SORTED_MAX: usize = 20_000;

const STARTS: &str = "SELECT substr(md5, 1, 8) AS start, file_id, version
        FROM file_versions WHERE deposit_id = ?1
    UNION ALL SELECT substr(sha1, 1, 8), file_id, version
        FROM file_versions WHERE deposit_id = ?1
    UNION ALL SELECT substr(sha256, 1, 8), file_id, version
        FROM file_versions WHERE deposit_id = ?1
    UNION ALL SELECT substr(sha512, 1, 8), file_id, version
        FROM file_versions WHERE deposit_id = ?1
    ORDER BY start";

const ADD_START: &str = "INSERT INTO digest_starts (start, file_id, version) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";

impl Registry {
    /// Makes the deposit the object's newest version, in one transaction: everything in it is seen
    /// from then on. Before that its digests and names are made searchable, in bounded steps that nobody sees.
    /// Sealing again changes nothing.
    ///
    /// # Errors
    ///
    /// `NotFound` for a deposit that is not there, `Refused` when the number of files is not what
    /// the caller says; the deposit is then as it was.
    pub fn seal(&self, deposit: DepositId, seal: &Seal) -> Result<ObjectRow, Error> {
        let found = self.read(|conn| deposit::require(conn, deposit))?;
        if found.sealed_at.is_none() {
            self.read(|conn| require_count(sums(conn, SAVED, &found)?, &found, seal))?;
            self.index_sorted(deposit, STARTS, ADD_START, |row| {
                Ok((row.get::<_, [u8; 8]>(0)?, row.get::<_, FileId>(1)?, row.get::<_, Version>(2)?))
            })?;
            self.index_sorted(deposit, NEW_FILE_WORDS, ADD_FILE_WORDS, |row| {
                Ok((row.get::<_, FileId>(0)?, row.get::<_, String>(1)?))
            })?;
        }
        self.write(|tx| {
            let deposit = deposit::require(tx, deposit)?;
            if deposit.sealed_at.is_none() {
                let saved = sums(tx, SAVED, &deposit)?;
                require_count(saved, &deposit, seal)?;
                let replaced = sums(tx, REPLACED, &deposit)?;
                write_seal(tx, &deposit, seal, (saved, replaced))?;
            }
            Ok(tx.query_row(&select("id = ?1"), [deposit.object_id], ObjectRow::read)?)
        })
    }

    /// Adds what a deposit is found by, sorted, so that each page of the table is written once.
    fn index_sorted<T: Params>(
        &self,
        deposit: DepositId,
        select: &str,
        insert: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<(), Error> {
        self.read(|conn| {
            let mut statement = conn.prepare(select)?;
            let mut rows = statement.query([deposit])?;
            loop {
                let mut some = Vec::new();
                while some.len() < SORTED_MAX
                    && let Some(row) = rows.next()?
                {
                    some.push(read(row)?);
                }
                if some.is_empty() {
                    return Ok(());
                }
                self.write(|tx| {
                    let mut add = tx.prepare_cached(insert)?;
                    for row in some {
                        add.execute(row)?;
                    }
                    Ok::<_, Error>(())
                })?;
            }
        })
    }

    /// Takes away everything of a deposit that was not sealed, and the object with it if it has no
    /// other version; says how many files were in it. Done in bounded steps: a crash in between
    /// leaves a deposit that is still not seen, and the call can be repeated, also when the deposit
    /// is gone.
    ///
    /// # Errors
    ///
    /// `Refused` for a sealed deposit.
    pub fn abandon(&self, deposit: DepositId) -> Result<u64, Error> {
        let mut removed = 0;
        loop {
            let step = self.write(|tx| abandon_some(tx, deposit))?;
            removed += step.files;
            if !step.more {
                return Ok(removed);
            }
        }
    }
}

/// What the deposit saved.
pub(super) const SAVED: &str = "file_versions AS v JOIN files AS f ON f.id = v.file_id
    WHERE v.deposit_id = ?1 AND ?2 = ?2 AND v.deleted_at IS NULL";

/// What was current before and is replaced by it.
pub(super) const REPLACED: &str =
    "file_versions AS n JOIN file_versions AS v ON v.file_id = n.file_id
    JOIN files AS f ON f.id = v.file_id
    WHERE n.deposit_id = ?1 AND v.superseded_by = ?2 AND v.deleted_at IS NULL";

fn sums(conn: &Connection, of: &str, deposit: &DepositRow) -> Result<Sums, Error> {
    let sql = format!(
        "SELECT count(*), coalesce(sum(v.size), 0), coalesce(sum({PAYLOAD}), 0),
             coalesce(sum(iif({PAYLOAD}, v.size, 0)), 0) FROM {of}"
    );
    Ok(conn.prepare_cached(&sql)?.query_row((deposit.id, deposit.version), |row| {
        Ok(Sums {
            files: row.get(0)?,
            bytes: row.get(1)?,
            payload_files: row.get(2)?,
            payload_bytes: row.get(3)?,
        })
    })?)
}

fn require_count(saved: Sums, deposit: &DepositRow, seal: &Seal) -> Result<(), Error> {
    if u64::try_from(saved.files).unwrap_or(0) != seal.saved_file_count {
        let (id, count) = (deposit.id, seal.saved_file_count);
        let why = format!("deposit {id} has {} files, not {count}", saved.files);
        return Err(Error::Refused { why });
    }
    Ok(())
}

fn write_seal(
    tx: &Transaction<'_>,
    deposit: &DepositRow,
    seal: &Seal,
    (saved, replaced): (Sums, Sums),
) -> Result<(), Error> {
    let facts = &seal.facts;
    forget_object(tx, deposit.object_id)?;
    tx.execute(
        SEAL_OBJECT,
        params![
            deposit.object_id,
            deposit.version,
            facts.title,
            facts.description,
            facts.alt_identifier,
            facts.access,
            facts.etag,
            facts.bag_group_identifier,
            facts.storage_option,
            facts.bagit_profile_identifier,
            facts.source_organization,
            facts.internal_sender_identifier,
            facts.internal_sender_description,
            seal.at,
            saved.files - replaced.files,
            saved.bytes - replaced.bytes,
            saved.payload_files - replaced.payload_files,
            saved.payload_bytes - replaced.payload_bytes
        ],
    )?;
    add_object(tx, deposit.object_id)?;
    derive::add_deposit(tx, deposit)?;
    let sql = "UPDATE deposits SET sealed_at = ?2 WHERE id = ?1";
    tx.execute(sql, params![deposit.id, seal.at])?;
    Ok(())
}

/// What one step of abandoning took away.
struct Step {
    files: u64,
    more: bool,
}

/// One bounded step: first events, because they point at files, then files, then the rest.
fn abandon_some(tx: &Transaction<'_>, id: DepositId) -> Result<Step, Error> {
    let sql = "SELECT sealed_at IS NOT NULL FROM deposits WHERE id = ?1";
    match tx.query_row(sql, [id], |row| row.get(0)).optional()? {
        None => return Ok(Step { files: 0, more: false }),
        Some(true) => {
            let why = format!("deposit {id} is sealed and cannot be abandoned");
            return Err(Error::Refused { why });
        }
        Some(false) => {}
    }
    let sql = "DELETE FROM events WHERE id IN
        (SELECT id FROM events WHERE deposit_id = ?1 LIMIT ?2)";
    if tx.execute(sql, params![id, BATCH_MAX as i64])? == BATCH_MAX {
        return Ok(Step { files: 0, more: true });
    }
    let deposit = deposit::require(tx, id)?;
    let files = some_files(tx, id)?;
    for file in &files {
        take_away(tx, *file, deposit.version)?;
    }
    let more = files.len() == BATCH_MAX;
    if !more {
        forget_version(tx, deposit.object_id, deposit.version)?;
        tx.execute("DELETE FROM deposits WHERE id = ?1", [id])?;
        let sql = "DELETE FROM objects WHERE id = ?1 AND version = 0";
        tx.execute(sql, [deposit.object_id])?;
    }
    Ok(Step { files: files.len() as u64, more })
}

/// Takes one version of a file away, and the file when it has no other.
fn take_away(tx: &Transaction<'_>, file: FileId, version: Version) -> Result<(), Error> {
    for sql in [
        "WITH gone AS (SELECT * FROM file_versions WHERE file_id = ?1 AND version = ?2)
         DELETE FROM digest_starts WHERE file_id = ?1 AND version = ?2 AND start IN
             (SELECT substr(md5, 1, 8) FROM gone UNION ALL SELECT substr(sha1, 1, 8) FROM gone
              UNION ALL SELECT substr(sha256, 1, 8) FROM gone
              UNION ALL SELECT substr(sha512, 1, 8) FROM gone)",
        "DELETE FROM copies WHERE file_id = ?1 AND version = ?2",
        "DELETE FROM file_versions WHERE file_id = ?1 AND version = ?2",
        "UPDATE file_versions SET superseded_by = NULL WHERE file_id = ?1 AND superseded_by = ?2",
        FORGET_FILE_WORDS,
        "DELETE FROM files WHERE id = ?1 AND first_version = ?2",
    ] {
        tx.prepare_cached(sql)?.execute((file, version))?;
    }
    Ok(())
}

fn some_files(conn: &Connection, id: DepositId) -> Result<Vec<FileId>, Error> {
    let sql = "SELECT file_id FROM file_versions WHERE deposit_id = ?1 LIMIT ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let files = statement.query_map(params![id, BATCH_MAX as i64], |row| row.get(0))?;
    Ok(files.collect::<Result<_, _>>()?)
}
