//! Objects and files given back, in every version.

use std::fs;

use bagit::profile::Rules;
use bagit::{Options, judge};
use storage::registry::{EVENTS, Query};
use storage::work::item::ItemId;
use strongroom::restore::RestorationsExpire;
use strongroom::work::Sweep;

use super::*;
use crate::bag_peer::{bagit_accepts, extract};

#[test]
fn an_object_comes_back_as_a_valid_bag_that_others_accept() {
    let rig = letters();
    let id = ask(&rig, None);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let tar = area(&rig).join("letters.tar");
    let note = rig.item(id).note;
    assert_eq!(note, format!("Object {LETTERS_ID} restored to {}", tar.display()));
    assert_eq!(lying(&area(&rig)), ["letters.tar"]);
    let files = unpacked(&tar);
    assert_eq!(payload(&files), expected(LETTERS));
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for name in ["manifest-md5.txt", "manifest-sha256.txt", "tagmanifest-md5.txt"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("sha512")), "{names:?}");
    let info = files.iter().find(|(path, _)| path == "bag-info.txt").unwrap();
    let info = String::from_utf8(info.1.clone()).unwrap();
    assert!(info.starts_with("Source-Organization: An archive\nPayload-Oxum: "), "{info}");
    assert!(info.contains(" restoration\n") && !info.contains("Original-"), "{info}");
    let rules = Rules::builtin("aptrust").unwrap();
    let options = Options { profile: Some(&rules), ..Options::default() };
    let verdict = judge(&tar, &options, &mut ()).unwrap();
    assert!(verdict.valid && verdict.findings.is_empty(), "{:?}", verdict.findings);
    let dir = tempfile::tempdir().unwrap();
    if extract(&tar, dir.path()) {
        assert_eq!(bagit_accepts(&dir.path().join("letters")), Some(true));
    }
}

#[test]
fn a_restored_bag_that_comes_back_is_the_same_bag() {
    let rig = letters();
    change(&rig);
    ask(&rig, None);
    rig.drain_all();
    let tar = area(&rig).join("letters.tar");
    let before = rig.app().registry.object_by_identifier(LETTERS_ID).unwrap().unwrap();
    let back = deposit(&rig, "letters.tar", |path| {
        fs::copy(&tar, path).unwrap();
    });
    rig.drain_all();
    assert_eq!(rig.word(back.unwrap()), "finished", "{:#?}", rig.history(back.unwrap()));
    let told = rig.history(back.unwrap());
    assert!(told.iter().any(|it| it.note.contains("the same as version 2")), "{told:#?}");
    let after = rig.app().registry.object_by_identifier(LETTERS_ID).unwrap().unwrap();
    assert_eq!((before.version, before.file_count), (after.version, after.file_count));
    assert_eq!(rig.app().registry.check().unwrap(), Vec::new());
}

#[test]
fn any_past_version_comes_back_as_it_was_deposited() {
    let rig = letters();
    change(&rig);
    for (version, name, content) in
        [(Some(1), "letters.v1.tar", expected(LETTERS)), (Some(2), "letters.tar", Vec::new())]
    {
        let id = ask(&rig, version);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        let found = payload(&unpacked(&area(&rig).join(name)));
        if version == Some(1) {
            assert_eq!(found, content);
        } else {
            // What a deposit leaves out stays: additions and changes on top of the first.
            let changed = expected(CHANGED);
            assert!(changed.iter().all(|file| found.contains(file)), "{found:?}");
            assert_eq!(found.len(), 5);
        }
    }
    let refused = rig.app().desk().restore_object(LETTERS_ID, Some(3)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("there is no version 3 of {LETTERS_ID}; there is 1 to 2")
    );
}

#[test]
fn one_file_comes_back_and_is_told_of() {
    let rig = letters();
    change(&rig);
    let desk = rig.app().desk();
    let file = format!("{LETTERS_ID}/data/a.txt");
    for (version, place, content) in [
        (None, "letters/data/a.txt", &b"ALPHA\n"[..]),
        (Some(1), "letters.v1/data/a.txt", b"alpha\n"),
    ] {
        let asked = desk.restore_file(&file, version).unwrap();
        assert_eq!(asked.item.action, "Restore File");
        rig.drain_all();
        let id = ItemId(asked.item.id.unsigned_abs());
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        assert_eq!(fs::read(area(&rig).join(place)).unwrap(), content);
        assert!(rig.item(id).note.ends_with(place), "{}", rig.item(id).note);
    }
    let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let told = events.iter().filter(|event| event.event_type.name() == "restoration");
    assert_eq!(told.count(), 2);
}

