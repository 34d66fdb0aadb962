//! Metadata: what is known about content.

use super::facts::Facts;
use super::requirement::{Cost, Requirement, Seen, declared, live};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    live("metadata-inventory", 1, "An inventory of content with its storage locations", inventory),
    live("metadata-inventory-apart", 1, "A copy of the inventory apart from the content", apart),
    live("metadata-enough", 2, "Enough metadata to know what the content is", titled),
    declared(
        "metadata-standards",
        3,
        "It is decided which metadata standards are used",
        "Name the standards, as BagIt profile, PREMIS 3 or Dublin Core, and who decided it.",
    )
    .shown(|_| Seen::unseen().told("Every object can be had as PREMIS 3.", Some("/objects"))),
    live("metadata-gaps", 3, "Gaps in the metadata are found and filled", described),
    live(
        "metadata-actions",
        4,
        "Preservation actions are recorded, with when they happened",
        recorded,
    ),
    live("metadata-implemented", 4, "The chosen standards are implemented", implemented),
];

fn inventory(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let sentence = format!(
        "Files that are listed with their copies: {}, of objects: {}.",
        facts.file_count, facts.object_count
    );
    Seen::new(true, Cost::Work, "").told(sentence, Some("/objects"))
}

/// Every replica has inventories of what it holds, and the ledger.
fn apart(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let few = facts.in_fewer_places(2);
    let next = "Configure a replica in another place: the inventory is kept with every copy.";
    let sentence = format!("Objects whose inventory is in one place only: {few}.");
    Seen::new(few == 0, Cost::Money, next).told(sentence, Some("/reports/storage"))
}

fn titled(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let without = facts.gaps.untitled_count;
    Seen::new(without == 0, Cost::Work, "Deposit these bags again with a title.")
        .told(format!("Objects without a title: {}.", up_to(without)), Some("/objects"))
}

fn described(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let without = facts.gaps.undescribed_count;
    let sentence = format!("Objects without a title or a description: {}.", up_to(without));
    Seen::new(without == 0, Cost::Work, "Deposit these bags again with a description.")
        .told(sentence, Some("/objects"))
}

fn recorded(facts: &Facts) -> Seen {
    let Some(at) = facts.last_event.filter(|_| !facts.holds_nothing()) else {
        return Seen::nothing_held();
    };
    Seen::new(true, Cost::Work, "").told(
        format!(
            "Whatever is done is an event with its date; the last ingest is of {}.",
            at.to_minute()
        ),
        Some("/events"),
    )
}

fn implemented(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    Seen::new(true, Cost::Work, "").told(
        "Exports have a PREMIS 3 document for every object: strongroom export.",
        Some("/objects"),
    )
}

/// What is counted up to ten thousand.
pub(super) fn up_to(count: u64) -> String {
    if count >= 10_000 { "10000 or more".to_owned() } else { count.to_string() }
}
