//! The row of a work item.

use rusqlite::types::ToSql;
use rusqlite::{Params, Row, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};

/// A work item as it is listed and shown; the keys in JSON are the field names.
///
/// The fields stand in the order of [`ITEMS`](super::ITEMS), which is the order they are selected
/// and bound in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemRow {
    /// Given by the queue.
    pub id: i64,
    /// The flow it walks.
    pub flow: String,
    /// The described system's queue topic of its stage.
    pub topic: String,
    /// Our word for where it is; [`TERMINAL_STATES`](super::TERMINAL_STATES) are the last ones.
    pub state: String,
    /// Ingest: the name of the bag's file; else that of what it is about.
    pub name: String,
    /// The received file's entity tag; empty when there is none.
    pub etag: String,
    /// The owner; none for the house's own work.
    pub institution_id: Option<i64>,
    /// The object it is about, once that is known.
    pub intellectual_object_id: Option<i64>,
    /// The file it is about, when it is about one file.
    pub generic_file_id: Option<i64>,
    /// Where the bag was received; empty when nowhere.
    pub bucket: String,
    /// E-mail of who asked for it; empty for the house.
    pub user: String,
    /// The latest message.
    pub note: String,
    /// `Ingest`, `Restore Object`, `Delete`, ...
    pub action: String,
    /// The described system's word for the stage.
    pub stage: String,
    /// `Pending`, `Started`, `Success`, `Failed`, `Cancelled` or `Suspended`.
    pub status: String,
    /// Short sentence on how it ended; empty before.
    pub outcome: String,
    /// When the received file was last changed.
    #[serde(with = "MaybeMoment")]
    pub bag_date: Option<Timestamp>,
    /// When it was last touched by queueing or processing.
    #[serde(with = "Moment")]
    pub date_processed: Timestamp,
    /// Whether it will be worked on without a person's word.
    pub retry: bool,
    /// The machine that holds it; none when nobody does.
    pub node: Option<String>,
    /// The process that holds it; zero when nobody does.
    pub pid: i64,
    /// Whether a person must look.
    pub needs_admin_review: bool,
    /// When it was put into a queue.
    #[serde(with = "MaybeMoment")]
    pub queued_at: Option<Timestamp>,
    /// Bytes of what it is about.
    pub size: i64,
    /// When its present stage was begun.
    #[serde(with = "MaybeMoment")]
    pub stage_started_at: Option<Timestamp>,
    /// Who of the house approved a special deletion.
    pub aptrust_approver: Option<String>,
    /// Who of the institution approved a deletion.
    pub inst_approver: Option<String>,
    /// The deletion request it serves.
    pub deletion_request_id: Option<i64>,
    /// Identifier of the object.
    pub object_identifier: Option<String>,
    /// Identifier of the file.
    pub generic_file_identifier: Option<String>,
    /// The depositor's own identifier of the object.
    pub alt_identifier: Option<String>,
    /// The group of bags it belongs to.
    pub bag_group_identifier: Option<String>,
    /// Where the object is kept.
    pub storage_option: Option<String>,
    /// The profile the bag was checked by.
    pub bagit_profile_identifier: Option<String>,
    /// Tag of the same name.
    pub source_organization: Option<String>,
    /// Tag of the same name.
    pub internal_sender_identifier: Option<String>,
    /// Higher goes first.
    pub priority: i64,
    /// Attempts spent on the present stage.
    pub attempts: i64,
    /// Grows with every change of the item; an older row never replaces a newer one.
    pub revision: i64,
    /// Stable code of why it is parked; none when it is not.
    pub reason: Option<String>,
    /// What happened, when parked.
    pub happened: Option<String>,
    /// What was kept, when parked.
    pub kept: Option<String>,
    /// What to do next, when parked.
    pub advice: Option<String>,
    /// When the queue first took it.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When this row last changed.
    #[serde(with = "Moment")]
    pub updated_at: Timestamp,
    /// Since when it waits for something that is not there; none when it does not.
    #[serde(default, with = "MaybeMoment")]
    pub waiting_since: Option<Timestamp>,
    /// Stable code of what it waits for, and which of them; none when it does not wait.
    #[serde(default)]
    pub waiting_for: Option<String>,
    /// The name that no other item in progress has: what was asked for, asked twice, is one item.
    #[serde(default)]
    pub unique_name: Option<String>,
    /// Name of the owner; read only, ignored when recorded.
    #[serde(default)]
    pub institution_name: Option<String>,
    /// Identifier of the owner; read only, ignored when recorded.
    #[serde(default)]
    pub institution_identifier: Option<String>,
}

