//! Requests as they are listed and shown.

use rusqlite::{Connection, OptionalExtension, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::holding::{Uuid, by_name, numbers};
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Eq, Gt, GtEq, In, IsNull, Lt, LtEq, NotNull};
use crate::registry::query::{Column, Listing, Op, Owner, Page, Query};
use crate::registry::{Error, Registry};

numbers! {
    /// A request to delete, by the number this registry gave it.
    DeletionId(i64);
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionState {
    /// It waits for the second person.
    Requested,
    /// The second person approved it; what it names is deleted when the cooling-off period is over.
    Approved,
    /// Somebody withdrew it.
    Cancelled,
    /// Nobody agreed in time.
    Expired,
    /// Everything it names is gone.
    Completed,
}

impl DeletionState {
    /// All of them.
    pub const ALL: [DeletionState; 5] = [
        DeletionState::Requested,
        DeletionState::Approved,
        DeletionState::Cancelled,
        DeletionState::Expired,
        DeletionState::Completed,
    ];

    /// The word in lists and sentences.
    pub fn name(self) -> &'static str {
        match self {
            DeletionState::Requested => "requested",
            DeletionState::Approved => "approved",
            DeletionState::Cancelled => "cancelled",
            DeletionState::Expired => "expired",
            DeletionState::Completed => "completed",
        }
    }
}

by_name!(DeletionState);

/// A request; its fields stand in the order of [`DELETIONS`], and the state at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionRow {
    /// Given by the registry.
    pub id: DeletionId,
    /// Drawn when it was made: the name by which vaults know it.
    pub uuid: Uuid,
    /// The owner of everything it names.
    pub institution_id: i64,
    /// Name of the owner.
    pub institution_name: String,
    /// Identifier of the owner.
    pub institution_identifier: String,
    /// Why, in the requester's words.
    pub reason: String,
    /// Who asked.
    pub requested_by_id: i64,
    /// Name of who asked.
    pub requested_by_name: String,
    /// E-mail of who asked.
    pub requested_by_email: String,
    /// When.
    #[serde(with = "Moment")]
    pub requested_at: Timestamp,
    /// Until when somebody else may agree.
    #[serde(with = "Moment")]
    pub expires_at: Timestamp,
    /// Who agreed.
    pub confirmed_by_id: Option<i64>,
    /// Name of who agreed.
    pub confirmed_by_name: Option<String>,
    /// E-mail of who agreed.
    pub confirmed_by_email: Option<String>,
    /// When.
    #[serde(with = "MaybeMoment")]
    pub confirmed_at: Option<Timestamp>,
    /// Nothing is erased before this moment: the end of the cooling-off period, set by the approval.
    #[serde(with = "MaybeMoment", default)]
    pub erase_after: Option<Timestamp>,
    /// Who withdrew it.
    pub cancelled_by_id: Option<i64>,
    /// Name of who withdrew it.
    pub cancelled_by_name: Option<String>,
    /// E-mail of who withdrew it.
    pub cancelled_by_email: Option<String>,
    /// When.
    #[serde(with = "MaybeMoment")]
    pub cancelled_at: Option<Timestamp>,
    /// When the last of it was gone from every replica.
    #[serde(with = "MaybeMoment")]
    pub completed_at: Option<Timestamp>,
    /// Whole objects that it names.
    pub object_count: u64,
    /// Single files that it names.
    pub file_count: u64,
    /// Of both, those that are gone.
    pub done_count: u64,
    /// Files altogether, those of whole objects counted one by one: as asked for, and as they went.
    pub deleted_file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// The user who entered it in the requester's name; none when the requester did.
    #[serde(default)]
    pub entered_by_id: Option<i64>,
    /// What became of it, at the moment it was looked at.
    pub state: DeletionState,
}

const SPAN: &[Op] = &[Eq, Gt, GtEq, Lt, LtEq];

/// Holds for requests of which an item has this word.
macro_rules! doing {
    ($column:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM deletion_parts AS p JOIN work_items AS w ON w.id = p.item_id
             WHERE p.request_id = deletions.id AND w.",
            $column,
            " = ?)"
        )
    };
}

