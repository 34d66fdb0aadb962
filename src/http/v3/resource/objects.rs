//! Intellectual objects.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{Access, HeldState, InstitutionKind, ObjectRow, moment};

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::v3::answer::{Told, one, said, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// An object, with what is known of its owner and its files.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct ObjectView {
    id: i64,
    title: String,
    description: String,
    identifier: String,
    alt_identifier: Option<String>,
    access: Access,
    bag_name: String,
    institution_id: i64,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
    state: HeldState,
    etag: String,
    bag_group_identifier: Option<String>,
    storage_option: String,
    bagit_profile_identifier: String,
    source_organization: String,
    internal_sender_identifier: Option<String>,
    internal_sender_description: Option<String>,
    institution_name: String,
    institution_identifier: String,
    institution_type: InstitutionKind,
    institution_parent_id: Option<i64>,
    file_count: u64,
    size: u64,
    payload_file_count: u64,
    payload_size: u64,
}

impl From<ObjectRow> for ObjectView {
    fn from(row: ObjectRow) -> ObjectView {
        ObjectView {
            id: row.id.0,
            title: row.title,
            description: row.description.unwrap_or_default(),
            identifier: row.identifier,
            alt_identifier: row.alt_identifier.and_then(said),
            access: row.access,
            bag_name: row.bag_name,
            institution_id: row.institution_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            state: row.state,
            etag: row.etag,
            bag_group_identifier: row.bag_group_identifier.and_then(said),
            storage_option: row.storage_option,
            bagit_profile_identifier: row.bagit_profile_identifier,
            source_organization: row.source_organization.unwrap_or_default(),
            internal_sender_identifier: row.internal_sender_identifier.and_then(said),
            internal_sender_description: row.internal_sender_description.and_then(said),
            institution_name: row.institution_name,
            institution_identifier: row.institution_identifier,
            institution_type: row.institution_type,
            institution_parent_id: row.institution_parent_id,
            file_count: row.file_count,
            size: row.size,
            payload_file_count: row.payload_file_count,
            payload_size: row.payload_size,
        }
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<ObjectView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().objects(&asked.pairs, COUNTED)?;
        let rows = list.objects.into_iter().map(ObjectView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(which): Path<String>) -> Told<ObjectView> {
    one(&visit, move |_, desk| Ok(desk.held_object(&which)?.into())).await
}
