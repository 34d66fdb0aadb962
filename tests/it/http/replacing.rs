//! A file that no replica has an intact copy of is replaced by somebody who has it.

use std::fs;

use serde_json::Value;

use super::deposits::form_to;
use super::fixity::{check, holding, place};
use super::rights::{KEEPER, LIBRARIAN, Peopled, READER, ROOT, USER};
use crate::house::House;
use crate::wire::{Ask, get, post};

const NAME: &str = "archive.local/letters/data/a.txt";

/// Damages both copies, and has the loss found.
fn lose(house: &House) {
    for replica in ["a", "b"] {
        byteio::durable::write(&copy(house, replica), b"alphA\n", false).unwrap();
    }
    check(house, "failed");
    assert_eq!(open_alerts(house).len(), 4);
}

fn copy(house: &House, replica: &str) -> std::path::PathBuf {
    place(house, replica, "v1/content/data/a.txt")
}

fn copies(house: &House) -> [Vec<u8>; 2] {
    ["a", "b"].map(|replica| fs::read(copy(house, replica)).unwrap())
}

fn open_alerts(house: &House) -> Vec<String> {
    let registry = &house.app().registry;
    let kinds = ["file-lost", "copy-failed"];
    let open = kinds.iter().flat_map(|kind| registry.open_alerts(kind, 100).unwrap());
    open.map(|alert| alert.name).collect()
}

/// The number of the file, and its UUID.
fn file(house: &House) -> (i64, String) {
    let file = house.app().registry.file_by_identifier(NAME).unwrap().unwrap();
    (file.id.0, file.uuid.to_string())
}

fn form(house: &House, bytes: &[u8]) -> Ask {
    let path = format!("/fixity/files/{}/replacement", file(house).0);
    form_to(&path, &[("file", Some("a.txt"), bytes)])
}

fn put(house: &House, bytes: &[u8]) -> Ask {
    let path = format!("/api/v1/files/{}/replacement", file(house).1);
    post(path, bytes).method("PUT").with("content-type", "application/octet-stream")
}

/// What the log says of replacements.
fn log(house: &House) -> Vec<Value> {
    let log = house.get("/api/v1/audit?deed=replace-file").is(200).json();
    log["audit"].as_array().unwrap().clone()
}

fn repairs(house: &House) -> usize {
    let path = format!("/api/v1/events?generic_file_id={}&event_type=repair", file(house).0);
    house.get(path).is(200).json()["events"].as_array().unwrap().len()
}

#[test]
fn a_lost_file_is_replaced_on_its_page_and_every_replica_is_repaired() {
    let house = holding();
    let page = format!("/files/{}", file(&house).1);
    assert!(!house.get(page.as_str()).text().contains("Replace from a file"), "it is not lost");
    let not_lost = house.ask(&put(&house, b"alpha\n")).is(409);
    assert_eq!(not_lost.code(), "not-lost");
    lose(&house);
    let text = house.get(page.as_str()).is(200).text();
    let action = format!("action=\"/fixity/files/{}/replacement\"", file(&house).0);
    assert!(text.contains("Replace from a file") && text.contains(&action), "{text}");
    assert!(text.contains("enctype=\"multipart/form-data\""), "{text}");

    // Other bytes, more of them and none.
    for wrong in [&b"alphB\n"[..], b"alpha\nand more", b""] {
        let said = house.ask(&form(&house, wrong)).is(422).text();
        assert!(said.contains("Nothing was changed"), "{said}");
        assert!(said.contains("version 1 has 6 bytes and the SHA-256 "), "{said}");
        assert_eq!(copies(&house), [b"alphA\n", b"alphA\n"], "nothing is touched");
    }
    // A form that is cut off before its end.
    let mut cut = form(&house, b"alpha\n");
    cut.body.truncate(cut.body.len() - 8);
    house.ask(&cut).is(400);
    assert_eq!(copies(&house), [b"alphA\n", b"alphA\n"], "nothing is touched");
    assert_eq!((open_alerts(&house).len(), repairs(&house), log(&house).len()), (4, 0, 0));

    let sent = house.ask(&form(&house, b"alpha\n")).is(303);
    assert_eq!(sent.header("location"), Some(page.as_str()));
    assert_eq!(copies(&house), [b"alpha\n", b"alpha\n"]);
    assert_eq!(open_alerts(&house), Vec::<String>::new());
    assert_eq!(repairs(&house), 2, "one for each replica");
    assert_eq!(house.get("/api/v1/fixity").json()["unsound_count"], 0);
    let log = log(&house);
    assert_eq!((log.len(), &log[0]["outcome"]), (1, &"done".into()), "{log:?}");
    let text = house.get(page.as_str()).is(200).text();
    assert!(
        !text.contains("Replace from a file") && text.contains("Two verified copies"),
        "{text}"
    );
    check(&house, "finished");
    assert_eq!(house.app().registry.check().unwrap(), []);
}

