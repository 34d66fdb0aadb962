//! The real program, killed at random while it mends: in the end every byte is as it was, and what
//! was damaged lies aside.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;

use super::torture::{files, harm};
use crate::command::{Server, run};
use crate::house::until;
use crate::ingest::{INSTITUTION, bag, ocfl, write_tar};

/// Deaths while there is something to mend.
const KILLS: usize = 34;
/// Fewer than would park the item.
const KILLS_A_ROUND: usize = 3;
const FAULTS_A_ROUND: usize = 25;

/// A data directory with some objects, and the storage roots of its replicas.
fn begin(dir: &Path) -> (PathBuf, [PathBuf; 2]) {
    let data = dir.join("data");
    let area = data.join("receiving").join(INSTITUTION);
    byteio::durable::create_folder(&area).unwrap();
    let quick = b"[ingest]\nsweep_s = 1\nstill_s = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), quick, false).unwrap();
    for object in ["one", "two", "three"] {
        let payload: Vec<(String, Vec<u8>)> = (0..40)
            .map(|n| (format!("{n}.txt"), format!("{object} {n}\n").repeat(500).into_bytes()))
            .collect();
        let payload: Vec<(&str, &[u8])> =
            payload.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
        write_tar(&area.join(format!("{object}.tar")), object, &bag(&payload));
    }
    let server = Server::start(&data);
    until("all is preserved", || fs::read_dir(&area).unwrap().count() == 0);
    drop(server);
    let vault = data.join("vault");
    (data, [vault.join("a"), vault.join("b")])
}

/// Lets every object be looked at until all are, by a program that is not disturbed.
fn rest(data: &Path) {
    let mut server = Server::start(data);
    run(data, &["requeue", "--reason", "process-died"]);
    run(data, &["fixity", "check", "--all"]).is(0);
    until("nothing is left to check", || {
        let queues = run(data, &["queues", "list", "fixity_check", "--json"]).is(0).json();
        ["ready", "delayed", "in_flight"].iter().all(|word| queues[0][word] == 0)
    });
    server.signal(Signal::TERM);
    server.ended();
}

#[test]
fn kills_while_it_mends_leave_every_byte_as_it_was() {
    let seed = fastrand::u64(..1_000_000);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let dir = tempfile::tempdir().unwrap();
    let (data, roots) = begin(dir.path());
    let whole: Vec<BTreeMap<PathBuf, Vec<u8>>> = roots.iter().map(|root| files(root)).collect();
    for round in 0..KILLS.div_ceil(KILLS_A_ROUND) {
        let at = round % 2;
        let places: Vec<PathBuf> =
            whole[at].keys().filter(|path| path.parent() != Some(&roots[at])).cloned().collect();
        for _ in 0..FAULTS_A_ROUND {
            harm(&mut random, &places);
        }
        for _ in 0..KILLS_A_ROUND {
            let mut server = Server::start(&data);
            run(&data, &["fixity", "check", "--all"]);
            std::thread::park_timeout(Duration::from_millis(random.u64(0..200)));
            server.signal(Signal::KILL);
            server.ended();
        }
        rest(&data);
        for (root, whole) in roots.iter().zip(&whole) {
            assert!(files(root) == *whole, "seed {seed} round {round}: {}", root.display());
        }
        crate::command::finds_nothing_wrong(&data);
        run(&data, &["fixity", "report"]).is(0);
    }
    ocfl::validate(&[&roots[0], &roots[1]]);
}
