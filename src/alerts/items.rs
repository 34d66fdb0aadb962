//! What items tell: that they are done, that they wait for a person, that they stand still.

use storage::registry::{ItemRow, LongWait, NewAlert, ParkedItem, ParkedTogether, Stalled};

use super::kind::Kind;
use super::raise::{line, sentence};

/// Something was restored, and lies where its item says.
pub fn restoration_ready(item: &ItemRow) -> NewAlert {
    let about = item.generic_file_identifier.as_ref().or(item.object_identifier.as_ref());
    let about = line(about.unwrap_or(&item.name));
    let said = if item.note.is_empty() { &item.outcome } else { &item.note };
    let content = format!(
        "{about} was restored on {}, and every digest was compared on the way.\n{}\n\nWhat is kept \
         here is untouched.\n\nFetch it from there. Restored things are removed after a while; \
         they can be restored again at any time.",
        item.date_processed.to_minute(),
        sentence(said),
    );
    NewAlert {
        name: format!("restored/{}", item.id),
        kind: Kind::RestorationReady.word().into(),
        institution_id: item.institution_id,
        subject: format!("Restored: {about}"),
        content,
        page: Some(format!("/items/{}", item.id)),
        item_id: Some(item.id),
        ..NewAlert::default()
    }
}

/// An item waits for a person.
pub fn item_parked(item: &ParkedItem, institution_id: Option<i64>) -> NewAlert {
    let or = |text: &str, other: &str| sentence(if text.is_empty() { other } else { text });
    let content = format!(
        "Item {} ({}, stage {}) waits for a person since {}.\n\nWhat happened: {}\n\nWhat was \
         kept: {}\n\nWhat to do: {}",
        item.id,
        line(&item.action),
        line(&item.stage),
        item.since.to_minute(),
        or(&item.happened, "its page says."),
        or(&item.kept, "everything, as it was."),
        or(&item.advice, "look at the item's page."),
    );
    NewAlert {
        name: format!("parked/{}/{}", item.id, item.since),
        kind: Kind::ItemParked.word().into(),
        institution_id,
        subject: format!("Item {} needs a person: {}", item.id, line(&item.name)),
        content,
        page: Some(format!("/items/{}", item.id)),
        item_id: Some(item.id),
        ..NewAlert::default()
    }
}

/// Many items began to wait for a person for the same reason: one message instead of many.
pub fn items_parked(group: &ParkedTogether) -> NewAlert {
    let ParkedTogether { institution_id, reason, count, newest } = group;
    let whose = institution_id.map_or_else(|| "house".to_owned(), |id| id.to_string());
    let content = format!(
        "{count} items wait for a person for the same reason, {reason}; the newest since \
         {}.\n\nEverything that was received or stored is kept as it was.\n\nLook at one of them \
         for what happened and what to do. When the cause is gone, put them all back in line at \
         once: on the overview, or with `strongroom requeue --reason {reason}`.",
        newest.to_minute(),
    );
    NewAlert {
        name: format!("parked-together/{whose}/{reason}/{newest}"),
        kind: Kind::ItemParked.word().into(),
        institution_id: *institution_id,
        subject: format!("{count} items need a person: {reason}"),
        content,
        page: Some(format!("/items?reason={reason}")),
        ..NewAlert::default()
    }
}

/// Items at one stage were not taken in hand for too long.
pub fn items_stalled(topic: &str, label: &str, stalled: &Stalled) -> NewAlert {
    let Stalled { count, oldest, name, since } = stalled;
    let (items, stand) = if *count == 1 { ("item", "stands") } else { ("items", "stand") };
    let content = format!(
        "{count} {items} at stage {label} {stand} still. Item {oldest} ({}) was last taken in hand \
         or put in line on {}.\n\nNothing is lost: the work goes on from where it is.\n\nLook at \
         the queues and at /health: whether the stage is paused or overtime, whether a replica is \
         away or the disk is full. If nothing explains it, stop the program and start it again.",
        line(name),
        since.to_minute(),
    );
    NewAlert {
        name: format!("{}/{topic}/{since}", Kind::ItemStalled.word()),
        kind: Kind::ItemStalled.word().into(),
        institution_id: None,
        subject: format!("{count} {items} at stage {label} {stand} still"),
        content,
        page: Some("/queues".into()),
        item_id: Some(*oldest),
        ..NewAlert::default()
    }
}

/// Items have waited for the same thing for too long.
pub fn items_waiting(wait: &LongWait) -> NewAlert {
    let LongWait { cause, count, oldest, name, note, since } = wait;
    let (items, have) = if *count == 1 { ("item", "has") } else { ("items", "have") };
    let content = format!(
        "{count} {items} {have} not gone on ({}). Item {oldest} ({}) has waited since {}.\n{}\n\n\
         Nothing is lost: what was received and stored is kept, and every item looks again by \
         itself.\n\n{} An item that is not wanted any more can be cancelled on its page.",
        line(cause),
        line(name),
        since.to_minute(),
        sentence(note),
        what_to_do(cause),
    );
    NewAlert {
        name: format!("{}/{}/{since}", Kind::ItemWaiting.word(), line(cause).replace('/', " ")),
        kind: Kind::ItemWaiting.word().into(),
        institution_id: None,
        subject: format!("{count} {items} {have} waited long: {}", line(cause)),
        content,
        page: Some(format!("/items/{oldest}")),
        item_id: Some(*oldest),
        ..NewAlert::default()
    }
}

/// What somebody can do about a wait, by its cause.
fn what_to_do(cause: &str) -> &'static str {
    match cause.split(' ').next().unwrap_or_default() {
        "other-work" => "Look at the item that it waits for, which has to end first.",
        "no-reference-data" => "Load reference data; the items then go on by themselves.",
        "cold-storage-overdue" => {
            "Ask who keeps the cold storage why the copies that were asked for do not come."
        }
        "deletion-unfinished" => {
            "Look at the deletion that has to end first, and at what its item waits for."
        }
        "changed-while-read" => "Look whether something keeps changing what is read.",
        "not-yet" => "The page of the item says what it waits for.",
        _ => "Repair what is missing; the items then go on by themselves.",
    }
}
