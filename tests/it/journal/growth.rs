//! How much every store grows with each deposit and each check: the tenth must not cost more than the
//! first.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::command::{Server, run};
use crate::house::until;
use crate::ingest::{INSTITUTION, bag, write_tar};

/// Steps that are compared; each deposits, or checks, as much as the others.
const STEPS: usize = 4;
/// Deposits in a step; more in a soak.
const DEPOSITS: usize = 5;
/// Bytes that a store may grow by at once, however little is put into it: files are made in blocks, and
/// the work state in segments.
const BLOCK: u64 = 128 << 10;
const SEGMENT: u64 = 4 << 20;

/// The stores, by the folder or file below the data directory.
fn sizes(data: &Path) -> BTreeMap<&'static str, u64> {
    let corner = "extensions/strongroom-replica";
    let journal = |replica: &str| {
        let corner = data.join("vault").join(replica).join(corner);
        size(&corner.join("journal")) + size(&corner.join("ledger"))
    };
    let registry = ["registry.sqlite", "registry.sqlite-wal"];
    let replica = |name: &str| size(&data.join("vault").join(name)) - journal(name);
    let mut sizes = BTreeMap::from([
        ("registry", registry.iter().map(|name| size(&data.join(name))).sum()),
        ("work state", size(&data.join("work"))),
        ("journal in a", journal("a")),
        ("journal in b", journal("b")),
        ("replica a without journal", replica("a")),
        ("replica b without journal", replica("b")),
        ("staging", size(&data.join("staging"))),
    ]);
    // Snapshots, the area for restorations, and whatever a later version adds.
    let rest = size(data) - sizes.values().sum::<u64>();
    sizes.insert("everything else", rest);
    sizes
}

fn size(path: &Path) -> u64 {
    let Ok(about) = fs::symlink_metadata(path) else { return 0 };
    if !about.is_dir() {
        return about.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten();
    entries.map(|entry| entry.map_or(0, |entry| size(&entry.path()))).sum()
}

/// Stops the program, so that everything is where it belongs, and measures.
fn stop(data: &Path, mut server: Server) -> BTreeMap<&'static str, u64> {
    server.signal(Signal::TERM);
    server.ended();
    sizes(data)
}

/// Prints what each step added to each store, and fails if a later one added much more than the first.
fn judge(what: &str, count: usize, measured: &[BTreeMap<&'static str, u64>]) {
    for store in measured[0].keys() {
        let grown: Vec<u64> =
            measured.windows(2).map(|pair| pair[1][store].saturating_sub(pair[0][store])).collect();
        let each: Vec<String> =
            grown.iter().map(|bytes| (bytes / count as u64).to_string()).collect();
        println!("{store}: bytes per {what}: {}", each.join(", "));
        let slack = if *store == "work state" { SEGMENT } else { BLOCK };
        let (first, last) = (grown[0], grown[grown.len() - 1]);
        assert!(
            last <= 2 * first + slack,
            "{store} grows faster than linearly with each {what}: {grown:?}"
        );
    }
}

#[test]
fn no_store_grows_faster_than_linearly_with_deposits_and_checks() {
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let deposits = rounds.map_or(DEPOSITS, |rounds: usize| (rounds / 40).clamp(DEPOSITS, 100));
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let area = data.join("receiving").join(INSTITUTION);
    byteio::durable::create_folder(&area).unwrap();
    let toml = b"[ingest]\nsweep_s = 1\nstill_s = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), toml, false).unwrap();
    let mut measured = vec![stop(&data, Server::start(&data))];
    for step in 0..STEPS {
        for number in 0..deposits {
            let (name, text) = (format!("bag-{step}-{number}"), format!("text {step} {number}\n"));
            let files = bag(&[("a.txt", text.as_bytes())]);
            write_tar(&area.join(format!("{name}.tar")), &name, &files);
        }
        let server = Server::start(&data);
        until("the deposits are preserved", || {
            fs::read_dir(&area).unwrap().count() == 0
                && fs::read_dir(data.join("staging")).unwrap().count() == 0
        });
        measured.push(stop(&data, server));
    }
    judge("deposit", deposits, &measured);
    let mut measured = vec![sizes(&data)];
    for _ in 0..STEPS {
        let server = Server::start(&data);
        run(&data, &["fixity", "check", "--all", "--wait"]).is(0);
        measured.push(stop(&data, server));
    }
    judge("check of an object", deposits * STEPS, &measured);
}
