//! Random deposits, abandoned and sealed ones, deletions, repetitions and restarts, against maps.

use std::collections::BTreeMap;

use fastrand::Rng;
use storage::registry::{DeletionTarget, FILES, HeldState, Query, Seal, Version};

use super::archive::{Archive, later, seal};
use crate::model::{rounds, seed};

const BAGS: [&str; 3] = ["one", "two", "three"];
const PATHS: [&str; 7] =
    ["bag-info.txt", "data/a", "data/a/b", "data/a/c.txt", "data/ü", "info/x", "data/a-b"];

/// Content and the version that brought it; none where it was deleted.
type Files = BTreeMap<&'static str, (Option<String>, u32)>;

/// What each sealed version of an object has.
#[derive(Clone, Default)]
struct Plain {
    versions: Vec<Files>,
}

impl Plain {
    fn now(&self) -> Files {
        self.versions.last().cloned().unwrap_or_default()
    }

    fn add(&mut self, files: &[(&'static str, String)]) {
        let version = u32::try_from(self.versions.len()).unwrap() + 1;
        let mut now = self.now();
        for (path, content) in files {
            now.insert(path, (Some(content.clone()), version));
        }
        self.versions.push(now);
    }

    /// Expunged from every version, as the bytes are.
    fn delete(&mut self, path: &str) {
        for version in &mut self.versions {
            if let Some(held) = version.get_mut(path) {
                held.0 = None;
            }
        }
    }
}

fn verify(archive: &Archive, plain: &BTreeMap<&str, Plain>) {
    let registry = &archive.registry;
    let mut listed = 0;
    for (bag, plain) in plain {
        let found = registry.object_by_identifier(&format!("lib.example.edu/{bag}")).unwrap();
        if plain.versions.is_empty() {
            assert_eq!(found, None, "{bag}");
            continue;
        }
        let object = found.unwrap();
        assert_eq!(object.version.0 as usize, plain.versions.len());
        let now = plain.now();
        listed += now.len();
        let there: Vec<(&str, &String)> = now
            .iter()
            .filter_map(|(path, (content, _))| Some((*path, content.as_ref()?)))
            .collect();
        let size = |payload: bool| -> u64 {
            let counted = there.iter().filter(|(path, _)| !payload || path.starts_with("data/"));
            counted.map(|(_, content)| content.len() as u64).sum()
        };
        assert_eq!(object.file_count, there.len() as u64, "{bag}");
        assert_eq!((object.size, object.payload_size), (size(false), size(true)), "{bag}");
        for (files, version) in plain.versions.iter().zip(1..) {
            let rows = registry.files_at(object.id, Version(version), "", 100).unwrap();
            let rows: Vec<_> = rows
                .iter()
                .map(|row| (row.path.as_str(), row.state, row.version.0, row.digests))
                .collect();
            let expected: Vec<_> =
                files.iter().map(|(path, (content, version))| (*path, content, *version)).collect();
            assert_eq!(rows.len(), expected.len(), "{bag} {version}");
            for ((path, state, version, digests), (plain_path, content, plain_version)) in
                rows.into_iter().zip(expected)
            {
                assert_eq!((path, version), (plain_path, plain_version));
                match content {
                    Some(content) => {
                        assert_eq!(digests, super::digests(content));
                        assert_eq!(state, HeldState::Active);
                    }
                    None => assert_eq!(state, HeldState::Deleted),
                }
            }
        }
    }
    let page = registry.list_files(&Query::all(&FILES)).unwrap();
    assert_eq!(page.count.unwrap().value, listed as u64);
    assert_eq!(registry.check().unwrap(), []);
}

fn some_files(random: &mut Rng) -> Vec<(&'static str, String)> {
    let mut paths = PATHS.to_vec();
    random.shuffle(&mut paths);
    paths.truncate(random.usize(..PATHS.len()));
    paths.into_iter().map(|path| (path, format!("{}", random.u32(..50_000)))).collect()
}

fn deposit(archive: &Archive, plain: &mut Plain, bag: &'static str, random: &mut Rng) {
    let version = u32::try_from(plain.versions.len()).unwrap() + 1;
    let files = some_files(random);
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, content)| (*path, content.as_str())).collect();
    let id = archive.begin(bag, version, &borrowed);
    if random.u8(..3) == 0 {
        // It died half way, and begins again.
        assert_eq!(archive.begin(bag, version, &borrowed[..files.len() / 2]), id);
    }
    if random.u8(..4) == 0 {
        assert_eq!(archive.registry.abandon(id).unwrap(), files.len() as u64);
        return;
    }
    let at = later(u64::from(version) * 1000);
    let seal = Seal { at, ..seal(files.len() as u64) };
    for _ in 0..random.u8(1..3) {
        archive.registry.seal(id, &seal).unwrap();
    }
    plain.add(&files);
}

fn delete(archive: &Archive, plain: &mut Plain, bag: &str, random: &mut Rng) {
    let path = PATHS[random.usize(..PATHS.len())];
    let object = archive.registry.object_by_identifier(&format!("lib.example.edu/{bag}")).unwrap();
    let Some(object) = object else { return };
    let Some(file) = archive.registry.files_by_path(object.id, &[path]).unwrap().pop() else {
        return;
    };
    if file.deleted_at.is_none() {
        let at = later(u64::try_from(archive.count("deletion_requests")).unwrap());
        archive.delete(DeletionTarget::File(file.id), at);
    }
    plain.delete(path);
}

#[test]
fn holdings_agree_with_plain_maps() {
    let seed = seed();
    println!("began with STRONGROOM_SEED={seed}");
    for round in 0..rounds(10) {
        let mut random = Rng::with_seed(seed.wrapping_add(round));
        let mut archive = Archive::new();
        let mut plain: BTreeMap<&str, Plain> =
            BAGS.iter().map(|bag| (*bag, Plain::default())).collect();
        for _ in 0..25 {
            let bag = BAGS[random.usize(..BAGS.len())];
            let held = plain.get_mut(bag).unwrap();
            match random.u8(..6) {
                0 => delete(&archive, held, bag, &mut random),
                1 => archive = archive.reopened(),
                _ => deposit(&archive, held, bag, &mut random),
            }
            verify(&archive, &plain);
        }
    }
}
