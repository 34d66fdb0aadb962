//! Storage records: where the copies of files lie, those of current versions unless told otherwise.

use axum::extract::Path;
use ocfl::ObjectId;
use serde::Serialize;
use storage::registry::StorageRecordRow;

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

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

/// Asks for the copies of older versions too.
const SUPERSEDED: &str = "superseded";

/// The question about copies of current versions, which are all that the described registry has.
pub(super) fn current(pairs: &[(String, String)]) -> Pairs {
    let only = ("is_current".to_owned(), "true".to_owned());
    pairs.iter().cloned().chain([only]).collect()
}

/// The question in our words: without older versions, unless they are asked for.
fn in_our_words(pairs: &Pairs) -> Result<Pairs, Refusal> {
    let (asked, rest): (Pairs, Pairs) =
        pairs.iter().cloned().partition(|(name, _)| name == SUPERSEDED);
    if let Some((name, _)) = rest.iter().find(|(name, _)| name.starts_with("is_current")) {
        return Err(bad(name, format!("is not a filter here; {SUPERSEDED} can be true")));
    }
    match asked.as_slice() {
        [] => Ok(current(&rest)),
        [(_, value)] if value == "false" => Ok(current(&rest)),
        [(_, value)] if value == "true" => Ok(rest),
        [(name, _), ..] => Err(bad(name, "can be true or false, and only once")),
    }
}

pub(in crate::http::v3) async fn list(
    visit: Visit,
    asked: Asked,
) -> Told<Envelope<StorageRecordView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().storage_records(&in_our_words(&asked.pairs)?, COUNTED)?;
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
