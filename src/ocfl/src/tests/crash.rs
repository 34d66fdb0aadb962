//! A child process is killed at random instants while it ingests; a repeat finishes its work.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::rig::*;

const CHILD: &str = "tests::crash::child_that_is_killed";
const PLACE: &str = "STRONGROOM_TEST_VAULT";

fn bags() -> Vec<Bag> {
    let file = |version: u32, n: u32| {
        let len = (n as usize * 7919) % 60_000;
        (format!("data/{}/{version}-{n}", n % 7), vec![n.to_le_bytes()[0] ^ 1; len])
    };
    (1..=3).map(|version| (0..120).map(|n| file(version, n)).collect()).collect()
}

fn run(place: &Path) {
    let (a, b) = (folder(place, "a"), folder(place, "b"));
    for (at, bag) in bags().iter().enumerate() {
        ingest(&[&a, &b], u32::try_from(at).unwrap() + 1, bag).unwrap();
        for replica in [&a, &b] {
            tell(replica, u32::try_from(at).unwrap() + 1, "told").unwrap();
        }
    }
}

/// Does nothing unless it is started by the test below.
#[test]
fn child_that_is_killed() {
    if let Some(place) = std::env::var_os(PLACE) {
        run(&PathBuf::from(place));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a real process is killed at a real instant")]
fn a_killed_process_leaves_what_a_repeat_completes() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let reference = tempfile::tempdir().unwrap();
    let begun = std::time::Instant::now();
    assert!(child(CHILD, (PLACE, reference.path())).wait().unwrap().success());
    let whole_run = begun.elapsed();
    let replica = folder(reference.path(), "a");
    let expected = replica.inventory(&object()).unwrap().unwrap();
    for round in 0..16 {
        let dir = tempfile::tempdir().unwrap();
        // Killed more than once now and then: a repeat may be killed as well.
        for _ in 0..=(round % 2) {
            let mut child = child(CHILD, (PLACE, dir.path()));
            std::thread::sleep(Duration::from_micros(
                random.u64(0..u64::try_from(whole_run.as_micros()).unwrap()),
            ));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        for name in ["a", "b"] {
            let replica = folder(dir.path(), name);
            if let Some(inventory) = replica.inventory(&object()).unwrap() {
                state(&replica, inventory.head());
            }
            if round % 3 == 0 {
                // What is told beside a version is what a registry would have recorded.
                let recorded =
                    (1..=3).filter(|version| told(&replica, *version).unwrap().is_some());
                replica.reclaim(&object(), recorded.max().unwrap_or(0)).unwrap();
                validate(&dir.path().join(name));
            }
        }
        run(dir.path());
        for name in ["a", "b"] {
            let replica = folder(dir.path(), name);
            let inventory = replica.inventory(&object()).unwrap().unwrap();
            assert_eq!(inventory.sha512(), expected.sha512(), "seed {seed} round {round}");
            if round % 4 == 0 {
                validate(&dir.path().join(name));
            }
        }
    }
}
