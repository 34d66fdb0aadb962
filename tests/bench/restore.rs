//! How fast an object is given back: the real binary, beside the same machine doing only what cannot
//! be avoided. Prints figures against their goals; asserts nothing. The first argument is a folder
//! with 20 GB of room; what it makes there it removes. A second one is the only part to run: small or
//! large.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

mod material;
mod running;

use digests::AlgorithmSet;
use material::{INSTITUTION, appliance_folder, digest, files_of, make_source, pack, remove};
use running::{get, now, start, stop};
use serde_json::Value;

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let room = tempfile::Builder::new().prefix("bench-restore-").tempdir_in(place).unwrap();
    println!("## Restore (release binary, two replicas in folders, manifests by four algorithms)");
    let only = |part| std::env::args().nth(2).is_none_or(|it| it == part || it.starts_with('-'));
    if only("small") {
        println!("\nA, 10000 files of 16 KiB");
        bag(room.path(), &[16 << 10; 10_000]);
    }
    if only("large") {
        println!("\nB, 8 files of 256 MiB");
        bag(room.path(), &[256 << 20; 8]);
    }
}

fn bag(room: &Path, sizes: &[usize]) {
    let source = make_source(room, sizes);
    let (data, area) = appliance_folder(room);
    pack(&source, &area.join("bag.tar"));
    let running = start(&data);
    until(|| get(&running, "/api/v1/items/1").contains("\"state\":\"finished\""));
    let raw = unavoidable(&source, &room.join("raw.tar"));
    let mut ask = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    ask.arg("--data").arg(&data).args([
        "restore",
        &format!("{INSTITUTION}/bag"),
        "--wait",
        "--json",
    ]);
    let output = ask.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let moment = |key: &str| {
        let text = told["attempts"][0][key].as_str().unwrap();
        text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
    };
    let ours = (moment("finished_at") - moment("started_at")) as f64 / 1e3;
    println!("  read, digested, tar written {raw:.2} s");
    println!("  a proved bag in the area    {ours:.2} s: {:.2}x (goal: at most 1.5)", ours / raw);
    stop(running);
    fs::remove_dir_all(data).unwrap();
    remove(&source);
}

fn until(holds: impl Fn() -> bool) {
    while !holds() {
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// Seconds for what no restoration can do without: every file read from the disk and digested, and
/// all of them written into one file that is synced.
fn unavoidable(source: &Path, tar: &Path) -> f64 {
    let files = files_of(source);
    for path in &files {
        let file = File::open(path).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }
    let began = now();
    digest(&files, AlgorithmSet::FOUR);
    let mut out = File::create(tar).unwrap();
    for path in &files {
        std::io::copy(&mut File::open(path).unwrap(), &mut out).unwrap();
    }
    out.sync_all().unwrap();
    let took = began.elapsed().as_secs_f64();
    fs::remove_file(tar).unwrap();
    took
}
