//! The stages stand the conformance exercise.

use strongroom::flows::FLOWS;

use super::*;
use crate::exercise::{Case, exercise};

/// What lies in the areas, with the content; the time of a restoration is not in it.
fn end(rig: &Rig<App>, _: ItemId) -> String {
    let root = rig.app().config.restoration_folder();
    let mut told = Vec::new();
    for name in lying(&root) {
        let path = root.join(&name);
        let content = path.is_file().then(|| fs::read(&path).unwrap().len());
        told.push(format!("{name} {content:?}"));
    }
    let events =
        rig.app().registry.list_events(&storage::registry::Query::all(&storage::registry::EVENTS));
    let events = events.unwrap().rows;
    let ours = events.iter().filter(|event| event.event_type.name() == "restoration");
    told.push(format!("{} events", ours.count()));
    told.push(format!("{} slips", rig.app().desk().restorations().unwrap().restorations.len()));
    told.join("\n")
}

/// The flows of a rig are leaked per rig; the deposit is walked by the same ones.
fn prepared(flows: &'static [strongroom::work::Flow<App>], is_file: bool) -> (Rig<App>, ItemId) {
    let rig = rig(flows);
    let first = deposit_letters(&rig);
    while !rig.item(first).state.is_terminal() {
        rig.step();
    }
    let desk = rig.app().desk();
    let asked = if is_file {
        desk.restore_file(&format!("{LETTERS_ID}/data/a.txt"), None).unwrap()
    } else {
        desk.restore_object(LETTERS_ID, None).unwrap()
    };
    (rig, ItemId(asked.item.id.unsigned_abs()))
}

#[test]
fn restoring_an_object_stands_the_exercise() {
    let prepare = |flows| prepared(flows, false);
    exercise(&Case { flows: FLOWS, topic: "restore_object", prepare: &prepare, end: &end });
}

#[test]
fn restoring_a_file_stands_the_exercise() {
    let prepare = |flows| prepared(flows, true);
    exercise(&Case { flows: FLOWS, topic: "restore_file", prepare: &prepare, end: &end });
}

#[test]
fn bringing_from_cold_storage_stands_the_exercise() {
    let prepare = |flows| {
        let rig = cold::cold_with(flows, &std::sync::Arc::default(), false);
        let asked = rig.app().desk().restore_object(LETTERS_ID, None).unwrap();
        (rig, ItemId(asked.item.id.unsigned_abs()))
    };
    exercise(&Case { flows: FLOWS, topic: "restore_glacier", prepare: &prepare, end: &end });
}

#[test]
fn rehearsing_stands_the_exercise() {
    let prepare = |flows| {
        let (rig, asked) = prepared(flows, false);
        rig.controls().cancel(asked, "the test").unwrap();
        rig.app().copy().unwrap();
        rig.clock.advance(crate::harness::secs(8 * 86_400));
        strongroom::work::Sweep::sweep(&strongroom::restore::RehearsalsDue, rig.app(), 9).unwrap();
        let items = rig.items();
        let found = items.iter().find(|item| item.topic == "restore_rehearsal").unwrap();
        (rig, found.id)
    };
    exercise(&Case { flows: FLOWS, topic: "restore_rehearsal", prepare: &prepare, end: &end });
}
