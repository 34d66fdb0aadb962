//! The list of events and one of them, as their pages show them.

use storage::registry::{EventRow, EventType, FileId, Outcome, Uuid};
use web::{
    Choice, EventChoices, EventFilter, EventPage, EventsPage, Fact, FactValue, Link, Pager, Sort,
};

use super::objects::sort;
use super::words::{about, capital, event_line, has_braces, meaning, object_link, outcome};
use crate::http::Visit;
use crate::http::asked::{Leaf, Pairs, bad, export_href, find};
use crate::http::refusal::Refusal;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 25;
/// Most that are counted; a page then says "1,000+".
const COUNTED: u64 = 1001;

pub(super) fn list(visit: &Visit, mut pairs: Pairs) -> Result<EventsPage, Refusal> {
    let filter = filter(&pairs);
    let newest = || Sort { column: "date_time".into(), descending: true };
    let sort = sort(&pairs).unwrap_or_else(newest);
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().events(&pairs, leaf.counting())?;
    Ok(EventsPage {
        filter,
        choices: EventChoices {
            kinds: EventType::ALL.map(|it| Choice::new(it.name(), capital(it.name()))).to_vec(),
            outcomes: Outcome::ALL.map(|it| Choice::new(it.name(), it.name())).to_vec(),
        },
        sort,
        pager: Pager {
            export: export_href("events", &pairs),
            ..leaf.pager(list.events.len(), (list.count, list.count_is_exact))
        },
        rows: list.events.iter().map(|event| event_line(event, true)).collect(),
    })
}

fn filter(pairs: &[(String, String)]) -> EventFilter {
    let text = |name: &str| find(pairs, name).unwrap_or_default().to_owned();
    EventFilter {
        event_type: text("event_type"),
        outcome: text("outcome"),
        object: text("intellectual_object_identifier"),
        intellectual_object_id: text("intellectual_object_id"),
        generic_file_id: text("generic_file_id"),
        from: text("date_time__gteq"),
        to: text("date_time__lteq"),
    }
}

/// One event; with a `file` in the address, as it is true of that file.
pub(super) fn one(
    visit: &Visit,
    which: &str,
    pairs: &[(String, String)],
) -> Result<EventPage, Refusal> {
    let mut event = visit.desk().event(which)?.event;
    if let Some(text) = find(pairs, "file") {
        let uuid = Uuid::parse(text).ok_or_else(|| bad("file", "must be the UUID of a file"))?;
        if let Some(file) = visit.registry.file_by_uuid(uuid)? {
            event = told_about(visit, event, file.id)?;
        }
    }
    let braces = has_braces(&event).then(|| {
        "Words in braces stand for each file's own: the page of a file tells this event with them."
            .to_owned()
    });
    Ok(EventPage {
        kind: capital(event.event_type.name()),
        meaning: meaning(event.event_type).to_owned(),
        when: event.date_time.to_string(),
        outcome: outcome(event.outcome),
        object: object_link(&event.intellectual_object_identifier, event.intellectual_object_id.0),
        told: vec![
            Fact::text("What was done", event.detail.clone()),
            Fact::text("Outcome", event.outcome.name()),
            Fact::new("Result", FactValue::Code(event.outcome_detail.clone())),
            Fact::text("In words", event.outcome_information.clone()),
            Fact::text("Done by", event.object.clone()),
            Fact::text("Agent", event.agent.clone()),
        ],
        facts: facts(visit, &event)?,
        braces,
    })
}

/// The event as it is true of a file, if it is about that file.
fn told_about(visit: &Visit, event: EventRow, file: FileId) -> Result<EventRow, Refusal> {
    let versions = visit.registry.file_versions(file, 1000)?;
    let saved = versions.iter().find(|it| Some(it.deposit_id) == event.deposit_id);
    Ok(saved.map_or_else(|| event.clone(), |version| event.about(version)))
}

fn facts(visit: &Visit, event: &EventRow) -> Result<Vec<Fact>, Refusal> {
    let object = object_link(&event.intellectual_object_identifier, event.intellectual_object_id.0);
    let mut facts = vec![
        Fact::new("Identifier", FactValue::Code(event.identifier.to_string())),
        Fact::new("Kind", FactValue::Code(event.event_type.name().to_owned())),
        Fact::new("Exact time", FactValue::Code(event.date_time.to_string())),
        Fact::text("About", about(event)),
        Fact::new("Object", FactValue::Link(object)),
    ];
    if let Some(id) = event.generic_file_id
        && let Some(file) = visit.registry.file(id)?
    {
        let link = Link::new(format!("/files/{}", file.uuid), file.path);
        facts.push(Fact::new("File", FactValue::Link(link)));
    }
    if let Some(version) = event.version {
        facts.push(Fact::new("Version", FactValue::Count(u64::from(version.0))));
    }
    if let Some(deposit) = event.deposit_id
        && let Some(deposit) = visit.registry.deposit(deposit)?
    {
        let id = deposit.facts.item_id;
        let link = Link::new(format!("/items/{id}"), format!("Item {id}"));
        facts.push(Fact::new("Taken in by", FactValue::Link(link)));
    }
    Ok(facts)
}
