//! Deleting: the bytes go, the tombstone stays.
//!
//! Nothing is deleted without the agreement of two people: a part of an approved request says
//! exactly which file, or which whole object, may go. The rows, the events and the end of that part
//! are one transaction, so that a deletion is seen whole or not at all. After a loss of the registry
//! the record that was put into the vaults before the first byte went takes the place of the request.

use rusqlite::{OptionalExtension, Transaction, params};

use super::event::{About, EventType, NewEvent, Outcome, put_event};
use super::identity::{FileId, ObjectId, Uuid, Version};
use super::loss::tell_losses;
use super::{PAYLOAD, derive};
use crate::clock::Timestamp;
use crate::registry::deletion::{DeletionPartId, agreed, part_done};
use crate::registry::moment::Millis;
use crate::registry::{Error, Registry};

/// How a deletion is told, drawn before anything was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletionTelling {
    /// When it was begun: the date of the tombstones and of the events.
    pub at: Timestamp,
    /// The event about the file, or about all files of the object.
    pub files_event: Uuid,
    /// The event about the object; not written for a single file.
    pub object_event: Uuid,
    /// What did it, with its version.
    pub agent: String,
}

/// A deletion as a vault's record tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldDeletion {
    /// The object.
    pub object: ObjectId,
    /// The file, when it was not the whole object.
    pub file: Option<FileId>,
    /// E-mail of who asked.
    pub requester: String,
    /// E-mail of who agreed.
    pub approver: String,
    /// When, and what the events are called.
    pub telling: DeletionTelling,
}

impl Registry {
    /// Says that the bytes of the file that a part names are gone from every sealed version and
    /// replica, and ends the part; true if the part was not done before. The versions of the file
    /// stay as tombstones without copies; a later deposit may bring it back under its old UUID.
    ///
    /// # Errors
    ///
    /// `Refused` for a part that is not approved, whose cooling-off period is not over, or that is about
    /// a whole object; `NotFound` for one that is not there. Nothing is deleted then.
    pub fn delete_file(
        &self,
        part: DeletionPartId,
        telling: &DeletionTelling,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.write(|tx| {
            let agreed = agreed(tx, part, now)?;
            let Some(file) = agreed.file else {
                let why = format!("deletion part {part} is about a whole object, not about a file");
                return Err(Error::Refused { why });
            };
            if agreed.done {
                return Ok(false);
            }
            let by = (agreed.requester.as_str(), agreed.approver.as_str());
            tell_losses(tx, part, (agreed.object, Some(file)), telling)?;
            let gone = take_file_away(tx, file, by, telling)?;
            part_done(tx, part, gone, now)?;
            Ok(true)
        })
    }

    /// Says the same of the whole object that a part names, with all its files.
    ///
    /// # Errors
    ///
    /// As for [`Registry::delete_file`].
    pub fn delete_object(
        &self,
        part: DeletionPartId,
        telling: &DeletionTelling,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.write(|tx| {
            let agreed = agreed(tx, part, now)?;
            if agreed.file.is_some() {
                let why = format!("deletion part {part} is about one file, not about its object");
                return Err(Error::Refused { why });
            }
            if agreed.done {
                return Ok(false);
            }
            let by = (agreed.requester.as_str(), agreed.approver.as_str());
            tell_losses(tx, part, (agreed.object, None), telling)?;
            let gone = take_object_away(tx, agreed.object, by, telling)?;
            part_done(tx, part, gone, now)?;
            Ok(true)
        })
    }

    /// Tells a deletion again that a vault has the record of, to a registry that is being made from
    /// that vault and knows the object as it was then. Telling it twice changes nothing.
    ///
    /// # Errors
    ///
    /// `NotFound` for a file or object that is not held.
    pub fn tell_deletion(&self, told: &ToldDeletion) -> Result<(), Error> {
        let by = (told.requester.as_str(), told.approver.as_str());
        self.write(|tx| {
            match told.file {
                Some(file) => take_file_away(tx, file, by, &told.telling)?,
                None => take_object_away(tx, told.object, by, &told.telling)?,
            };
            Ok(())
        })
    }
}

/// Who asked and who agreed.
type By<'a> = (&'a str, &'a str);

/// Files and bytes that are not there any more.
type Gone = (i64, i64);

