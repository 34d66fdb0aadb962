//! A newer deposit while an older one is on its way: at every stage, waiting, running and parked.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use storage::work::item::{ItemId, Reason};
use storage::work::queue::{Account, Settlement};
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::{INGEST, Receiving};
use strongroom::work::Sweep;

use super::{LETTERS, bag, deposit_letters, held, receiving, rig, write_tar};
use crate::harness::{Rig, secs};

const NEWER: &[(&str, &[u8])] = &[("newer.txt", b"newer\n")];
const NOTE: &str = "superseded by a newer deposit of the same name";

fn topic(stage: usize) -> &'static str {
    INGEST.stages[stage].about().topic
}

/// Letters on their way, in line for this stage.
fn waiting_at(stage: usize) -> (Rig<App>, ItemId) {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    while rig.item(id).topic != topic(stage) {
        rig.step();
    }
    (rig, id)
}

/// Puts a bag of this name into the area, as old as can be, in one step.
fn put(area: &Path, name: &str, payload: &[(&str, &[u8])]) {
    let draft = area.join(".draft");
    write_tar(&draft, "letters", &bag(payload));
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    File::open(&draft).unwrap().set_modified(old).unwrap();
    byteio::durable::rename(&draft, &area.join(name)).unwrap();
}

fn sweep(app: &App) -> String {
    app.copy().unwrap();
    Receiving.sweep(app, 100).unwrap().note
}

/// The item of the newer deposit, when it is there.
fn newer(rig: &Rig<App>, older: ItemId) -> Option<ItemId> {
    rig.items().into_iter().map(|item| item.id).find(|id| *id > older)
}

/// The older one is given up and leaves nothing; the newer one becomes the object.
fn gives_way(rig: &Rig<App>, older: ItemId, what: &str) {
    rig.drain_all();
    assert_eq!(rig.word(older), "cancelled", "{what}: {:?}", rig.outcomes(older));
    assert!(rig.item(older).note.starts_with(NOTE), "{what}: {}", rig.item(older).note);
    assert!(!held(rig).contains("staging "), "{what}: {}", held(rig));
    assert!(sweep(rig.app()).starts_with("deposits taken: 1"), "{what}");
    let newer = newer(rig, older).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(newer), "finished", "{what}: {:?}", rig.outcomes(newer));
    let told = held(rig);
    assert!(told.contains("archive.local/letters v1 3 files"), "{what}: {told}");
    assert!(told.contains("data/newer.txt v1 ") && !told.contains("data/a.txt"), "{what}: {told}");
    assert!(!told.contains("staging ") && !told.contains("receiving "), "{what}: {told}");
    assert_eq!(sweep(rig.app()), "deposits taken: 0", "{what}");
}

/// The older one comes to its end; then the newer one becomes the next version.
fn goes_on(rig: &Rig<App>, older: ItemId, what: &str) {
    assert_eq!(sweep(rig.app()), "deposits taken: 0", "{what}");
    rig.drain_all();
    assert_eq!(rig.word(older), "finished", "{what}: {:?}", rig.outcomes(older));
    assert!(sweep(rig.app()).starts_with("deposits taken: 1"), "{what}");
    let newer = newer(rig, older).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(newer), "finished", "{what}: {:?}", rig.outcomes(newer));
    assert!(held(rig).contains("archive.local/letters v2 "), "{what}: {}", held(rig));
    assert!(!held(rig).contains("receiving "), "{what}: {}", held(rig));
}

fn park(rig: &Rig<App>, stage: usize) {
    let claim = rig.queue().claim(topic(stage), 1, secs(360)).unwrap().pop().unwrap();
    let because = Reason { code: "disk-full".into(), ..Reason::default() };
    let how = Settlement::Park { because };
    rig.queue().settle(claim.lease, &how, Account::default()).unwrap();
}

#[test]
fn an_item_that_waits_gives_way_until_its_bytes_are_in_staging() {
    for stage in 0..INGEST.stages.len() {
        let what = format!("waiting for {}", topic(stage));
        let (rig, id) = waiting_at(stage);
        put(&receiving(&rig), "letters.tar", NEWER);
        if stage < 4 {
            assert_eq!(sweep(rig.app()), "deposits taken: 0; older ones superseded: 1", "{what}");
            assert_eq!(sweep(rig.app()), "deposits taken: 0", "{what}");
            gives_way(&rig, id, &what);
        } else {
            goes_on(&rig, id, &what);
        }
    }
}

#[test]
fn an_item_that_is_parked_gives_way_until_its_bytes_are_in_staging() {
    for stage in 0..INGEST.stages.len() {
        let what = format!("parked at {}", topic(stage));
        let (rig, id) = waiting_at(stage);
        park(&rig, stage);
        put(&receiving(&rig), "letters.tar", NEWER);
        if stage < 4 {
            assert!(sweep(rig.app()).ends_with("superseded: 1"), "{what}");
            gives_way(&rig, id, &what);
        } else {
            assert_eq!(sweep(rig.app()), "deposits taken: 0", "{what}");
            assert_eq!(rig.word(id), "parked", "{what}");
            rig.controls().requeue(id, None, "ann").unwrap();
            goes_on(&rig, id, &what);
        }
    }
}

