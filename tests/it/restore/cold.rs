//! What lies in cold replicas: asked for once, waited for, and then restored.

use std::sync::Arc;

use strongroom::config::ProfileChoice;

use super::*;
use crate::ingest::{keys, open};
use crate::s3::{Door, SECRET, Server, write_keys};

/// An appliance with one cold replica in a bucket, or with a hot one beside it.
fn cold(door: &Arc<Door>, with_hot: bool) -> Rig<App> {
    cold_with(FLOWS, door, with_hot)
}

pub(super) fn cold_with(
    flows: &'static [strongroom::work::Flow<App>],
    door: &Arc<Door>,
    with_hot: bool,
) -> Rig<App> {
    let door = Arc::clone(door);
    let rig = Rig::around(flows, move |dir, clock| {
        let data = dir.join("data");
        let server = Server::start(&dir.join("s3"), &["bucket-a"], door);
        write_keys(&keys(dir), SECRET);
        let mut toml = format!(
            "[replica.a]\nurl = \"s3://bucket-a\"\nendpoint = \"{}\"\nallow_http = true\n\
             credentials = \"{}\"\nclass = \"cold\"\n",
            server.endpoint,
            keys(dir).display()
        );
        if with_hot {
            toml.push_str("[replica.b]\nurl = \"vault/b\"\n");
        }
        Box::new(move || {
            let _open = &server;
            open(flows, &data, clock.clone(), (&toml, &ProfileChoice::Named))
        })
    });
    let first = deposit_letters(&rig);
    while !rig.item(first).state.is_terminal() {
        rig.step();
    }
    rig
}

#[test]
fn an_object_in_cold_storage_is_asked_for_once_and_waited_for() {
    let door = Arc::new(Door::default());
    let rig = cold(&door, false);
    door.freezer.close("bucket-a");
    let id = ask(&rig, None);
    assert_eq!(rig.at(id), ("ready", "restore_glacier".to_owned()));
    assert_eq!(rig.item(id).subject.action, "Glacier Restore");
    rig.drain();
    assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
    assert!(rig.item(id).note.contains("take hours to come"), "{}", rig.item(id).note);
    assert_eq!(lying(&area(&rig)), Vec::<String>::new());
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(rig.item(id).subject.action, "Restore Object");
    assert_eq!(payload(&unpacked(&area(&rig).join("letters.tar"))), expected(LETTERS));
    let copies = door.freezer.copies();
    // Two files have the same content, and bag-info.txt is written anew.
    assert_eq!(copies.len(), 4, "{copies:?}");
    for (path, copy) in copies {
        assert!(copy.is_there && copy.taken == 1 && copy.asked <= 2, "{path}: {copy:?}");
    }
    // It is looked at ever more rarely.
    let looks: Vec<u64> = rig
        .history(id)
        .windows(2)
        .filter(|pair| pair.iter().all(|it| it.topic == "restore_glacier"))
        .map(|pair| pair[1].started.0 - pair[0].started.0)
        .collect();
    assert!(looks.len() >= 3 && looks.windows(2).all(|pair| pair[1] > pair[0]), "{looks:?}");
}

#[test]
fn one_file_in_cold_storage_comes_too() {
    let door = Arc::new(Door::default());
    let rig = cold(&door, false);
    door.freezer.close("bucket-a");
    let file = format!("{LETTERS_ID}/data/deep/er/b.xml");
    let asked = rig.app().desk().restore_file(&file, None).unwrap();
    assert_eq!(asked.item.topic, "restore_glacier");
    rig.drain_all();
    let id = ItemId(asked.item.id.unsigned_abs());
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(rig.item(id).subject.action, "Restore File");
    let found = fs::read(area(&rig).join("letters/data/deep/er/b.xml")).unwrap();
    assert_eq!(found, LETTERS[2].1);
    let copies: Vec<_> = door.freezer.copies().into_values().collect();
    assert!(copies.len() == 1 && copies[0].taken == 1, "{copies:?}");
}

#[test]
fn what_is_not_frozen_in_a_cold_replica_is_restored_at_once() {
    let door = Arc::new(Door::default());
    let rig = cold(&door, false);
    let id = ask(&rig, None);
    rig.drain();
    // This server does not know the request, as many do not.
    let asked = door.requests().iter().any(|it| it.starts_with("POST") && it.contains("restore="));
    assert!(asked, "{:#?}", door.requests());
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

#[test]
fn a_hot_copy_is_read_first_and_the_cold_one_when_it_is_bad() {
    let door = Arc::new(Door::default());
    let rig = cold(&door, true);
    door.freezer.close("bucket-a");
    let id = ask(&rig, None);
    rig.drain();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert!(door.freezer.copies().is_empty(), "nothing cold was needed");
    damage::alter(&rig, "b");
    let id = ask(&rig, None);
    rig.drain();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "copy-is-cold");
    rig.controls().requeue(id, Some("restore_glacier"), "ann").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(payload(&unpacked(&area(&rig).join("letters.tar"))), expected(LETTERS));
    // Only the one that is bad was asked for; the others were tried and were in the hot replica.
    let asked = door.freezer.copies().values().filter(|copy| copy.asked > 0).count();
    assert_eq!(asked, 1);
}
