//! What is said of deposits: where they lie, what became of them, and what they wait for.

use std::fs;
use std::io::Write;

use storage::registry::{InstitutionKind, NewInstitution, Role};

use super::deposits::{AREA, QUIET, area, letters, lying, put, tar};
use crate::command::run;
use crate::house::{House, until};
use crate::ingest::{LETTERS, bag, write_tar};
use crate::wire::{Ask, Reply, get, post};

/// The row of the page that has this name, as text.
fn row(page: &str, name: &str) -> String {
    let rows = page.split("<tr>").find(|row| row.contains(&format!("<bdi>{name}</bdi>")));
    rows.unwrap_or_else(|| panic!("no {name} in {page}")).to_owned()
}

#[test]
fn the_page_says_what_lies_in_the_area_and_why() {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 1\n");
    until("the area is there", || area(&house).is_dir());
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "data/empty");
    write_tar(&area(&house).join("broken.tar"), "broken", &files);
    for name in ["notes.txt", ".hidden", "coming.tar.part"] {
        fs::File::create(area(&house).join(name)).unwrap().write_all(b"x").unwrap();
    }
    let mut page = String::new();
    until("the bag is rejected", || {
        page = house.get("/fragments/deposits").is(200).text();
        page.contains("rejected: it is not valid")
    });
    assert!(row(&page, "broken.tar").contains("#findings-heading"), "{page}");
    assert!(row(&page, "broken.tar").contains("#remove"), "{page}");
    assert!(row(&page, "notes.txt").contains("no bag: a bag is a folder"), "{page}");
    assert!(row(&page, ".hidden").contains("no bag: names that begin with a dot"), "{page}");
    assert!(row(&page, "coming.tar.part").contains("still arriving"), "{page}");
    let list = house.get("/api/v1/deposits").is(200).json();
    let deposits = list["areas"][0]["deposits"].as_array().unwrap();
    let broken = deposits.iter().find(|it| it["state"] == "turned-away").unwrap();
    let id = broken["item"].as_u64().unwrap();
    assert!(house.get("/").text().contains("no bags: 1, such as notes.txt"));
    // A mended one of the same object waits behind it.
    write_tar(&area(&house).join("broken.tar.gz"), "broken", &bag(LETTERS));
    until("it waits", || {
        let page = house.get("/fragments/deposits").text();
        row(&page, "broken.tar.gz").contains(&format!("waits until item {id}"))
    });
    let behind = house.ask(&put(&house, "broken.zip", b"PK")).is(201).json();
    assert!(behind["item"].is_null() && behind["waits_behind"] == id, "{behind}");
    house.get("/deposits").is(200);
}

fn report(reply: &Reply) -> String {
    assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
    reply.text()
}

#[test]
fn a_bag_that_is_not_valid_has_a_report_for_its_depositor() {
    let house = House::of_the_program(QUIET);
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "data/empty");
    let bytes = tar("letters", &files);
    let id =
        house.ask(&put(&house, "letters.tar", &bytes)).is(201).json()["item"].as_u64().unwrap();
    house.until_state(id, "parked");
    let page = house.get(format!("/items/{id}")).is(200).text();
    assert!(page.contains(&format!("href=\"/items/{id}/report.txt\"")), "{page}");
    assert!(page.contains("Needs a person") && page.contains("To come"), "{page}");
    let text = report(&house.get(format!("/items/{id}/report.txt")).is(200));
    for words in [
        "letters.tar",
        "Our archive (archive.local)",
        "not accepted",
        "data/empty",
        "archive.local/letters",
        "Judged by:",
        "aptrust",
        "send the bag again",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    assert_eq!(report(&house.get(format!("/api/v1/items/{id}/report")).is(200)), text);
    assert_eq!(house.get("/api/v1/items/99/report").is(404).code(), "no-such-item");
    house.get("/items/x/report.txt").is(404);
    let fine =
        house.ask(&put(&house, "good.tar", &tar("good", &bag(LETTERS)))).is(201).json()["item"]
            .as_u64();
    house.until_state(fine.unwrap(), "finished");
    let none = house.get(format!("/api/v1/items/{}/report", fine.unwrap())).is(404);
    assert_eq!(none.code(), "nothing-to-report");
}

