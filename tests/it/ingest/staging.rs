//! Whatever takes something out of the staging area or out of a draft, or changes it there: the item
//! makes it again from the received bag, and nobody is asked.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::LeftOvers;
use strongroom::work::Sweep;

use super::power::{Packed, files};
use super::site::{FOLDERS, Place, home, rig_at, rig_judging_at};
use super::{deposit, deposit_letters, held, receiving, rig};
use crate::harness::Rig;
use crate::s3::{Door, Ill, Trouble};

const STORE: &str = "ingest06_storage";
const VALIDATION: &str = "ingest07_storage_validation";
const RECORD: &str = "ingest08_record";

/// What is done to something.
#[derive(Clone, Copy, Debug)]
enum Harm {
    /// All of it is gone.
    AllGone,
    /// One file is gone, has half its bytes, or others.
    OneGone,
    OneShorter,
    OneDifferent,
}

const HARMS: [Harm; 4] = [Harm::AllGone, Harm::OneGone, Harm::OneShorter, Harm::OneDifferent];

fn rig_for(packed: Packed) -> Rig<App> {
    rig_judging_at(FLOWS, FOLDERS, &Arc::default(), packed.profile())
}

/// A deposit on its way, in line for a stage.
pub(super) fn waiting_at(packed: Packed, topic: &str) -> (Rig<App>, ItemId) {
    let rig = rig_for(packed);
    let id = deposit(&rig, packed.name(), |path| packed.write(path, &files())).unwrap();
    while rig.item(id).topic != topic {
        rig.step();
    }
    (rig, id)
}

/// Every file below a folder, in order.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Does harm below a folder. A file that is changed is replaced: other names of it, such as that of
/// the received bag, keep their bytes.
fn harm(folder: &Path, harm: Harm) {
    let largest = |path: &PathBuf| fs::metadata(path).unwrap().len();
    let one = files_below(folder).into_iter().max_by_key(largest).unwrap();
    let bytes = fs::read(&one).unwrap();
    // An archive is one file under two names in staging.
    let other_names: Vec<PathBuf> =
        files_below(folder).into_iter().filter(|it| fs::read(it).unwrap() == bytes).collect();
    other_names.iter().for_each(|path| fs::remove_file(path).unwrap());
    let changed = match harm {
        Harm::AllGone => return fs::remove_dir_all(folder).unwrap(),
        Harm::OneGone => return,
        Harm::OneShorter => bytes[..bytes.len() / 2].to_vec(),
        Harm::OneDifferent => bytes.iter().map(|byte| byte.wrapping_add(1)).collect(),
    };
    for path in other_names {
        File::create(path).unwrap().write_all(&changed).unwrap();
    }
}

fn calm(packed: Packed) -> String {
    let (rig, id) = waiting_at(packed, "ingest09_cleanup");
    assert_eq!(home(&rig, id), Vec::<String>::new());
    held(&rig)
}

#[test]
fn what_is_missing_or_different_in_staging_is_unpacked_again() {
    for packed in Packed::ALL {
        let calm = calm(packed);
        for topic in ["ingest05_format_identification", STORE] {
            for done in HARMS {
                let (rig, id) = waiting_at(packed, topic);
                harm(&rig.app().config.staging().join(id.to_string()), done);
                let asked = home(&rig, id);
                let what = format!("{packed:?}, {done:?} before {topic}");
                assert_eq!(asked, Vec::<String>::new(), "{what}: {:#?}", rig.history(id));
                assert_eq!(rig.word(id), "finished", "{what}");
                assert_eq!(held(&rig), calm, "{what}");
            }
        }
    }
}

#[test]
fn a_copy_that_is_missing_or_differs_in_a_draft_is_stored_again() {
    let packed = Packed::Tar;
    let calm = calm(packed);
    for topic in [VALIDATION, RECORD] {
        for done in HARMS {
            // What was read back and is changed after that is found by fixity, not by recording.
            if topic == RECORD && matches!(done, Harm::OneDifferent) {
                continue;
            }
            for replicas in [&["a"][..], &["b"], &["a", "b"]] {
                let (rig, id) = waiting_at(packed, topic);
                for replica in replicas {
                    let vault = rig.app().config.data.join("vault").join(replica);
                    harm(&vault.join("extensions/strongroom-replica/drafts"), done);
                }
                let asked = home(&rig, id);
                let what = format!("{done:?} in {replicas:?} before {topic}");
                assert_eq!(asked, Vec::<String>::new(), "{what}: {:#?}", rig.history(id));
                assert_eq!(rig.word(id), "finished", "{what}");
                assert_eq!(held(&rig), calm, "{what}");
                let store = |it: &&storage::work::item::Attempt| it.topic == STORE;
                assert_eq!(rig.history(id).iter().filter(store).count(), 2, "{what}");
            }
        }
    }
}

