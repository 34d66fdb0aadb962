//! Reference data that is damaged while it is in use: what is told, and how it is made good.

use std::time::Duration;

use nutrients::{ReferenceError, Table};
use strongroom::assess::{Wanted, ask_load};
use strongroom::fault::Classify;

use super::content::damage;
use super::*;
use crate::command::{Server, folder, open, run};

fn coefficients(app: &App) -> std::path::PathBuf {
    app.atlas.folder().join("version-000001/coefficient_layer.layer")
}

/// The delivery that `supply` has loaded, once more.
fn once_more(rig: &Rig<App>) -> ItemId {
    let wanted = Wanted {
        folder: rig.dir().join("layers").to_str().unwrap().to_owned(),
        data_version: "made-1".to_owned(),
        force: false,
        strict: false,
        by: "the test".to_owned(),
    };
    ItemId(ask_load(rig.app(), &wanted).unwrap().item)
}

#[test]
fn a_damaged_layer_stops_an_assessment_at_once_and_the_advice_helps() {
    let rig = rig(FLOWS, "");
    let (id, item) = asked(rig.app(), &Wish::of("a", site("a", 600.0), "C"));
    damage(&coefficients(rig.app()));
    rig.step();
    assert_eq!(rig.word(item), "parked", "no later attempt finds another layer");
    let reason = rig.reason(item);
    assert!(reason.happened.contains("coefficient_layer.layer is damaged"), "{reason:?}");
    assert!(reason.advice.contains("strongroom reference load DIR"), "{reason:?}");
    // As it is advised.
    once_more(&rig);
    rig.drain_all();
    rig.controls().requeue(item, None, "the test").unwrap();
    rig.drain_all();
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!(row.state, AssessmentState::Assessed);
}

#[test]
fn what_is_asked_while_a_layer_is_damaged_is_kept_and_says_so() {
    let rig = rig(FLOWS, "");
    std::fs::remove_file(coefficients(rig.app())).unwrap();
    let (id, item) = asked(rig.app(), &Wish::of("a", site("a", 100.0), "C"));
    rig.step();
    assert_eq!(rig.word(item), "parked");
    assert!(rig.reason(item).happened.contains("is damaged or gone"), "{:?}", rig.reason(item));
    once_more(&rig);
    rig.drain_all();
    rig.controls().requeue(item, None, "the test").unwrap();
    rig.drain_all();
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!((row.state, row.data_version.as_str()), (AssessmentState::Assessed, "made-1"));
}

#[test]
fn a_load_of_other_content_under_a_known_name_waits_for_a_person_and_one_of_the_same_ends() {
    let rig = rig(FLOWS, "");
    let same = once_more(&rig);
    rig.drain_all();
    assert_eq!(rig.word(same), "finished");
    let layer = rig.dir().join("layers/coefficient_layer.gpkg");
    let layer = rusqlite::Connection::open(layer).unwrap();
    layer.execute("UPDATE layer SET N_ResiCoeff = 12.5 WHERE fid = 7", []).unwrap();
    let other = once_more(&rig);
    rig.drain_all();
    assert_eq!(rig.word(other), "parked");
    let reason = rig.reason(other);
    assert!(reason.happened.contains("other content (coefficient_layer differ)"), "{reason:?}");
    assert!(reason.advice.contains("--force"), "{reason:?}");
    let last = strongroom::assess::last_load(rig.app()).unwrap().unwrap();
    assert!(last.trouble.is_some_and(|it| it.contains("known here")), "a person reads it");
}

#[test]
fn every_trouble_with_reference_data_has_an_advice_of_its_own() {
    let io = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    let errors = [
        ReferenceError::Io { path: "a".into(), source: io() },
        ReferenceError::Damaged { path: "a".into(), source: io() },
        ReferenceError::Unreadable { path: "a".into(), why: "b".into() },
        ReferenceError::MissingTable(Table::Lookups),
        ReferenceError::Empty,
        ReferenceError::EmptyTable(Table::Lookups),
        ReferenceError::NothingToRollBack,
        ReferenceError::SameVersion("one".into()),
        ReferenceError::OtherContent { version: "one".into(), tables: vec![Table::Lookups] },
    ];
    let told: std::collections::BTreeSet<String> = errors.iter().map(Classify::advice).collect();
    assert_eq!(told.len(), errors.len(), "{told:?}");
}

