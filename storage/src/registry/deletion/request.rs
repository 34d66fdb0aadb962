//! Asking for a deletion.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::people::{KEPT, require_admin};
use super::row::{DeletionId, DeletionRow, require};
use crate::clock::Timestamp;
use crate::registry::holding::{FileId, ObjectId, Uuid};
use crate::registry::{Error, Registry};

/// Things that one request may name.
pub const TARGETS_MAX: usize = 100_000;

/// Bytes of a reason.
const REASON_MAX: usize = 1000;

/// Something to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeletionTarget {
    /// A whole object, with all its files and versions.
    Object(ObjectId),
    /// One file, in all its versions.
    File(FileId),
}

/// A wish to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeletion {
    /// Drawn by the caller: the name by which vaults know it.
    pub uuid: Uuid,
    /// The owner of everything it names.
    pub institution_id: i64,
    /// Why, in 1 to 1,000 bytes.
    pub reason: String,
    /// The user who asks.
    pub requested_by: i64,
    /// The user who enters it in the requester's name; none when the requester does.
    pub entered_by: Option<i64>,
    /// What it is about.
    pub targets: Vec<DeletionTarget>,
    /// Until when somebody else may agree.
    pub expires_at: Timestamp,
}

const ADD: &str = "INSERT INTO deletion_requests (uuid, institution_id, reason, requested_by_id,
        requested_at, expires_at, entered_by_id)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id";

const ADD_PART: &str = "INSERT INTO deletion_parts (request_id, object_id, file_id, file_count,
        size) VALUES (?1, ?2, ?3, ?4, ?5)";

impl Registry {
    /// Writes a request down, with everything it names.
    ///
    /// # Errors
    ///
    /// `Invalid` for a reason, number of targets or end that breaks its rule, `NotFound` for what is
    /// not in the registry, `Refused` with a sentence when the requester may not ask, or when
    /// something it names belongs to somebody else, is deleted, is named twice or is named by a
    /// request that is still open. Nothing is kept then.
    pub fn request_deletion(
        &self,
        new: &NewDeletion,
        now: Timestamp,
    ) -> Result<DeletionRow, Error> {
        new.validate(now)?;
        self.write(|tx| {
            require_admin(tx, new.requested_by, new.institution_id, "ask for a deletion")?;
            let values = params![
                new.uuid,
                new.institution_id,
                new.reason.trim(),
                new.requested_by,
                now,
                new.expires_at,
                new.entered_by.filter(|user| *user != new.requested_by)
            ];
            let id: DeletionId = tx.query_row(ADD, values, |row| row.get(0))?;
            for target in &new.targets {
                add_part(tx, id, target.look_up(tx, new.institution_id, now)?)?;
            }
            require(tx, id, now)
        })
    }
}

/// What a target is, and how much.
struct Named {
    object: ObjectId,
    file: Option<FileId>,
    file_count: i64,
    size: i64,
}

fn add_part(tx: &Transaction<'_>, id: DeletionId, named: Named) -> Result<(), Error> {
    let Named { object, file, file_count, size } = named;
    tx.prepare_cached(ADD_PART)?.execute(params![id, object, file, file_count, size])?;
    Ok(())
}

impl NewDeletion {
    fn validate(&self, now: Timestamp) -> Result<(), Error> {
        let bad = |field, rule: String| Err(Error::Invalid { field, rule });
        if !(1..=REASON_MAX).contains(&self.reason.trim().len()) {
            return bad("reason", format!("must have 1 to {REASON_MAX} bytes"));
        }
        if self.reason.chars().any(|letter| letter.is_control() && letter != '\n') {
            return bad("reason", "must not hold control characters".to_owned());
        }
        if !(1..=TARGETS_MAX).contains(&self.targets.len()) {
            let count = self.targets.len();
            return bad("targets", format!("must be 1 to {TARGETS_MAX}, not {count}"));
        }
        if self.expires_at <= now {
            return bad("expires_at", "must lie ahead".to_owned());
        }
        let mut seen = HashSet::new();
        match self.targets.iter().find(|target| !seen.insert(**target)) {
            Some(target) => bad("targets", format!("must name nothing twice: {}", target.told())),
            None => Ok(()),
        }
    }
}

const OBJECT: &str = "SELECT id, NULL, institution_id, state = 'A', file_count, size, identifier
    FROM objects WHERE id = ?1 AND version > 0";

const FILE: &str = "SELECT intellectual_object_id, id, institution_id, state = 'A', 1, size,
        object_identifier || '/' || path
    FROM held_files WHERE id = ?1";

/// The other request that names the same, is still open, and has not done its part.
const OPEN: &str = "SELECT r.id FROM deletion_parts AS p JOIN deletion_requests AS r
        ON r.id = p.request_id
    WHERE p.object_id = ?1 AND (p.file_id IS ?2 OR p.file_id IS NULL OR ?2 IS NULL)
        AND p.done_at IS NULL AND r.cancelled_at IS NULL
        AND (r.confirmed_at IS NOT NULL OR r.expires_at > ?3)
    LIMIT 1";

impl DeletionTarget {
    fn told(self) -> String {
        match self {
            DeletionTarget::Object(id) => format!("object {id}"),
            DeletionTarget::File(id) => format!("file {id}"),
        }
    }

    fn look_up(self, conn: &Connection, institution: i64, now: Timestamp) -> Result<Named, Error> {
        let (sql, id) = match self {
            DeletionTarget::Object(id) => (OBJECT, id.0),
            DeletionTarget::File(id) => (FILE, id.0),
        };
        let found = conn.prepare_cached(sql)?.query_row([id], |row| {
            let named = Named {
                object: row.get(0)?,
                file: row.get(1)?,
                file_count: row.get(4)?,
                size: row.get(5)?,
            };
            Ok((named, row.get::<_, i64>(2)?, row.get::<_, bool>(3)?, row.get::<_, String>(6)?))
        });
        let missing = || Error::NotFound { what: self.told() };
        let (named, owner, held, name) = found.optional()?.ok_or_else(missing)?;
        let refused = |why: &str| Err(Error::Refused { why: format!("{name} {why}; {KEPT}") });
        if owner != institution {
            return refused("belongs to another institution");
        }
        if !held {
            return refused("is deleted already");
        }
        let mut open = conn.prepare_cached(OPEN)?;
        let values = params![named.object, named.file, now];
        // The parts written a moment ago are among them: an object and a file of it are one thing twice.
        match open.query_row(values, |row| row.get::<_, DeletionId>(0)).optional()? {
            Some(other) => refused(&format!("is named by deletion request {other} already")),
            None => Ok(named),
        }
    }
}
