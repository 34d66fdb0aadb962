//! How long deposits stay that were turned away: to the moment that was promised, and no other goes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::Receiving;
use strongroom::work::Sweep;

use super::{LETTERS, bag, deposit, held, receiving, rig, rig_configured, write_tar};
use crate::harness::{Rig, secs};

const DAY: u64 = 24 * 3600;
const THREE_DAYS: &str = "[ingest]\nkeep_turned_away_days = 3\n";

fn sweep(rig: &Rig<App>) -> String {
    rig.app().copy().unwrap();
    Receiving.sweep(rig.app(), 100).unwrap().note
}

/// A bag without one of its files.
fn broken() -> Vec<(String, Vec<u8>)> {
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "data/empty");
    files
}

fn turned_away(rig: &Rig<App>) -> (ItemId, PathBuf) {
    let make = |path: &Path| write_tar(path, "letters", &broken());
    let id = deposit(rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.reason(id).code, "rejected");
    (id, receiving(rig).join("letters.tar"))
}

#[test]
fn what_was_turned_away_goes_when_its_time_is_over_and_not_before() {
    let mut rig = rig_configured(FLOWS, THREE_DAYS.to_owned());
    let (id, path) = turned_away(&rig);
    rig.app().copy().unwrap();
    let until = "2026-11-19 07:20 UTC";
    let listed = rig.app().desk().deposits().unwrap().areas.remove(0).deposits.remove(0);
    assert!(listed.sentence.ends_with(&format!("It is kept until {until}")), "{}", listed.sentence);
    let report = rig.app().desk().report(id.0).unwrap();
    let promise = format!("It stays where it was received until {until}.");
    assert!(report.replace('\n', " ").contains(&promise), "{report}");
    let written = rig.app().home.dir().join(format!("reports/item-{id}.txt"));
    assert!(fs::read_to_string(written).unwrap().replace('\n', " ").contains(&promise));

    rig.clock.advance(secs(3 * DAY) - secs(60));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(path.is_file());
    // The moment is the same after a restart.
    rig.restart();
    rig.clock.advance(secs(60));
    assert_eq!(sweep(&rig), "deposits taken: 0; rejected and now removed: 1");
    assert!(!path.is_file());
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled");
    assert!(rig.item(id).note.starts_with("rejected, and kept"), "{}", rig.item(id).note);
    assert!(!held(&rig).contains("staging "), "{}", held(&rig));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    let report = rig.app().desk().report(id.0).unwrap();
    assert!(report.contains("data/empty") && !report.contains("It stays"), "{report}");
    // The name is free for a bag that was mended.
    let make = |path: &Path| write_tar(path, "letters", &bag(LETTERS));
    let mended = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(mended), "finished");
}

#[test]
fn without_a_time_it_stays_until_a_person_removes_it() {
    let rig = rig_configured(FLOWS, "[ingest]\nkeep_turned_away_days = 0\n".to_owned());
    let (_, path) = turned_away(&rig);
    rig.clock.advance(secs(40_000 * DAY));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(path.is_file());
    let listed = rig.app().desk().deposits().unwrap().areas.remove(0).deposits.remove(0);
    assert!(listed.sentence.ends_with("until you remove or replace it"), "{}", listed.sentence);
}

#[test]
fn by_default_a_rejected_deposit_is_removed_after_fourteen_days() {
    let rig = rig(FLOWS);
    let (_, path) = turned_away(&rig);
    rig.clock.advance(secs(14 * DAY) - secs(1));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(path.is_file());
    rig.clock.advance(secs(1));
    assert_eq!(sweep(&rig), "deposits taken: 0; rejected and now removed: 1");
    assert!(!path.try_exists().unwrap());
}

#[test]
fn what_was_rejected_before_deposits_expired_is_kept_for_the_whole_time_from_then_on() {
    let rig = rig(FLOWS);
    let (_, path) = turned_away(&rig);
    rig.clock.advance(secs(400 * DAY));
    // As an earlier version left the data directory.
    fs::remove_file(rig.app().home.dir().join("rejected-since")).unwrap();
    rig.app().copy().unwrap();
    let listed =
        || rig.app().desk().deposits().unwrap().areas.remove(0).deposits.remove(0).sentence;
    let until = rig.app().shop.clock.now().after(secs(14 * DAY)).to_minute();
    assert!(listed().ends_with(&format!("until {until}")), "{}", listed());
    assert_eq!(sweep(&rig), "deposits taken: 0");
    rig.clock.advance(secs(14 * DAY) - secs(1));
    assert_eq!(sweep(&rig), "deposits taken: 0");
    assert!(path.is_file() && listed().ends_with(&format!("until {until}")), "{}", listed());
    rig.clock.advance(secs(1));
    assert_eq!(sweep(&rig), "deposits taken: 0; rejected and now removed: 1");
}

