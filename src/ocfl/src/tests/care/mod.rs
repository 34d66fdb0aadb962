//! What is damaged is found, mended from another replica, and accepted by the validator again.
//!
//! Here is what the tests share: an object of three versions, what a registry would know of it, and
//! the damage done to its files behind the vault's back.

mod crash;
mod deleted;
mod faults;
mod flaws;
mod loss;
mod ongoing;
mod torture;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::*;
use super::rig::*;

const SEALED: u32 = 3;

/// Every mend has a moment of its own.
static MOMENTS: AtomicU32 = AtomicU32::new(1);

/// Files of every kind: small, empty, equal ones, one with an odd name, and a large one.
fn bags() -> [Bag; 3] {
    let large: Vec<u8> = (0..1_300_000_u32).map(|n| (n ^ (n >> 7)).to_le_bytes()[0]).collect();
    let first = bag(&[
        ("data/a", b"a"),
        ("data/same as a", b"a"),
        ("data/empty", b""),
        ("data/odd name.", b"odd"),
        ("data/deep/er/file", b"deep"),
        ("data/large", &large),
    ]);
    let second = bag(&[("data/a", b"changed"), ("data/new", b"new"), ("data/deep/x", b"x")]);
    [first, second, bag(&[("data/a", b"changed again"), ("data/last", b"last")])]
}

fn fill(replicas: &[&Replica]) {
    for (bag, version) in bags().iter().zip(1..) {
        ingest(replicas, version, bag).unwrap();
        for replica in replicas {
            tell(replica, version, &format!("{{\"version\": {version}}}\n")).unwrap();
        }
    }
    for replica in replicas {
        replica.put_deletion(&object(), "0a-1b", "{\"deleted\": \"data/x\"}\n").unwrap();
    }
}

const DELETION: &str = "logs/deletion-0a-1b.json";
const DELETION_SIDECAR: &str = "logs/deletion-0a-1b.json.sha512";

/// What a registry knows: every content path with its digest.
struct Known(BTreeMap<String, Sha512>);

impl Known {
    fn of(replica: &Replica) -> Known {
        Known::by(&replica.inventory(&object()).unwrap().unwrap()).unwrap()
    }

    fn by(inventory: &Inventory) -> Result<Known, VaultError> {
        let mut known = BTreeMap::new();
        inventory.contents(&mut |path, sha512| {
            known.insert(path.to_owned(), *sha512);
            Ok(())
        })?;
        Ok(Known(known))
    }

    fn truth<'r>(&self, replicas: &[&'r Replica]) -> Result<Option<Truth<'r>>, VaultError> {
        let mut confirm = |inventory: &Inventory| Ok(Known::by(inventory)?.0 == self.0);
        Truth::find(&object(), SEALED, replicas, &mut confirm)
    }

    /// Examines the first replica.
    fn examine(&self, replicas: &[&Replica]) -> Result<Vec<Flaw>, VaultError> {
        let truth = self.truth(replicas)?.expect("an inventory that can be believed");
        let examined = replicas[0].examine(&truth, |_| Ok::<(), VaultError>(()))?;
        assert!(examined.file_count > 0 || examined.flaws.len() > 10);
        Ok(examined.flaws)
    }

    /// Mends the first replica from the others.
    fn mend(
        &self,
        replicas: &[&Replica],
        flaws: &[Flaw],
    ) -> Result<Vec<(Flaw, Became)>, VaultError> {
        let truth = self.truth(replicas)?.expect("an inventory that can be believed");
        let moment = format!("moment-{}", MOMENTS.fetch_add(1, Ordering::SeqCst));
        let mending = Mending { truth: &truth, flaws, sources: &replicas[1..], moment: &moment };
        let mut all = Vec::new();
        let told = |flaw: &Flaw, became| {
            all.push((flaw.clone(), became));
            Ok(())
        };
        replicas[0].mend(mending, |_| Ok::<(), VaultError>(()), told)?;
        assert_eq!(all.len(), flaws.len());
        Ok(all)
    }
}

/// The folder of the object, where its files can be damaged.
#[derive(Clone)]
struct Place {
    root: PathBuf,
}

impl Place {
    fn of(storage_root: &Path) -> Place {
        Place { root: storage_root.join(object().root()) }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.at(path)).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "damage is not durable")]
    fn write(&self, path: &str, bytes: &[u8]) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), bytes).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap();
    }

    /// Changes one bit.
    fn flip(&self, path: &str, at: usize) {
        let mut bytes = self.read(path);
        let at = at % bytes.len();
        bytes[at] ^= 1;
        self.write(path, &bytes);
    }

    fn swap(&self, one: &str, other: &str) {
        let (first, second) = (self.read(one), self.read(other));
        self.write(one, &second);
        self.write(other, &first);
    }

    fn copy(&self, from: &str, to: &str) {
        self.write(to, &self.read(from));
    }

    /// Every file with its bytes.
    fn files(&self) -> Bag {
        fn walk(folder: &Path, root: &Path, found: &mut Bag) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, root, found);
                } else {
                    let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        let mut found = Bag::new();
        walk(&self.root, &self.root, &mut found);
        found
    }
}