#[test]
fn a_rejected_deposit_is_removed_by_page_and_by_api_by_those_who_may_deposit() {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 0\n");
    let mut broken = bag(LETTERS);
    broken.retain(|(path, _)| path != "data/empty");
    let send = |name: &str| {
        let bytes = tar(name, &broken);
        let sent = house.ask(&put(&house, &format!("{name}.tar"), &bytes)).is(201).json();
        let id = sent["item"].as_u64().unwrap();
        house.until_state(id, "parked");
        until("it is listed", || {
            house.get(format!("/api/v1/items/{id}")).json()["removable"] == true
        });
        id
    };
    let user = "user@archive.example";
    house.person_of(AREA, user, Role::InstitutionalUser);
    let stranger = "user@library.example";
    let library = r#"{"name":"Town library","identifier":"library.example"}"#;
    house.command("/api/v1/institutions", library).is(200);
    house.person_of("library.example", stranger, Role::InstitutionalAdmin);
    let as_person = |email: &str, ask: Ask| {
        let cookie = house.sign_in(email);
        house.ask(&ask.with("cookie", cookie.as_str()))
    };
    let (first, second) = (send("first"), send("second"));
    // What is kept, and until when, is said where it can be removed.
    let detail = house.get(format!("/api/v1/items/{first}")).is(200).json();
    let until_when = detail["kept_until"].as_str().unwrap().to_owned();
    let minute = until_when[..16].replace('T', " ");
    let page = as_person(user, get(format!("/items/{first}"))).is(200).text();
    assert!(page.contains(&format!("It is kept until {minute} UTC and then removed.")), "{page}");
    // To judge again what was read would find the same: it is proposed to read the bag again.
    let offered = house.get(format!("/items/{first}")).text();
    let proposed = offered.split("<option").nth(1).unwrap_or_else(|| panic!("{offered}"));
    assert!(proposed.contains("ingest01_prefetch"), "{proposed}");
    let action = format!("action=\"/items/{first}/remove-deposit\"");
    assert!(page.contains(&action) && page.contains("method=\"post\""), "{page}");
    // Another institution's people are told nothing.
    let path = |id: u64| format!("/items/{id}/remove-deposit");
    as_person(stranger, post(path(first), "")).is(404);
    as_person(stranger, post(format!("/api/v1{}", path(second)), "")).is(404);
    assert_eq!(lying(&house), ["first.tar", "second.tar"]);
    as_person(user, post(path(first), "")).is(303);
    assert_eq!(lying(&house), ["second.tar"]);
    let removed = house.command(&format!("/api/v1{}", path(second)), "").is(200).json();
    assert_eq!(removed["item"]["id"], second);
    assert_eq!(lying(&house), Vec::<String>::new());
    for id in [first, second] {
        house.until_state(id, "cancelled");
        let again = house.command(&format!("/api/v1{}", path(id)), "").is(409);
        assert_eq!(again.code(), "not-rejected");
    }
    let log = house.get("/api/v1/audit?deed=remove-deposit").is(200).json();
    let done: Vec<_> = log["audit"].as_array().unwrap().iter().map(|it| &it["outcome"]).collect();
    assert_eq!(done, ["done", "done"], "{log}");
}

#[test]
fn a_replica_that_is_away_is_told_on_every_page_with_those_who_wait() {
    let house = House::of_the_program(QUIET);
    let first = house.ask(&put(&house, "letters.tar", &letters())).is(201).json();
    house.until_state(first["item"].as_u64().unwrap(), "finished");
    let overview = house.get("/").text();
    assert!(row_of_replica(&overview, "b").contains(">There<"), "{overview}");
    assert!(row_of_replica(&overview, "b").contains(" free of "), "{overview}");

    let vault = house.data().join("vault");
    byteio::durable::rename(&vault.join("b"), &vault.join("aside")).unwrap();
    let more = tar("more", &bag(&[("other.txt", b"other\n")]));
    let second = house.ask(&put(&house, "more.tar", &more)).is(201).json()["item"].clone();
    let id = second.as_u64().unwrap();
    house.until_state(id, "delayed");
    for path in ["/", "/queues", "/items", "/deposits", &format!("/items/{id}")] {
        let page = house.get(path).is(200).text();
        let notice = page.split("role=\"alert\"").find(|it| it.contains("Replica b is away since"));
        let notice = notice.unwrap_or_else(|| panic!("no notice on {path}: {page}"));
        assert!(notice.contains(": 1 item waits for it. Mount its disk"), "{path}: {notice}");
    }
    let page = house.get(format!("/fragments/items/{id}")).text();
    assert!(page.contains("It waits") && page.contains("is away"), "{page}");
    assert!(page.contains(">Waits<") && page.contains("Tried again"), "{page}");
    assert!(page.contains("<dt>Since</dt>"), "{page}");
    let told = house.get(format!("/api/v1/items/{id}")).is(200).json();
    assert_eq!(told["item"]["waiting_for"], "replica-away b", "{told}");
    assert!(told["item"]["waiting_since"].is_string(), "{told}");
    let shown = run(&house.data(), &["items", "show", &id.to_string()]).is(0).out;
    assert!(shown.contains("Waiting for: replica-away b, since "), "{shown}");
    let overview = house.get("/fragments/overview").text();
    let row = row_of_replica(&overview, "b");
    assert!(row.contains(">Away<") && row.contains("1 item waits for it."), "{row}");
    assert!(row_of_replica(&overview, "a").contains(">There<"), "{overview}");

    // It is back, and somebody does not want to wait for the minute to pass.
    byteio::durable::rename(&vault.join("aside"), &vault.join("b")).unwrap();
    house.command(&format!("/api/v1/items/{id}/requeue"), "").is(200);
    house.until_state(id, "finished");
    assert!(!house.get("/").text().contains("is away"));
}