fn take_file_away(
    tx: &Transaction<'_>,
    file: FileId,
    by: By<'_>,
    telling: &DeletionTelling,
) -> Result<Gone, Error> {
    let sql = format!(
        "SELECT o.id, o.version, v.size, {PAYLOAD}, v.deleted_at IS NOT NULL
         FROM files AS f JOIN objects AS o ON o.id = f.object_id
             JOIN file_versions AS v ON v.file_id = f.id AND v.version <= o.version
                 AND (v.superseded_by IS NULL OR v.superseded_by > o.version)
         WHERE f.id = ?1"
    );
    let found = tx.prepare_cached(&sql)?.query_row([file], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    });
    let missing = || Error::NotFound { what: format!("file {file}") };
    let (object, sealed, size, payload, gone): (ObjectId, Version, i64, i64, bool) =
        found.optional()?.ok_or_else(missing)?;
    put_event(tx, &event(FILE, telling.files_event, by, telling, About::one(file)))?;
    if gone {
        return Ok((0, 0));
    }
    derive::take_file(tx, (object, sealed), file)?;
    tx.prepare_cached("DELETE FROM copies WHERE file_id = ?1 AND version <= ?2")?
        .execute(params![file, sealed])?;
    tx.prepare_cached(
        "UPDATE file_versions SET deleted_at = ?3
         WHERE file_id = ?1 AND version <= ?2 AND deleted_at IS NULL",
    )?
    .execute(params![file, sealed, Millis(telling.at)])?;
    tx.prepare_cached(
        "UPDATE objects SET file_count = file_count - 1, size = size - ?2,
             payload_file_count = payload_file_count - ?3, payload_size = payload_size - ?2 * ?3,
             updated_at = ?4 WHERE id = ?1",
    )?
    .execute(params![object, size, payload, telling.at])?;
    Ok((1, size))
}

/// All files at once, however many: a reader must not see an object of which half is gone.
fn take_object_away(
    tx: &Transaction<'_>,
    object: ObjectId,
    by: By<'_>,
    telling: &DeletionTelling,
) -> Result<Gone, Error> {
    let sql = "SELECT version, file_count, size, state = 'D' FROM objects
        WHERE id = ?1 AND version > 0";
    let found = tx
        .query_row(sql, [object], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let missing = || Error::NotFound { what: format!("object {object}") };
    let (sealed, files, size, deleted): (Version, i64, i64, bool) = found.ok_or_else(missing)?;
    let all = About::Held(object);
    let whole = About::Object { object, deposit: None };
    put_event(tx, &event(FILE, telling.files_event, by, telling, all))?;
    put_event(tx, &event(OBJECT, telling.object_event, by, telling, whole))?;
    if deleted {
        return Ok((0, 0));
    }
    let of_it = "file_id IN (SELECT id FROM files WHERE object_id = ?1) AND version <= ?2";
    tx.execute(&format!("DELETE FROM copies WHERE {of_it}"), params![object, sealed])?;
    let sql =
        format!("UPDATE file_versions SET deleted_at = ?3 WHERE {of_it} AND deleted_at IS NULL");
    tx.execute(&sql, params![object, sealed, Millis(telling.at)])?;
    derive::take_object(tx, object)?;
    let sql = "UPDATE objects SET state = 'D', file_count = 0, size = 0, payload_file_count = 0,
        payload_size = 0, updated_at = ?2 WHERE id = ?1";
    tx.execute(sql, params![object, telling.at])?;
    Ok((files, size))
}

/// The described system's words, for a file and for an object.
const FILE: &str = "all copies of this file deleted from preservation storage";
const OBJECT: &str = "object deleted from preservation storage";

fn event(
    detail: &str,
    identifier: Uuid,
    (requester, approver): By<'_>,
    telling: &DeletionTelling,
    about: About,
) -> NewEvent {
    NewEvent {
        identifier,
        event_type: EventType::Deletion,
        date_time: telling.at,
        detail: detail.to_owned(),
        outcome: Outcome::Success,
        outcome_detail: requester.to_owned(),
        outcome_information: format!(
            "deleted at request of {requester}, institutional approver {approver}, \
             confirms all copies deleted"
        ),
        object: telling.agent.clone(),
        agent: telling.agent.clone(),
        about,
    }
}
