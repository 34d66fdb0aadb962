//! Assessments when the program is stopped, and when something fails that may be well in a moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nutrients::{BoundaryRules, Cancel};
use strongroom::desk::{AssessmentAsked, BoundaryAsked, DeskError, SiteForm};

use super::api::geojson;
use super::*;
use crate::harness::secs;

#[test]
fn a_stop_lets_the_running_assessment_finish_and_its_item_says_so() {
    let mut house = house("");
    let begun = Arc::new(AtomicBool::new(false));
    let (shop, is_begun) = (Arc::downgrade(&house.app().shop), Arc::clone(&begun));
    house.app().shop.at_every_checkpoint(move || {
        if std::thread::current().name().is_none_or(|name| !name.starts_with("assess01")) {
            return;
        }
        is_begun.store(true, Ordering::SeqCst);
        // It is measured when the stop is asked for, whatever the machine is busy with.
        while shop.upgrade().is_some_and(|shop| !shop.stop.asked()) {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    });
    let asked = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    until("it is measured", || begun.load(Ordering::SeqCst));
    house.stop();
    house.start();
    let item = house.get(format!("/api/v1/items/{}", asked["item"])).is(200).text();
    assert!(item.contains("it finished while the program was being stopped"), "{item}");
    let told = house.get(format!("/api/v1/assessments/{}", asked["id"].as_str().unwrap()));
    assert_eq!(told.json()["assessment"]["state"], "assessed");
}

#[test]
fn what_fails_for_a_moment_is_tried_again_after_five_seconds_and_then_after_a_minute() {
    let rig = rig(FLOWS, "[assess]\nlevy_tables = \"nowhere.json\"\n");
    let wish = Wish { calls_back: true, ..Wish::of("a", site("a", 100.0), "C") };
    let (_, item) = asked(rig.app(), &wish);
    let tried = || rig.history(item).len();
    rig.step();
    assert_eq!((rig.word(item), tried()), ("delayed", 1));
    // A fifth of a wait is left to chance.
    rig.clock.advance(secs(3));
    rig.step();
    assert_eq!(tried(), 1, "not before about five seconds");
    rig.clock.advance(secs(4));
    rig.step();
    assert_eq!((rig.word(item), tried()), ("delayed", 2));
    rig.clock.advance(secs(45));
    rig.step();
    assert_eq!(tried(), 2, "not before about a minute");
    rig.clock.advance(secs(30));
    rig.step();
    assert_eq!((rig.word(item), tried()), ("parked", 3));
}

/// The flag of a request is handed to the reader anew at each of these.
#[test]
fn no_boundary_is_read_for_a_request_that_has_ended() {
    let rig = rig(FLOWS, "");
    institution(rig.app());
    let desk = rig.app().desk();
    let (file_name, bytes) = ("site.geojson", geojson(300.0).into_bytes());
    let inline = message("NRF-000001", 300.0);
    let stored = json!({"job_id": "NRF-000002", "s3_input_key": "x/y.geojson",
        "number_of_dwellings": 5, "dwelling_type": "house"})
    .to_string();
    let refusal = |asked: Result<AssessmentAsked, DeskError>| match asked {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let refusals = |cancel: &Cancel| {
        let asked = BoundaryAsked { file_name, bytes: &bytes, inside: None, cancel };
        let looked = desk.check_boundary(&asked, BoundaryRules::default()).findings;
        let form = SiteForm {
            dwellings: "60".into(),
            file_name: file_name.into(),
            bytes: bytes.clone(),
            cancel: cancel.clone(),
            ..SiteForm::default()
        };
        [
            ("a boundary that is looked at", looked.iter().map(ToString::to_string).collect()),
            ("a form", refusal(desk.assess_site(&form))),
            ("a message", refusal(desk.assess_message(inline.as_bytes(), &form))),
            ("a file beside a message", refusal(desk.assess_message(stored.as_bytes(), &form))),
        ]
    };
    let cancel = Cancel::default();
    for (what, refusal) in refusals(&cancel) {
        assert_eq!(refusal, "", "{what} is sound");
    }
    cancel.cancel();
    for (what, refusal) in refusals(&cancel) {
        assert!(refusal.contains("the request ended"), "{what}: {refusal:?}");
    }
}