/// The row of a replica on the overview.
fn row_of_replica(page: &str, name: &str) -> String {
    let table = page.split("replicas-heading").nth(2).unwrap_or(page);
    row(table, name)
}

#[test]
fn every_institution_has_an_area_of_its_own() {
    let house = House::configured(QUIET);
    house.get("/deposits").is(200);
    let registry = &house.app().registry;
    let now = house.app().shop.clock.now();
    let name = "museum.example";
    let made = NewInstitution {
        name: "The Museum".into(),
        identifier: name.into(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: format!("receiving/{name}"),
        restore_bucket: format!("restore/{name}"),
    };
    registry.create_institution(&made, now).unwrap();
    let to = |institution: &str| Ask {
        path: format!("/api/v1/deposits/{institution}/a.tar"),
        ..put(&house, "a.tar", b"x")
    };
    house.ask(&to("museum.example")).is(201);
    house.ask(&to(AREA)).is(201);
    assert!(house.data().join("receiving/museum.example/a.tar").is_file());
    assert_eq!(lying(&house), ["a.tar"]);
    let page = house.get("/deposits").is(200).text();
    for words in [
        "<option value=\"museum.example\">The Museum</option>",
        "In the receiving area of The Museum",
        "In the receiving area of Our archive",
    ] {
        assert!(page.contains(words), "no {words} in {page}");
    }
}

#[test]
fn a_mended_bag_may_be_sent_under_the_name_of_one_that_was_turned_away() {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 0\n");
    let mut broken = bag(LETTERS);
    broken.retain(|(path, _)| path != "data/empty");
    let sent = house.ask(&put(&house, "letters.tar", &tar("letters", &broken))).is(201);
    let item = sent.json()["item"].as_u64().unwrap();
    until("it is turned away", || {
        house.get(format!("/api/v1/items/{item}")).json()["item"]["reason"] == "rejected"
    });
    house.get(format!("/api/v1/deposits/{AREA}/letters.tar/check")).is(200);
    house.ask(&put(&house, "letters.tar", &letters())).is(201);
    until("the mended one is preserved", || {
        house.get("/api/v1/objects/archive.local/letters").status == 200
    });
}

#[test]
fn a_deposit_that_was_left_is_taken_again_by_a_button_of_its_page() {
    let house = House::of_the_program("[ingest]\nsweep_s = 3600\nstill_s = 0\n");
    house.command("/api/v1/queues/pause", "").is(200);
    let sent = house.ask(&put(&house, "letters.tar", &letters())).is(201).json();
    let id = sent["item"].as_u64().unwrap();
    house.command(&format!("/api/v1/items/{id}/cancel"), "").is(200);
    house.command("/api/v1/queues/resume", "").is(200);
    house.until_state(id, "cancelled");
    let button = format!("action=\"/items/{id}/take-again\"");
    until("it is offered", || house.get(format!("/items/{id}")).text().contains(&button));
    assert!(row(&house.get("/deposits").text(), "letters.tar").contains(&button));
    let stranger = "user@library.example";
    let library = r#"{"name":"Town library","identifier":"library.example"}"#;
    house.command("/api/v1/institutions", library).is(200);
    house.person_of("library.example", stranger, Role::InstitutionalAdmin);
    let cookie = house.sign_in(stranger);
    let path = format!("/items/{id}/take-again");
    house.ask(&post(&path, "").with("cookie", cookie.as_str())).is(404);
    let user = "user@archive.example";
    house.person_of(AREA, user, Role::InstitutionalUser);
    let cookie = house.sign_in(user);
    let reply = house.ask(&post(&path, "").with("cookie", cookie.as_str())).is(303);
    let to = reply.header("location").unwrap().to_owned();
    let second: u64 = to.rsplit('/').next().unwrap().parse().unwrap();
    assert!(second > id, "{to}");
    house.until_state(second, "finished");
    let refused = house.command(&format!("/api/v1{path}"), "").is(409);
    assert_eq!(refused.code(), "deposit-gone");
    let finished = house.command(&format!("/api/v1/items/{second}/take-again"), "").is(409);
    assert_eq!(finished.code(), "not-given-up");
    let log = house.get("/api/v1/audit?deed=take-deposit-again").is(200).json();
    assert!(!log["audit"].as_array().unwrap().is_empty(), "{log}");
}
