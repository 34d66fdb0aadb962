//! The real program, killed at random while deposits are on their way: in the end every deposit is
//! an object, once and whole.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::{INSTITUTION, bag, write_tar};
use crate::command::{Server, run};
use crate::house::until;

const BAGS: usize = 8;
const KILLS: usize = 12;

/// Everything that is held, as the program exports it; lines that hold times are left out.
fn holdings(data: &std::path::Path) -> Vec<String> {
    let list = |what: &str| run(data, &[what, "list", "--json", "--per-page", "1000"]).is(0).json();
    let mut told = Vec::new();
    for object in list("objects")["objects"].as_array().unwrap() {
        told.push(format!("{} {} {}", object["identifier"], object["version"], object["size"]));
    }
    for file in list("files")["files"].as_array().unwrap() {
        told.push(format!("{} {} {}", file["identifier"], file["sha512"], file["puid"]));
    }
    told.sort();
    told
}

#[test]
fn kills_at_random_lose_and_double_nothing() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let mut random = fastrand::Rng::with_seed(seed);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let area = data.join("receiving").join(INSTITUTION);
    storage::durable::create_folder(&area).unwrap();
    let quick = b"[ingest]\nsweep_s = 1\nstill_s = 0\n";
    storage::durable::write(&data.join("strongroom.toml"), quick, false).unwrap();
    for at in 0..BAGS {
        let text = |n: usize| format!("letter {n} of bag {at}\n").repeat(1 + n * 40).into_bytes();
        let texts: Vec<(String, Vec<u8>)> =
            (0..40).map(|n| (format!("{n}.txt"), text(n))).collect();
        let payload: Vec<(&str, &[u8])> =
            texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        write_tar(&area.join(format!("bag{at}.tar")), "bag", &bag(&payload));
    }
    for _ in 0..KILLS {
        let mut server = Server::start(&data);
        std::thread::park_timeout(Duration::from_millis(random.u64(20..400)));
        server.signal(Signal::KILL);
        server.ended();
    }
    let server = Server::start(&data);
    let mut last = Value::Null;
    let settled = || {
        // Who was under way in too many deaths waits for a person, in case it was their cause.
        run(&data, &["requeue", "--reason", "process-died"]);
        last = run(&data, &["items", "list", "--json"]).is(0).json()["items"].take();
        let ended = |item: &Value| item["status"] == "Success";
        fs::read_dir(&area).unwrap().count() == 0 && last.as_array().unwrap().iter().all(ended)
    };
    let waited = catch_unwind(AssertUnwindSafe(|| until("every deposit is preserved", settled)));
    assert!(waited.is_ok(), "{last:#}");
    let told = holdings(&data);
    assert_eq!(told.len(), BAGS + BAGS * 42, "{told:#?}");
    let left = fs::read_dir(data.join("staging")).unwrap().count();
    assert_eq!(left, 0, "nothing is left in staging");
    run(&data, &["doctor"]).is(0);
    drop(server);
}
