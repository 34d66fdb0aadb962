//! Deletion requests.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{DeletionPart, DeletionRow, moment};

use crate::desk::{COUNTED, DeletionDetail, STATUSES};
use crate::http::Visit;
use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, number, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// A request, with the names of those who asked and decided.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct DeletionView {
    id: i64,
    institution_id: i64,
    institution_name: String,
    institution_identifier: String,
    requested_by_id: i64,
    requested_by_name: String,
    requested_by_email: String,
    #[serde(with = "moment")]
    requested_at: Timestamp,
    confirmed_by_id: Option<i64>,
    confirmed_by_name: Option<String>,
    confirmed_by_email: Option<String>,
    #[serde(with = "moment::option")]
    confirmed_at: Option<Timestamp>,
    cancelled_by_id: Option<i64>,
    cancelled_by_name: Option<String>,
    cancelled_by_email: Option<String>,
    #[serde(with = "moment::option")]
    cancelled_at: Option<Timestamp>,
    file_count: u64,
    object_count: u64,
    status: &'static str,
}

/// Somebody who asked or decided.
#[derive(Debug, Serialize)]
struct Person {
    id: i64,
    name: String,
    email: String,
}

impl Person {
    fn of(id: Option<i64>, name: Option<&String>, email: Option<&String>) -> Option<Person> {
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        id.map(|id| Person { id, name: text(name), email: text(email) })
    }
}

/// How far two people have come with a request, in the described registry's words.
fn word(row: &DeletionRow) -> &'static str {
    match (row.cancelled_at, row.confirmed_at) {
        (Some(_), _) => "Rejected",
        (None, Some(_)) => "Approved",
        (None, None) => "Awaiting Approval",
    }
}

/// A request with what it names, the first thousand.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct WholeDeletionView {
    #[serde(flatten)]
    request: DeletionView,
    requested_by: Option<Person>,
    confirmed_by: Option<Person>,
    cancelled_by: Option<Person>,
    intellectual_objects: Vec<Named>,
    generic_files: Vec<Named>,
    work_items: Vec<i64>,
}

/// Something that a request names.
#[derive(Debug, Serialize)]
struct Named {
    id: i64,
    identifier: String,
}

impl From<DeletionRow> for DeletionView {
    fn from(row: DeletionRow) -> DeletionView {
        DeletionView {
            status: word(&row),
            id: row.id.0,
            institution_id: row.institution_id,
            institution_name: row.institution_name,
            institution_identifier: row.institution_identifier,
            requested_by_id: row.requested_by_id,
            requested_by_name: row.requested_by_name,
            requested_by_email: row.requested_by_email,
            requested_at: row.requested_at,
            confirmed_by_id: row.confirmed_by_id,
            confirmed_by_name: row.confirmed_by_name,
            confirmed_by_email: row.confirmed_by_email,
            confirmed_at: row.confirmed_at,
            cancelled_by_id: row.cancelled_by_id,
            cancelled_by_name: row.cancelled_by_name,
            cancelled_by_email: row.cancelled_by_email,
            cancelled_at: row.cancelled_at,
            file_count: row.file_count,
            object_count: row.object_count,
        }
    }
}

impl From<DeletionDetail> for WholeDeletionView {
    fn from(detail: DeletionDetail) -> WholeDeletionView {
        let object = |part: &DeletionPart| match part.file_id {
            Some(_) => None,
            None => {
                Some(Named { id: part.object_id.0, identifier: part.object_identifier.clone() })
            }
        };
        let file = |part: &DeletionPart| {
            let path = part.path.as_deref().unwrap_or_default();
            let identifier = format!("{}/{path}", part.object_identifier);
            part.file_id.map(|id| Named { id: id.0, identifier })
        };
        let row = &detail.deletion;
        let (name, email) = (&row.requested_by_name, &row.requested_by_email);
        WholeDeletionView {
            requested_by: Person::of(Some(row.requested_by_id), Some(name), Some(email)),
            confirmed_by: Person::of(
                row.confirmed_by_id,
                row.confirmed_by_name.as_ref(),
                row.confirmed_by_email.as_ref(),
            ),
            cancelled_by: Person::of(
                row.cancelled_by_id,
                row.cancelled_by_name.as_ref(),
                row.cancelled_by_email.as_ref(),
            ),
            intellectual_objects: detail.parts.iter().filter_map(object).collect(),
            generic_files: detail.parts.iter().filter_map(file).collect(),
            work_items: detail.parts.iter().filter_map(|part| part.item_id).collect(),
            request: detail.deletion.into(),
        }
    }
}

/// The question in our words: where the work of a request stands. Work that deletes has one stage
/// here, and two in the described registry: `Requested`, and `Resolve` when it is done.
fn in_our_words(pairs: &Pairs) -> Result<Pairs, Refusal> {
    let mut ours = Pairs::new();
    for (name, value) in pairs {
        let said = match (name.as_str(), value.as_str()) {
            ("stage" | "stage__eq", "Requested") => ("completed_at__is_null", "true"),
            ("stage" | "stage__eq", "Resolve") => ("status", "Success"),
            ("stage" | "stage__eq", _) => {
                return Err(bad(name, format!("is {value:?}; it is Requested or Resolve")));
            }
            ("status" | "status__eq", word) if !STATUSES.contains(&word) => {
                let words = STATUSES.join(", ");
                return Err(bad(name, format!("is {value:?}; it is one of {words}")));
            }
            (name, value) => (name, value),
        };
        if name.starts_with("stage") {
            ours.push(("stage".into(), "Delete".into()));
        }
        ours.push((said.0.to_owned(), said.1.to_owned()));
    }
    Ok(ours)
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<DeletionView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().deletions(&in_our_words(&asked.pairs)?, COUNTED)?;
        let rows = list.deletions.into_iter().map(DeletionView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(
    visit: Visit,
    Path(id): Path<String>,
) -> Told<WholeDeletionView> {
    let id = number(&id)?;
    one(&visit, move |_, desk| Ok(desk.deletion(id)?.into())).await
}