#[test]
fn the_same_wish_twice_is_one_item() {
    let rig = letters();
    let first = rig.app().desk().restore_object(LETTERS_ID, None).unwrap();
    let again = rig.app().desk().restore_object(LETTERS_ID, Some(1)).unwrap();
    assert_eq!((first.item.id, first.joined, again.joined), (again.item.id, false, true));
    rig.drain_all();
    // Once it has ended, it may be asked for anew, and takes the place of the first.
    let anew = ask(&rig, None);
    rig.drain_all();
    assert_eq!(rig.word(anew), "finished");
    let listed = rig.app().desk().restorations().unwrap();
    assert_eq!(listed.restorations.len(), 1);
    assert_eq!(listed.restorations[0].slip.item, anew.0);
}

#[test]
fn what_was_restored_goes_when_its_time_is_over() {
    let rig = letters();
    ask(&rig, None);
    let file = format!("{LETTERS_ID}/data/deep/er/b.xml");
    rig.app().desk().restore_file(&file, None).unwrap();
    rig.drain_all();
    let day = crate::harness::secs(86_400);
    let listed = || rig.app().desk().restorations().unwrap().restorations;
    assert!(listed().iter().all(|it| it.is_there && !it.expires_soon));
    // Somebody else's things are left alone.
    byteio::durable::write(&area(&rig).join("letters/mine.txt"), b"mine", false).unwrap();
    rig.clock.advance(day * 12);
    RestorationsExpire.sweep(rig.app(), 100).unwrap();
    assert!(listed().len() == 2 && listed().iter().all(|it| it.is_there && it.expires_soon));
    rig.clock.advance(day * 3);
    RestorationsExpire.sweep(rig.app(), 100).unwrap();
    assert_eq!(listed().len(), 0);
    assert_eq!(lying(&area(&rig)), ["letters", "letters/mine.txt"]);
}

#[test]
fn what_was_restored_goes_when_it_is_deleted() {
    let rig = letters();
    ask(&rig, None);
    let [gone, kept] = ["data/a.txt", "data/deep/er/b.xml"].map(|at| format!("{LETTERS_ID}/{at}"));
    for file in [&gone, &kept] {
        rig.app().desk().restore_file(file, None).unwrap();
    }
    rig.drain_all();
    RestorationsExpire.sweep(rig.app(), 100).unwrap();
    let there = |name: &str| lying(&area(&rig)).iter().any(|it| it == name);
    let names = ["letters.tar", "letters/data/a.txt", "letters/data/deep/er/b.xml"];
    assert_eq!(names.map(there), [true, true, true]);
    crate::deletion::agree(&rig, &[], &[&gone]);
    rig.drain_all();
    RestorationsExpire.sweep(rig.app(), 100).unwrap();
    // The bag held it, and the file was it; the other file is still held.
    assert_eq!(names.map(there), [false, false, true]);
}

#[test]
fn a_cancelled_restoration_leaves_nothing() {
    let rig = letters();
    let id = ask(&rig, None);
    let queue = std::sync::Arc::clone(rig.shop());
    let clock = std::sync::Arc::clone(&rig.clock);
    rig.shop().at_every_checkpoint(move || {
        drop(queue.controls().cancel(id, "ann"));
        clock.advance(crate::harness::secs(5));
    });
    rig.step();
    assert_eq!(rig.word(id), "cancelled");
    assert_eq!(lying(&area(&rig)), Vec::<String>::new());
    // What a kill left of an item that is gone is found by the sweep.
    byteio::durable::create_folder(&area(&rig).join(format!(".item-{id}.draft/x"))).unwrap();
    RestorationsExpire.sweep(rig.app(), 100).unwrap();
    assert_eq!(lying(&area(&rig)), Vec::<String>::new());
}
