//! Deposits of every kind, walked to their end.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use storage::registry::{EVENTS, Query};
use storage::work::item::{Attempt, ItemId};
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::flows::FLOWS;

use super::site::{BUCKETS, FOLDERS, Place, rig_judging_at};
use super::{LETTERS, bag, deposit, deposit_letters, held, receiving, rig, write_tar};
use crate::harness::Rig;
use crate::s3::Door;

fn walk(rig: &Rig<App>, id: ItemId) -> &'static str {
    rig.drain_all();
    rig.word(id)
}

pub(super) fn write_folder(path: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let file = path.join(name);
        byteio::durable::create_folder(file.parent().unwrap()).unwrap();
        byteio::durable::write(&file, bytes, false).unwrap();
    }
}

pub(super) fn write_zip(path: &Path, files: &[(String, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(format!("letters/{name}"), zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

pub(super) fn write_tar_gz(path: &Path, files: &[(String, Vec<u8>)]) {
    let plain = tempfile::NamedTempFile::new().unwrap();
    write_tar(plain.path(), "letters", files);
    let mut gz = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    gz.write_all(&fs::read(plain.path()).unwrap()).unwrap();
    gz.finish().unwrap();
}

#[test]
fn a_tar_becomes_an_object_with_two_verified_copies() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    assert_eq!(walk(&rig, id), "finished");
    let told = held(&rig);
    println!("{told}");
    assert!(told.contains("archive.local/letters v1 6 files"), "{told}");
    assert!(told.contains("data/deep/er/b.xml v1 fmt/101 "), "{told}");
    assert!(!told.contains("staging ") && !told.contains("receiving "), "{told}");
    let files: Vec<&str> = told.lines().filter(|line| line.ends_with(" copies")).collect();
    assert!(files.len() == 6 && files.iter().all(|line| line.ends_with(" 2 copies")), "{told}");
    // The same bytes are kept once in each replica.
    let copy = files.iter().find(|line| line.starts_with("data/copy of a.txt")).unwrap();
    assert!(copy.contains(" v1/content/data/a.txt "), "{copy}");
    assert_eq!(rig.app().registry.check().unwrap(), Vec::new());
}

#[test]
fn every_packing_gives_the_same_object() {
    every_packing(FOLDERS);
}

#[test]
fn every_packing_gives_the_same_object_in_buckets() {
    every_packing(BUCKETS);
}

fn every_packing(places: [Place; 2]) {
    let rig_judging =
        |flows, profile| rig_judging_at(flows, places, &Arc::new(Door::default()), profile);
    let rig = |flows| rig_judging(flows, ProfileChoice::Named);
    let expected = {
        let rig = rig(FLOWS);
        let id = deposit_letters(&rig);
        assert_eq!(walk(&rig, id), "finished");
        held(&rig)
    };
    let files = bag(LETTERS);
    type Make<'m> = &'m dyn Fn(&Path);
    let makes: [(&str, Make<'_>); 2] = [
        ("letters.tar.gz", &|path| write_tar_gz(path, &files)),
        ("letters.tgz", &|path| write_tar_gz(path, &files)),
    ];
    for (name, make) in makes {
        let rig = rig(FLOWS);
        let id = deposit(&rig, name, make).unwrap();
        assert_eq!(walk(&rig, id), "finished", "{name}: {:?}", rig.outcomes(id));
        assert_eq!(held(&rig), expected, "{name}");
    }
    for (name, make) in [
        ("letters", &(|path: &Path| write_folder(path, &files)) as Make<'_>),
        ("letters.zip", &|path| write_zip(path, &files)),
    ] {
        // The APTrust profile wants a tar: these are turned away with that finding, whole.
        let strict = rig(FLOWS);
        let id = deposit(&strict, name, make).unwrap();
        assert_eq!(walk(&strict, id), "parked", "{name}: {:?}", strict.outcomes(id));
        assert!(receiving(&strict).join(name).try_exists().unwrap(), "{name}");
        let lenient = rig_judging(FLOWS, ProfileChoice::BagIt);
        let id = deposit(&lenient, name, make).unwrap();
        assert_eq!(walk(&lenient, id), "finished", "{name}: {:?}", lenient.outcomes(id));
        assert_eq!(held(&lenient), expected, "{name}");
    }
}

#[test]
fn a_deposit_is_what_its_first_bytes_say_whatever_its_name() {
    let files = bag(LETTERS);
    let judging = |profile| rig_judging_at(FLOWS, FOLDERS, &Arc::new(Door::default()), profile);
    let expected = {
        let rig = rig(FLOWS);
        let id = deposit_letters(&rig);
        assert_eq!(walk(&rig, id), "finished");
        held(&rig)
    };
    type Make<'m> = &'m dyn Fn(&Path);
    let tar: Make<'_> = &|path| write_tar(path, "letters", &files);
    for (name, make) in [
        ("letters.tar.gz", tar),
        ("letters.zip", tar),
        ("letters.tar", &|path| write_tar_gz(path, &files)),
        ("letters.zip", &|path| write_tar_gz(path, &files)),
        ("letters.tar", &|path| write_zip(path, &files)),
        ("letters.tgz", &|path| write_zip(path, &files)),
    ] {
        let rig = judging(ProfileChoice::BagIt);
        let id = deposit(&rig, name, make).unwrap();
        assert_eq!(walk(&rig, id), "finished", "{name}: {:?}", rig.outcomes(id));
        assert_eq!(held(&rig), expected, "{name}");
    }
}

#[test]
fn a_deposit_that_is_no_archive_is_rejected_for_one_reason() {
    for (name, bytes, code) in [
        ("letters.tar", &[b'x'; 5000][..], "archive-unknown"),
        ("letters.tar.gz", b"Dear Ann,\n", "archive-unknown"),
        ("letters.zip", b"\xfd7zXZ\0\0\x04 and so on", "archive-compression"),
        ("letters.tar", b"\x8c\x0d\x04\x09\x03\x08 and so on", "archive-encrypted"),
    ] {
        let rig = rig(FLOWS);
        let make = |path: &Path| byteio::durable::write(path, bytes, false).unwrap();
        let id = deposit(&rig, name, make).unwrap();
        assert_eq!(walk(&rig, id), "parked", "{name}: {:?}", rig.outcomes(id));
        let findings = rig.history(id).into_iter().flat_map(|it| it.findings);
        assert_eq!(findings.map(|it| it.code).collect::<Vec<_>>(), [code], "{name}");
    }
}

#[test]
fn a_tar_without_two_zero_blocks_at_its_end_is_ingested() {
    let files = bag(LETTERS);
    let expected = {
        let rig = rig(FLOWS);
        let id = deposit_letters(&rig);
        assert_eq!(walk(&rig, id), "finished");
        held(&rig)
    };
    for (name, zeros) in
        [("letters.tar", 0), ("letters.tar", 512), ("letters.tar.gz", 0), ("letters.tgz", 512)]
    {
        let rig = rig(FLOWS);
        let make = |path: &Path| {
            let plain = tempfile::NamedTempFile::new().unwrap();
            write_tar(plain.path(), "letters", &files);
            let mut tar = fs::read(plain.path()).unwrap();
            tar.truncate(tar.len() - 1024 + zeros);
            if name == "letters.tar" {
                byteio::durable::write(path, &tar, false).unwrap();
            } else {
                let mut gz = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
                gz.write_all(&tar).unwrap();
                gz.finish().unwrap();
            }
        };
        let id = deposit(&rig, name, make).unwrap();
        assert_eq!(walk(&rig, id), "finished", "{name}: {:?}", rig.outcomes(id));
        assert_eq!(held(&rig), expected, "{name} with {zeros} bytes at its end");
    }
}

#[test]
fn a_second_deposit_adds_what_is_new_and_keeps_the_rest() {
    let rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    assert_eq!(walk(&rig, first), "finished");
    let changed: &[(&str, &[u8])] = &[("a.txt", b"ALPHA\n"), ("new.txt", b"new\n"), ("empty", b"")];
    let again = |rig: &Rig<App>| {
        deposit(rig, "letters.tar", |path| write_tar(path, "letters", &bag(changed))).unwrap()
    };
    let second = again(&rig);
    assert_eq!(walk(&rig, second), "finished", "{:?}", rig.outcomes(second));
    let told = held(&rig);
    for line in [
        "archive.local/letters v2 7 files",
        "data/a.txt v2 ",
        "data/new.txt v2 ",
        "data/copy of a.txt v1 ",
        "data/empty v1 ",
    ] {
        assert!(told.contains(line), "{line} in {told}");
    }
    // The same once more makes no version.
    let third = again(&rig);
    assert_eq!(walk(&rig, third), "finished");
    assert_eq!(held(&rig), told);
    assert_eq!(rig.app().registry.check().unwrap(), Vec::new());
}

#[test]
fn files_of_the_version_before_that_a_deposit_does_not_have_are_named() {
    let rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    assert_eq!(walk(&rig, first), "finished");
    let again = |payload: &[(&str, &[u8])]| {
        let make = |path: &Path| write_tar(path, "letters", &bag(payload));
        let id = deposit(&rig, "letters.tar", make).unwrap();
        assert_eq!(walk(&rig, id), "finished", "{:?}", rig.outcomes(id));
        let check = |attempt: &Attempt| attempt.topic == "ingest03_reingest_check";
        rig.history(id).into_iter().find(check).unwrap().note
    };
    let missing = "2 files of version 1 not in this deposit, kept unchanged: \
                   data/copy of a.txt, data/deep/er/b.xml";
    let note = again(&[("a.txt", b"ALPHA\n"), ("empty", b"")]);
    assert!(note.ends_with(&format!("; {missing}")), "{note}");
    let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let told = |words: &str| events.iter().any(|it| it.outcome_information.contains(words));
    assert!(told(missing) && !told("version 2 not in this deposit"), "{events:?}");
    // Nothing new, and most of it not sent: no version is made, and that is said as well.
    let note = again(&[("a.txt", b"ALPHA\n")]);
    assert!(
        note.starts_with("the same as version 2: nothing to store; 3 files of version 2"),
        "{note}"
    );
    // All of it: nothing to say.
    let mut whole = LETTERS.to_vec();
    whole.push(("new.txt", b"new\n"));
    let note = again(&whole);
    assert!(!note.contains("not in this deposit"), "{note}");
}

#[test]
fn a_bag_that_is_not_valid_waits_with_all_its_findings() {
    let rig = rig(FLOWS);
    let mut files = bag(LETTERS);
    files.iter_mut().find(|(path, _)| path == "data/a.txt").unwrap().1 = b"altered".to_vec();
    files.retain(|(path, _)| path != "data/empty");
    let make = |path: &Path| write_tar(path, "letters", &files);
    let id = deposit(&rig, "letters.tar", make).unwrap();
    assert_eq!(walk(&rig, id), "parked");
    let findings: Vec<String> =
        rig.history(id).into_iter().flat_map(|it| it.findings).map(|it| it.place).collect();
    assert!(findings.iter().any(|place| place.contains("data/a.txt")), "{findings:?}");
    assert!(findings.iter().any(|place| place.contains("data/empty")), "{findings:?}");
    let report = rig.app().home.dir().join(format!("reports/item-{id}.txt"));
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("not accepted") && report.contains("data/empty"), "{report}");
    assert!(receiving(&rig).join("letters.tar").try_exists().unwrap());
    // It is not taken again in the same state.
    assert_eq!(deposit(&rig, "letters.tar", |_| {}), None);
}

#[test]
fn a_deposit_that_changes_or_vanishes_waits_for_a_person() {
    for vanish in [true, false] {
        let rig = rig(FLOWS);
        let id = deposit_letters(&rig);
        let path = receiving(&rig).join("letters.tar");
        if vanish {
            fs::remove_file(&path).unwrap();
        } else {
            write_tar(&path, "letters", &bag(&[("other.txt", b"other")]));
        }
        assert_eq!(walk(&rig, id), "parked");
        assert_eq!(rig.reason(id).code, "deposit-changed");
        assert!(!held(&rig).contains("staging "));
    }
}

#[test]
fn an_option_that_is_not_offered_is_a_finding() {
    let rig = rig(FLOWS);
    let mut files = bag(LETTERS);
    let info = &mut files.iter_mut().find(|(path, _)| path == "aptrust-info.txt").unwrap().1;
    *info = b"Title: Letters\nAccess: Institution\nStorage-Option: Glacier-OH\n".to_vec();
    let make = |path: &Path| write_tar(path, "letters", &files);
    let id = deposit(&rig, "letters.tar", make).unwrap();
    assert_eq!(walk(&rig, id), "parked");
    let findings = rig.history(id).into_iter().flat_map(|it| it.findings);
    assert!(findings.map(|it| it.code).any(|code| code == "storage-option-unavailable"));
}

#[test]
fn what_happened_is_told_for_object_and_files() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    assert_eq!(walk(&rig, id), "finished");
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
    let files = registry.files_at(object.id, object.version, "", 100).unwrap();
    let events_of = |path: &str| {
        let file = files.iter().find(|file| file.path == path).unwrap();
        registry.list_file_events(file.id, Query::all(&EVENTS)).unwrap().rows.len()
    };
    // Four digests, two manifests, ingestion, replication, two identifiers, and the format.
    assert_eq!(events_of("data/a.txt"), 11);
    // A tag file is in no payload manifest.
    assert_eq!(events_of("bag-info.txt"), 9);
}

#[test]
fn a_replica_that_is_away_is_waited_for() {
    let mut rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    assert_eq!(walk(&rig, first), "finished");
    // An empty folder in its place is a disk that is not mounted, not a new replica.
    let (place, aside) = {
        let vault = rig.app().config.data.join("vault");
        (vault.join("b"), vault.join("b-unmounted"))
    };
    byteio::durable::rename(&place, &aside).unwrap();
    fs::create_dir(&place).unwrap();
    rig.restart();
    let files = bag(&[("other.txt", b"other\n")]);
    let make = |path: &Path| write_tar(path, "more", &files);
    let second = deposit(&rig, "more.tar", make).unwrap();
    rig.drain();
    assert_eq!(rig.word(second), "delayed", "{:?}", rig.outcomes(second));
    assert!(rig.item(second).note.contains("is away"), "{}", rig.item(second).note);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "nothing was written under the mount");
    fs::remove_dir(&place).unwrap();
    byteio::durable::rename(&aside, &place).unwrap();
    assert_eq!(walk(&rig, second), "finished", "{:?}", rig.outcomes(second));
}

#[test]
fn a_cancelled_ingest_leaves_nothing_behind() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    let calm = held(&rig);
    while rig.item(id).topic != "ingest07_storage_validation" {
        rig.step();
    }
    rig.controls().cancel(id, "not wanted").unwrap();
    assert_eq!(walk(&rig, id), "cancelled");
    let vault = |told: &str| told.lines().filter(|it| it.contains("content")).count();
    assert_eq!((vault(&held(&rig)), vault(&calm)), (0, 0), "{}", held(&rig));
    assert!(receiving(&rig).join("letters.tar").try_exists().unwrap(), "the deposit stays");
    assert!(!held(&rig).contains("staging "));
}
