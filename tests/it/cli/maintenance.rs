//! The house closed and opened by command, where it is served and where nothing runs.

use crate::command::{folder, open, run};
use crate::house::House;
use crate::wire::get;

#[test]
fn the_house_is_closed_and_opened_where_nothing_runs() {
    let (_folder, data) = folder();
    drop(open(&data));
    assert!(run(&data, &["maintenance", "show"]).is(0).out.contains("The house is open."));
    let on = ["maintenance", "on", "--sentence", "Back at noon."];
    assert!(run(&data, &on).is(0).out.contains("People are told: Back at noon."));
    let shown = run(&data, &["maintenance", "show", "--json"]).is(0).json();
    assert_eq!((&shown["on"], &shown["by"]), (&true.into(), &"the command line".into()));
    let long = "x".repeat(501);
    let refused = run(&data, &["maintenance", "on", "--sentence", &long]).is(1);
    assert!(refused.err.contains("longer than 500 characters"), "{refused:?}");
    assert!(run(&data, &["maintenance", "off"]).is(0).out.contains("The house is open."));
    assert_eq!(run(&data, &["maintenance", "show", "--json"]).json()["on"], false);
}

#[test]
fn the_house_is_closed_and_opened_while_it_is_served() {
    let house = House::new();
    run(&house.data(), &["maintenance", "on"]).is(0);
    let told = house.ask_as_stranger(&get("/items")).is(503).text();
    assert!(told.contains("The archive is closed for maintenance."), "{told}");
    run(&house.data(), &["maintenance", "off"]).is(0);
    house.ask_as_stranger(&get("/items")).is(303);
    let log = house.get("/api/v1/audit.csv").is(200).text();
    assert!(log.contains("close-house") && log.contains("open-house"), "{log}");
}
