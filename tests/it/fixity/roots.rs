//! The files that describe a storage root are checked and repaired.

use std::fs;
use std::path::{Path, PathBuf};

use strongroom::app::App;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{vault, write};
use crate::harness::Rig;
use crate::ingest::site::{BUCKETS, FOLDERS, Place, rig_at};
use crate::ingest::{deposit_letters, tree};

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
                assert!(rig.app().vaults.reach("a").unwrap().is_ok(), "{about}");
                assert_eq!(fs::read(&path).unwrap(), whole, "by the start: {about}");
                assert_eq!(found(&rig, false), [], "{about}");
            }
        }
        let kept = tree(&root).into_iter().filter(|it| it.contains("set-aside/storage-root/"));
        assert_eq!(kept.count(), 9, "what was there is kept");
    }
}
