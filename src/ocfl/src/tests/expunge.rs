//! What was expunged is nowhere, what was not is untouched, and every validator agrees.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::super::media::{Folder, Medium};
use super::super::*;
use super::faulty::{Fault, Faulty};
use super::rig::*;
use super::server::Server;

const UUID: &str = "00112233-4455-6677-8899-aabbccddeeff";

fn large() -> Vec<u8> {
    (0..300_u32 << 10).map(|n| (n ^ (n >> 9)).to_le_bytes()[0]).collect()
}

/// Three versions: `x` is in all of them with three contents, `y` has the first bytes of `x`, `z` the
/// second, and `late` those of `early`, which a later version brought.
fn bags() -> [Bag; 3] {
    [
        bag(&[
            ("data/x", b"secret 1"),
            ("data/y", b"secret 1"),
            ("data/early", b"shared later"),
            ("data/large", &large()),
            ("data/odd?", b"odd"),
            ("info", b"info"),
        ]),
        bag(&[("data/x", b"secret 2"), ("data/z", b"secret 2"), ("data/new", b"new")]),
        bag(&[("data/x", b"secret 3"), ("data/late", b"shared later"), ("data/q/r/s", b"deep")]),
    ]
}

fn fill(replicas: &[&Replica]) {
    for (version, bag) in (1..).zip(bags()) {
        ingest(replicas, version, &bag).unwrap();
        for replica in replicas {
            tell(replica, version, "told").unwrap();
        }
    }
}

/// Where the bytes of a path lay in any version, as the registry knows.
fn contents(replica: &Replica, paths: &HashSet<String>) -> Vec<String> {
    let inventory = replica.inventory(&object()).unwrap().unwrap();
    let mut digests = HashSet::new();
    for version in 1..=inventory.head() {
        let add = &mut |path: &str, sha512: &Sha512| {
            if paths.contains(path) {
                digests.insert(*sha512);
            }
            Ok(())
        };
        inventory.state(version, add).unwrap();
    }
    let mut found = Vec::new();
    inventory
        .contents(&mut |path, sha512| {
            found.extend(digests.contains(sha512).then(|| path.to_owned()));
            Ok(())
        })
        .unwrap();
    found
}

fn paths(names: &[&str]) -> HashSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn expunge(replica: &Replica, going: &Expunging<'_>) -> Result<Expunged, VaultError> {
    replica.put_deletion(&object(), UUID, "{}")?;
    let expunged = replica.expunge(&object(), going, &mut || Ok::<_, VaultError>(()))?;
    replica.require_expunged(&object(), going)?;
    Ok(expunged)
}

/// Whether these bytes are in any file below a folder.
fn is_somewhere(folder: &Path, bytes: &[u8]) -> Option<PathBuf> {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = if path.is_dir() {
            is_somewhere(&path, bytes)
        } else {
            let held = std::fs::read(&path).unwrap();
            held.windows(bytes.len()).any(|window| window == bytes).then_some(path)
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The server keeps objects as files, and the folders of those that were removed, which a bucket
/// does not have.
fn remove_empty(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            remove_empty(&path);
            drop(std::fs::remove_dir(path));
        }
    }
}

fn without(bag: &Bag, names: &[&str]) -> Bag {
    bag.iter()
        .filter(|(path, _)| !names.contains(&path.as_str()))
        .map(|(path, bytes)| (path.clone(), bytes.clone()))
        .collect()
}

/// What a version holds after those before it.
fn held(version: usize) -> Bag {
    bags()[..version].iter().flatten().map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
}

