//! A deposit that brings nothing new goes only when what it relies on is really there; what is not
//! there is repaired with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::registry::{EVENTS, EventType, Query};
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::power::Packed;
use super::{
    LETTERS, bag, deposit, deposit_letters, keys, ocfl, open, receiving, rig, tree, tree_of_server,
    write_tar,
};
use crate::fixity::check_after;
use crate::harness::Rig;
use crate::s3::{Door, SECRET, Server, write_keys};

fn vault(rig: &Rig<App>, name: &str) -> PathBuf {
    rig.app().config.data.join("vault").join(name)
}

/// The file of a.txt in replica b.
fn copy_in_b(rig: &Rig<App>) -> PathBuf {
    let vault = rig.app().config.data.join("vault/b");
    let name = tree(&vault).into_iter().find(|it| it.contains("v1/content/data/a.txt")).unwrap();
    vault.join(name.split(' ').next().unwrap())
}

fn in_replica(rig: &Rig<App>, replica: &str) -> PathBuf {
    let name =
        copy_in_b(rig).strip_prefix(rig.app().config.data.join("vault/b")).unwrap().to_owned();
    rig.app().config.data.join("vault").join(replica).join(name)
}

fn harm_copy(place: &Path, harm: Option<&[u8]>) {
    match harm {
        None => fs::remove_file(place).unwrap(),
        Some(harm) => byteio::durable::write(place, harm, false).unwrap(),
    }
}

/// How many copies were repaired, by what their events say.
fn repairs(rig: &Rig<App>) -> Vec<String> {
    let all = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let told = all.into_iter().filter(|it| it.event_type == EventType::Repair);
    told.map(|it| it.outcome_information).collect()
}

fn lost_alerts(rig: &Rig<App>) -> usize {
    let registry = &rig.app().registry;
    let kinds = ["file-lost", "copy-failed"];
    kinds.iter().map(|kind| registry.open_alerts(kind, 100).unwrap().len()).sum()
}

const RENAMED: &[(&str, &[u8])] = &[("renamed.txt", b"alpha\n")];
const NEWER: &[(&str, &[u8])] = &[("a.txt", b"alpha\n"), ("more.txt", b"omega\n")];

#[test]
fn a_deposit_repairs_every_copy_that_it_relies_on() {
    for (again, harmed) in [
        (LETTERS, &["b"][..]),
        (RENAMED, &["b"][..]),
        (LETTERS, &["a", "b"][..]),
        (RENAMED, &["a", "b"][..]),
        (NEWER, &["a", "b"][..]),
    ] {
        for harm in [None, Some(&b"alphA\n"[..])] {
            let rig = rig(FLOWS);
            let first = deposit_letters(&rig);
            rig.drain_all();
            assert_eq!(rig.word(first), "finished");
            let places: Vec<PathBuf> = harmed.iter().map(|name| in_replica(&rig, name)).collect();
            places.iter().for_each(|place| harm_copy(place, harm));
            let make = |path: &Path| write_tar(path, "letters", &bag(again));
            let id = deposit(&rig, "letters.tar", make).unwrap();
            rig.drain_all();
            assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
            assert!(!receiving(&rig).join("letters.tar").is_file());
            for place in &places {
                assert_eq!(fs::read(place).unwrap(), b"alpha\n");
            }
            let registry = &rig.app().registry;
            assert!(registry.unsound_copies(None, 10).unwrap().is_empty());
            // Two files have these bytes: an event for each, in each replica that was repaired.
            let repairs = repairs(&rig);
            assert_eq!(repairs.len(), 2 * harmed.len(), "{repairs:#?}");
            let word = if harm.is_none() { "was missing" } else { "was not what was preserved" };
            let is_told = |it: &String| it.contains(word) && it.contains("letters.tar");
            assert!(repairs.iter().all(is_told), "{repairs:#?}");
            assert_eq!(registry.check().unwrap(), []);
            ocfl::validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
        }
    }
}

/// Puts a folder with a file in it in the place of a copy.
fn replace_by_folder(place: &Path) {
    fs::remove_file(place).unwrap();
    fs::create_dir(place).unwrap();
    byteio::durable::write(&place.join("inside"), b"odd", false).unwrap();
}

#[test]
fn a_deposit_repairs_copies_that_cannot_be_read_in_a_replica_that_is_there() {
    for again in [LETTERS, NEWER] {
        for harmed in [&["b"][..], &["a", "b"]] {
            let rig = rig(FLOWS);
            deposit_letters(&rig);
            rig.drain_all();
            let places: Vec<PathBuf> = harmed.iter().map(|name| in_replica(&rig, name)).collect();
            places.iter().for_each(|place| replace_by_folder(place));
            let make = |path: &Path| write_tar(path, "letters", &bag(again));
            let id = deposit(&rig, "letters.tar", make).unwrap();
            rig.drain_all();
            assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
            assert!(!receiving(&rig).join("letters.tar").is_file());
            for place in &places {
                assert_eq!(fs::read(place).unwrap(), b"alpha\n");
            }
            let registry = &rig.app().registry;
            assert!(registry.unsound_copies(None, 10).unwrap().is_empty());
            let repairs = repairs(&rig);
            assert_eq!(repairs.len(), 2 * harmed.len(), "{repairs:#?}");
            let is_told = |it: &String| {
                it.contains("was not what was preserved") && it.contains("letters.tar")
            };
            assert!(repairs.iter().all(is_told), "{repairs:#?}");
            for name in harmed {
                let kept = tree(&vault(&rig, name)).into_iter();
                let kept = kept.filter(|it| it.contains("set-aside") && it.contains("inside"));
                assert_eq!(kept.count(), 1, "what lay there is kept");
            }
            let waits = rig.items().iter().any(|item| item.waiting.is_some());
            assert!(!waits, "no replica counts as away");
            assert_eq!(registry.check().unwrap(), []);
            ocfl::validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
        }
    }
}

