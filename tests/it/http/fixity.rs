//! Checks of what is held: the page, the API, and what the overview says.

use std::fs;
use std::path::PathBuf;

use crate::house::{House, until};
use crate::ingest::{LETTERS, bag, tree};

pub(super) fn holding() -> House {
    let house = House::ingesting();
    house.receive("letters", &bag(LETTERS), 1);
    house
}

/// The place of a file in a replica.
pub(super) fn place(house: &House, replica: &str, part: &str) -> PathBuf {
    let vault = house.data().join("vault").join(replica);
    let found =
        tree(&vault).into_iter().find(|it| it.contains(part) && !it.contains("set-aside")).unwrap();
    vault.join(found.split(' ').next().unwrap())
}

fn harm(house: &House, replica: &str) {
    let path = place(house, replica, "v1/content/data/a.txt");
    byteio::durable::write(&path, b"alphA\n", false).unwrap();
}

/// Asks for a check of the letters, and waits until it ends so.
pub(super) fn check(house: &House, state: &str) -> serde_json::Value {
    let asked = house.command("/api/v1/objects/archive.local/letters/check", "").is(202).json();
    let id = asked["item"]["id"].as_u64().unwrap();
    house.until_state(id, state);
    house.get(format!("/api/v1/items/{id}")).is(200).json()
}

#[track_caller]
fn says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
}

#[test]
fn a_check_is_asked_for_and_told_and_what_is_lost_is_nowhere_hidden() {
    let house = holding();
    let page = house.get("/fixity").is(200).text();
    says(&page, &["No copy is known to be damaged", "less than a day ago", "90 days allowed"]);
    says(
        &page,
        &["role=\"img\"", "Within the 90 days that are allowed: 6", "Check everything now"],
    );
    says(&house.get("/").text(), &["badge good\">Well<"]);

    harm(&house, "b");
    let item = check(&house, "finished");
    says(&item["item"]["note"].to_string(), &["damaged and repaired: 1"]);
    let standing = house.get("/api/v1/fixity").is(200).json();
    assert_eq!((&standing["unsound_count"], &standing["lost_count"]), (&0.into(), &0.into()));
    let replicas = standing["replicas"].as_array().unwrap();
    assert_eq!(
        replicas.iter().map(|it| it["copy_count"].as_u64()).collect::<Vec<_>>(),
        [Some(6); 2]
    );

    harm(&house, "a");
    harm(&house, "b");
    let item = check(&house, "failed");
    says(
        &item["item"].to_string(),
        &["No hot replica has an intact copy of data/a.txt", "/files/"],
    );
    let page = house.get("/fixity").is(200).text();
    // Two files have these bytes.
    says(&page, &["2 files are lost, 4 copies are not sound", ">Lost<", "letters/data/a.txt"]);
    says(&page, &["badge bad\">Not sound<", "Replace from a file"]);
    let overview = house.get("/").text();
    says(
        &overview,
        &["badge bad\">Not well<", "2 files are lost: no hot replica has a sound copy."],
    );
    says(&house.get("/objects/archive.local/letters").text(), &["No verified copies"]);
    let doctor = house.get("/api/v1/doctor").is(200).text();
    assert_eq!(doctor.matches("lost-copy").count(), 4, "{doctor}");

    let csv = house.get("/api/v1/fixity/unsound.csv").is(200);
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"unsound.csv\""));
    assert_eq!(csv.text().matches(",damaged,").count(), 4, "{}", csv.text());
    let csv = house.get("/api/v1/fixity/report.csv").is(200).text();
    let rows: Vec<&str> = csv.trim_end().split("\r\n").collect();
    assert_eq!(rows.len(), 3, "{csv}");
    assert!(rows[0].starts_with("replica,place,objects,copies,unsound,oldest_check,"));
    assert!(rows[1].starts_with("a,this machine,1,6,2,2") && rows[1].ends_with(",no,0"), "{csv}");

    // It is brought back to one replica, from outside.
    let path = place(&house, "a", "v1/content/data/a.txt");
    byteio::durable::write(&path, b"alpha\n", false).unwrap();
    check(&house, "finished");
    says(&house.get("/").text(), &["badge good\">Well<"]);
    let mended = place(&house, "b", "v1/content/data/a.txt");
    assert_eq!(fs::read(mended).unwrap(), b"alpha\n");
}

#[test]
fn forms_ask_for_checks_and_nothing_is_put_in_line_twice() {
    let house = holding();
    house.command("/api/v1/queues/fixity_check/pause", "").is(200);
    let object = house.get("/objects/archive.local/letters").is(200).text();
    says(
        &object,
        &["action=\"/fixity/objects/1/check\"", "Last checked as a whole", "Oldest check"],
    );
    let sent = house.post("/fixity/objects/1/check", "").is(303);
    let item = sent.header("location").unwrap().to_owned();
    says(&house.get(item.as_str()).is(200).text(), &["Fixity Check", "letters"]);
    let all = house.post("/fixity/check", "").is(303);
    assert_eq!(all.header("location"), Some("/fixity"));
    says(
        all.header("set-cookie").unwrap(),
        &["0%20objects%20are%20in%20line", "Already%20in%20line%3A%201"],
    );
    let again = house.command("/api/v1/fixity/check", "").is(202).json();
    assert_eq!((&again["made"], &again["known"]), (&0.into(), &1.into()));
    let known = house.command("/api/v1/objects/1/check", "").is(202).json();
    assert_eq!(item, format!("/items/{}", known["item"]["id"]));
    says(&house.get("/fixity").text(), &["1 object is in line"]);
    let due = house.get("/api/v1/fixity/due?limit=5").is(200).json();
    assert_eq!(due[0]["objects"][0]["identifier"], "archive.local/letters");
    assert_eq!((&due[1]["replica"], &due[1]["objects"][0]["is_due"]), (&"b".into(), &false.into()));

    for (path, status, code) in [
        ("/api/v1/objects/archive.local/nobody/check", 404, "no-such-object"),
        ("/api/v1/objects/archive.local/letters/burn", 405, "wrong-method"),
        ("/api/v1/objects/archive.local/letters", 405, "wrong-method"),
    ] {
        assert_eq!(house.command(path, "").is(status).code(), code, "{path}");
    }
    house.post("/fixity/objects/99/check", "").is(404);
}

#[test]
fn a_house_whose_replica_is_away_is_not_well() {
    let house = holding();
    let root = house.data().join("vault/b");
    byteio::durable::rename(&root, &house.data().join("elsewhere")).unwrap();
    house.app().vaults.look();
    until("it is heard of", || house.get("/").text().contains("Replica b is away."));
    says(&house.get("/").text(), &["badge bad\">Not well<"]);
    byteio::durable::rename(&house.data().join("elsewhere"), &root).unwrap();
    house.app().vaults.look();
    says(&house.get("/").text(), &["badge good\">Well<"]);
}
