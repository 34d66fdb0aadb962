//! Assessments when the program is stopped, and when something fails that may be well in a moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
