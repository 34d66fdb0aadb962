//! The files that describe a storage root are checked and repaired.

use std::fs;
use std::path::{Path, PathBuf};

use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{pass, vault, write};
use crate::harness::Rig;
use crate::house::{House, until};
use crate::ingest::site::{BUCKETS, FOLDERS, Place, rig_at};
use crate::ingest::{LETTERS, bag, deposit_letters, rig_configured, tree};

const FILES: [&str; 3] =
    ["0=ocfl_1.1", "ocfl_layout.json", "extensions/0004-hashed-n-tuple-storage-layout/config.json"];

fn root(rig: &Rig<App>, place: Place) -> PathBuf {
    match place {
        Place::Folder => vault(rig, "a"),
        Place::Bucket => rig.dir().join("s3/bucket-a"),
    }
}

fn harm(path: &Path, with: Option<&[u8]>) {
    match with {
        None => fs::remove_file(path).unwrap(),
        Some(bytes) => write(path, bytes),
    }
}

/// What the doctor says of storage roots: the sentence, and whether it was mended.
fn found(rig: &Rig<App>, mend: bool) -> Vec<(String, bool)> {
    let findings = rig.app().desk().doctor(mend).unwrap().findings;
    let of_root = findings.into_iter().filter(|it| it.code == "root-file");
    of_root.map(|it| (it.sentence, it.mended)).collect()
}

#[test]
fn a_file_of_a_storage_root_is_made_again_by_fixity_the_doctor_and_the_start() {
    for places in [FOLDERS, BUCKETS] {
        let mut rig = rig_at(FLOWS, places, &std::sync::Arc::default());
        deposit_letters(&rig);
        rig.drain_all();
        let root = root(&rig, places[0]);
        for file in FILES {
            let path = root.join(file);
            let whole = fs::read(&path).unwrap();
            for (with, word) in
                [(None, "is missing"), (Some(&b"{}"[..]), "is not what was written")]
            {
                let about = format!("{places:?} {file} {word}");
                harm(&path, with);
                let sentence = format!("in the storage root of replica a {file} {word}");
                assert_eq!(found(&rig, false), [(sentence.clone(), false)], "{about}");
                assert_eq!(fs::read(&path).ok().as_deref(), with, "a look repairs nothing");
                assert_eq!(found(&rig, true), [(sentence, true)], "{about}");
                assert_eq!(fs::read(&path).unwrap(), whole, "by the doctor: {about}");
                harm(&path, with);
                let note = FixityDue.sweep(rig.app(), 100).unwrap().note;
                assert!(note.ends_with("storage roots that were repaired: 1"), "{about}: {note}");
                assert_eq!(fs::read(&path).unwrap(), whole, "by fixity: {about}");
                harm(&path, with);
                rig.restart();
                // What the keeper of a start does first, on a thread of its own.
                rig.app().vaults.look();
                assert_eq!(fs::read(&path).unwrap(), whole, "by the look of the start: {about}");
                assert_eq!(found(&rig, false), [], "{about}");
                harm(&path, with);
                rig.restart();
                assert!(rig.app().vaults.reach("a").unwrap().is_ok(), "{about}");
                assert_eq!(fs::read(&path).unwrap(), whole, "by the start: {about}");
                assert_eq!(found(&rig, false), [], "{about}");
            }
        }
        let kept = tree(&root).into_iter().filter(|it| it.contains("set-aside/storage-root/"));
        assert_eq!(kept.count(), 12, "what was there is kept");
    }
}

#[test]
fn a_start_repairs_storage_roots_though_nothing_is_to_be_done() {
    let toml = "[replica.a]\nurl = \"vault/a\"\n[option.Standard]\nreplicas = [\"a\"]\n";
    let mut house = House::of_the_program(&format!("{toml}[ingest]\nsweep_s = 1\n"));
    house.receive("letters", &bag(LETTERS), 1);
    house.stop();
    let path = house.data().join("vault/a").join(FILES[1]);
    fs::remove_file(&path).unwrap();
    house.start();
    until("the file is there again", || path.is_file());
}

#[test]
fn storage_roots_are_repaired_in_quiet_hours() {
    // All minutes of the day but one.
    let toml = "[fixity]\nquiet_hours = \"00:01-00:00\"\n".to_owned();
    let rig = rig_configured(FLOWS, toml);
    deposit_letters(&rig);
    rig.drain_all();
    while !rig.app().config.fixity.is_quiet(rig.app().shop.clock.now()) {
        pass(&rig, 60);
    }
    let path = vault(&rig, "a").join(FILES[0]);
    harm(&path, None);
    let note = FixityDue.sweep(rig.app(), 100).unwrap().note;
    assert!(note.starts_with("it is a quiet hour"), "{note}");
    assert!(note.ends_with("storage roots that were repaired: 1"), "{note}");
    assert!(path.is_file());
}

#[test]
fn a_root_file_that_cannot_be_read_is_damage_of_that_file_and_the_replica_is_there() {
    let mut rig = rig_at(FLOWS, FOLDERS, &std::sync::Arc::default());
    deposit_letters(&rig);
    rig.drain_all();
    for file in FILES {
        let path = vault(&rig, "a").join(file);
        let whole = fs::read(&path).unwrap();
        // A folder cannot be read as a file.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        rig.restart();
        let told = found(&rig, false);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].0.contains(&format!("{file} cannot be read (")) && !told[0].1, "{told:#?}");
        assert!(rig.app().vaults.reach("b").unwrap().is_ok());
        assert!(found(&rig, true)[0].1, "it is replaced");
        assert_eq!(fs::read(&path).unwrap(), whole, "{file}");
        assert_eq!(found(&rig, false), []);
    }
}
