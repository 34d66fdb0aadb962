//! Generic files. Members see each as a row; who looks after the appliance sees in the list, too,
//! what else is known of it.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{Access, FileRow, HeldState, moment};

use super::checksums::ChecksumView;
use super::events::EventView;
use super::storage_records::{StorageRecordView, current};
use crate::desk::{COUNTED, Desk};
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// Digests, events and copies told of one file.
const MOST: &str = "1000";

/// What the described registry says of a file that was never checked: the first day of 2000.
const NEVER: Timestamp = Timestamp(946_684_800_000);

/// A file in its current version.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct FileView {
    id: i64,
    file_format: String,
    size: u64,
    identifier: String,
    intellectual_object_id: i64,
    object_identifier: String,
    access: Access,
    institution_id: i64,
    institution_name: String,
    institution_identifier: String,
    state: HeldState,
    #[serde(with = "moment")]
    last_fixity_check: Timestamp,
    storage_option: String,
    uuid: String,
    #[serde(with = "moment::option")]
    mtime: Option<Timestamp>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
    md5: String,
    sha1: String,
    sha256: String,
    sha512: String,
}

/// A file with all that hangs on it: its digests, its events, and where its current version lies.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct WholeFileView {
    #[serde(flatten)]
    file: FileView,
    checksums: Vec<ChecksumView>,
    premis_events: Vec<EventView>,
    storage_records: Vec<StorageRecordView>,
}

impl FileView {
    fn of(visit: &Visit, row: FileRow) -> Result<FileView, Refusal> {
        let owner = visit.registry.institution(row.institution_id)?;
        let [md5, sha1, sha256, sha512] = row.digests.named().map(|(_, digest)| digest);
        Ok(FileView {
            id: row.id.0,
            file_format: row.file_format,
            size: row.size,
            identifier: row.identifier,
            intellectual_object_id: row.intellectual_object_id.0,
            object_identifier: row.object_identifier,
            access: row.access,
            institution_id: row.institution_id,
            institution_name: owner.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
            institution_identifier: owner.map(|it| it.identifier).unwrap_or_default(),
            state: row.state,
            last_fixity_check: row.last_fixity_check.unwrap_or(NEVER),
            storage_option: row.storage_option,
            uuid: row.uuid.to_string(),
            mtime: row.modified_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            md5,
            sha1,
            sha256,
            sha512,
        })
    }
}

impl WholeFileView {
    fn of(visit: &Visit, desk: Desk<'_>, row: FileRow) -> Result<WholeFileView, Refusal> {
        let number = row.id.to_string();
        let own = [("generic_file_id", number.as_str()), ("per_page", MOST)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let events = desk.each_events(&own, COUNTED)?.rows;
        let event = |event| EventView::of(visit, event);
        let records = desk.storage_records(&current(&own), COUNTED)?.storage_records;
        Ok(WholeFileView {
            checksums: desk
                .checksums(&own, COUNTED)?
                .checksums
                .into_iter()
                .map(Into::into)
                .collect(),
            premis_events: events.into_iter().map(event).collect::<Result<_, _>>()?,
            storage_records: records.into_iter().map(Into::into).collect(),
            file: FileView::of(visit, row)?,
        })
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<FileView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().files(&asked.pairs, COUNTED)?;
        let of = |row| FileView::of(visit, row);
        let rows = list.files.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn list_whole(
    visit: Visit,
    asked: Asked,
) -> Told<Envelope<WholeFileView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().files(&asked.pairs, COUNTED)?;
        let of = |row| WholeFileView::of(visit, visit.desk(), row);
        let rows = list.files.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(
    visit: Visit,
    Path(which): Path<String>,
) -> Told<WholeFileView> {
    one(&visit, move |visit, desk| WholeFileView::of(visit, desk, desk.held_file(&which)?)).await
}
