//! The house closed for maintenance: who still comes in, what the others are told, and what rests.

use serde_json::json;
use storage::registry::Role;

use crate::house::House;
use crate::wire::{get, post};

const TOLD: &str = "A disk is replaced; back at <noon>.";

fn close(house: &House) {
    let wish = json!({"on": true, "sentence": TOLD}).to_string();
    let told = house.command("/api/v1/maintenance", &wish).is(200).json();
    assert_eq!((&told["on"], &told["by"]), (&json!(true), &json!("the command line")));
}

#[test]
fn only_those_who_look_after_the_house_come_in() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    house.person("keeper@archive.example", Role::Admin);
    let (ann, keeper) =
        (house.sign_in("ann@archive.example"), house.sign_in("keeper@archive.example"));
    close(&house);

    for path in ["/", "/items", "/objects/archive.local/x", "/settings", "/fragments/items"] {
        let page = house.ask(&get(path).with("cookie", &*ann)).is(503);
        assert_eq!(page.header("retry-after"), Some("600"), "{path}");
        let text = page.text();
        assert!(text.contains("A disk is replaced; back at &lt;noon&gt;."), "{path}: {text}");
        assert!(text.contains("<html") && !text.contains(r#"href="/sign-in""#), "{path}");
    }
    house.ask(&post("/restorations", "object=x").with("cookie", &*ann)).is(503);
    let stranger = house.ask_as_stranger(&get("/")).is(503).text();
    assert!(stranger.contains(r#"href="/sign-in""#), "{stranger}");
    let program = house.ask(&get("/api/v1/items").with("cookie", &*ann)).is(503);
    assert_eq!((program.code().as_str(), &program.json()["detail"]), ("maintenance", &json!(TOLD)));
    assert_eq!(program.header("retry-after"), Some("600"));

    // Health, what pages are drawn with, and the way in stay as they are.
    for path in ["/health", "/health/ready", "/metrics", "/sign-in", "/version"] {
        house.ask_as_stranger(&get(path)).is(200);
    }
    let again = house.sign_in("keeper@archive.example");
    let page = house.ask(&get("/").with("cookie", &*again)).is(200).text();
    assert!(page.contains("The house is closed for maintenance"), "{page}");
    house.ask(&get("/items").with("cookie", &*keeper)).is(200);
    house.get("/api/v1/items").is(200);

    house.command("/api/v1/maintenance", r#"{"on": false}"#).is(200);
    let open = house.ask(&get("/").with("cookie", &*ann)).is(200).text();
    assert!(!open.contains("closed for maintenance"), "{open}");
}

#[test]
fn work_rests_over_a_restart_and_what_was_paused_stays_paused() {
    let mut house = House::new();
    house.command("/api/v1/queues/test03_store/pause", "").is(200);
    close(&house);
    let id = house.push("ok-bag.tar");
    house.stop();
    house.start();
    assert_eq!(house.get("/api/v1/maintenance").json()["sentence"], TOLD);
    // Workers look for work at least once a second.
    std::thread::park_timeout(std::time::Duration::from_millis(2500));
    assert_eq!(house.state(id), "ready");
    house.get("/health/ready").is(200);
    let queues = house.get("/api/v1/queues").json();
    let paused: Vec<_> = queues.as_array().unwrap().iter().map(|it| &it["paused"]).collect();
    assert_eq!(paused, [false, false, true]);

    house.command("/api/v1/maintenance", r#"{"on": false}"#).is(200);
    crate::house::until("it waits where it is paused", || {
        house.live(id).is_some_and(|item| item.topic == "test03_store")
    });
    let queues = house.get("/api/v1/queues").json();
    assert_eq!(queues[2]["paused"], true);
    house.command("/api/v1/queues/resume", "").is(200);
    house.until_state(id, "finished");
}

#[test]
fn the_page_is_a_switch_for_administrators() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    house.person("keeper@archive.example", Role::Admin);
    let ann = house.sign_in("ann@archive.example");
    let keeper = house.sign_in("keeper@archive.example");
    house.ask(&get("/maintenance").with("cookie", &*ann)).is(403);
    house.ask(&post("/maintenance", "on=true").with("cookie", &*ann)).is(403);
    assert_eq!(house.get("/api/v1/maintenance").json()["on"], false);

    let page = |ask: crate::wire::Ask| house.ask(&ask.with("cookie", &*keeper));
    assert!(page(get("/maintenance")).is(200).text().contains("Close the house"));
    page(post("/maintenance", "on=true&sentence=Back+at+noon.")).is(303);
    let shown = page(get("/maintenance")).is(200).text();
    for words in ["Back at noon.", "keeper@archive.example", "Open the house again"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let long = "x".repeat(501);
    let refused = page(post("/maintenance", format!("on=true&sentence={long}"))).is(422).text();
    assert!(refused.contains("longer than 500 characters") && refused.contains(&long));
    assert_eq!(house.get("/api/v1/maintenance").json()["sentence"], "Back at noon.");
    page(post("/maintenance", "sentence=x")).is(422);
    for body in ["", "[]", r#"{"on": "yes"}"#, r#"{"on": true, "colour": "red"}"#] {
        assert_eq!(house.command("/api/v1/maintenance", body).is(400).code(), "bad-body");
    }
    page(post("/maintenance", "on=false")).is(303);
    assert!(page(get("/maintenance")).text().contains("Close the house"));
}
