//! A deposit that brings nothing new goes only when what it relies on is really there.

use std::fs;
use std::path::{Path, PathBuf};

use storage::registry::CopyState;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit, deposit_letters, receiving, rig, tree, write_tar};
use crate::harness::Rig;

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
        Some(harm) => storage::durable::write(place, harm, false).unwrap(),
    }
}

#[test]
fn a_deposit_waits_until_the_copy_that_it_relies_on_is_repaired() {
    let renamed: &[(&str, &[u8])] = &[("renamed.txt", b"alpha\n")];
    for again in [LETTERS, renamed] {
        for harm in [None, Some(&b"alphA\n"[..])] {
            let rig = rig(FLOWS);
            let first = deposit_letters(&rig);
            rig.drain_all();
            assert_eq!(rig.word(first), "finished");
            let place = copy_in_b(&rig);
            harm_copy(&place, harm);
            let make = |path: &Path| write_tar(path, "letters", &bag(again));
            let id = deposit(&rig, "letters.tar", make).unwrap();
            rig.drain_all();
            assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
            assert!(rig.outcomes(id).iter().any(|it| it == "returned"), "{:?}", rig.outcomes(id));
            assert!(!receiving(&rig).join("letters.tar").is_file());
            assert_eq!(fs::read(&place).unwrap(), b"alpha\n");
            let registry = &rig.app().registry;
            assert!(registry.unsound_copies(None, 10).unwrap().is_empty());
        }
    }
}

#[test]
fn a_copy_that_is_relied_on_and_sound_nowhere_keeps_the_deposit() {
    for harm in [None, Some(&b"alphA\n"[..])] {
        let rig = rig(FLOWS);
        deposit_letters(&rig);
        rig.drain_all();
        let places = [in_replica(&rig, "a"), in_replica(&rig, "b")];
        places.iter().for_each(|place| harm_copy(place, harm));
        let id = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
        assert_eq!(rig.reason(id).code, "held-copy-unsound");
        assert!(receiving(&rig).join("letters.tar").is_file(), "the deposit stays");
        let registry = &rig.app().registry;
        let file = registry.file_by_identifier("archive.local/letters/data/a.txt").unwrap();
        let file = file.unwrap();
        let states: Vec<CopyState> =
            registry.copies(file.id, file.version).unwrap().iter().map(|it| it.state).collect();
        let told = if harm.is_none() { CopyState::Missing } else { CopyState::Damaged };
        assert_eq!(states, [told; 2]);
        places.iter().for_each(|place| harm_copy(place, Some(b"alpha\n")));
        rig.controls().requeue(id, None, "the test").unwrap();
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        assert!(!receiving(&rig).join("letters.tar").is_file());
    }
}