#[test]
fn a_rejected_deposit_is_removed_when_a_person_asks_for_it() {
    let rig = rig(FLOWS);
    let desk = |rig: &Rig<App>, id: ItemId| {
        rig.app().copy().unwrap();
        rig.app().desk().remove_deposit(id.0).map_err(|error| error.to_string())
    };
    let (id, path) = turned_away(&rig);
    let detail = desk(&rig, id).unwrap();
    assert!(!detail.removable && detail.kept_until.is_none(), "{detail:?}");
    assert!(!path.try_exists().unwrap());
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled");
    assert!(rig.item(id).note.starts_with("rejected, and removed by "), "{}", rig.item(id).note);
    let refused = desk(&rig, id).unwrap_err();
    assert!(refused.contains("has no rejected deposit"), "{refused}");
    // Its report can still be read.
    assert!(rig.app().desk().report(id.0).unwrap().contains("data/empty"));
    // Nothing else is removed: not what was preserved, nor what took the place of a rejected one.
    let make = |path: &Path| write_tar(path, "letters", &bag(LETTERS));
    let good = deposit(&rig, "letters.tar", make).unwrap();
    assert!(desk(&rig, good).unwrap_err().contains("has no rejected deposit"));
    assert!(path.is_file());
    rig.drain_all();
    assert_eq!(rig.word(good), "finished");
    let make = |path: &Path| write_tar(path, "other", &broken());
    let again = deposit(&rig, "other.tar", make).unwrap();
    rig.drain_all();
    assert_eq!(rig.reason(again).code, "rejected");
    let path = receiving(&rig).join("other.tar");
    write_tar(&path, "other", &bag(&[("new.txt", b"new\n")]));
    let refused = desk(&rig, again).unwrap_err();
    assert!(refused.contains("another deposit is under the name"), "{refused}");
    assert!(path.is_file());
    assert_eq!(rig.word(again), "parked");
}

#[test]
fn nothing_else_ever_goes() {
    let rig = rig_configured(FLOWS, THREE_DAYS.to_owned());
    let area = receiving(&rig);
    // Parked for another reason, cancelled by a person, and no bag.
    let make = |name: &'static str| move |path: &Path| write_tar(path, name, &bag(LETTERS));
    let gone = deposit(&rig, "gone.tar", make("gone")).unwrap();
    fs::remove_file(area.join("gone.tar")).unwrap();
    let broken_make = |path: &Path| write_tar(path, "called-off", &broken());
    let called_off = deposit(&rig, "called-off.tar", broken_make).unwrap();
    rig.drain_all();
    rig.controls().cancel(called_off, "ann").unwrap();
    rig.drain_all();
    rig.app().copy().unwrap();
    assert_eq!(rig.word(gone), "parked");
    File::create(area.join("notes.txt")).unwrap();
    // Turned away, then replaced: another state of it.
    let (id, path) = turned_away(&rig);
    rig.clock.advance(secs(4 * DAY));
    let ahead = rig.app().shop.clock.now().0 / 1000 + 10 * DAY;
    write_tar(&path, "letters", &bag(&[("new.txt", b"new\n")]));
    let ahead = SystemTime::UNIX_EPOCH + Duration::from_secs(ahead);
    File::open(&path).unwrap().set_modified(ahead).unwrap();
    assert_eq!(
        sweep(&rig),
        "deposits taken: 0; older ones superseded: 1; no bags: 1, such as notes.txt"
    );
    for name in ["called-off.tar", "letters.tar", "notes.txt"] {
        assert!(area.join(name).is_file(), "{name}");
    }
    assert_eq!(rig.word(gone), "parked");
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled");
}

#[test]
fn a_removal_that_was_cut_short_is_finished_and_its_item_ends() {
    let rig = rig_configured(FLOWS, THREE_DAYS.to_owned());
    let (id, path) = turned_away(&rig);
    rig.clock.advance(secs(3 * DAY));
    // The process died between the deposit and its item.
    fs::remove_file(&path).unwrap();
    assert_eq!(sweep(&rig), "deposits taken: 0");
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled");
}

#[test]
fn one_that_cannot_be_removed_keeps_nobody_waiting() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        println!("skipped: for this user nothing is forbidden");
        return;
    }
    let rig = rig_configured(FLOWS, THREE_DAYS.to_owned());
    let (id, path) = turned_away(&rig);
    rig.clock.advance(secs(3 * DAY));
    let area = receiving(&rig);
    fs::set_permissions(&area, fs::Permissions::from_mode(0o500)).unwrap();
    let note = sweep(&rig);
    fs::set_permissions(&area, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(note.contains("trouble: cannot remove"), "{note}");
    assert_eq!((rig.word(id), path.is_file()), ("parked", true));
    assert!(sweep(&rig).contains("now removed: 1"));
}
