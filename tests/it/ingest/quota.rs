//! How much an institution may have in its receiving area: uploads that do not fit are refused, what
//! comes by other means waits where it is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::ingest::{Arrival, Receiving, Unwelcome};
use strongroom::work::Sweep;

use super::{INSTITUTION, LETTERS, bag, deposit, make_old, receiving, rig_configured, write_tar};
use crate::harness::Rig;

const GB: u64 = 1 << 30;

fn one_gigabyte() -> Rig<App> {
    rig_configured(FLOWS, "[ingest]\nreceiving_max_gb = 1\n".to_owned())
}

/// Something in the area that takes so many bytes, on paper.
fn fill(rig: &Rig<App>, name: &str, bytes: u64) -> PathBuf {
    let path = receiving(rig).join(name);
    File::create(&path).unwrap().set_len(bytes).unwrap();
    path
}

fn write_letters(path: &Path) {
    write_tar(path, "letters", &bag(LETTERS));
}

#[track_caller]
fn is_over(result: Result<(), Unwelcome>, used: u64) {
    match result {
        Err(Unwelcome::OverQuota { used: told, most }) => assert_eq!((told, most), (used, GB)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_dropped_beyond_the_quota_stays_is_reported_and_is_taken_when_there_is_room() {
    let rig = one_gigabyte();
    let notes = fill(&rig, "notes.bin", GB);
    assert_eq!(deposit(&rig, "letters.tar", write_letters), None);
    let path = receiving(&rig).join("letters.tar");
    let note = Receiving.sweep(rig.app(), 100).unwrap().note;
    let said = "over the quota and waiting: 1, such as letters.tar of archive.local";
    assert!(note.contains(said) && path.is_file(), "{note}");
    let area = rig.app().desk().deposits().unwrap().areas.remove(0);
    let letters = area.deposits.iter().find(|it| it.name == "letters.tar").unwrap();
    assert!(letters.sentence.contains("no room for it below the quota"), "{}", letters.sentence);
    assert_eq!(area.used_bytes, Some(GB + fs::metadata(&path).unwrap().len()));
    assert_eq!(area.quota_bytes, Some(GB));
    // A folder counts with everything in it.
    fs::remove_file(&notes).unwrap();
    let folder = receiving(&rig).join("half/data");
    byteio::durable::create_folder(&folder).unwrap();
    File::create(folder.join("a.bin")).unwrap().set_len(GB + 1).unwrap();
    make_old(&receiving(&rig).join("half"));
    let note = Receiving.sweep(rig.app(), 100).unwrap().note;
    assert!(note.contains("over the quota and waiting: 1, such as half"), "{note}");
    // What fits does not wait for what does not.
    assert!(note.starts_with("deposits taken: 1;"), "{note}");
    fs::remove_dir_all(receiving(&rig).join("half")).unwrap();
    let note = Receiving.sweep(rig.app(), 100).unwrap().note;
    assert_eq!(note, "deposits taken: 0");
    rig.drain_all();
    assert!(!path.try_exists().unwrap(), "it was preserved");
}

#[test]
fn without_a_quota_everything_is_taken() {
    let rig = rig_configured(FLOWS, "[ingest]\nreceiving_max_gb = 0\n".to_owned());
    fill(&rig, "notes.bin", 100 * GB);
    assert!(deposit(&rig, "letters.tar", write_letters).is_some());
    let area = rig.app().desk().deposits().unwrap().areas.remove(0);
    assert_eq!((area.used_bytes, area.quota_bytes), (None, None));
    Arrival::check(rig.app(), INSTITUTION, "more.tar", Some(1000)).unwrap();
}

#[test]
fn uploads_under_way_count_with_all_that_they_will_take() {
    let rig = one_gigabyte();
    let app = rig.app();
    receiving(&rig);
    let begin = |name: &str, size| Arrival::begin(app, INSTITUTION, name, size);
    let first = begin("a.tar", Some(GB - 1000)).unwrap();
    is_over(begin("b.tar", Some(1001)).map(drop), GB - 1000);
    is_over(Arrival::check(app, INSTITUTION, "b.tar", Some(1001)), GB - 1000);
    let second = begin("b.tar", Some(1000)).unwrap();
    is_over(begin("c.tar", None).map(drop), GB);
    drop(first);
    let third = begin("c.tar", Some(GB - 1000)).unwrap();
    drop((second, third));
    assert_eq!(fs::read_dir(receiving(&rig)).unwrap().count(), 0);
}

#[test]
fn an_upload_of_unknown_length_is_refused_when_it_has_become_too_large() {
    let rig = one_gigabyte();
    fill(&rig, "notes.bin", GB - 1000);
    let mut arrival = Arrival::begin(rig.app(), INSTITUTION, "a.tar", None).unwrap();
    arrival.write(&[0; 600]).unwrap();
    arrival.write(&[0; 400]).unwrap();
    is_over(arrival.write(&[0; 1]), GB - 1000);
    drop(arrival);
    assert_eq!(fs::read_dir(receiving(&rig)).unwrap().count(), 1, "no draft is left");
    // A rejected bag is replaced by one that fits in its place.
    fs::remove_file(receiving(&rig).join("notes.bin")).unwrap();
    let broken = |path: &Path| {
        let mut files = bag(LETTERS);
        files.retain(|(path, _)| path != "data/empty");
        write_tar(path, "letters", &files);
    };
    deposit(&rig, "letters.tar", broken).unwrap();
    rig.drain_all();
    let size = fs::metadata(receiving(&rig).join("letters.tar")).unwrap().len();
    fill(&rig, "notes.bin", GB - size);
    Arrival::check(rig.app(), INSTITUTION, "letters.tar", Some(size)).unwrap();
    is_over(Arrival::check(rig.app(), INSTITUTION, "other.tar", Some(size)), GB);
}
