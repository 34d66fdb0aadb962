//! Checks of what is held, by command.

use std::path::PathBuf;

use rustix::process::Signal;

use super::holdings::{Archive, says};
use crate::command::{Server, open};
use crate::ingest::tree;

const OBJECT: &str = "archive.local/letters";

fn place(archive: &Archive, replica: &str) -> PathBuf {
    let vault = archive.data.join("vault").join(replica);
    let found = tree(&vault)
        .into_iter()
        .find(|it| it.contains("v1/content/data/a.txt") && !it.contains("set-aside"))
        .unwrap();
    vault.join(found.split(' ').next().unwrap())
}

/// What is told of two lost copies; the same whether the directory is served or not.
fn look(archive: &Archive) {
    let report = archive.run(&["fixity", "report"]).is(1).out;
    says(&report, &["LOST: 1.", "lost", "letters/data/a.txt", "REPLICA", "read in time"]);
    let json = archive.run(&["fixity", "report", "--json"]).is(1).json();
    assert_eq!((&json["unsound_count"], &json["lost_count"]), (&2.into(), &1.into()));
    let csv = archive.run(&["fixity", "report", "--csv"]).is(1).out;
    assert!(csv.starts_with("replica,place,") && csv.split("\r\n").count() == 4, "{csv}");
    let csv = archive.run(&["fixity", "report", "--csv", "--unsound"]).is(1).out;
    assert_eq!(csv.matches(",damaged,").count(), 2, "{csv}");
    archive.run(&["fixity", "report", "--unsound"]).is(2);
    let doctor = archive.run(&["doctor"]).is(1).out;
    says(&doctor, &["vaults lost-copy: version 1 of archive.local/letters/data/a.txt is lost"]);
    let due = archive.json(&["fixity", "due", "--limit", "1"]);
    assert_eq!(due[0]["objects"][0]["identifier"], OBJECT);
    says(&archive.run(&["fixity", "due"]).is(0).out, &["OLDEST CHECK", OBJECT]);
    let unnamed = archive.run(&["fixity", "check", "none"]).is(1);
    says(&unnamed.err.to_lowercase(), &["there is no object \"none\""]);
    let missing = archive.run(&["fixity", "check", "archive.local/none"]).is(1);
    says(&missing.err.to_lowercase(), &["there is no object"]);
    archive.run(&["fixity", "check"]).is(2);
    archive.run(&["fixity", "due", "--limit", "0"]).is(2);
}

#[test]
fn checks_are_asked_for_followed_and_reported() {
    let archive = Archive::new();
    open(&archive.data).settle();
    says(&archive.run(&["fixity", "report"]).is(0).out, &["Nothing is held yet"]);
    says(&archive.run(&["fixity", "due"]).is(0).out, &["Nothing is held"]);
    let bag = archive.bag("one/letters.tar");
    let mut server = Server::start(&archive.data);
    archive.run(&["ingest", &bag, "--wait"]).is(0);
    let sound = archive.run(&["fixity", "check", OBJECT, "--wait"]).is(0).out;
    says(&sound, &["archive.local/letters: success (item ", "all are sound"]);

    byteio::durable::write(&place(&archive, "b"), b"harm", false).unwrap();
    says(&archive.run(&["fixity", "check", "1", "--wait"]).is(0).out, &["damaged and repaired: 1"]);
    for replica in ["a", "b"] {
        byteio::durable::write(&place(&archive, replica), b"harm", false).unwrap();
    }
    let lost = archive.run(&["fixity", "check", OBJECT, "--wait", "--json"]).is(1).json();
    says(lost["item"]["note"].as_str().unwrap(), &["lost copies"]);
    let all = archive.run(&["fixity", "check", "--all", "--wait"]).is(1).out;
    says(&all, &["1 object is in line to be read in every replica.", "LOST: 1."]);
    look(&archive);

    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    look(&archive);
    archive
        .run(&["fixity", "check", "--all", "--wait"])
        .refused("--wait needs a running appliance");
    let asked = archive.run(&["fixity", "check", "--all"]).is(0).out;
    says(&asked, &["1 object is in line", "No appliance runs"]);
    let known = archive.run(&["fixity", "check", OBJECT]).is(0).out;
    says(&known, &["archive.local/letters is in line as item "]);
    assert_eq!(archive.json(&["fixity", "check", "--all"])["known"], 1);
}

#[test]
fn a_replica_is_replaced_by_the_word_of_a_person_while_the_appliance_is_stopped() {
    let archive = Archive::new();
    let bag = archive.bag("one/letters.tar");
    let mut server = Server::start(&archive.data);
    archive.run(&["ingest", &bag, "--wait"]).is(0);
    let told = archive.run(&["fixity", "replaced", "b"]).is(1);
    says(&told.err, &["the appliance is running"]);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    let told = archive.run(&["fixity", "replaced", "b"]).is(1);
    says(&told.err, &["holds a replica"]);
    let told = archive.run(&["fixity", "replaced", "none"]).is(1);
    says(&told.err, &["replica none"]);

    let root = archive.data.join("vault/b");
    std::fs::remove_dir_all(&root).unwrap();
    std::fs::create_dir(&root).unwrap();
    let told = archive.run(&["fixity", "replaced", "b"]).is(0);
    says(&told.out, &["Copies missing in replica b: 1 object (", "Start the appliance"]);
    let report = archive.run(&["fixity", "report"]).is(1).out;
    says(&report, &["Copies missing in replica b: 1 object ("]);
    says(&archive.run(&["doctor"]).is(1).out, &["vaults missing-copies: Copies missing"]);
    let mut server = Server::start(&archive.data);
    let is_whole =
        || archive.run(&["fixity", "report", "--json"]).json()["missing"] == serde_json::json!([]);
    archive.run(&["fixity", "check", OBJECT, "--wait"]).is(0);
    assert!(is_whole());
    assert!(place(&archive, "b").is_file());
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
}
