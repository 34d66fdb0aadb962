//! The exercise applied. A stage of the program is added here by its flow; the sample stages show
//! that the exercise passes what is right and catches what is not.

use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use byteio::durable;
use storage::work::dossier::Dossier;
use storage::work::item::ItemId;
use strongroom::app::{App, OnDamage};
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::fault::{Failure, Fault, Kind};
use strongroom::flows::FLOWS;
use strongroom::upkeep::UPKEEP;
use strongroom::work::{Chart, Done, Flow, Job};

use crate::exercise::{Case, exercise};
use crate::harness::{Acted, Rig, World, only, passing, stage, until_unlocked};

const FILES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn broken(source: std::io::Error) -> Fault {
    let (kind, advice) = (Kind::Transient { retry_after: None }, String::new());
    Fault::Failed(Failure { kind, code: "files", advice, source: Box::new(source) })
}

/// Copies what it finds in `in` to `out`, marks each file when it is there, and leaves a count.
fn copying() -> Acted<World> {
    stage("copy", |job: &Job<'_, World>| {
        let dossier = job.dossier();
        for file in FILES {
            job.checkpoint()?;
            if dossier.file::<u64>(file.as_bytes())?.is_some() {
                continue;
            }
            let bytes = fs::read(job.app.dir.join("in").join(file)).map_err(broken)?;
            durable::write(&job.app.dir.join("out").join(file), &bytes, false).map_err(broken)?;
            dossier.put_files([(file.as_bytes(), &(bytes.len() as u64))])?;
        }
        job.checkpoint()?;
        let copied = dossier.files::<u64>(None, 100)?.len() as u64;
        dossier.put_result("copy", &copied)?;
        Ok(Done::Advance)
    })
}

/// Appends a line without looking: every repetition shows.
fn append(dir: &Path, line: &str) -> Result<(), Fault> {
    let log = dir.join("out/log");
    let mut file = fs::OpenOptions::new().create(true).append(true).open(log).map_err(broken)?;
    writeln!(file, "{line}").map_err(broken)
}

fn prepare(flows: &'static [Flow<World>]) -> (Rig, ItemId) {
    let rig = Rig::new(flows);
    for folder in ["in", "out"] {
        fs::create_dir(rig.dir().join(folder)).unwrap();
    }
    for file in FILES {
        let mut made = fs::File::create(rig.dir().join("in").join(file)).unwrap();
        made.write_all(file.repeat(7).as_bytes()).unwrap();
    }
    let id = rig.push(flows[0].stages[0].about().topic);
    (rig, id)
}

fn end(rig: &Rig, id: ItemId) -> String {
    let mut lines = Vec::new();
    for entry in fs::read_dir(rig.dir().join("out")).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        lines.push(format!("{} {text}", entry.file_name().display()));
    }
    lines.sort();
    let dossier = Dossier::of(rig.queue().store(), id);
    lines.push(format!("{:?}", dossier.files::<u64>(None, 100).unwrap()));
    lines.push(format!("{:?}", dossier.result::<u64>("copy").unwrap()));
    lines.join("\n")
}

fn try_out(flows: &'static [Flow<World>]) {
    let topic = flows[0].stages[0].about().topic;
    exercise(&Case { flows, topic, prepare: &prepare, end: &end });
}

