//! Checksums: the digests of files, each a row of its own.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{ChecksumRow, HeldState, moment};

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// One digest of one version of a file.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct ChecksumView {
    id: i64,
    algorithm: String,
    #[serde(with = "moment")]
    datetime: Timestamp,
    digest: String,
    generic_file_id: i64,
    generic_file_identifier: String,
    intellectual_object_id: i64,
    institution_id: i64,
    state: HeldState,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

impl From<ChecksumRow> for ChecksumView {
    fn from(row: ChecksumRow) -> ChecksumView {
        ChecksumView {
            id: row.id,
            algorithm: row.algorithm,
            datetime: row.datetime,
            digest: row.digest,
            generic_file_id: row.generic_file_id.0,
            generic_file_identifier: row.generic_file_identifier,
            intellectual_object_id: row.intellectual_object_id.0,
            institution_id: row.institution_id,
            state: row.state,
            // A digest is written once and never changed.
            created_at: row.datetime,
            updated_at: row.datetime,
        }
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<ChecksumView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().checksums(&asked.pairs, COUNTED)?;
        let rows = list.checksums.into_iter().map(ChecksumView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(id): Path<String>) -> Told<ChecksumView> {
    let id = number(&id)?;
    one(&visit, move |_, desk| Ok(desk.checksum(id)?.into())).await
}
