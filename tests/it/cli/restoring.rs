//! `restore`, on a directory that is served and on one that is not.

use std::fs;

use rustix::process::Signal;

use super::holdings::Archive;
use crate::command::Server;

const OBJECT: &str = "archive.local/letters";

#[test]
fn what_is_held_comes_back_by_command() {
    let archive = Archive::new();
    let bag = archive.bag("one/letters.tar");
    let mut server = Server::start(&archive.data);
    archive.run(&["ingest", &bag, "--wait"]).is(0);
    let told = archive.run(&["restore", OBJECT, "--wait"]).is(0).out;
    let path = archive.data.join("restoration/archive.local/letters.tar");
    assert!(told.contains("letters.tar: restored to ") && path.is_file(), "{told}");
    archive.run(&["bag", "validate", path.to_str().unwrap(), "--profile", "aptrust"]).is(0);

    let to = archive.at("out");
    fs::create_dir(&to).unwrap();
    let out = to.to_str().unwrap();
    let json = archive.json(&["restore", OBJECT, "--file", "data/a.txt", "--to", out]);
    assert_eq!(json["item"]["status"], "Success", "{json}");
    assert_eq!(fs::read(to.join("a.txt")).unwrap(), b"alpha\n");
    let again = archive.run(&["restore", &format!("{OBJECT}/data/a.txt"), "--to", out]).is(1);
    assert!(again.err.contains("cannot be put at"), "{}", again.err);
    assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "nothing half is left");

    let refused = archive.run(&["restore", OBJECT, "--version", "2"]).is(1);
    assert!(refused.err.contains("There is no version 2 of archive.local/letters"), "{refused:?}");
    let refused = archive.run(&["restore", "archive.local/none"]).is(1);
    assert!(refused.err.contains("There is no object"), "{refused:?}");
    let nowhere = archive.run(&["restore", OBJECT, "--to", "/no/such/folder"]).is(2);
    assert!(nowhere.err.contains("is not a folder"), "{}", nowhere.err);

    server.signal(Signal::TERM);
    server.ended();
    archive.run(&["restore", OBJECT, "--wait"]).is(2);
    let asked = archive.run(&["restore", OBJECT, "--version", "1"]).is(0).out;
    assert!(asked.contains("is asked for: item "), "{asked}");
    assert!(asked.contains("No appliance runs: it waits for its next start."), "{asked}");
    let joined = archive.run(&["restore", OBJECT]).is(0).out;
    assert!(joined.contains("was asked for before: item "), "{joined}");
}