/// What the exercise says about a stage that must not pass.
fn caught(run: impl Fn(&Job<'_, World>) -> Result<Done, Fault> + Send + Sync + 'static) -> String {
    let flows = only(vec![stage("bad", run), passing("next")]);
    let panic = catch_unwind(AssertUnwindSafe(|| try_out(flows))).expect_err("it is caught");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

/// The appliance's own tools in a fresh folder, and an upkeep item before `topic`.
fn prepare_app(flows: &'static [Flow<App>], topic: &str) -> (Rig<App>, ItemId) {
    let rig = Rig::around(flows, |dir, clock| {
        let data = dir.join("data");
        Box::new(move || {
            let asked = Flags { data: Some(data.clone()), ..Flags::default() };
            let known = Chart::known_stages(flows);
            let config = Config::load(&asked, &Surroundings::BARE, &known).unwrap();
            let app = Arc::new(until_unlocked(|| {
                App::open(config.clone(), flows, clock.clone(), OnDamage::Refuse)
            }));
            let shop = Arc::clone(&app.shop);
            (app, shop)
        })
    });
    let id = rig.push(flows[0].stages[0].about().topic);
    while rig.item(id).topic != topic {
        rig.step();
    }
    (rig, id)
}

/// The snapshots there are, as names; their bytes hold times.
fn snapshots(rig: &Rig<App>, _: ItemId) -> String {
    let entries = fs::read_dir(rig.app().home.snapshots()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    format!("{names:?}")
}

#[test]
fn every_stage_of_upkeep_stands_the_exercise() {
    // Those of ingest have deposits to work on, and an exercise of their own.
    for stage in UPKEEP.stages {
        let topic = stage.about().topic;
        let prepare = |flows| prepare_app(flows, topic);
        exercise(&Case { flows: &[UPKEEP], topic, prepare: &prepare, end: &snapshots });
    }
}

#[test]
fn a_copying_stage_with_marks_stands_the_exercise() {
    try_out(only(vec![copying(), passing("next")]));
}

#[test]
fn the_same_stage_at_the_end_of_its_flow_stands_it_too() {
    try_out(only(vec![copying()]));
}

#[test]
fn a_stage_without_checkpoints_stands_the_exercise() {
    try_out(only(vec![passing("short"), passing("next")]));
}

#[test]
fn a_stage_that_repeats_its_effects_is_caught() {
    let said = caught(|job| append(&job.app.dir, "done").map(|()| Done::Advance));
    assert!(said.contains("bad: run twice from one claim"), "{said}");
}

#[test]
fn a_stage_that_marks_before_it_does_is_caught() {
    let said = caught(|job| {
        for file in FILES {
            if job.dossier().file::<u64>(file.as_bytes())?.is_none() {
                job.dossier().put_files([(file.as_bytes(), &1_u64)])?;
                job.checkpoint()?;
                append(&job.app.dir, file)?;
            }
        }
        Ok(Done::Advance)
    });
    assert!(said.contains("bad: interrupted at checkpoint 1 of 5"), "{said}");
}

#[test]
fn a_stage_that_swallows_a_stop_is_caught() {
    let said = caught(|job| {
        drop(job.checkpoint());
        Ok(Done::Advance)
    });
    assert!(said.contains("bad: a stop is not passed on"), "{said}");
}

#[test]
fn a_stage_that_does_not_end_well_is_caught() {
    let said = caught(|_| Err(Fault::Rejected(Vec::new())));
    assert!(said.contains("bad does not end well by itself"), "{said}");
}

/// The test that exercises each stage of the program, by its file and its name.
const CASES: &[(&str, &str, &str)] = &[
    ("ingest01_prefetch", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    ("ingest02_bag_validation", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    ("ingest03_reingest_check", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    ("ingest04_staging", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    (
        "ingest05_format_identification",
        "ingest/stages.rs",
        "every_stage_of_ingest_stands_the_exercise",
    ),
    ("ingest06_storage", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    (
        "ingest07_storage_validation",
        "ingest/stages.rs",
        "every_stage_of_ingest_stands_the_exercise",
    ),
    ("ingest08_record", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    ("ingest09_cleanup", "ingest/stages.rs", "every_stage_of_ingest_stands_the_exercise"),
    ("fixity_check", "fixity/stages.rs", "the_check_stands_the_exercise"),
    ("restore_glacier", "restore/stages.rs", "bringing_from_cold_storage_stands_the_exercise"),
    ("restore_object", "restore/stages.rs", "restoring_an_object_stands_the_exercise"),
    ("restore_file", "restore/stages.rs", "restoring_a_file_stands_the_exercise"),
    ("restore_rehearsal", "restore/stages.rs", "rehearsing_stands_the_exercise"),
    ("delete_item", "deletion/stages.rs", "the_stage_stands_the_exercise"),
    ("research01_search", "researcher/stage.rs", "a_shift_stands_the_exercise"),
    ("curate01_read", "curator/stage.rs", "reading_a_feed_stands_the_exercise"),
    ("upkeep01_snapshot", "stages.rs", "every_stage_of_upkeep_stands_the_exercise"),
    ("upkeep02_prove", "stages.rs", "every_stage_of_upkeep_stands_the_exercise"),
    ("assess01_run", "assessing/stages.rs", "assessing_stands_the_exercise"),
    ("reference_load", "assessing/stages.rs", "loading_stands_the_exercise"),
];

/// Flows whose test takes all stages of the flow, whichever there are.
const WHOLE: &[(&str, &str)] =
    &[("ingest", "INGEST.stages"), ("fixity", "FIXITY.stages"), ("upkeep", "UPKEEP.stages")];

#[test]
fn every_stage_of_the_program_has_a_conformance_case() {
    let mut without = Vec::new();
    let mut known = 0;
    for flow in FLOWS {
        for stage in flow.stages {
            let topic = stage.about().topic;
            let Some((_, file, test)) = CASES.iter().find(|case| case.0 == topic) else {
                without.push(topic);
                continue;
            };
            known += 1;
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(file);
            let text = fs::read_to_string(&path).unwrap();
            let begins = format!("#[test]\nfn {test}() {{");
            let whole = WHOLE.iter().find(|(name, _)| *name == flow.name).map(|(_, text)| *text);
            let named = whole.map_or_else(|| format!("\"{topic}\""), str::to_owned);
            let stands = text.contains(&begins)
                && text.contains("exercise(&Case {")
                && text.contains(&named);
            assert!(stands, "{file} has no test {test} that exercises {topic}");
        }
    }
    assert_eq!(without, Vec::<&str>::new(), "these stages have no conformance case");
    assert_eq!(known, CASES.len(), "a case names a stage that no flow has");
}
