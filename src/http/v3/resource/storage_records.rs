//! Storage records: where the copies of files lie.

use axum::extract::Path;
use serde::Serialize;
use storage::registry::StorageRecordRow;

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};
use crate::vault::ObjectId;

/// One copy of one version of a file.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct StorageRecordView {
    id: i64,
    generic_file_id: i64,
    url: String,
}

impl From<StorageRecordRow> for StorageRecordView {
    fn from(row: StorageRecordRow) -> StorageRecordView {
        StorageRecordView { id: row.id, generic_file_id: row.generic_file_id.0, url: url(&row) }
    }
}

/// The address of the copy: in a bucket, or in a folder of this machine.
fn url(row: &StorageRecordRow) -> String {
    let root = match row.replica_url.split_once("://") {
        Some(_) => row.replica_url.trim_end_matches('/').to_owned(),
        None => format!("file://{}", escaped(row.replica_url.trim_matches('/'))),
    };
    let object = ObjectId::new(row.object_identifier.as_str()).root();
    format!("{root}{}", escaped(&format!("{object}/{}", row.content_path)))
}

/// A path as an address bears it, with a slash before it.
fn escaped(path: &str) -> String {
    web::parts::path(&path.split('/').collect::<Vec<_>>())
}

pub(in crate::http::v3) async fn list(
    visit: Visit,
    asked: Asked,
) -> Told<Envelope<StorageRecordView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().storage_records(&asked.pairs, COUNTED)?;
        let rows = list.storage_records.into_iter().map(StorageRecordView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(
    visit: Visit,
    Path(id): Path<String>,
) -> Told<StorageRecordView> {
    let id = number(&id)?;
    one(&visit, move |_, desk| Ok(desk.storage_record(id)?.into())).await
}
