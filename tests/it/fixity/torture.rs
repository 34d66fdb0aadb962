//! Hundreds of faults of every kind in one replica after the other: each is found in one cycle and
//! mended, byte by byte, and validators find nothing wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{check_after, vault, write};
use crate::harness::Rig;
use crate::ingest::ocfl::validate;
use crate::ingest::{bag, deposit, rig, write_tar};

const FAULTS: usize = 520;
const FAULTS_A_ROUND: usize = 40;

/// Every file of a replica's objects with its bytes.
pub(super) fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("extensions") {
                continue;
            }
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}

/// Does some harm to one of these files, and says what.
pub(super) fn harm(random: &mut fastrand::Rng, places: &[PathBuf]) -> String {
    let pick = |random: &mut fastrand::Rng| places[random.usize(..places.len())].clone();
    let path = pick(random);
    let bytes = fs::read(&path).unwrap_or_default();
    let shown = path.display();
    match random.u32(..5) {
        0 if !bytes.is_empty() => {
            let mut bytes = bytes;
            let at = random.usize(..bytes.len());
            bytes[at] ^= 1 << random.u32(..8);
            write(&path, &bytes);
            format!("flip {at} of {shown}")
        }
        1 if !bytes.is_empty() => {
            let len = random.usize(..bytes.len());
            write(&path, &bytes[..len]);
            format!("cut {shown} to {len}")
        }
        2 => {
            drop(fs::remove_file(&path));
            format!("remove {shown}")
        }
        3 => {
            let stray = path.with_file_name(format!("stray-{}", random.u16(..)));
            write(&stray, b"does not belong");
            format!("add {}", stray.display())
        }
        _ => {
            let other = pick(random);
            let theirs = fs::read(&other).unwrap_or_default();
            write(&path, &theirs);
            write(&other, &bytes);
            format!("swap {shown} and {}", other.display())
        }
    }
}

fn fill(rig: &Rig<App>) {
    for object in 0..4 {
        for version in 0..=object % 3 {
            let name = format!("object-{object}");
            let payload: Vec<(String, Vec<u8>)> = (0..5)
                .map(|n| {
                    (
                        format!("{}/{n}-{version}.bin", n % 2),
                        vec![object ^ n; 300 * (n as usize + 1)],
                    )
                })
                .collect();
            let payload: Vec<(&str, &[u8])> =
                payload.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
            deposit(rig, &format!("{name}.tar"), |path| write_tar(path, &name, &bag(&payload)))
                .unwrap();
            rig.drain_all();
        }
    }
}

#[test]
fn every_fault_in_one_replica_is_found_and_mended_within_a_cycle() {
    let seed = fastrand::u64(..1_000_000);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let rig = rig(FLOWS);
    fill(&rig);
    let whole = [files(&vault(&rig, "a")), files(&vault(&rig, "b"))];
    for round in 0..FAULTS.div_ceil(FAULTS_A_ROUND) {
        let at = round % 2;
        let root = vault(&rig, ["a", "b"][at]);
        let places: Vec<PathBuf> = whole[at]
            .keys()
            // What is of the root and not of an object: see `prepare`.
            .filter(|path| path.parent() != Some(&root))
            .cloned()
            .collect();
        let harmed: Vec<String> = (0..FAULTS_A_ROUND).map(|_| harm(&mut random, &places)).collect();
        for id in check_after(&rig, 91) {
            assert_eq!(rig.word(id), "finished", "seed {seed}: {:#?}", rig.history(id));
        }
        let is = files(&root);
        for (path, bytes) in &whole[at] {
            assert!(
                is.get(path) == Some(bytes),
                "seed {seed} round {round}: {path:?}\n{harmed:#?}"
            );
        }
        for path in is.keys() {
            assert!(whole[at].contains_key(path), "seed {seed} round {round}: {path:?} is left");
        }
        assert!(rig.app().registry.unsound_copies(None, 10).unwrap().is_empty(), "seed {seed}");
        if round % 5 == 0 {
            validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
        }
    }
    assert_eq!(rig.app().registry.check().unwrap(), []);
}

#[test]
fn with_both_copies_damaged_the_loss_is_told_exactly() {
    let seed = fastrand::u64(..1_000_000);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let rig = rig(FLOWS);
    fill(&rig);
    let relative = |replica: &str| -> Vec<PathBuf> {
        let root = vault(&rig, replica);
        let content =
            files(&root).into_keys().filter(|it| it.to_str().unwrap().contains("/content/"));
        content.map(|it| it.strip_prefix(&root).unwrap().to_owned()).collect()
    };
    let mut content = relative("a");
    random.shuffle(&mut content);
    let (both, rest) = content.split_at(6);
    let (only_a, rest) = rest.split_at(5);
    let only_b = &rest[..5];
    for (replica, places) in [("a", both), ("b", both), ("a", only_a), ("b", only_b)] {
        for place in places {
            let path = vault(&rig, replica).join(place);
            match random.bool() {
                true => fs::remove_file(path).unwrap(),
                false => write(&path, format!("harm in {replica}").as_bytes()),
            }
        }
    }
    check_after(&rig, 91);
    let registry = &rig.app().registry;
    let unsound = registry.unsound_copies(None, 1000).unwrap();
    assert!(unsound.iter().all(|it| it.is_lost), "seed {seed}: {unsound:#?}");
    let mut expected = Vec::new();
    for object in 0..4 {
        let row = super::object(&rig, &format!("object-{object}"));
        let id = ocfl::ObjectId::new(row.identifier.clone());
        registry
            .walk_contents(row.id, &mut |content| {
                if both.contains(&Path::new(&id.root()).join(&content.content_path)) {
                    expected
                        .push(format!("{}/{} {}", row.identifier, content.path, content.version));
                }
                Ok::<_, storage::registry::Error>(())
            })
            .unwrap();
    }
    let mut lost: Vec<String> =
        unsound.iter().map(|it| format!("{} {}", it.file, it.version)).collect();
    lost.dedup();
    lost.sort();
    expected.sort();
    assert_eq!(lost, expected, "seed {seed}");
}
