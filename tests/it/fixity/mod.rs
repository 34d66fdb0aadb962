//! Copies are read again, damage is found, told and mended, and what is lost is said to be lost.

mod away;
mod cold;
mod due;
mod filled;
mod kill;
mod repair;
mod roots;
mod seen;
mod stages;
mod torture;
mod under_way;

use std::fs;
use std::path::{Path, PathBuf};

use storage::registry::{CopyState, EVENTS, ObjectRow, Query};
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::work::Sweep;

use crate::harness::{Rig, secs};
use crate::ingest::tree;

const DAY: u64 = 86_400;

/// The storage root of a replica.
fn vault(rig: &Rig<App>, name: &str) -> PathBuf {
    rig.app().config.data.join("vault").join(name)
}

/// The place in a replica whose path contains this.
fn place(rig: &Rig<App>, replica: &str, part: &str) -> PathBuf {
    let vault = vault(rig, replica);
    let found = tree(&vault).into_iter().find(|it| it.contains(part) && !it.contains("set-aside"));
    vault.join(found.unwrap().split(' ').next().unwrap())
}

fn object(rig: &Rig<App>, name: &str) -> ObjectRow {
    rig.app().registry.object_by_identifier(&format!("archive.local/{name}")).unwrap().unwrap()
}

/// Looks for what is due after so many days, and lets everything be done that was found.
pub(crate) fn check_after(rig: &Rig<App>, days: u64) -> Vec<ItemId> {
    pass(rig, DAY * days);
    let before: Vec<ItemId> = rig.items().iter().map(|item| item.id).collect();
    FixityDue.sweep(rig.app(), 10_000).unwrap();
    let made: Vec<ItemId> =
        rig.items().iter().map(|it| it.id).filter(|id| !before.contains(id)).collect();
    rig.drain_all();
    made
}

/// How the copies of a file stand, by the name of the replica.
fn states(rig: &Rig<App>, file: &str) -> Vec<CopyState> {
    let registry = &rig.app().registry;
    let file = registry.file_by_identifier(&format!("archive.local/{file}")).unwrap().unwrap();
    registry.copies(file.id, file.version).unwrap().iter().map(|it| it.state).collect()
}

/// What was told of an object since it was deposited: type, outcome, and about what.
fn told(rig: &Rig<App>) -> Vec<String> {
    let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let mut told: Vec<String> = events
        .iter()
        .filter(|event| event.deposit_id.is_none())
        .map(|event| {
            let file = event.generic_file_identifier.as_deref().unwrap_or("-");
            let (kind, outcome) = (event.event_type.name(), event.outcome.name());
            format!("{kind} {outcome} {file} {}", event.outcome_information)
        })
        .collect();
    told.sort();
    told
}

/// Lets time pass.
fn pass(rig: &Rig<App>, seconds: u64) {
    rig.clock.advance(secs(seconds));
}

pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    byteio::durable::write(path, bytes, false).unwrap();
}
