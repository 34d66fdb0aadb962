//! Every step fails once; what is repeated comes out the same, what is given up leaves no trace.

use std::path::Path;

use super::super::media::{Folder, Medium};
use super::super::*;
use super::faulty::{Fault, Faulty};
use super::rig::*;

fn faulty(dir: &Path, fault: &Fault) -> Replica {
    let root = dir.join("a");
    let settings = ReplicaSettings::folder("a", root.to_str().unwrap());
    let inner: Box<dyn Medium> = Box::new(Folder::new("a", &root));
    let medium = Faulty { inner, fault: fault.clone() };
    Replica::on(Box::new(medium), settings, None, dir)
}

fn bags() -> [Bag; 2] {
    let large = vec![5; (1 << 20) + 7];
    let first = bag(&[("data/x", b"x"), ("data/y", b"x"), ("data/large", &large)]);
    [first, bag(&[("data/x", b"changed"), ("data/z/new", b"new")])]
}

/// Files that both together bring into the replica: equal bytes lie once.
const COPIES: u32 = 4;
/// Files that describe the storage root: one that cannot be read is made again at once.
const ROOT_FILES: u32 = 3;

/// Two versions, each with its record.
fn run(replica: &Replica) -> Result<(), VaultError> {
    replica.prepare()?;
    let [first, second] = bags();
    ingest(&[replica], 1, &first)?;
    tell(replica, 1, "first")?;
    ingest(&[replica], 2, &second)?;
    tell(replica, 2, "second")
}

#[test]
fn whichever_step_fails_a_repeat_gives_the_same() {
    let reference = memory_dir();
    let whole = folder(reference.path(), "a");
    run(&whole).unwrap();
    let expected = whole.inventory(&object()).unwrap().unwrap();
    for is_done in [false, true] {
        // Copies that could not be read back, and then could; root files that were made again.
        let mut passed = 0;
        for step in 0.. {
            let dir = memory_dir();
            let fault = Fault::at(step, is_done);
            let replica = faulty(dir.path(), &fault);
            let first = run(&replica);
            if !fault.struck() {
                first.unwrap();
                assert!(step > 60, "only {step} steps");
                break;
            }
            match first {
                Err(error) => assert_eq!(error.kind(), Kind::Transient, "step {step}"),
                Ok(()) => passed += 1,
            }
            run(&replica).unwrap();
            let inventory = replica.inventory(&object()).unwrap().unwrap();
            assert_eq!(inventory.sha512(), expected.sha512(), "step {step}");
            if step % 8 == 0 {
                validate(&dir.path().join("a"));
            }
        }
        assert_eq!(passed, COPIES + ROOT_FILES, "only what is read is tried again");
    }
}

#[test]
fn whichever_step_fails_readers_see_a_whole_version_and_reclaim_clears_up() {
    let [first, second] = bags();
    let mut both = first.clone();
    both.extend(second);
    for step in 0.. {
        let dir = memory_dir();
        let fault = Fault::at(step, step % 2 == 0);
        drop(run(&faulty(dir.path(), &fault)));
        let replica = folder(dir.path(), "a");
        let look = |replica: &Replica| {
            let head = replica.inventory(&object()).unwrap().map_or(0, |found| found.head());
            match head {
                0 => {}
                1 => assert_eq!(state(replica, 1), first, "step {step}"),
                2 => assert_eq!(state(replica, 2), both, "step {step}"),
                other => panic!("version {other}"),
            }
            head
        };
        let head = look(&replica);
        let recorded = (1..=2).filter(|version| told(&replica, *version).unwrap().is_some());
        let recorded = recorded.max().unwrap_or(0);
        assert!(head >= recorded, "step {step}");
        replica.reclaim(&object(), recorded).unwrap();
        assert_eq!(look(&replica), recorded, "step {step}");
        if step % 6 == 0 {
            validate(&dir.path().join("a"));
        }
        let drafts = dir.path().join("a/extensions/strongroom-replica/drafts");
        let left = std::fs::read_dir(&drafts).map_or(0, Iterator::count);
        assert_eq!(left, 0, "step {step}");
        run(&replica).unwrap();
        if !fault.struck() {
            break;
        }
    }
}

#[test]
fn a_full_disk_makes_the_item_wait_and_then_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mount = dir.path().join("small");
    std::fs::create_dir(&mount).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&mount)
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: a small file system cannot be mounted here");
        return;
    }
    let (small, wide) = (folder(&mount, "a"), folder(dir.path(), "b"));
    // Scratch files lie on the other disk: only the replica is full.
    let settings = small.settings().clone();
    let small = Replica::new(settings, None, dir.path()).unwrap();
    let noise: Vec<u8> = (0..3_u32 << 20).map(|n| n.to_le_bytes()[n as usize % 3]).collect();
    let large = bag(&[("data/large", &noise), ("data/small", b"small")]);
    let files = intake(&large, 1, &[&small]).unwrap();
    let stored = store(files.into_iter(), draft(&object(), 1), &[&small, &wide], go_on, &|_, _| {});
    let error = stored.replicas[0].as_ref().unwrap_err();
    let outcome = (error.code(), error.kind(), stored.replicas[1].is_ok());
    let sealed_elsewhere = ingest(&[&wide], 1, &large).is_ok();
    let remount = ["-o", "remount,size=16m"];
    let grown = std::process::Command::new("mount").args(remount).arg(&mount).status();
    let again = ingest(&[&small, &wide], 1, &large);
    let same = again.is_ok() && state(&small, 1) == large;
    validate(&mount.join("a"));
    let unmounted = std::process::Command::new("umount").arg(&mount).status();
    assert!(grown.unwrap().success() && unmounted.unwrap().success());
    assert_eq!(outcome, ("replica-full", Kind::Transient, true));
    assert!(sealed_elsewhere && same, "{again:?}");
}
