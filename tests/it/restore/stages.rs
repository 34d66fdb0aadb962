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
        desk.restore_file(&format!("{LETTERS_ID}/data/a.txt"), None, "ann").unwrap()
    } else {
        desk.restore_object(LETTERS_ID, None, "ann").unwrap()
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