#[test]
fn a_file_goes_from_every_version_and_shared_bytes_stay() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    fill(&[&a]);
    let gone = paths(&["data/x", "data/q/r/s"]);
    let lay = contents(&a, &gone);
    let going = Expunging::Files { paths: &gone, contents: &lay };
    assert!(a.require_expunged(&object(), &going).is_err());
    // Of its three contents one is shared with `y`, one with `z`.
    assert_eq!(expunge(&a, &going).unwrap().content_count, 2);
    for version in 1..=3 {
        let left = without(&held(version), &["data/x", "data/q/r/s"]);
        assert_eq!(state(&a, u32::try_from(version).unwrap()), left);
    }
    let root = dir.path().join("a");
    assert_eq!(is_somewhere(&root, b"secret 3"), None);
    assert_eq!(is_somewhere(&root, b"deep"), None);
    validate(&root);
    assert_eq!(expunge(&a, &going).unwrap(), Expunged::default(), "again changes nothing");
    assert_eq!(a.deletions(&object()).unwrap(), [UUID]);
    assert_eq!(a.deletion(&object(), UUID).unwrap().as_deref(), Some("{}"));

    // Now nobody needs the shared bytes any more.
    let gone = paths(&["data/y", "data/z", "data/odd?"]);
    let lay = contents(&a, &gone);
    let going = Expunging::Files { paths: &gone, contents: &lay };
    assert_eq!(expunge(&a, &going).unwrap().content_count, 3);
    assert_eq!(is_somewhere(&root, b"secret"), None);
    validate(&root);
}

#[test]
fn bytes_that_only_a_later_version_needs_stay_where_they_lie() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    fill(&[&a]);
    let gone = paths(&["data/early"]);
    let lay = contents(&a, &gone);
    let going = Expunging::Files { paths: &gone, contents: &lay };
    assert_eq!(expunge(&a, &going).unwrap().content_count, 0);
    assert_eq!(state(&a, 3), without(&held(3), &["data/early"]));
    validate(&dir.path().join("a"));
}

#[test]
fn a_whole_object_leaves_its_records_and_takes_new_versions() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let (a, s) = (folder(dir.path(), "a"), server.replica(dir.path()));
    fill(&[&a, &s]);
    for (replica, root) in [(&a, dir.path().join("a")), (&s, dir.path().join("s3/vault"))] {
        let expunged = expunge(replica, &Expunging::Whole).unwrap();
        // x three times, early, large, odd, info, new and deep: what is shared lies once.
        assert_eq!(expunged.content_count, 9);
        assert!((1..=3).all(|version| state(replica, version).is_empty()));
        assert_eq!(told(replica, 3).unwrap().as_deref(), Some("told"));
        assert_eq!(replica.deletion(&object(), UUID).unwrap().as_deref(), Some("{}"));
        for bytes in [&b"secret"[..], b"info\0", b"deep"] {
            assert_eq!(is_somewhere(&root, bytes), None);
        }
        remove_empty(&root);
        validate(&root);
        let mut objects = Vec::new();
        let walked: Result<(), VaultError> = replica.each_object(&mut |found| {
            objects.push(found?);
            Ok(())
        });
        walked.unwrap();
        assert_eq!(objects, [(object(), 3)]);
    }
    let back = bags()[0].clone();
    assert_eq!(intake(&back, 4, &[&a, &s]).unwrap().len(), 5, "nothing of it is held");
    ingest(&[&a, &s], 4, &back).unwrap();
    assert_eq!((state(&a, 4), state(&s, 4)), (back.clone(), back));
    assert!(state(&s, 3).is_empty());
    a.reclaim(&object(), 3).unwrap();
    assert_eq!(a.inventory(&object()).unwrap().unwrap().head(), 3);
    validate(&dir.path().join("a"));
    validate(&dir.path().join("s3/vault"));
}

#[test]
fn a_file_goes_from_a_bucket_as_from_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("s3"));
    let (a, s) = (folder(dir.path(), "a"), server.replica(dir.path()));
    fill(&[&a, &s]);
    let gone = paths(&["data/x", "data/odd?", "data/large"]);
    let lay = contents(&a, &gone);
    let going = Expunging::Files { paths: &gone, contents: &lay };
    assert_eq!(expunge(&a, &going).unwrap(), expunge(&s, &going).unwrap());
    let inventory = |replica: &Replica| *replica.inventory(&object()).unwrap().unwrap().sha512();
    assert_eq!(inventory(&a), inventory(&s));
    assert_eq!(state(&s, 3), without(&held(3), &["data/x", "data/odd?", "data/large"]));
    remove_empty(&dir.path().join("s3/vault"));
    validate(&dir.path().join("s3/vault"));
}

