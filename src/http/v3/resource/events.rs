//! PREMIS events.
//!
//! An event about all files of a deposit is one row in the registry. Here it is a row for each of
//! them, as it is true of that file, with a number and an identifier of its own.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{EachEvent, EventType, Outcome, moment};

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;
use crate::http::v3::answer::{Told, one, said, tell};
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
    generic_file_identifier: Option<String>,
    institution_id: i64,
    institution_name: String,
    /// Of events from before 2017, which nothing here is.
    old_uuid: Option<String>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

impl EventView {
    pub(in crate::http::v3) fn of(visit: &Visit, row: EachEvent) -> Result<EventView, Refusal> {
        let EachEvent { id, identifier, event: row } = row;
        let owner = visit.registry.institution(row.institution_id)?;
        Ok(EventView {
            id,
            identifier: identifier.to_string(),
            event_type: row.event_type,
            date_time: row.date_time,
            detail: row.detail,
            outcome: word(row.outcome),
            outcome_detail: row.outcome_detail,
            outcome_information: row.outcome_information,
            object: row.object,
            agent: row.agent,
            intellectual_object_id: row.intellectual_object_id.0,
            intellectual_object_identifier: row.intellectual_object_identifier,
            generic_file_id: row.generic_file_id.map(|id| id.0),
            generic_file_identifier: row.generic_file_identifier.and_then(said),
            institution_id: row.institution_id,
            institution_name: owner.map(|it| it.name).unwrap_or_default(),
            old_uuid: None,
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

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<EventView>> {
    tell(&visit, move |visit| {
        let page = visit.desk().each_events(&in_our_words(&asked.pairs)?, COUNTED)?;
        let of = |row| EventView::of(visit, row);
        let rows = page.rows.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(asked.envelope((page.count.value, page.has_more), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(which): Path<String>) -> Told<EventView> {
    one(&visit, move |visit, desk| EventView::of(visit, desk.each_event(&which)?)).await
}
