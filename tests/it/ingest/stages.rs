//! The nine stages stand the conformance exercise.

use strongroom::flows::FLOWS;
use strongroom::ingest::INGEST;

use super::{deposit_letters, held, rig};
use crate::exercise::{Case, exercise};

#[test]
fn every_stage_of_ingest_stands_the_exercise() {
    for stage in INGEST.stages {
        let topic = stage.about().topic;
        let prepare = |flows| {
            let rig = rig(flows);
            let id = deposit_letters(&rig);
            while rig.item(id).topic != topic {
                rig.step();
            }
            (rig, id)
        };
        exercise(&Case { flows: FLOWS, topic, prepare: &prepare, end: &|rig, _| held(rig) });
    }
}