#[test]
fn what_was_set_aside_or_drafted_goes_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let a = folder(dir.path(), "a");
    fill(&[&a]);
    let root = dir.path().join("a");
    let corner = root.join("extensions/strongroom-replica");
    let hash = object().root().rsplit('/').next().unwrap().to_owned();
    let aside = corner.join("set-aside").join(&hash).join("2026-01-01");
    for (path, bytes) in [
        ("v3/content/data/x", "secret 3"),
        ("v3/content/data/x~2", "secret 3"),
        ("v1/content/renamed by hand", "secret 3"),
    ] {
        let path = aside.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        byteio::durable::write(&path, bytes.as_bytes(), false).unwrap();
    }
    let draft = corner.join("drafts").join(&hash).join("v4/content/data");
    std::fs::create_dir_all(&draft).unwrap();
    byteio::durable::write(&draft.join("x"), b"secret 3", false).unwrap();
    let gone = paths(&["data/x"]);
    let lay = contents(&a, &gone);
    expunge(&a, &Expunging::Files { paths: &gone, contents: &lay }).unwrap();
    assert_eq!(is_somewhere(&root, b"secret 3"), None);
    expunge(&a, &Expunging::Whole).unwrap();
    assert_eq!(is_somewhere(&root, b"INFO"), None);
}

fn faulty(dir: &Path, fault: &Fault) -> Replica {
    let root = dir.join("a");
    let settings = ReplicaSettings::folder("a", root.to_str().unwrap());
    let inner: Box<dyn Medium> = Box::new(Folder::new("a", &root));
    Replica::on(Box::new(Faulty { inner, fault: fault.clone() }), settings, None, dir)
}

/// Whichever step fails, readers see the object as it was or as it will be, and a repetition makes
/// the same of it.
fn survives_every_fault(names: &[&str]) {
    let reference = memory_dir();
    let whole = folder(reference.path(), "a");
    fill(&[&whole]);
    let gone = paths(names);
    let lay = contents(&whole, &gone);
    let files = Expunging::Files { paths: &gone, contents: &lay };
    let going = if names.is_empty() { Expunging::Whole } else { files };
    expunge(&whole, &going).unwrap();
    let expected = *whole.inventory(&object()).unwrap().unwrap().sha512();
    let after = state(&whole, 3);
    for is_done in [false, true] {
        for step in 0.. {
            let dir = memory_dir();
            fill(&[&folder(dir.path(), "a")]);
            let fault = Fault::at(step, is_done);
            let first = expunge(&faulty(dir.path(), &fault), &going);
            assert_eq!(first.is_err(), fault.struck(), "step {step}: {first:?}");
            let a = folder(dir.path(), "a");
            let seen = state(&a, 3);
            assert!(seen == held(3) || seen == after, "step {step}");
            expunge(&a, &going).unwrap();
            let inventory = a.inventory(&object()).unwrap().unwrap();
            assert_eq!(*inventory.sha512(), expected, "step {step}");
            let root = dir.path().join("a");
            let files = |root: &Path| below(&root.join(object().root()));
            assert_eq!(files(&root), files(&reference.path().join("a")), "step {step}");
            if !fault.struck() {
                assert!(step > 20, "only {step} steps");
                break;
            }
            if step % 8 == 0 {
                validate(&root);
            }
        }
    }
}

/// Every file below a folder.
fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn whichever_step_fails_a_file_is_there_or_gone() {
    survives_every_fault(&["data/x", "data/odd?"]);
}

#[test]
fn whichever_step_fails_an_object_is_there_or_gone() {
    survives_every_fault(&[]);
}