#[test]
fn only_those_who_may_have_copies_checked_replace_a_file() {
    let people = Peopled::new(holding());
    let house = &people.house;
    lose(house);
    let page = format!("/files/{}", file(house).1);
    for (email, page_status, is_offered, put_status) in
        [(USER, 200, false, 403), (READER, 404, false, 403), (LIBRARIAN, 404, false, 404)]
    {
        let shown = people.ask(email, get(page.as_str()));
        assert_eq!(shown.status, page_status, "{email}");
        assert_eq!(shown.text().contains("Replace from a file"), is_offered, "{email}");
        assert_eq!(people.ask(email, put(house, b"alpha\n")).status, put_status, "{email}");
        assert_eq!(people.ask(email, form(house, b"alpha\n")).status, put_status, "{email}");
        assert_eq!(copies(house), [b"alphA\n", b"alphA\n"], "{email}");
    }
    for email in [KEEPER, ROOT] {
        let shown = people.ask(email, get(page.as_str())).is(200).text();
        assert!(shown.contains("Replace from a file"), "{email}");
        let told = people.ask(email, put(house, b"alpha\n")).is(200).json();
        assert_eq!(told["repaired"], serde_json::json!(["a", "b"]), "{told}");
        assert_eq!((&told["version"], &told["file"]), (&1.into(), &NAME.into()), "{told}");
        assert_eq!(copies(house), [b"alpha\n", b"alpha\n"], "{email}");
        let log = log(house);
        assert!(log[0].to_string().contains(email), "{log:?}");
        if email == KEEPER {
            lose(house);
        }
    }
}

#[test]
fn a_replica_that_is_away_does_not_keep_the_others_from_being_repaired() {
    let house = holding();
    lose(&house);
    let bytes = put(&house, b"alpha\n");
    let (root, elsewhere) = (house.data().join("vault/b"), house.data().join("elsewhere"));
    byteio::durable::rename(&root, &elsewhere).unwrap();
    let told = house.ask(&bytes).is(200).json();
    assert_eq!((&told["repaired"], &told["away"]), (&["a"].into(), &["b"].into()), "{told}");
    byteio::durable::rename(&elsewhere, &root).unwrap();
    house.app().vaults.look();
    // The check repairs the other from it.
    check(&house, "finished");
    assert_eq!(copies(&house), [b"alpha\n", b"alpha\n"]);
    assert_eq!(open_alerts(&house), Vec::<String>::new());
}

#[test]
fn a_second_try_completes_what_a_killed_one_began() {
    let house = holding();
    lose(&house);
    // Killed when one replica was repaired, and before the registry was told.
    byteio::durable::write(&copy(&house, "a"), b"alpha\n", false).unwrap();
    let told = house.ask(&put(&house, b"alpha\n")).is(200).json();
    assert_eq!((&told["intact"], &told["repaired"]), (&["a"].into(), &["b"].into()), "{told}");
    assert_eq!(copies(&house), [b"alpha\n", b"alpha\n"]);
    assert_eq!((open_alerts(&house).len(), repairs(&house)), (0, 2));
    assert_eq!(house.get("/api/v1/fixity").json()["unsound_count"], 0);
}
