//! A process that records deposits and is killed at any moment, over and over on the same file.
//! What it was told is sealed must be there, and nothing may be there in part.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use fastrand::Rng;
use storage::registry::{Counting, FILES, OBJECTS, Query, Registry};

use super::archive::{NOW, furnish, ingest_events, new_deposit, new_file_in, seal};
use crate::model::{rounds, seed};

const FILE: &str = "STRONGROOM_TEST_KILL_REGISTRY";
const ROUND: &str = "STRONGROOM_TEST_KILL_ROUND";
const FILES_EACH: usize = 30;

/// Runs only in a process of its own, until it is killed.
#[test]
fn a_recorder_to_be_killed() {
    let (Some(path), Ok(round)) = (std::env::var_os(FILE), std::env::var(ROUND)) else { return };
    let registry = Registry::open(Path::new(&path), NOW).unwrap();
    let replicas = furnish(&registry);
    // What the one before left is finished or taken away, in turn.
    for (left, turn) in registry.unsealed_deposits(10).unwrap().into_iter().zip(0..) {
        if turn % 2 == 0 {
            registry.abandon(left.id).unwrap();
        }
    }
    for number in 0.. {
        let bag = format!("bag-{round}-{number}");
        for version in 1..=2 {
            let id = registry.begin_deposit(&new_deposit(&bag, version)).unwrap();
            let files: Vec<_> = (0..FILES_EACH)
                .map(|n| {
                    let path = format!("data/{version}/{n}.txt");
                    new_file_in(replicas, &bag, &path, &format!("{bag}{path}"))
                })
                .collect();
            for batch in files.chunks(10) {
                registry.put_files(id, batch).unwrap();
            }
            let object = registry.deposit(id).unwrap().unwrap().object_id;
            registry.put_events(&ingest_events(&bag, (id, object), version, &["md5"])).unwrap();
            registry.seal(id, &seal(FILES_EACH as u64)).unwrap();
            let said = format!("\nsealed lib.example.edu/{bag} {version}.\n");
            std::io::stdout().lock().write_all(said.as_bytes()).unwrap();
        }
    }
}

/// Lets one live for a while, and returns what it was told.
fn live_and_die(path: &Path, round: u64, patience: Duration) -> Vec<(String, u32)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["holdings::kill::a_recorder_to_be_killed", "--exact", "--nocapture"])
        .env(FILE, path)
        .env(ROUND, round.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (first, begun) = channel();
    let listener = std::thread::spawn(move || {
        let mut sealed = Vec::new();
        for line in output.lines() {
            let line = line.unwrap();
            // A line cut short by the kill has no full stop.
            let words = line.strip_prefix("sealed ").and_then(|it| it.strip_suffix('.'));
            if let Some((object, version)) = words.and_then(|it| it.split_once(' ')) {
                sealed.push((object.to_owned(), version.parse().unwrap()));
                if sealed.len() == 1 {
                    first.send(()).unwrap();
                }
            }
        }
        sealed
    });
    begun.recv().expect("the first seal");
    // Nothing more comes: this only waits.
    assert!(begun.recv_timeout(patience).is_err());
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    listener.join().unwrap()
}

#[test]
fn killed_recorders_leave_nothing_in_part() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("registry.sqlite");
    let seed = seed();
    println!("began with STRONGROOM_SEED={seed} (what is killed when is up to the machine)");
    let mut random = Rng::with_seed(seed);
    let mut told = Vec::new();
    let rounds = rounds(12);
    for round in 0..rounds {
        told.extend(live_and_die(&path, round, Duration::from_millis(random.u64(1..60))));
        let registry = Registry::open(&path, NOW).unwrap();
        assert_eq!(registry.check().unwrap(), [], "round {round}");
        for (object, version) in &told {
            let row = registry.object_by_identifier(object).unwrap().unwrap();
            assert!(row.version.0 >= *version, "{object} is behind");
        }
        let mut files = 0;
        let objects = registry.list_objects(&Query::all(&OBJECTS)).unwrap();
        for row in objects.rows {
            assert_eq!(row.file_count, u64::from(row.version.0) * FILES_EACH as u64);
            files += row.file_count;
        }
        let counted = Query::all(&FILES).counting(Counting::Exact);
        let all = registry.list_files(&counted).unwrap().count.unwrap().value;
        assert!(all >= files && all.is_multiple_of(FILES_EACH as u64), "{all}");
    }
    println!("{rounds} kills, {} seals confirmed, nothing in part", told.len());
}
