//! PREMIS events.
//!
//! An event about all files of a deposit is one row here. Asked for by a file, it is told as it is
//! true of that file, with its number; else with the name of a fact where files differ.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{EventRow, EventType, FileRow, Outcome, Scope, moment};

use crate::desk::{COUNTED, Desk};
use crate::http::Visit;
use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, one, tell};
use crate::http::v3::asked::{Asked, Envelope};

/// An event.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct EventView {
    id: i64,
    identifier: String,
    event_type: EventType,
    #[serde(with = "moment")]
    date_time: Timestamp,
    detail: String,
    outcome: &'static str,
    outcome_detail: String,
    outcome_information: String,
    object: String,
    agent: String,
    intellectual_object_id: i64,
    intellectual_object_identifier: String,
    generic_file_id: Option<i64>,
    generic_file_identifier: String,
    institution_id: i64,
    institution_name: String,
    old_uuid: String,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

impl EventView {
    pub(in crate::http::v3) fn of(visit: &Visit, row: EventRow) -> Result<EventView, Refusal> {
        let owner = visit.registry.institution(row.institution_id)?;
        let told = row.about_each();
        Ok(EventView {
            id: row.id,
            identifier: row.identifier.to_string(),
            event_type: row.event_type,
            date_time: row.date_time,
            detail: told.detail,
            outcome: word(row.outcome),
            outcome_detail: told.outcome_detail,
            outcome_information: told.outcome_information,
            object: row.object,
            agent: row.agent,
            intellectual_object_id: row.intellectual_object_id.0,
            intellectual_object_identifier: row.intellectual_object_identifier,
            generic_file_id: row.generic_file_id.map(|id| id.0),
            generic_file_identifier: row.generic_file_identifier.unwrap_or_default(),
            institution_id: row.institution_id,
            institution_name: owner.map(|it| it.name).unwrap_or_default(),
            old_uuid: String::new(),
            // An event is written once and never changed.
            created_at: row.date_time,
            updated_at: row.date_time,
        })
    }
}

/// The described registry knows two; what went well with something to know went well.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success | Outcome::Warning => Outcome::Success.name(),
        Outcome::Failure => Outcome::Failure.name(),
    }
}

/// The question in our words for outcomes. Some clients say `Failed`.
fn in_our_words(pairs: &Pairs) -> Result<Pairs, Refusal> {
    let ours = |(name, value): &(String, String)| {
        let outcome = match (name.as_str(), value.as_str()) {
            ("outcome" | "outcome__eq", "Success") => "outcome__ne",
            ("outcome" | "outcome__eq", "Failure" | "Failed") => "outcome",
            (name, _) if name.split("__").next() == Some("outcome") => {
                return Err(bad(name, "can be Success or Failure"));
            }
            (_, _) => return Ok((name.clone(), value.clone())),
        };
        Ok((outcome.to_owned(), Outcome::Failure.name().to_owned()))
    };
    pairs.iter().map(ours).collect()
}

/// The versions of the file that the question is about, if it is about one that the caller sees.
fn versions(desk: Desk<'_>, asked: &Asked) -> Result<Vec<FileRow>, Refusal> {
    let names = ["generic_file_id", "generic_file_identifier"];
    let Some(which) = names.iter().find_map(|name| asked.value(name)) else {
        return Ok(Vec::new());
    };
    match desk.file(which).map_err(Refusal::from) {
        Ok(detail) => Ok(detail.versions),
        Err(missing) if missing.is_missing() => Ok(Vec::new()),
        Err(refusal) => Err(refusal),
    }
}

/// The event as it is true of the file, in the version that it is about.
fn about(event: EventRow, versions: &[FileRow]) -> EventRow {
    let held = |file: &&FileRow| match event.scope {
        Scope::Held => file.updated_at <= event.date_time,
        Scope::Object | Scope::Files | Scope::Payload | Scope::New | Scope::File => {
            Some(file.deposit_id) == event.deposit_id
        }
    };
    match versions.iter().find(held) {
        Some(file) => event.about(file),
        None => event,
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<EventView>> {
    tell(&visit, move |visit| {
        let list = visit.desk().events(&in_our_words(&asked.pairs)?, COUNTED)?;
        let versions = versions(visit.desk(), &asked)?;
        let of = |row| EventView::of(visit, about(row, &versions));
        let rows = list.events.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(which): Path<String>) -> Told<EventView> {
    one(&visit, move |visit, desk| EventView::of(visit, desk.event(&which)?.event)).await
}