#[test]
fn a_deposit_repairs_a_copy_that_a_bucket_does_not_give_out() {
    let door = Arc::new(Door::default());
    let at_door = Arc::clone(&door);
    let rig = Rig::around(FLOWS, move |dir, clock| {
        let data = dir.join("data");
        let server = Server::start(&dir.join("s3"), &["bucket-a"], at_door);
        write_keys(&keys(dir), SECRET);
        let toml = format!(
            "[replica.a]\nurl = \"s3://bucket-a\"\nendpoint = \"{}\"\nallow_http = true\n\
             credentials = \"{}\"\n[replica.b]\nurl = \"vault/b\"\n",
            server.endpoint,
            keys(dir).display()
        );
        Box::new(move || {
            let _open = &server;
            open(FLOWS, &data, clock.clone(), (&toml, &Packed::Tar.profile()))
        })
    });
    deposit_letters(&rig);
    rig.drain_all();
    door.make_unreadable("v1/content/data/a.txt");
    let before = door.requests().len();
    let id = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(repairs(&rig).len(), 2, "{:#?}", repairs(&rig));
    let requests = door.requests().split_off(before);
    let is_it = |it: &&String| it.contains("v1/content/data/a.txt") && !it.contains("set-aside");
    let upload = requests.iter().position(|it| is_it(&it) && it.starts_with("PUT"));
    let reads = requests[..upload.unwrap()].iter().filter(|it| is_it(it) && it.starts_with("GET"));
    assert!(reads.count() >= 2, "it was read again before it was replaced: {requests:#?}");
    assert!(!receiving(&rig).join("letters.tar").is_file());
}

#[test]
fn a_deposit_with_the_right_bytes_ends_the_alert_about_a_loss() {
    for again in [LETTERS, NEWER] {
        let rig = rig(FLOWS);
        deposit_letters(&rig);
        rig.drain_all();
        let places = [in_replica(&rig, "a"), in_replica(&rig, "b")];
        places.iter().for_each(|place| harm_copy(place, None));
        let check = check_after(&rig, 91);
        assert_eq!(rig.word(check[0]), "failed", "{:#?}", rig.history(check[0]));
        assert_eq!(lost_alerts(&rig), 4);
        let make = |path: &Path| write_tar(path, "letters", &bag(again));
        let id = deposit(&rig, "letters.tar", make).unwrap();
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        assert_eq!(lost_alerts(&rig), 0);
        // The whole object was read again, out of turn.
        let checks = rig.items().into_iter().filter(|it| it.flow == "fixity").map(|it| it.id);
        let last = checks.max().unwrap();
        assert!(last > id && rig.word(last) == "finished", "{:#?}", rig.history(last));
    }
}

#[test]
fn a_deposit_whose_bytes_are_not_those_that_were_surveyed_repairs_nothing_and_is_kept() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    let places = [in_replica(&rig, "a"), in_replica(&rig, "b")];
    places.iter().for_each(|place| harm_copy(place, Some(b"alphA\n")));
    let id = deposit_letters(&rig);
    while rig.item(id).topic != "ingest07_storage_validation" {
        rig.step();
    }
    let bag = receiving(&rig).join("letters.tar");
    let mut bytes = fs::read(&bag).unwrap();
    let at: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"alpha\n")).collect();
    at.iter().for_each(|at| bytes[at + 4] = b'X');
    assert!(!at.is_empty());
    byteio::durable::write(&bag, &bytes, false).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    assert!(!rig.reason(id).happened.is_empty() && !rig.reason(id).advice.is_empty());
    assert!(bag.is_file(), "the deposit stays");
    for place in &places {
        assert_eq!(fs::read(place).unwrap(), b"alphA\n", "what is left stays");
    }
    assert_eq!(repairs(&rig), Vec::<String>::new());
}

#[test]
fn a_deposit_repairs_the_copies_in_a_bucket_as_well() {
    for harm in [None, Some(&b"alphA\n"[..])] {
        let rig = Rig::around(FLOWS, move |dir, clock| {
            let data = dir.join("data");
            let server = Server::start(&dir.join("s3"), &["bucket-a"], Arc::default());
            write_keys(&keys(dir), SECRET);
            let toml = format!(
                "[replica.a]\nurl = \"s3://bucket-a\"\nendpoint = \"{}\"\nallow_http = true\n\
                 credentials = \"{}\"\n[replica.b]\nurl = \"vault/b\"\n",
                server.endpoint,
                keys(dir).display()
            );
            Box::new(move || {
                let _open = &server;
                open(FLOWS, &data, clock.clone(), (&toml, &Packed::Tar.profile()))
            })
        });
        deposit_letters(&rig);
        rig.drain_all();
        let bucket = rig.dir().join("s3");
        let names = tree_of_server(&bucket);
        let name = names.iter().find(|it| it.contains("v1/content/data/a.txt")).unwrap();
        let places = [bucket.join(name.rsplit_once(' ').unwrap().0), copy_in_b(&rig)];
        places.iter().for_each(|place| harm_copy(place, harm));
        let id = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        for place in &places {
            assert_eq!(fs::read(place).unwrap(), b"alpha\n");
        }
        assert_eq!(repairs(&rig).len(), 4);
        assert!(!receiving(&rig).join("letters.tar").is_file());
    }
}
