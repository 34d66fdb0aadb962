//! What a request is about, one object or file at a time, and what has become of each.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::people::KEPT;
use super::row::DeletionId;
use crate::clock::Timestamp;
use crate::registry::holding::{FileId, ObjectId, numbers};
use crate::registry::moment::{Fields, MaybeMoment, Millis, Moment};
use crate::registry::{Error, Registry};

numbers! {
    /// A part of a request, by the number this registry gave it.
    DeletionPartId(i64);
}

/// Parts that one call may ask for.
const PARTS_MAX: u32 = 1000;

/// A whole object, or one file of it, that a request names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionPart {
    /// Given by the registry.
    pub id: DeletionPartId,
    /// The request.
    pub request_id: DeletionId,
    /// Whether the second person approved the request, and nobody cancelled it since.
    pub approved: bool,
    /// Nothing of it is erased before this moment; none while it is not approved.
    #[serde(with = "MaybeMoment", default)]
    pub erase_after: Option<Timestamp>,
    /// The object.
    pub object_id: ObjectId,
    /// Its identifier.
    pub object_identifier: String,
    /// The file, when it is not about the whole object.
    pub file_id: Option<FileId>,
    /// Its path in the object.
    pub path: Option<String>,
    /// The item that does it, once there is one.
    pub item_id: Option<i64>,
    /// When it was gone from every replica.
    #[serde(with = "MaybeMoment")]
    pub done_at: Option<Timestamp>,
    /// How many files that is, as asked for and later as they went.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

const SELECT: &str = "SELECT p.id, p.request_id,
        r.confirmed_at IS NOT NULL AND r.cancelled_at IS NULL, r.erase_after, p.object_id,
        o.identifier, p.file_id, f.path, p.item_id, p.done_at, p.file_count, p.size
    FROM deletion_parts AS p JOIN deletion_requests AS r ON r.id = p.request_id
        JOIN objects AS o ON o.id = p.object_id LEFT JOIN files AS f ON f.id = p.file_id";

impl Registry {
    /// The part with this id.
    pub fn deletion_part(&self, id: DeletionPartId) -> Result<Option<DeletionPart>, Error> {
        self.one(&format!("{SELECT} WHERE p.id = ?1"), [id], DeletionPart::read)
    }

    /// The part of a request that is about this object, or about this file of it.
    pub fn deletion_part_about(
        &self,
        id: DeletionId,
        (object, file): (ObjectId, Option<FileId>),
    ) -> Result<Option<DeletionPart>, Error> {
        let sql = format!(
            "{SELECT} WHERE p.request_id = ?1 AND p.object_id = ?2
             AND coalesce(p.file_id, 0) = coalesce(?3, 0)"
        );
        self.one(&sql, params![id, object, file], DeletionPart::read)
    }

    /// Some parts of a request, in the order of their ids, from the one after `after`; at most a
    /// thousand.
    pub fn deletion_parts(
        &self,
        id: DeletionId,
        after: DeletionPartId,
        limit: u32,
    ) -> Result<Vec<DeletionPart>, Error> {
        let sql = format!("{SELECT} WHERE p.request_id = ?1 AND p.id > ?2 ORDER BY p.id LIMIT ?3");
        self.rows(&sql, params![id, after, limit.min(PARTS_MAX)], DeletionPart::read)
    }

