//! Work items.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{ItemRow, moment};

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};
use crate::http::v3::stages;

/// A work item, with what is known of what it is about.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct ItemView {
    id: i64,
    name: String,
    etag: String,
    institution_id: i64,
    institution_name: String,
    institution_identifier: String,
    intellectual_object_id: Option<i64>,
    object_identifier: String,
    alt_identifier: String,
    bag_group_identifier: String,
    storage_option: String,
    bagit_profile_identifier: String,
    source_organization: String,
    internal_sender_identifier: String,
    generic_file_id: Option<i64>,
    generic_file_identifier: String,
    bucket: String,
    user: String,
    note: String,
    action: String,
    stage: String,
    status: String,
    outcome: String,
    #[serde(with = "moment::option")]
    bag_date: Option<Timestamp>,
    #[serde(with = "moment")]
    date_processed: Timestamp,
    retry: bool,
    node: String,
    pid: i64,
    needs_admin_review: bool,
    size: i64,
    #[serde(with = "moment::option")]
    queued_at: Option<Timestamp>,
    #[serde(with = "moment::option")]
    stage_started_at: Option<Timestamp>,
    aptrust_approver: String,
    inst_approver: String,
    deletion_request_id: Option<i64>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

impl From<ItemRow> for ItemView {
    fn from(row: ItemRow) -> ItemView {
        ItemView {
            stage: stages::word(&row).to_owned(),
            id: row.id,
            name: row.name,
            etag: row.etag,
            // The house's own work is nobody's.
            institution_id: row.institution_id.unwrap_or_default(),
            institution_name: row.institution_name.unwrap_or_default(),
            institution_identifier: row.institution_identifier.unwrap_or_default(),
            intellectual_object_id: row.intellectual_object_id,
            object_identifier: row.object_identifier.unwrap_or_default(),
            alt_identifier: row.alt_identifier.unwrap_or_default(),
            bag_group_identifier: row.bag_group_identifier.unwrap_or_default(),
            storage_option: row.storage_option.unwrap_or_default(),
            bagit_profile_identifier: row.bagit_profile_identifier.unwrap_or_default(),
            source_organization: row.source_organization.unwrap_or_default(),
            internal_sender_identifier: row.internal_sender_identifier.unwrap_or_default(),
            generic_file_id: row.generic_file_id,
            generic_file_identifier: row.generic_file_identifier.unwrap_or_default(),
            bucket: row.bucket,
            user: row.user,
            note: row.note,
            action: row.action,
            status: row.status,
            outcome: row.outcome,
            bag_date: row.bag_date,
            date_processed: row.date_processed,
            retry: row.retry,
            node: row.node.unwrap_or_default(),
            pid: row.pid,
            needs_admin_review: row.needs_admin_review,
            size: row.size,
            queued_at: row.queued_at,
            stage_started_at: row.stage_started_at,
            aptrust_approver: row.aptrust_approver.unwrap_or_default(),
            inst_approver: row.inst_approver.unwrap_or_default(),
            deletion_request_id: row.deletion_request_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<ItemView>> {
    tell(&visit, move |visit| {
        let (pairs, choices) = stages::in_our_words(&asked.pairs)?;
        let list = visit.desk().items_among(&pairs, &choices, COUNTED)?;
        let rows = list.items.into_iter().map(ItemView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(id): Path<String>) -> Told<ItemView> {
    let id = number(&id)?;
    one(&visit, move |_, desk| Ok(desk.item(id)?.item.into())).await
}
