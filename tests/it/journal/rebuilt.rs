//! What a rebuild does not take from a replica on trust: roles of administrators and approvals of
//! deletions; and that what it says to do works.

use std::fs;
use std::path::{Path, PathBuf};

use storage::registry::DeletionState;
use strongroom::ledger::{Keeper, Key};

use crate::command::{Server, run};
use crate::deletion::kill::{agree, begin, open};
use crate::house::until;

fn lose_registry(data: &Path) {
    for name in ["registry.sqlite", "registry.sqlite-wal", "registry.sqlite-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
    fs::remove_dir_all(data.join("work")).unwrap();
}

/// Writes what waits to the journal, as the program does every few seconds.
fn write_journal(data: &Path) {
    let app = open(data);
    let key = Key::open(&app.home.journal_key()).unwrap();
    Keeper::new(key).keep(&app.registry, &app.vaults.hot()).unwrap();
}

fn active_objects(data: &Path) -> usize {
    let list = run(data, &["objects", "list", "--json"]).is(0).json();
    let objects = list["objects"].as_array().unwrap();
    objects.iter().filter(|object| object["state"] == "A").count()
}

#[test]
fn an_approval_that_was_read_from_a_replica_deletes_nothing_and_administrators_are_confirmed_first()
{
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    let id = agree(&data);
    write_journal(&data);
    assert_eq!(active_objects(&data), 3);
    lose_registry(&data);
    let told = run(&data, &["rebuild", "--from", "a"]).is(0);
    assert!(told.out.contains(&format!("not completed were cancelled: {id}.")), "{}", told.out);

    // Nobody of them comes in, and nothing is deleted.
    let users = run(&data, &["user", "list", "--json"]).is(0).json();
    let roles: Vec<_> = users["users"].as_array().unwrap().iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["none", "none"], "{users:#}");
    let server = Server::start(&data);
    until("the journal was written again", || {
        let items = run(&data, &["items", "list", "--json"]).is(0).json();
        let items = items["items"].as_array().unwrap();
        assert!(items.iter().all(|item| item["action"] != "Delete"), "{items:#?}");
        let live = |status| run(&data, &["items", "list", "--status", status, "--json"]).is(0);
        ["Pending", "Started"].iter().all(|status| live(status).json()["count"] == 0)
    });

    // What the message says works, with the program running and without.
    let mut commands =
        told.out.lines().filter(|line| line.starts_with("  strongroom user confirm "));
    let confirm = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        run(&data, &words)
    };
    let first = commands.next().unwrap();
    let confirmed = confirm(first).is(0);
    assert!(confirmed.out.contains("institutional"), "{}", confirmed.out);
    drop(server);
    let second = commands.next().unwrap();
    confirm(second).is(0);
    assert_eq!(commands.next(), None);
    let again = confirm(first).is(1);
    assert!(again.err.contains("has no role that waits"), "{}", again.err);
    let email = first.split_whitespace().last().unwrap();
    run(&data, &["user", "reset", email]).is(0);

    assert_eq!(active_objects(&data), 3);
    let request = open(&data).desk().deletion(id).unwrap().deletion;
    assert_eq!(request.state, DeletionState::Cancelled);
    assert!(request.reason.contains("Strongroom cancelled this request"), "{}", request.reason);
    assert!(request.reason.contains("approved by bob@example.edu"), "{}", request.reason);
}

fn pages(data: &Path, replica: &str) -> Vec<PathBuf> {
    let folder = "extensions/strongroom-replica/journal/00000001";
    let entries = fs::read_dir(data.join("vault").join(replica).join(folder)).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

#[test]
fn lines_forged_in_one_replica_make_no_administrator_in_any_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    agree(&data);
    write_journal(&data);
    let page = pages(&data, "a").pop().unwrap();
    let good = fs::read(&page).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let ann = text.lines().find(|line| line.contains("ann@example.edu")).unwrap();
    let mallory = ann.replace("ann@example.edu", "mallory@example.edu");
    let mallory = mallory.replace("institutional_admin", "admin");
    let forged = super::forged::with_lines(&good, |lines| lines.push(mallory));
    byteio::durable::write(&page, &forged, false).unwrap();

    // A rebuild from that replica does not take the page.
    let copy = dir.path().join("copy");
    let status = std::process::Command::new("cp").arg("-a").arg(&data).arg(&copy).status().unwrap();
    assert!(status.success());
    lose_registry(&copy);
    let told = run(&copy, &["rebuild", "--from", "a"]).is(1);
    assert!(told.out.contains("not signed with the key of this appliance"), "{}", told.out);
    assert!(told.out.contains("Try another replica"), "{}", told.out);
    let told = run(&copy, &["rebuild", "--from", "b"]).is(0);
    assert!(!told.out.contains("mallory"), "{}", told.out);

    // The program puts it aside, tells people, and the other replica is as it was.
    let server = Server::start(&data);
    until("people are told", || {
        let alerts = run(&data, &["alerts", "list", "--json"]).is(0).json();
        alerts["alerts"].as_array().unwrap().iter().any(|it| it["kind"] == "journal-altered")
    });
    drop(server);
    let aside = data.join("vault/a/extensions/strongroom-replica/set-aside/journal");
    let kept = fs::read_dir(aside).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read(kept).unwrap(), forged);
    for replica in ["a", "b"] {
        for page in pages(&data, replica) {
            assert!(!fs::read_to_string(page).unwrap().contains("mallory"), "{replica}");
        }
    }
    lose_registry(&data);
    let told = run(&data, &["rebuild", "--from", "b"]).is(0);
    assert!(!told.out.contains("mallory"), "{}", told.out);
}

