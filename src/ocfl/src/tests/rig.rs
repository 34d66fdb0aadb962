//! What the tests share: bags in memory, a whole ingest, and the independent validator.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use digests::{AlgorithmSet, Source, digest_buffers};

use super::super::*;
use super::peer::OCFL;

pub(super) type Bag = BTreeMap<String, Vec<u8>>;

pub(super) fn bag(files: &[(&str, &[u8])]) -> Bag {
    files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
}

pub(super) fn object() -> ObjectId {
    ObjectId::new("example.edu/letters 1901")
}

pub(super) fn draft(object: &ObjectId, version: u32) -> Draft<'_> {
    Draft { object, version }
}

pub(super) fn note(version: u32) -> Note {
    Note {
        created: format!("2026-01-0{version}T10:00:00Z"),
        message: format!("Ingest \"{version}\""),
        user: "Strongroom".into(),
        user_address: "mailto:archive@example.edu".into(),
    }
}

/// A folder in memory where there is one: for tests that sync thousands of times and never lose
/// power.
pub(super) fn memory_dir() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(super) fn folder(dir: &Path, name: &str) -> Replica {
    let root = dir.join(name);
    let settings = ReplicaSettings::folder(name, root.to_str().unwrap());
    let replica = Replica::new(settings, None, dir).unwrap();
    replica.prepare().unwrap();
    replica
}

pub(super) fn entries(bag: &Bag) -> Vec<Entry> {
    let buffers: Vec<&[u8]> = bag.values().map(|bytes| &**bytes).collect();
    let digests = digest_buffers(AlgorithmSet::FOUR, &buffers);
    bag.iter()
        .zip(digests)
        .map(|((path, bytes), digests)| Entry {
            logical: path.clone(),
            size_bytes: bytes.len() as u64,
            digests,
        })
        .collect()
}

pub(super) fn sha512(entry: &Entry) -> Sha512 {
    entry.digests.get(digests::Algorithm::Sha512).unwrap().try_into().unwrap()
}

pub(super) fn go_on(_: u64) -> Result<(), Infallible> {
    Ok(())
}

/// Which files are to be copied, with their bytes.
pub(super) fn intake<'b>(
    bag: &'b Bag,
    version: u32,
    replicas: &[&Replica],
) -> Result<Vec<Intake<'b>>, VaultError> {
    let mut placing = Placing::new(draft(&object(), version), replicas)?;
    let mut files = Vec::new();
    for entry in entries(bag) {
        let sha512 = sha512(&entry);
        if let Placement::Copy(content_path) = placing.place(&entry.logical, &sha512) {
            let source = Source::Bytes((&bag[&entry.logical][..]).into());
            files.push(Intake {
                content_path,
                source,
                size_bytes: entry.size_bytes,
                sha512,
                done: Vec::new(),
            });
        }
    }
    Ok(files)
}

/// One ingest as the stages do it.
pub(super) fn ingest(replicas: &[&Replica], version: u32, bag: &Bag) -> Result<Sealed, VaultError> {
    let files = intake(bag, version, replicas)?;
    let expected: Vec<_> =
        files.iter().map(|f| (f.content_path.clone(), f.sha512, f.size_bytes)).collect();
    let stored = store(files.into_iter(), draft(&object(), version), replicas, go_on, &|_, _| {});
    for outcome in stored.replicas {
        outcome?;
    }
    if let Some((_, error)) = stored.rejected.into_iter().next() {
        return Err(error);
    }
    let (mut sealed, id) = (None, object());
    let rows = Entries::collect(entries(bag))?;
    for replica in replicas {
        let copies = expected.iter().map(|(path, sha512, size)| Expected {
            key: path,
            content_path: path.clone(),
            sha512: *sha512,
            size_bytes: Some(*size),
        });
        let mut states = Vec::new();
        let Ok(()) = replica.verify(&object(), copies, go_on, |path, state| {
            states.push((path.clone(), state));
        });
        assert_eq!(states.len(), expected.len());
        for (path, state) in states {
            match state {
                CopyState::Equal => {}
                CopyState::Unreadable(error) => return Err(error),
                CopyState::Differs | CopyState::Missing => {
                    let (replica, what) = (replica.name().to_owned(), format!("{path} {state:?}"));
                    return Err(VaultError::Damaged { replica, what });
                }
            }
        }
        let sealing = Sealing { draft: draft(&id, version), note: &note(version), entries: &rows };
        let here = replica.seal(&sealing)?;
        assert!(sealed.is_none_or(|there| there == here), "replicas differ");
        sealed = Some(here);
    }
    Ok(sealed.unwrap())
}

/// Writes a record beside a version.
pub(super) fn tell(replica: &Replica, version: u32, text: &str) -> Result<(), VaultError> {
    let sha512 = digest_buffers(AlgorithmSet::FOUR, &[text.as_bytes()]);
    let sha512 = sha512[0].get(digests::Algorithm::Sha512).unwrap().try_into().unwrap();
    let size_bytes = text.len() as u64;
    replica.put_chronicle(&object(), version, &mut text.as_bytes(), (size_bytes, &sha512))
}

/// What a record says.
pub(super) fn told(replica: &Replica, version: u32) -> Result<Option<String>, VaultError> {
    let file = replica.chronicle(&object(), version)?;
    Ok(file.map(|file| std::io::read_to_string(file).unwrap()))
}

/// Every file of a version, read through the inventory.
pub(super) fn state(replica: &Replica, version: u32) -> Bag {
    let inventory = replica.inventory(&object()).unwrap().unwrap();
    let mut places = BTreeMap::new();
    inventory
        .contents(&mut |path, sha512| {
            places.insert(*sha512, path.to_owned());
            Ok(())
        })
        .unwrap();
    let mut bag = Bag::new();
    inventory
        .state(version, &mut |path, sha512| {
            let mut bytes = Vec::new();
            replica.read_copy(&object(), &places[sha512])?.read_to_end(&mut bytes).unwrap();
            bag.insert(path.to_owned(), bytes);
            Ok(())
        })
        .unwrap();
    bag
}

/// Starts a test of this program in a process of its own, told in a variable where to work. It is
/// there to be killed.
pub(super) fn child(test: &str, (variable, place): (&str, &Path)) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads", "1"])
        .env(variable, place)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

const JUDGE: &str = include_str!("../../../../tests/ocfl/judge.py");

/// Asks `ocfl-py` about a storage root and all objects in it; says so and passes where it cannot be
/// had.
pub(super) fn validate(root: &Path) {
    let Some(python) = OCFL.python() else { return };
    let output = Command::new(python).arg("-c").arg(JUDGE).arg(root).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // The id of an object is institution/bag by our own choice; OCFL would like a URI. And our
    // corner of the root is no registered extension.
    let others = said.replace("[W005]", "").replace("[W016]", "");
    assert!(!others.contains("[W"), "{said}");
}