#[test]
fn an_item_that_is_worked_on_gives_way_until_its_bytes_are_in_staging() {
    for stage in 0..INGEST.stages.len() - 1 {
        let what = format!("running {}", topic(stage));
        let (rig, id) = waiting_at(stage);
        let claim = rig.queue().claim(topic(stage), 1, secs(360)).unwrap().pop().unwrap();
        put(&receiving(&rig), "letters.tar", NEWER);
        let note = sweep(rig.app());
        assert_eq!(note.ends_with("superseded: 1"), stage < 4, "{what}: {note}");
        assert_eq!(sweep(rig.app()), "deposits taken: 0", "{what}: told once");
        assert_eq!(rig.word(id), "leased", "{what}");
        let how = Settlement::Retry {
            at: rig.app().shop.clock.now(),
            charge: storage::work::queue::Charge::Free,
        };
        rig.queue().settle(claim.lease, &how, Account::default()).unwrap();
        if stage < 4 {
            gives_way(&rig, id, &what);
        } else {
            goes_on(&rig, id, &what);
        }
    }
}

#[test]
fn a_survey_under_way_hears_that_it_is_superseded() {
    let (rig, id) = waiting_at(0);
    let app: Weak<App> = Arc::downgrade(&rig.shared_app());
    let (area, once) = (receiving(&rig), AtomicBool::new(true));
    let clock = Arc::clone(&rig.clock);
    rig.shop().at_every_checkpoint(move || {
        if let Some(app) = app.upgrade()
            && once.swap(false, Ordering::SeqCst)
        {
            put(&area, "letters.tar", NEWER);
            assert!(sweep(&app).ends_with("superseded: 1"));
            clock.advance(secs(3));
        }
    });
    rig.step();
    assert_eq!(rig.at(id), ("ready", topic(8).into()), "{:?}", rig.history(id));
    gives_way(&rig, id, "a survey under way");
}

#[test]
fn a_deposit_under_another_name_waits_whatever_the_stage() {
    for stage in 0..INGEST.stages.len() {
        let what = format!("another name at {}", topic(stage));
        let (rig, id) = waiting_at(stage);
        put(&receiving(&rig), "letters.b1.of1.tar", NEWER);
        goes_on(&rig, id, &what);
    }
}

#[test]
fn a_mended_bag_takes_the_place_of_one_that_was_turned_away() {
    let rig = rig(FLOWS);
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "data/empty");
    let make = |path: &Path| write_tar(path, "letters", &files);
    let id = super::deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.reason(id).code, "rejected");
    put(&receiving(&rig), "letters.tar", NEWER);
    let listed = &rig.app().desk().deposits().unwrap().areas[0].deposits[0];
    assert_eq!(listed.sentence, "waits to be taken", "the registry has not heard of the item yet");
    rig.app().copy().unwrap();
    let listed = &rig.app().desk().deposits().unwrap().areas[0].deposits[0];
    assert!(listed.sentence.contains("takes the place of"), "{}", listed.sentence);
    sweep(rig.app());
    gives_way(&rig, id, "turned away");
}

#[test]
fn a_deposit_that_vanishes_leaves_nothing_and_a_new_one_is_taken() {
    for stage in 0..4 {
        let what = format!("gone before {}", topic(stage));
        let (rig, id) = waiting_at(stage);
        fs::remove_file(receiving(&rig).join("letters.tar")).unwrap();
        rig.drain_all();
        assert_eq!(rig.word(id), "parked", "{what}: {:?}", rig.outcomes(id));
        assert_eq!(rig.reason(id).code, "deposit-changed", "{what}");
        assert!(!held(&rig).contains("staging "), "{what}");
        put(&receiving(&rig), "letters.tar", NEWER);
        sweep(rig.app());
        gives_way(&rig, id, &what);
    }
}

#[test]
fn what_was_lost_with_the_work_state_is_found_again() {
    let mut rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    rig.step();
    rig.app().copy().unwrap();
    let work = rig.app().home.dir().join("work");
    rig.reopen_after(|| fs::remove_dir_all(&work).unwrap());
    rig.app().mirror.reconcile(rig.app().shop.clock.now()).unwrap();
    assert_eq!(sweep(rig.app()), "deposits taken: 1");
    let again = newer(&rig, id).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(again), "finished", "{:?}", rig.outcomes(again));
    assert!(!held(&rig).contains("receiving "), "{}", held(&rig));
}

#[test]
fn a_mended_bag_of_another_name_takes_the_place_of_one_that_was_turned_away() {
    let rig = rig(FLOWS);
    let area = receiving(&rig);
    let mut broken = bag(LETTERS);
    broken.retain(|(path, _)| path != "data/empty");
    let path = area.join("letters.tar");
    write_tar(&path, "letters", &broken);
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    File::open(&path).unwrap().set_modified(old).unwrap();
    sweep(rig.app());
    let older = rig.items()[0].id;
    rig.drain_all();
    assert_eq!((rig.word(older), rig.reason(older).code.as_str()), ("parked", "rejected"));
    put(&area, "letters.b1.of1.tar", NEWER);
    sweep(rig.app());
    rig.drain_all();
    assert_eq!(rig.word(older), "cancelled");
    sweep(rig.app());
    rig.drain_all();
    let newer = newer(&rig, older).unwrap();
    assert_eq!(rig.word(newer), "finished", "{:#?}", rig.history(newer));
    assert!(path.is_file(), "what was turned away stays");
}

#[test]
fn of_two_deposits_found_at_once_the_older_is_the_earlier_version() {
    let rig = rig(FLOWS);
    let area = receiving(&rig);
    for (name, second) in [("letters.tar", 20), ("letters.b1.of1.tar", 10)] {
        write_tar(&area.join(name), "letters", &bag(&[(name, b"text")]));
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + second);
        File::open(area.join(name)).unwrap().set_modified(moment).unwrap();
    }
    for _ in 0..2 {
        sweep(rig.app());
        rig.drain_all();
    }
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
    let names: Vec<String> = registry
        .deposits(object.id, 9)
        .unwrap()
        .into_iter()
        .map(|deposit| deposit.facts.file_name)
        .collect();
    assert_eq!(names, ["letters.tar", "letters.b1.of1.tar"], "the newest version first");
}
