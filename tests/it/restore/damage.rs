//! Copies that are not what they should be.

use storage::registry::{CopyState, EVENTS, EventRow, Query};

use super::*;
use crate::ingest::rig_configured;
use crate::room::SmallDisk;

/// The place of a file's copy in a replica.
fn copy(rig: &Rig<App>, replica: &str, content: &str) -> PathBuf {
    let vault = rig.app().config.data.join("vault").join(replica);
    let mut folders = vec![vault];
    while let Some(folder) = folders.pop() {
        let place = folder.join(content);
        if place.is_file() {
            return place;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            folders.extend(path.is_dir().then_some(path));
        }
    }
    panic!("{content} is not in {replica}")
}

#[derive(Clone, Copy, Debug)]
enum Harm {
    Alter,
    Shorten,
    Lengthen,
    Remove,
}

const HARMS: [Harm; 4] = [Harm::Alter, Harm::Shorten, Harm::Lengthen, Harm::Remove];

fn harm(path: &Path, how: Harm) {
    let bytes = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    let harmed = match how {
        Harm::Alter => bytes.iter().map(|byte| byte ^ 1).collect(),
        Harm::Shorten => bytes[1..].to_vec(),
        Harm::Lengthen => [&bytes[..], b"x"].concat(),
        Harm::Remove => return,
    };
    byteio::durable::write(path, &harmed, false).unwrap();
}

/// Alters one file in a replica.
pub(super) fn alter(rig: &Rig<App>, replica: &str) {
    harm(&copy(rig, replica, B), Harm::Alter);
}

const B: &str = "v1/content/data/deep/er/b.xml";

fn state(rig: &Rig<App>, replica: &str) -> CopyState {
    let registry = &rig.app().registry;
    let file = registry.file_by_identifier(&format!("{LETTERS_ID}/data/deep/er/b.xml"));
    let file = file.unwrap().unwrap();
    let copies = registry.copies(file.id, file.version).unwrap();
    copies.iter().find(|copy| copy.replica == replica).unwrap().state
}

#[test]
fn a_bad_copy_is_passed_over_told_and_repaired() {
    for how in HARMS {
        for is_file in [false, true] {
            let rig = letters();
            let place = copy(&rig, "a", B);
            harm(&place, how);
            let id = if is_file {
                let file = format!("{LETTERS_ID}/data/deep/er/b.xml");
                let asked = rig.app().desk().restore_file(&file, None).unwrap();
                ItemId(asked.item.id.unsigned_abs())
            } else {
                ask(&rig, None)
            };
            rig.drain_all();
            assert_eq!(rig.word(id), "finished", "{how:?}: {:#?}", rig.history(id));
            if is_file {
                let found = fs::read(area(&rig).join("letters/data/deep/er/b.xml")).unwrap();
                assert_eq!(found, LETTERS[2].1);
            } else {
                let note = rig.item(id).note;
                assert!(note.contains("and another was read)"), "{how:?}: {note}");
                assert!(note.ends_with("letters.tar"), "{how:?}: {note}");
                let found = payload(&unpacked(&area(&rig).join("letters.tar")));
                assert_eq!(found, expected(LETTERS), "{how:?}");
            }
            // The check that was asked for has mended it meanwhile.
            assert_eq!((state(&rig, "a"), state(&rig, "b")), (CopyState::Sound, CopyState::Sound));
            assert_eq!(fs::read(&place).unwrap(), LETTERS[2].1, "{how:?}");
            let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
            let told = |kind: &str, outcome: &str| {
                let is_so =
                    |it: &&EventRow| it.event_type.name() == kind && it.outcome.name() == outcome;
                events.iter().filter(is_so).count()
            };
            assert_eq!(told("fixity check", "Failure"), 2, "by the restoration and by the check");
            assert_eq!(told("repair", "Success"), 1, "{how:?}");
        }
    }
}

#[test]
fn without_a_good_copy_nothing_is_published_and_the_file_is_named() {
    let rig = letters();
    harm(&copy(&rig, "a", B), Harm::Alter);
    harm(&copy(&rig, "b", B), Harm::Remove);
    let id = ask(&rig, None);
    rig.drain_all();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    let because = rig.reason(id);
    assert_eq!(because.code, "no-sound-copy");
    assert!(because.happened.contains("data/deep/er/b.xml"), "{}", because.happened);
    assert_eq!(lying(&area(&rig)), Vec::<String>::new());
    assert_eq!((state(&rig, "a"), state(&rig, "b")), (CopyState::Damaged, CopyState::Missing));
    // The copy is brought back: the item goes on.
    byteio::durable::write(&copy(&rig, "a", B), LETTERS[2].1, false).unwrap();
    rig.controls().requeue(id, None, "ann").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(payload(&unpacked(&area(&rig).join("letters.tar"))), expected(LETTERS));
}

#[test]
fn a_replica_that_is_away_is_done_without_or_waited_for() {
    let rig = letters();
    let vault = rig.app().config.data.join("vault");
    let away =
        |name: &str| byteio::durable::rename(&vault.join(name), &vault.join(format!("{name}.off")));
    let back =
        |name: &str| byteio::durable::rename(&vault.join(format!("{name}.off")), &vault.join(name));
    away("a").unwrap();
    let id = ask(&rig, None);
    rig.drain();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    harm(&copy(&rig, "b", B), Harm::Alter);
    let id = ask(&rig, None);
    rig.drain();
    assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
    assert!(rig.item(id).note.contains("replica `a` is away"), "{}", rig.item(id).note);
    assert_eq!(rig.strikes(id).attempts, 0);
    back("a").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

#[test]
fn a_full_disk_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path(), "8m") else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    let area = disk.path().join("area");
    let toml = format!("[restore]\narea = {area:?}\n[work]\nroom_floor_mb = 1");
    let rig = rig_configured(FLOWS, toml);
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(first), "finished");
    disk.fill();
    let id = ask(&rig, None);
    rig.drain();
    assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
    assert!(rig.item(id).note.contains("make room on the disk"), "{}", rig.item(id).note);
    assert_eq!(rig.strikes(id).attempts, 0);
    disk.clear();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}
