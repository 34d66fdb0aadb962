//! What a replica does not hold at the moment of recording: a copy of this version, which is stored
//! again, or everything of the object, which is filled first.

use std::fs;
use std::path::PathBuf;

use storage::work::item::{ItemId, State};
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit, deposit_letters, rig, tree, write_tar};
use crate::harness::Rig;

const RECORD: &str = "ingest08_record";
const VALIDATION: &str = "ingest07_storage_validation";

fn vault(rig: &Rig<App>) -> PathBuf {
    rig.app().config.data.join("vault/b")
}

fn until_record(rig: &Rig<App>, id: ItemId) {
    for _ in 0..100 {
        if rig.item(id).topic == RECORD {
            return;
        }
        rig.step();
    }
    panic!("it does not come to be recorded: {:#?}", rig.history(id));
}

/// Removes a file of the version that is about to be recorded.
fn lose_copy(rig: &Rig<App>, id: ItemId) {
    let vault = vault(rig);
    let name = tree(&vault).into_iter().find(|it| it.contains("v1/content/data/deep/er/b.xml"));
    let name = name.unwrap_or_else(|| panic!("{:#?}", rig.history(id)));
    fs::remove_file(vault.join(name.split(' ').next().unwrap())).unwrap();
}

/// How often the copies were read back.
fn validations(rig: &Rig<App>, id: ItemId) -> usize {
    rig.history(id).iter().filter(|it| it.topic == VALIDATION).count()
}

#[test]
fn a_copy_that_is_lost_again_and_again_parks_and_has_as_many_tries_after_a_person_came() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    for _ in 0..4 {
        until_record(&rig, id);
        lose_copy(&rig, id);
        rig.step();
    }
    assert!(matches!(rig.item(id).state, State::Parked { .. }), "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "copy-not-found");
    // The copy is still missing: it is stored again, as before a person was needed.
    rig.controls().requeue(id, None, "the test").unwrap();
    rig.step();
    assert_eq!(rig.item(id).topic, VALIDATION, "{:#?}", rig.history(id));
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

#[test]
fn a_replica_that_lost_the_earlier_version_is_filled_and_no_copy_is_read_for_nothing() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    let mut files = LETTERS.to_vec();
    files.push(("new.txt", b"new\n"));
    let id = deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &bag(&files))).unwrap();
    until_record(&rig, id);
    let read = validations(&rig, id);
    for entry in fs::read_dir(vault(&rig)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("extensions") {
            fs::remove_dir_all(path).unwrap();
        }
    }
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(validations(&rig, id), read, "{:#?}", rig.history(id));
    assert!(rig.app().registry.unsound_copies(None, 10).unwrap().is_empty());
}