#[test]
fn readiness_reads_layers_and_says_no_until_a_damaged_one_is_replaced() {
    let house = house("");
    let ready = || house.get("/health/ready");
    until("every stage has looked for work", || ready().status == 200);
    damage(&coefficients(house.app()));
    let told = ready().is(503).json();
    let trouble = told["troubles"][0].as_str().unwrap();
    assert!(trouble.contains("reference data is damaged"), "{told}");
    let layers = house.dir.path().join("layers");
    let wish = json!({"folder": layers.to_str().unwrap(), "data_version": "made-1"});
    house.command("/api/v1/reference-data", &wish.to_string()).is(202);
    until("it is replaced", || ready().status == 200);
    assert_eq!(house.get("/api/v1/reference-data").json()["versions"][0]["number"], 2);
}

#[test]
fn bits_that_change_without_a_word_are_found_within_a_day() {
    let rig = rig(FLOWS, "");
    let atlas = &rig.app().atlas;
    let hours = |hours: u64| Duration::from_secs(hours * 3600);
    assert_eq!(atlas.damaged(hours(1)).unwrap(), []);
    let path = coefficients(rig.app());
    let written = std::fs::metadata(&path).unwrap().modified().unwrap();
    damage(&path);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
    assert_eq!(atlas.damaged(hours(24)).unwrap(), [], "nothing tells that it changed");
    assert_eq!(atlas.damaged(hours(25)).unwrap(), [Table::CoefficientLayer]);
    assert_eq!(atlas.damaged(hours(26)).unwrap(), [Table::CoefficientLayer], "and stays known");
    std::fs::remove_file(rig.app().atlas.folder().join("version-000001/manifest.json")).unwrap();
    assert!(atlas.damaged(hours(27)).is_err(), "a description that is gone is no good news");
}

#[test]
fn doctor_reads_layers_and_names_what_is_damaged() {
    let (dir, data) = folder();
    let app = open(&data);
    supply(&app, dir.path());
    let path = coefficients(&app);
    drop(app);
    run(&data, &["doctor"]).is(0);
    damage(&path);
    let told = run(&data, &["doctor", "--json"]).is(1).json();
    let [finding] = told["findings"].as_array().unwrap().as_slice() else { panic!("{told}") };
    assert_eq!(
        (&finding["store"], &finding["code"]),
        (&json!("reference"), &json!("damaged-layer"))
    );
    let sentence = finding["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("coefficient_layer of version 1 (in use), made-1"), "{sentence}");
    assert!(sentence.contains("strongroom reference load DIR"), "{sentence}");
    std::fs::remove_file(path.with_file_name("manifest.json")).unwrap();
    let told = run(&data, &["doctor"]).is(1).out;
    assert!(told.contains("reference damaged-version"), "{told}");
    byteio::durable::write(&data.join("reference/active.json"), b"{", false).unwrap();
    let told = run(&data, &["doctor"]).is(1).out;
    assert!(told.contains("reference unreadable") && told.contains("reference load DIR"), "{told}");
}

#[test]
fn a_load_that_is_waited_for_says_what_became_of_it() {
    let (dir, data) = folder();
    drop(open(&data));
    let layers = dir.path().join("layers");
    delivered(&layers);
    let load = |more: &[&str]| {
        let all = [&["reference", "load", layers.to_str().unwrap(), "--wait"], more].concat();
        run(&data, &all)
    };
    load(&[]).refused("--wait needs a running appliance");
    let server = Server::start(&data);
    let told = load(&[]).is(0).out;
    assert!(told.starts_with("Success (item ") && told.contains("is in use"), "{told}");
    let told = load(&[]).is(0).out;
    assert!(told.contains("in use already, with the same content"), "{told}");
    let parcel = rusqlite::Connection::open(layers.join("coefficient_layer.gpkg")).unwrap();
    parcel.execute("UPDATE layer SET N_ResiCoeff = 12.5 WHERE fid = 7", []).unwrap();
    let told = load(&[]).is(1).out;
    assert!(told.contains("other content") && told.contains("--force"), "{told}");
    let told = load(&["--force", "--json"]).is(0).json();
    assert_eq!(told["item"]["status"], "Success");
    drop(server);
    let told = run(&data, &["reference", "show", "--json"]).is(0).json();
    assert_eq!(told["versions"][0]["number"], 2);
}
