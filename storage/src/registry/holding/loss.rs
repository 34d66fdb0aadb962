//! Files that were lost before they were deleted: told with the deletion, because their copies, which
//! say so, go with it.

use rusqlite::{Connection, Transaction, params};

use super::check::LostFile;
use super::delete::DeletionTelling;
use super::event::{About, EventType, NewEvent, Outcome, joined, put_event};
use super::identity::{FileId, ObjectId, Uuid};
use crate::registry::deletion::{DeletionPart, DeletionPartId};
use crate::registry::moment::Fields;
use crate::registry::{Error, Registry};

/// Files told of one deletion; an object that lost more lost all.
const TOLD: u32 = 1000;

/// How such an event is known.
const DETAIL: &str = "file was lost before it was deleted";

/// Tells which of the files that a part deletes no hot replica had an intact copy of.
pub(super) fn tell_losses(
    tx: &Transaction<'_>,
    part: DeletionPartId,
    (object, file): (ObjectId, Option<FileId>),
    telling: &DeletionTelling,
) -> Result<(), Error> {
    let request = request_of(tx, part)?;
    let mut lost = LostFile::find(tx, (object, file), TOLD)?;
    // One word for each file, in its newest version.
    lost.reverse();
    lost.dedup_by_key(|lost| lost.uuid);
    for LostFile { uuid, version, .. } in lost.into_iter().rev() {
        let sql = "SELECT id FROM files WHERE uuid = ?1";
        let file = tx.prepare_cached(sql)?.query_row([uuid], |row| row.get(0))?;
        let event = NewEvent {
            // The object's own event has a row of its own for no file: this name is free.
            identifier: joined(telling.object_event, uuid),
            event_type: EventType::Deletion,
            date_time: telling.at,
            detail: DETAIL.to_owned(),
            outcome: Outcome::Warning,
            outcome_detail: request.to_string(),
            outcome_information: format!(
                "no replica in hot storage had an intact copy of version {version}"
            ),
            object: telling.agent.clone(),
            agent: telling.agent.clone(),
            about: About::one(file),
        };
        put_event(tx, &event)?;
    }
    Ok(())
}

/// The name that vaults have for the request of a part.
fn request_of(conn: &Connection, part: DeletionPartId) -> Result<Uuid, Error> {
    let sql = "SELECT r.uuid FROM deletion_parts AS p
        JOIN deletion_requests AS r ON r.id = p.request_id WHERE p.id = ?1";
    Ok(conn.prepare_cached(sql)?.query_row([part], |row| row.get(0))?)
}

impl Registry {
    /// The paths of files that were lost before a part deleted them, with what is known of the loss.
    pub fn losses_of_deletion(&self, part: &DeletionPart) -> Result<Vec<(String, String)>, Error> {
        let request = self.read(|conn| request_of(conn, part.id))?;
        let sql = "SELECT f.path, w.outcome_information FROM events AS e
                CROSS JOIN wordings AS w ON w.id = e.wording_id
                CROSS JOIN files AS f ON f.id = e.file_id
            WHERE e.object_id = ?1 AND e.event_type = 'deletion' AND e.outcome_detail = ?2
                AND w.detail = ?3 AND (?4 IS NULL OR e.file_id = ?4)
            ORDER BY f.path LIMIT ?5";
        let values = params![part.object_id, request.to_string(), DETAIL, part.file_id, TOLD];
        self.rows(sql, values, |row| {
            let mut of = Fields::of(row);
            Ok((of.take()?, of.take()?))
        })
    }
}
