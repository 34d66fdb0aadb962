//! Settings, storage and schedules: what is shown, and to whom.

use serde_json::{Value, json};
use storage::registry::Role;

use crate::house::{House, until};
use crate::ingest::bag;
use crate::wire::{get, post};

const TOML: &str = "[http]\nhosts = [\"archive.example\"]\n\n[webhook]\n\
    url = \"https://hooks.example/T0/s3cret\"\n\n[fixity]\nevery_days = 30\n";

/// The row of a list whose key is this.
fn row(list: &Value, key: &str, name: &str) -> Value {
    let rows = list.as_array().unwrap().iter();
    rows.clone().find(|row| row[key] == name).unwrap_or_else(|| panic!("{name} in {list}")).clone()
}

#[test]
fn settings_say_where_each_value_came_from_and_keep_secrets() {
    let vars = [("STRONGROOM_LOG", "warn".to_owned())];
    let mut house = House::closed(TOML, &vars);
    house.start();
    let told = house.get("/api/v1/settings").is(200).json();
    let setting = |key: &str| row(&told["settings"], "key", key);
    let from = |key: &str| (setting(key)["origin"].clone(), setting(key)["line"].clone());
    assert_eq!(from("http.hosts"), (json!("file"), json!(2)));
    assert_eq!(from("http.listen"), (json!("flag"), Value::Null));
    assert_eq!(from("log.level"), (json!("environment"), Value::Null));
    assert_eq!(from("upkeep.keep"), (json!("default"), Value::Null));
    assert_eq!(
        (&setting("upkeep.keep")["value"], &setting("mail.smtp")["value"]),
        (&json!("7"), &Value::Null)
    );
    assert_eq!(setting("webhook.url")["value"], "\"https://hooks.example/•••\"");
    let page = house.get("/settings").is(200).text();
    for words in [
        "[http]",
        "file, line 2",
        "environment, STRONGROOM_LOG",
        "command line, --listen",
        "not set",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.len() < 50 * 1024, "{} bytes", page.len());
    for text in [page, told.to_string()] {
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
fn storage_tells_keepers_all_and_others_how_it_is() {
    let house = House::ingesting();
    house.receive("letters", &bag(&[("a.txt", b"hello")]), 1);
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let ann = house.sign_in("ann@archive.example");

    let told = house.get("/api/v1/storage").is(200).json();
    let a = row(&told["replicas"], "name", "a");
    assert_eq!((&a["standing"], &a["class"]), (&json!("there"), &json!("hot")), "{a}");
    let detail = &a["detail"];
    assert_eq!((&detail["object_count"], &detail["set_aside_bytes"]), (&json!(1), &json!(0)));
    assert!(detail["size"].as_u64().unwrap() >= 5 && detail["copy_count"].as_u64() > Some(0));
    assert!(detail["url"].as_str().unwrap().ends_with("vault/a"), "{a}");
    let option = row(&told["options"], "name", "Standard");
    assert!(option["warnings"][0].as_str().unwrap().contains("one disk is one place"), "{option}");
    let page = house.get("/storage").is(200).text();
    for words in ["vault/a", "one disk is one place", "Room left", "Set aside"] {
        assert!(page.contains(words), "{words}: {page}");
    }

    let seen = house.ask(&get("/api/v1/storage").with("cookie", &*ann)).is(200).json();
    let a = row(&seen["replicas"], "name", "a");
    assert_eq!(
        (&a["standing"], &a["detail"], &seen["options"]),
        (&json!("there"), &Value::Null, &json!([]))
    );
    let page = house.ask(&get("/storage").with("cookie", &*ann)).is(200).text();
    assert!(page.contains("There") && !page.contains("vault/a"), "{page}");
}

#[test]
fn a_sweep_looks_when_it_is_told_to() {
    let house = House::of_the_program("");
    let runs = || row(&house.get("/api/v1/schedules").is(200).json(), "name", "upkeep_due");
    until("the first look", || runs()["runs"] == 1);
    let page = house.get("/schedules").is(200).text();
    for words in ["upkeep due", "Takes a snapshot of the registry", "Run now", " UTC"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    house.post("/schedules/upkeep_due/run", "").is(303);
    until("the second look", || runs()["runs"] == 2);
    house.command("/api/v1/schedules/upkeep_due/run", "").is(200);
    until("the third look", || runs()["runs"] == 3);
    assert!(house.post("/schedules/nothing/run", "").is(404).text().contains("There is no sweep"));
    let missing = house.command("/api/v1/schedules/nothing/run", "").is(404);
    assert_eq!(missing.code(), "no-such-sweep");
}

#[test]
fn the_house_is_kept_by_administrators_only() {
    let house = House::new();
    for (email, role) in
        [("ann@a.example", Role::InstitutionalAdmin), ("uma@a.example", Role::InstitutionalUser)]
    {
        house.person(email, role);
        let who = house.sign_in(email);
        for path in ["/settings", "/schedules", "/maintenance"] {
            house.ask(&get(path).with("cookie", &*who)).is(403);
            house.ask(&get(format!("/api/v1{path}")).with("cookie", &*who)).is(403);
        }
        house.ask(&post("/schedules/upkeep_due/run", "").with("cookie", &*who)).is(403);
        let nav = house.ask(&get("/storage").with("cookie", &*who)).is(200).text();
        assert!(!nav.contains(r#"href="/settings""#) && !nav.contains(r#"href="/schedules""#));
    }
    house.ask_as_stranger(&get("/storage")).is(303);
    house.ask_as_stranger(&get("/api/v1/settings")).is(401);
}