impl ItemRow {
    /// Reads a row selected with the listing's columns.
    pub(in crate::registry) fn read(row: &Row<'_>) -> rusqlite::Result<ItemRow> {
        let mut of = Fields::of(row);
        Ok(ItemRow {
            id: of.take()?,
            flow: of.take()?,
            topic: of.take()?,
            state: of.take()?,
            name: of.take()?,
            etag: of.take()?,
            institution_id: of.take()?,
            intellectual_object_id: of.take()?,
            generic_file_id: of.take()?,
            bucket: of.take()?,
            user: of.take()?,
            note: of.take()?,
            action: of.take()?,
            stage: of.take()?,
            status: of.take()?,
            outcome: of.take()?,
            bag_date: of.take()?,
            date_processed: of.take()?,
            retry: of.take()?,
            node: of.take()?,
            pid: of.take()?,
            needs_admin_review: of.take()?,
            queued_at: of.take()?,
            size: of.take()?,
            stage_started_at: of.take()?,
            aptrust_approver: of.take()?,
            inst_approver: of.take()?,
            deletion_request_id: of.take()?,
            object_identifier: of.take()?,
            generic_file_identifier: of.take()?,
            alt_identifier: of.take()?,
            bag_group_identifier: of.take()?,
            storage_option: of.take()?,
            bagit_profile_identifier: of.take()?,
            source_organization: of.take()?,
            internal_sender_identifier: of.take()?,
            priority: of.take()?,
            attempts: of.take()?,
            revision: of.take()?,
            reason: of.take()?,
            happened: of.take()?,
            kept: of.take()?,
            advice: of.take()?,
            created_at: of.take()?,
            updated_at: of.take()?,
            waiting_since: of.take()?,
            waiting_for: of.take()?,
            unique_name: of.take()?,
            institution_name: of.take()?,
            institution_identifier: of.take()?,
        })
    }

    /// The stored columns, in the listing's order.
    pub(super) fn stored(&self) -> impl Params {
        let values: [&dyn ToSql; super::listing::STORED] = [
            &self.id,
            &self.flow,
            &self.topic,
            &self.state,
            &self.name,
            &self.etag,
            &self.institution_id,
            &self.intellectual_object_id,
            &self.generic_file_id,
            &self.bucket,
            &self.user,
            &self.note,
            &self.action,
            &self.stage,
            &self.status,
            &self.outcome,
            &self.bag_date,
            &self.date_processed,
            &self.retry,
            &self.node,
            &self.pid,
            &self.needs_admin_review,
            &self.queued_at,
            &self.size,
            &self.stage_started_at,
            &self.aptrust_approver,
            &self.inst_approver,
            &self.deletion_request_id,
            &self.object_identifier,
            &self.generic_file_identifier,
            &self.alt_identifier,
            &self.bag_group_identifier,
            &self.storage_option,
            &self.bagit_profile_identifier,
            &self.source_organization,
            &self.internal_sender_identifier,
            &self.priority,
            &self.attempts,
            &self.revision,
            &self.reason,
            &self.happened,
            &self.kept,
            &self.advice,
            &self.created_at,
            &self.updated_at,
            &self.waiting_since,
            &self.waiting_for,
            &self.unique_name,
        ];
        params_from_iter(values)
    }
}
