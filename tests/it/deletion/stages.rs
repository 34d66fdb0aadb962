//! The stage stands the conformance exercise, wherever the replicas lie.

use std::sync::Arc;

use strongroom::flows::FLOWS;

use super::refused::agree_in_the_registry;
use super::{sweep, with_letters};
use crate::exercise::{Case, exercise};
use crate::harness::Rig;
use crate::ingest::held;
use crate::ingest::site::{BUCKETS, FOLDERS, Place, rig_at};
use crate::s3::Door;

/// What is held, without the bytes of records of deletions, which hold times.
fn end(rig: &Rig<strongroom::app::App>) -> String {
    let lines = held(rig);
    let timeless = |line: &str| match line.contains("logs/deletion-") {
        true => line.rsplit_once(' ').map_or(line, |(name, _)| name).to_owned(),
        false => line.to_owned(),
    };
    lines.lines().map(timeless).collect::<Vec<_>>().join("\n")
}

fn stands(places: [Place; 2]) {
    let prepare = |flows| {
        let rig = rig_at(flows, places, &Arc::new(Door::default()));
        with_letters(&rig);
        agree_in_the_registry(&rig);
        assert_eq!(sweep(&rig), 1);
        let id = rig.items().iter().find(|item| item.flow == "delete").unwrap().id;
        (rig, id)
    };
    let end = |rig: &Rig<strongroom::app::App>, _| end(rig);
    exercise(&Case { flows: FLOWS, topic: "delete_item", prepare: &prepare, end: &end });
}

#[test]
fn the_stage_stands_the_exercise() {
    stands(FOLDERS);
}

#[test]
fn the_stage_stands_the_exercise_with_two_buckets() {
    stands(BUCKETS);
}
