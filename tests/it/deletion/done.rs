//! What was agreed on is gone from everywhere, what was not is untouched, and all of it is told.

use std::path::Path;

use storage::registry::{HeldState, Version};
use strongroom::flows::FLOWS;

use super::{LETTERS, agree, declined, is_somewhere, state_of, sweep, vaults, with_letters, word};
use crate::harness::Rig;
use crate::ingest::{bag, deposit, ocfl, rig, write_tar};

fn validate(rig: &Rig<strongroom::app::App>) {
    let [a, b] = vaults(rig);
    ocfl::validate(&[&a, &b]);
    assert_eq!(rig.app().desk().doctor(false).unwrap().findings, []);
}

#[test]
fn a_file_is_gone_from_every_version_and_replica_and_shared_bytes_stay() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let make = |path: &Path| write_tar(path, "letters", &bag(&[("deep/er/b.xml", b"<c/>")]));
    let second = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(second), "finished");
    let registry = &rig.app().registry;
    let names = [format!("{LETTERS}/data/a.txt"), format!("{LETTERS}/data/deep/er/b.xml")];
    let (request, items) = agree(&rig, &[], &[&names[0], &names[1]]);
    assert_eq!(items.len(), 2);
    declined(rig.app().desk().deletion_certificate(request), "there is no certificate");
    rig.drain_all();
    for item in items {
        assert_eq!(word(&rig, item), "finished");
    }
    assert_eq!(state_of(&rig, request), "completed");
    for root in vaults(&rig) {
        assert!(is_somewhere(&root, b"alpha\n"), "its copy still has these bytes");
        for gone in [&b"<c/>"[..], b"<?xml version=\"1.0\"?>\n<b/>\n"] {
            assert!(!is_somewhere(&root, gone));
        }
    }
    for name in &names {
        let file = registry.file_by_identifier(name).unwrap().unwrap();
        assert_eq!(file.state, HeldState::Deleted);
        assert!(registry.copies(file.id, file.version).unwrap().is_empty());
    }
    let object = registry.object_by_identifier(LETTERS).unwrap().unwrap();
    assert_eq!((object.state, object.version), (HeldState::Active, Version(2)));
    validate(&rig);

    let certificate = rig.app().desk().deletion_certificate(request).unwrap();
    let text = certificate.text();
    for words in [
        "by ann <ann@example.edu>",
        "by bob <bob@example.edu>",
        "no longer ours",
        "file archive.local/letters/data/a.txt",
        "gone from a (this machine) at",
        "gone from b (this machine) at",
        "What remained",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(certificate.parts.len(), 2);
    assert_eq!((certificate.parts[1].version_count, certificate.parts[1].content_count), (2, 2));
    assert!(serde_json::to_value(&certificate).unwrap()["request"]["state"] == "completed");
}

#[test]
fn a_whole_object_goes_and_may_be_deposited_again() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (request, items) = agree(&rig, &[LETTERS], &[]);
    rig.drain_all();
    assert_eq!(rig.word(items[0]), "finished", "{:#?}", rig.history(items[0]));
    assert!(rig.item(items[0]).note.contains("ann@example.edu, approved by bob@example.edu"));
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier(LETTERS).unwrap().unwrap();
    assert_eq!((object.state, object.file_count, object.size), (HeldState::Deleted, 0, 0));
    for root in vaults(&rig) {
        assert!(!is_somewhere(&root, b"alpha\n"));
    }
    assert_eq!(state_of(&rig, request), "completed");
    validate(&rig);

    with_letters(&rig);
    let object = registry.object_by_identifier(LETTERS).unwrap().unwrap();
    assert_eq!((object.state, object.version), (HeldState::Active, Version(2)));
    assert_eq!(object.file_count, 6);
    for root in vaults(&rig) {
        assert!(is_somewhere(&root, b"alpha\n"));
    }
    validate(&rig);
    // The agreement is used up: a sweep finds nothing to do.
    assert_eq!(sweep(&rig), 0);
}

#[test]
fn a_list_goes_part_by_part() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    for name in ["one", "two"] {
        let make = |path: &Path| write_tar(path, name, &bag(&[(name, name.as_bytes())]));
        deposit(&rig, &format!("{name}.tar"), make).unwrap();
        rig.drain_all();
    }
    let file = format!("{LETTERS}/data/a.txt");
    let (request, items) = agree(&rig, &["archive.local/one", "archive.local/two"], &[&file]);
    assert_eq!(items.len(), 3);
    rig.drain_all();
    assert_eq!(state_of(&rig, request), "completed");
    let certificate = rig.app().desk().deletion_certificate(request).unwrap();
    assert_eq!(certificate.parts.iter().filter(|part| part.whole_object).count(), 2);
    assert!(certificate.parts.iter().all(|part| part.replicas.len() == 2));
    validate(&rig);
}

#[test]
fn an_item_that_was_lost_is_made_again_once() {
    let mut rig = rig(FLOWS);
    with_letters(&rig);
    let (request, items) = agree(&rig, &[LETTERS], &[]);
    assert_eq!(sweep(&rig), 0, "it has its item");
    let work = rig.app().home.work();
    rig.reopen_after(|| std::fs::remove_dir_all(&work).unwrap());
    rig.app().copy().unwrap();
    assert_eq!(sweep(&rig), 1);
    assert_eq!(sweep(&rig), 0);
    rig.drain_all();
    assert_eq!(state_of(&rig, request), "completed");
    assert!(!rig.items().iter().any(|item| item.id == items[0]));
}

#[test]
fn a_file_that_was_lost_before_is_named_in_the_certificate() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    for root in vaults(&rig) {
        let copy = crate::ingest::tree(&root);
        let copy = copy.iter().find(|it| it.contains("v1/content/data/deep/er/b.xml")).unwrap();
        let copy = root.join(copy.split(' ').next().unwrap());
        byteio::durable::write(&copy, b"other", false).unwrap();
    }
    crate::fixity::check_after(&rig, 91);
    let file = format!("{LETTERS}/data/empty");
    let (one, _) = agree(&rig, &[], &[&file]);
    rig.drain_all();
    let certificate = rig.app().desk().deletion_certificate(one).unwrap();
    assert_eq!(certificate.parts[0].lost, [], "{}", certificate.text());
    let (all, _) = agree(&rig, &[LETTERS], &[]);
    rig.drain_all();
    assert_eq!(state_of(&rig, all), "completed");
    let certificate = rig.app().desk().deletion_certificate(all).unwrap();
    let lost: Vec<_> = certificate.parts[0].lost.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(lost, ["data/deep/er/b.xml"]);
    let text = certificate.text();
    let said = "lost before the deletion: data/deep/er/b.xml: no replica in hot storage had an intact \
                copy of version 1";
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("deletion: data/a.txt"), "{text}");
    // What is told is an event of the file, so that it is there after a loss of the registry too.
    let file = format!("{LETTERS}/data/deep/er/b.xml");
    let events = rig.app().desk().file(&file).unwrap().events;
    assert!(
        events.iter().any(|it| it.detail == "file was lost before it was deleted"),
        "{events:#?}"
    );
}
