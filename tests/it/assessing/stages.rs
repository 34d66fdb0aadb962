//! The stages stand the conformance exercise.

use strongroom::assess::{Wanted, ask_load};

use super::*;
use crate::exercise::{Case, exercise};

/// What the stage leaves: the result, and what is to be sent.
fn end(rig: &Rig<App>, _: ItemId) -> String {
    let registry = &rig.app().registry;
    let row = registry.assessment(1).unwrap().unwrap();
    let result = registry.assessment_result(1).unwrap().unwrap();
    let sent = registry.deliveries_of(1).unwrap();
    let marks = sent.iter().map(|it| it.mark.replace(&row.uuid.to_string(), "UUID"));
    format!("{:?} {result} {:?}", row.state, marks.collect::<Vec<_>>())
}

#[test]
fn assessing_stands_the_exercise() {
    // Nobody is there to take it: what is to be sent stays.
    let toml = "[assess]\ncallback_url = \"http://127.0.0.1:9\"\ncallback_allow_http = true\n\
        levy_tables = \"levy.json\"\n";
    let prepare = |flows| {
        let rig = rig(flows, toml);
        let wish = Wish { calls_back: true, ..Wish::of("a", site("a", 300.0), "C") };
        let (_, item) = asked(rig.app(), &wish);
        (rig, item)
    };
    exercise(&Case { flows: FLOWS, topic: "assess01_run", prepare: &prepare, end: &end });
}

#[test]
fn loading_stands_the_exercise() {
    let prepare = |flows| {
        let rig = crate::ingest::rig_configured(flows, String::new());
        let folder = rig.dir().join("layers");
        delivered(&folder);
        let wanted = Wanted {
            folder: folder.to_str().unwrap().to_owned(),
            data_version: "made-1".into(),
            force: false,
            strict: false,
            by: "the test".into(),
        };
        let asked = ask_load(rig.app(), &wanted).unwrap();
        (rig, ItemId(asked.item))
    };
    let end = |rig: &Rig<App>, _: ItemId| {
        let reference = rig.app().atlas.reference().unwrap();
        format!("{} {}", reference.version(), reference.digest())
    };
    exercise(&Case { flows: FLOWS, topic: "reference_load", prepare: &prepare, end: &end });
}
