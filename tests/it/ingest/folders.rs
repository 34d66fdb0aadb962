//! Folders that are deposited by hand, and what those who brought them left behind.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::Receiving;
use strongroom::work::Sweep;

use super::{LETTERS, bag, held, receiving, rig, rig_configured};
use crate::harness::{Rig, secs};

const DAY: u64 = 24 * 3600;
/// The profile that is usual wants a tar.
const BAGIT: &str = "[ingest]\nprofile = \"bagit\"\n";

fn sweep(rig: &Rig<App>) -> String {
    rig.app().copy().unwrap();
    Receiving.sweep(rig.app(), 100).unwrap().note
}

/// Says that something was last changed so many seconds ago, by the clock of the rig.
fn age(rig: &Rig<App>, path: &Path, seconds: u64) {
    let now = Duration::from_millis(rig.app().shop.clock.now().0);
    let then = SystemTime::UNIX_EPOCH + now - secs(seconds);
    File::open(path).unwrap().set_modified(then).unwrap();
}

/// A bag as a folder, every part of it an hour old.
fn put_folder(rig: &Rig<App>, name: &str) -> std::path::PathBuf {
    let folder = receiving(rig).join(name);
    for (path, bytes) in bag(LETTERS) {
        let file = folder.join(path);
        byteio::durable::create_folder(file.parent().unwrap()).unwrap();
        byteio::durable::write(&file, &bytes, false).unwrap();
    }
    age_all(rig, &folder, 3600);
    folder
}

fn age_all(rig: &Rig<App>, folder: &Path, seconds: u64) {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            age(rig, &path, seconds);
            folders.extend(path.is_dir().then_some(path));
        }
        age(rig, &next, seconds);
    }
}

fn only_item(rig: &Rig<App>) -> ItemId {
    let items = rig.items();
    assert_eq!(items.len(), 1);
    items[0].id
}

#[test]
fn a_folder_is_taken_when_everything_below_it_is_still() {
    let rig = rig_configured(FLOWS, BAGIT.to_owned());
    let folder = put_folder(&rig, "letters");
    let deep = folder.join("data/deep/er/b.xml");
    // Somebody writes far below; nothing at the top tells of it.
    age(&rig, &deep, 2);
    assert_eq!(sweep(&rig), "deposits taken: 0");
    age(&rig, &deep, 3600);
    age(&rig, &folder.join("data/deep"), 2);
    assert_eq!(sweep(&rig), "deposits taken: 0");
    rig.clock.advance(secs(10));
    assert_eq!(sweep(&rig), "deposits taken: 1");
    let id = only_item(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:?}", rig.outcomes(id));
    assert!(!held(&rig).contains("receiving "), "{}", held(&rig));
}

#[test]
fn no_more_entries_are_looked_at_than_a_bag_may_have() {
    let rig = rig_configured(FLOWS, "[ingest]\nmax_files = 3\n".to_owned());
    let folder = put_folder(&rig, "letters");
    for name in ["bag-info.txt", "data/a.txt", "data/empty", "manifest-md5.txt", "bagit.txt"] {
        age(&rig, &folder.join(name), 3600);
    }
    assert_eq!(sweep(&rig), "deposits taken: 1");
    let id = only_item(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "parked", "it has more files than a bag may have");
}

#[test]
fn a_date_that_lies_ahead_keeps_no_deposit_waiting_for_ever() {
    let rig = rig_configured(FLOWS, BAGIT.to_owned());
    let folder = put_folder(&rig, "letters");
    let ahead = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    File::open(folder.join("data/a.txt")).unwrap().set_modified(ahead).unwrap();
    File::open(&folder).unwrap().set_modified(ahead).unwrap();
    // The system's own date of that change is later than the rig's, which is in the past.
    assert_eq!(sweep(&rig), "deposits taken: 0");
    rig.clock.advance(secs(1000 * DAY));
    assert_eq!(sweep(&rig), "deposits taken: 1");
    rig.drain_all();
    assert_eq!(rig.word(only_item(&rig)), "finished");
}

#[test]
fn drafts_of_commands_that_are_gone_are_cleared_after_a_day() {
    let rig = rig(FLOWS);
    let area = receiving(&rig);
    // One that has ended for sure, and one that runs: this test.
    let mut ended = Command::new("true").stdout(Stdio::null()).spawn().unwrap();
    ended.wait().unwrap();
    let (gone, here) = (ended.id(), std::process::id());
    let file = area.join(format!(".ingest-{gone}-a.tar"));
    let running = area.join(format!(".ingest-{here}-b.tar"));
    let folder = area.join(format!(".ingest-{gone}-c"));
    fs::create_dir_all(folder.join("data")).unwrap();
    for path in [&file, &running, &folder.join("data/x")] {
        File::create(path).unwrap();
    }
    for path in [&file, &running] {
        age(&rig, path, DAY - 60);
    }
    age_all(&rig, &folder, DAY - 60);
    sweep(&rig);
    assert!(file.is_file() && folder.is_dir() && running.is_file(), "not for a day");
    rig.clock.advance(secs(120));
    age(&rig, &folder.join("data/x"), 5);
    sweep(&rig);
    assert!(!file.is_file() && folder.is_dir() && running.is_file());
    age(&rig, &folder.join("data/x"), DAY);
    sweep(&rig);
    assert!(!folder.is_dir() && running.is_file());
}

#[test]
fn half_of_a_removed_folder_is_never_a_deposit() {
    let rig = rig_configured(FLOWS, BAGIT.to_owned());
    put_folder(&rig, "letters");
    sweep(&rig);
    let id = only_item(&rig);
    while rig.item(id).topic != "ingest09_cleanup" {
        rig.step();
    }
    // The process died in the middle of the removal.
    let (area, aside) = (receiving(&rig), receiving(&rig).join(format!(".removed-{id}")));
    byteio::durable::rename(&area.join("letters"), &aside).unwrap();
    fs::remove_file(aside.join("bagit.txt")).unwrap();
    age_all(&rig, &aside, 3600);
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(aside.is_dir(), "its item removes it");
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
    assert!(!aside.is_dir());
    // One whose item has ended is nobody's.
    fs::create_dir(&aside).unwrap();
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(!aside.is_dir());
}