/// The listing of requests, the newest first.
pub static DELETIONS: Listing = Listing {
    table: "deletions",
    view: "deletions",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In]).sortable(),
        Column::new("uuid", Text, &[Eq]).found_by("uuid = unhex(?, '-')"),
        Column::new("institution_id", Integer, &[Eq, In]),
        Column::new("institution_name", Text, &[]),
        Column::new("institution_identifier", Text, &[]),
        Column::new("reason", Text, &[]),
        Column::new("requested_by_id", Integer, &[Eq]),
        Column::new("requested_by_name", Text, &[]),
        Column::new("requested_by_email", Text, &[]),
        Column::new("requested_at", Time, SPAN).sortable(),
        Column::new("expires_at", Time, SPAN),
        Column::new("confirmed_by_id", Integer, &[Eq]).nullable(),
        Column::new("confirmed_by_name", Text, &[]).nullable(),
        Column::new("confirmed_by_email", Text, &[]).nullable(),
        Column::new("confirmed_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("erase_after", Time, &[]).nullable(),
        Column::new("cancelled_by_id", Integer, &[Eq]).nullable(),
        Column::new("cancelled_by_name", Text, &[]).nullable(),
        Column::new("cancelled_by_email", Text, &[]).nullable(),
        Column::new("cancelled_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("completed_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("object_count", Integer, &[]),
        Column::new("file_count", Integer, &[]),
        Column::new("done_count", Integer, &[]),
        Column::new("deleted_file_count", Integer, &[]),
        Column::new("size", Integer, &[]),
        Column::new("entered_by_id", Integer, &[]).nullable(),
        // Where the work stands that does it.
        Column::asked("stage", &[Eq], doing!("stage")),
        Column::asked("status", &[Eq], doing!("status")),
        // A moment stands before the word: whether a request expired depends on when one asks.
        Column::asked(
            STATE,
            &[Eq],
            "(SELECT CASE WHEN completed_at IS NOT NULL THEN 'completed'
                 WHEN cancelled_at IS NOT NULL THEN 'cancelled'
                 WHEN confirmed_at IS NOT NULL THEN 'approved'
                 WHEN expires_at <= substr(x, 1, 24) THEN 'expired' ELSE 'requested' END
                 = substr(x, 25) FROM (SELECT ? AS x))",
        ),
    ],
    owner: Owner {
        unrestricted: Some(
            "NOT EXISTS (SELECT 1 FROM deletion_parts AS p JOIN objects AS o ON o.id = p.object_id
                WHERE p.request_id = deletions.id AND o.access = 'restricted')",
        ),
        ..Owner::INSTITUTION
    },
    default_sort: ("requested_at", true),
};

/// The one question whose answer depends on the time.
const STATE: &str = "state";

impl Registry {
    /// The request with this id, as it is now.
    pub fn deletion(&self, id: DeletionId, now: Timestamp) -> Result<Option<DeletionRow>, Error> {
        self.read(|conn| find(conn, id, now))
    }

    /// One page of requests, as they are now.
    pub fn list_deletions(
        &self,
        query: &Query,
        now: Timestamp,
    ) -> Result<Page<DeletionRow>, Error> {
        let query = query.clone().asked_at(STATE, now);
        let mut page = self.list(&DELETIONS, &query, DeletionRow::read)?;
        page.rows.iter_mut().for_each(|row| row.state = row.state_at(now));
        Ok(page)
    }
}

pub(super) fn require(
    conn: &Connection,
    id: DeletionId,
    now: Timestamp,
) -> Result<DeletionRow, Error> {
    let missing = || Error::NotFound { what: format!("deletion request {id}") };
    find(conn, id, now)?.ok_or_else(missing)
}

fn find(conn: &Connection, id: DeletionId, now: Timestamp) -> Result<Option<DeletionRow>, Error> {
    let sql = format!("SELECT {} FROM deletions WHERE id = ?1", DELETIONS.column_list());
    let mut statement = conn.prepare_cached(&sql)?;
    let row = statement.query_row([id], DeletionRow::read).optional()?;
    Ok(row.map(|row| DeletionRow { state: row.state_at(now), ..row }))
}

impl DeletionRow {
    /// Reads a row selected with the listing's columns; its state is told by whoever knows the time.
    fn read(row: &Row<'_>) -> rusqlite::Result<DeletionRow> {
        let mut of = Fields::of(row);
        Ok(DeletionRow {
            id: of.take()?,
            uuid: of.take()?,
            institution_id: of.take()?,
            institution_name: of.take()?,
            institution_identifier: of.take()?,
            reason: of.take()?,
            requested_by_id: of.take()?,
            requested_by_name: of.take()?,
            requested_by_email: of.take()?,
            requested_at: of.take()?,
            expires_at: of.take()?,
            confirmed_by_id: of.take()?,
            confirmed_by_name: of.take()?,
            confirmed_by_email: of.take()?,
            confirmed_at: of.take()?,
            erase_after: of.take()?,
            cancelled_by_id: of.take()?,
            cancelled_by_name: of.take()?,
            cancelled_by_email: of.take()?,
            cancelled_at: of.take()?,
            completed_at: of.take()?,
            object_count: of.count()?,
            file_count: of.count()?,
            done_count: of.count()?,
            deleted_file_count: of.count()?,
            size: of.count()?,
            entered_by_id: of.take()?,
            state: DeletionState::Requested,
        })
    }

    /// Whether it is approved and can still be cancelled: nothing is erased yet.
    pub fn is_cooling_off(&self, now: Timestamp) -> bool {
        self.state_at(now) == DeletionState::Approved
            && self.erase_after.is_some_and(|from| now < from)
    }

    fn state_at(&self, now: Timestamp) -> DeletionState {
        if self.completed_at.is_some() {
            DeletionState::Completed
        } else if self.cancelled_at.is_some() {
            DeletionState::Cancelled
        } else if self.confirmed_at.is_some() {
            DeletionState::Approved
        } else if self.expires_at <= now {
            DeletionState::Expired
        } else {
            DeletionState::Requested
        }
    }
}