    /// Some parts of approved requests whose cooling-off period is over and that are not done, in the
    /// order of their ids, from the one after `after`; at most a thousand.
    pub fn undone_deletion_parts(
        &self,
        after: DeletionPartId,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<DeletionPart>, Error> {
        let sql = format!(
            "{SELECT} WHERE p.done_at IS NULL AND p.id > ?1 AND p.request_id IN
                 (SELECT w.id FROM deletion_requests AS w
                  WHERE w.confirmed_at IS NOT NULL AND w.completed_at IS NULL
                      AND w.cancelled_at IS NULL AND w.erase_after <= ?3)
             ORDER BY p.id LIMIT ?2"
        );
        self.rows(&sql, params![after, limit.min(PARTS_MAX), now], DeletionPart::read)
    }

    /// A part of an approved request that is about this object or a file of it, and not done.
    pub fn approved_deletion_of(&self, object: ObjectId) -> Result<Option<DeletionPart>, Error> {
        let sql = format!(
            "{SELECT} WHERE p.object_id = ?1 AND p.done_at IS NULL AND r.confirmed_at IS NOT NULL
             AND r.cancelled_at IS NULL ORDER BY r.erase_after, p.id LIMIT 1"
        );
        self.one(&sql, [object], DeletionPart::read)
    }

    /// The same for one file: a part that takes it away, alone or with its whole object.
    pub fn approved_deletion_of_file(
        &self,
        object: ObjectId,
        file: FileId,
    ) -> Result<Option<DeletionPart>, Error> {
        let sql = format!(
            "{SELECT} WHERE p.object_id = ?1 AND (p.file_id IS NULL OR p.file_id = ?2)
             AND p.done_at IS NULL AND r.confirmed_at IS NOT NULL AND r.cancelled_at IS NULL
             ORDER BY r.erase_after, p.id LIMIT 1"
        );
        self.one(&sql, (object, file), DeletionPart::read)
    }

    /// Whether something of an object was deleted since: any of it, or the file at this path.
    pub fn is_deleted_since(
        &self,
        object: &str,
        path: Option<&str>,
        since: Timestamp,
    ) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM objects AS o JOIN deletion_parts AS p ON p.object_id = o.id
             LEFT JOIN files AS f ON f.id = p.file_id
             WHERE o.identifier = ?1 AND p.done_at >= ?3
             AND (?2 IS NULL OR p.file_id IS NULL OR f.path = ?2) LIMIT 1";
        let found = self.one(sql, params![object, path, since], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Notes the items that do the parts.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many.
    pub fn note_deletion_items(&self, items: &[(DeletionPartId, i64)]) -> Result<(), Error> {
        crate::registry::holding::check_batch("items", items.len())?;
        self.write(|tx| {
            let sql = "UPDATE deletion_parts SET item_id = ?2 WHERE id = ?1 AND item_id IS NOT ?2";
            for (part, item) in items {
                tx.prepare_cached(sql)?.execute(params![part, item])?;
            }
            Ok(())
        })
    }
}

/// A replica that a part is gone from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoneCopy {
    /// Its name.
    pub replica: String,
    /// Which building or provider it is in.
    pub place: String,
    /// When it was looked at and nothing was found.
    #[serde(with = "Moment")]
    pub gone_at: Timestamp,
}

impl Registry {
    /// Notes that a part is gone from a replica; the first look counts.
    ///
    /// # Errors
    ///
    /// `NotFound` for a replica that is not known, `Refused` for a part that is not approved or whose
    /// cooling-off period is not over.
    pub fn note_gone(
        &self,
        part: DeletionPartId,
        replica: &str,
        at: Timestamp,
    ) -> Result<(), Error> {
        self.write(|tx| {
            agreed(tx, part, at)?;
            let sql = "SELECT id FROM replicas WHERE name = ?1";
            let found = tx.query_row(sql, [replica], |row| row.get::<_, i64>(0)).optional()?;
            let missing = || Error::NotFound { what: format!("replica {replica}") };
            let sql = "INSERT INTO deletion_copies (part_id, replica_id, gone_at)
                VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            tx.execute(sql, params![part, found.ok_or_else(missing)?, at])?;
            Ok(())
        })
    }

    /// The replicas that a part is gone from, by name.
    pub fn gone_copies(&self, part: DeletionPartId) -> Result<Vec<GoneCopy>, Error> {
        let sql = "SELECT r.name, r.place, g.gone_at FROM deletion_copies AS g
            JOIN replicas AS r ON r.id = g.replica_id WHERE g.part_id = ?1
            ORDER BY r.name LIMIT 1000";
        self.rows(sql, [part], |row| {
            let mut of = Fields::of(row);
            Ok(GoneCopy { replica: of.take()?, place: of.take()?, gone_at: of.take()? })
        })
    }

