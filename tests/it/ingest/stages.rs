//! The nine stages stand the conformance exercise, wherever the replicas lie.

use std::sync::Arc;

use strongroom::flows::FLOWS;
use strongroom::ingest::INGEST;

use super::site::{BUCKETS, FOLDERS, MIXED, Place, rig_at};
use super::{deposit_letters, held};
use crate::exercise::{Case, exercise};
use crate::s3::Door;

fn every_stage(places: [Place; 2]) {
    for stage in INGEST.stages {
        let topic = stage.about().topic;
        let prepare = |flows| {
            let rig = rig_at(flows, places, &Arc::new(Door::default()));
            let id = deposit_letters(&rig);
            while rig.item(id).topic != topic {
                rig.step();
            }
            (rig, id)
        };
        exercise(&Case { flows: FLOWS, topic, prepare: &prepare, end: &|rig, _| held(rig) });
    }
}

#[test]
fn every_stage_of_ingest_stands_the_exercise() {
    every_stage(FOLDERS);
}

#[test]
fn every_stage_stands_the_exercise_with_a_folder_and_a_bucket() {
    every_stage(MIXED);
}

#[test]
fn every_stage_stands_the_exercise_with_two_buckets() {
    every_stage(BUCKETS);
}