#[test]
fn a_forged_page_of_an_earlier_program_is_not_taken_without_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    agree(&data);
    write_journal(&data);
    // Whoever can write to the replica removes what is signed, and adds what nobody had to sign.
    let mut lines = Vec::new();
    for page in pages(&data, "a") {
        let text = fs::read_to_string(&page).unwrap();
        lines.extend(text.lines().filter(|line| !line.contains("\"end\"")).map(str::to_owned));
        fs::remove_file(page).unwrap();
    }
    let ann = lines.iter().find(|line| line.contains("ann@example.edu")).unwrap();
    let mallory = ann.replace("ann@example.edu", "mallory@example.edu");
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain([mallory.as_str()]).collect();
    let earlier = data.join("vault/a/extensions/strongroom-replica/ledger/00000001.jsonl");
    byteio::durable::create_folder(earlier.parent().unwrap()).unwrap();
    byteio::durable::write(&earlier, &super::forged::earlier_page(&lines), false).unwrap();
    lose_registry(&data);
    // The other replica has more.
    let told = run(&data, &["rebuild", "--from", "a"]).is(1);
    assert!(told.out.contains("its journal ends with page 1 of the ledger"), "{}", told.out);
    let (there, away) = (data.join("vault/b"), dir.path().join("away"));
    byteio::durable::rename(&there, &away).unwrap();
    let told = run(&data, &["rebuild", "--from", "a"]).is(0);
    assert!(told.out.contains("an earlier version of Strongroom wrote"), "{}", told.out);
    assert!(told.out.contains("not authenticated"), "{}", told.out);
}

#[test]
fn an_earlier_page_that_is_signed_does_not_bring_back_who_was_deactivated() {
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    agree(&data);
    write_journal(&data);
    let page = pages(&data, "a").pop().unwrap();
    let earlier = fs::read(&page).unwrap();
    run(&data, &["user", "deactivate", "ann@example.edu"]).is(0);
    write_journal(&data);
    assert_eq!(pages(&data, "a").pop().unwrap(), page, "the page has grown");
    assert!(fs::read(&page).unwrap().len() > earlier.len());
    byteio::durable::write(&page, &earlier, false).unwrap();
    lose_registry(&data);
    let told = run(&data, &["rebuild", "--from", "a"]).is(1);
    assert!(told.out.contains("is a later one in replica b"), "{}", told.out);
    assert!(told.out.contains("Try another replica"), "{}", told.out);
    // What the other has is all there is, whatever was done to the first.
    let told = run(&data, &["rebuild", "--from", "b"]).is(0);
    assert!(!told.out.contains("not authenticated"), "{}", told.out);
    let users = run(&data, &["user", "list", "--json"]).is(0).json();
    let users = users["users"].as_array().unwrap();
    let ann = users.iter().find(|it| it["email"] == "ann@example.edu").unwrap();
    assert!(!ann["deactivated_at"].is_null(), "{ann:#}");
}

#[test]
fn on_a_new_machine_a_rebuild_works_and_says_what_is_not_authenticated() {
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    lose_registry(&data);
    fs::remove_file(data.join("journal.key")).unwrap();
    let told = run(&data, &["rebuild", "--from", "a"]).is(0);
    assert!(told.out.contains("is not authenticated"), "{}", told.out);
    // The journal is signed anew, with the key of this machine.
    let _server = Server::start(&data);
    let series = |replica: &str| {
        let journal =
            data.join("vault").join(replica).join("extensions/strongroom-replica/journal");
        let of = |number: u32| journal.join(format!("{number:08}/00000001.jsonl"));
        of(2).is_file() && !of(1).is_file()
    };
    until("the journal was written anew", || series("a") && series("b"));
}