#[test]
fn a_staging_area_that_keeps_nothing_is_left_to_a_person_after_some_tries() {
    let (rig, id) = waiting_at(Packed::Tar, STORE);
    let staged = rig.app().config.staging().join(id.to_string()).join("bag.tar");
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (seen, gone) = (Arc::clone(&count), staged.clone());
    let is_broken = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let breaks = Arc::clone(&is_broken);
    rig.shop().at_every_checkpoint(move || {
        // After it was unpacked and before it is copied.
        let breaks = breaks.load(std::sync::atomic::Ordering::SeqCst);
        if breaks && fs::remove_file(&gone).is_ok() {
            seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    });
    rig.drain_all();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "source-unreadable");
    assert!(count.load(std::sync::atomic::Ordering::SeqCst) <= 12, "it does not go on for ever");
    assert!(receiving(&rig).join("letters.tar").is_file(), "the deposit is kept");
    // A person who has looked at the disk requeues it.
    is_broken.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(home(&rig, id), ["source-unreadable"]);
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

#[test]
fn drafts_and_unfinished_files_that_nobody_works_on_are_removed_by_the_sweep() {
    let rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    while rig.item(first).topic != VALIDATION {
        rig.step();
    }
    let corner = rig.app().config.data.join("vault/a/extensions/strongroom-replica");
    let live = files_below(&corner.join("drafts"));
    assert!(!live.is_empty());
    let left = ["drafts/0a1b/v1/content/data/x", "parts/00000000000000001111111111111111"];
    for name in left {
        let path = corner.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(b"half").unwrap();
    }
    let staged = rig.app().config.staging().join("999");
    fs::create_dir_all(&staged).unwrap();
    let note = LeftOvers.sweep(rig.app(), 100).unwrap().note;
    assert!(note.starts_with("removed 1 drafts and 1 unfinished files"), "{note}");
    assert!(left.iter().all(|name| !corner.join(name).try_exists().unwrap()), "{note}");
    assert!(!staged.try_exists().unwrap(), "{note}");
    assert_eq!(files_below(&corner.join("drafts")), live, "what is worked on stays");
    rig.drain_all();
    assert_eq!(rig.word(first), "finished");
}

/// The power may fail before the removal of a folder is flushed: then it is there again.
#[test]
fn the_staging_folder_of_a_deposit_that_has_ended_is_removed_by_the_sweep() {
    let rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(first), "finished");
    let staged = rig.app().config.staging().join(first.to_string());
    fs::create_dir_all(staged.join("files")).unwrap();
    LeftOvers.sweep(rig.app(), 100).unwrap();
    assert!(!staged.try_exists().unwrap());
}

#[test]
fn a_replica_that_was_never_used_stays_untouched_after_the_sweep() {
    let rig = rig(FLOWS);
    // As the place of a disk that is not mounted yet.
    let mounted = rig.app().config.data.join("vault/a");
    fs::create_dir_all(&mounted).unwrap();
    let note = LeftOvers.sweep(rig.app(), 100).unwrap().note;
    assert!(note.starts_with("removed 0 drafts and 0 unfinished files"), "{note}");
    assert!(files_below(&mounted).is_empty());
    assert!(rig.app().registry.replicas(10).unwrap().is_empty());
}

#[test]
fn a_bucket_that_refuses_a_list_does_not_keep_the_drafts_of_others() {
    let door = Arc::new(Door::default());
    let rig = rig_at(FLOWS, [Place::Bucket, Place::Folder], &door);
    deposit_letters(&rig);
    rig.drain_all();
    let before = door.requests().len();
    LeftOvers.sweep(rig.app(), 100).unwrap();
    let asked = door.requests().split_off(before);
    let list = asked.iter().position(|it| it.contains('?')).unwrap();
    let draft = rig.app().config.data.join("vault/b/extensions/strongroom-replica/drafts/0a1b");
    fs::create_dir_all(draft.join("v1/content/data")).unwrap();
    File::create(draft.join("v1/content/data/x")).unwrap();
    door.expect(Trouble::always(Ill::Denied, door.requests().len() + list + 1));
    assert!(LeftOvers.sweep(rig.app(), 100).is_err(), "the trouble is told");
    assert!(!door.struck().is_empty());
    assert!(!draft.try_exists().unwrap());
}