    /// How many versions of files a part has left tombstones of, and how many different contents
    /// they had.
    pub fn tombstones(&self, part: &DeletionPart) -> Result<(u64, u64), Error> {
        let sql = "SELECT count(*), count(DISTINCT v.sha512) FROM files AS f
            CROSS JOIN file_versions AS v ON v.file_id = f.id
            WHERE f.object_id = ?1 AND (?2 IS NULL OR f.id = ?2) AND v.deleted_at <= ?3";
        let done = Millis(part.done_at.unwrap_or(Timestamp(0)));
        let counts = self.one(sql, params![part.object_id, part.file_id, done], |row| {
            let mut of = Fields::of(row);
            Ok((of.count()?, of.count()?))
        })?;
        Ok(counts.unwrap_or_default())
    }
}

impl DeletionPart {
    /// Whether it may be erased at this moment, as far as time goes.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.approved && self.erase_after.is_some_and(|from| from <= now)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<DeletionPart> {
        let mut of = Fields::of(row);
        Ok(DeletionPart {
            id: of.take()?,
            request_id: of.take()?,
            approved: of.take()?,
            erase_after: of.take()?,
            object_id: of.take()?,
            object_identifier: of.take()?,
            file_id: of.take()?,
            path: of.take()?,
            item_id: of.take()?,
            done_at: of.take()?,
            file_count: of.count()?,
            size: of.count()?,
        })
    }
}

/// What two people agreed on, as the transaction that deletes finds it.
pub(in crate::registry) struct Agreed {
    pub(in crate::registry) object: ObjectId,
    pub(in crate::registry) file: Option<FileId>,
    pub(in crate::registry) done: bool,
    pub(in crate::registry) requester: String,
    pub(in crate::registry) approver: String,
}

/// The agreement behind a part; `Refused` when there is none, or its cooling-off period is not over.
pub(in crate::registry) fn agreed(
    conn: &Connection,
    part: DeletionPartId,
    now: Timestamp,
) -> Result<Agreed, Error> {
    let sql =
        "SELECT p.object_id, p.file_id, p.done_at IS NOT NULL, q.email, a.email, r.erase_after
        FROM deletion_parts AS p JOIN deletion_requests AS r ON r.id = p.request_id
            JOIN users AS q ON q.id = r.requested_by_id
            LEFT JOIN users AS a ON a.id = r.confirmed_by_id AND r.cancelled_at IS NULL
        WHERE p.id = ?1";
    let found = conn.prepare_cached(sql)?.query_row([part], |row| {
        let approver: Option<String> = row.get(4)?;
        let agreed = Agreed {
            object: row.get(0)?,
            file: row.get(1)?,
            done: row.get(2)?,
            requester: row.get(3)?,
            approver: approver.clone().unwrap_or_default(),
        };
        Ok((agreed, approver.is_some(), row.get::<_, Option<Timestamp>>(5)?))
    });
    let missing = || Error::NotFound { what: format!("deletion part {part}") };
    match found.optional()?.ok_or_else(missing)? {
        (agreed, true, Some(from)) if from <= now => Ok(agreed),
        (_, true, Some(from)) => {
            let why = format!("deletion part {part} is not erased before {from}; {KEPT}");
            Err(Error::Refused { why })
        }
        (_, true, None) | (_, false, _) => {
            Err(Error::Refused { why: format!("deletion part {part} is not approved; {KEPT}") })
        }
    }
}

/// Notes that a part is gone from everywhere; the last one completes its request.
pub(in crate::registry) fn part_done(
    tx: &Transaction<'_>,
    part: DeletionPartId,
    (file_count, size): (i64, i64),
    at: Timestamp,
) -> Result<(), Error> {
    let sql = "UPDATE deletion_parts SET done_at = ?2, file_count = ?3, size = ?4
        WHERE id = ?1 AND done_at IS NULL";
    tx.execute(sql, params![part, at, file_count, size])?;
    let sql = "UPDATE deletion_requests SET completed_at = ?2
        WHERE id = (SELECT request_id FROM deletion_parts WHERE id = ?1) AND completed_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM deletion_parts AS p
                WHERE p.request_id = deletion_requests.id AND p.done_at IS NULL)";
    tx.execute(sql, params![part, at])?;
    Ok(())
}
