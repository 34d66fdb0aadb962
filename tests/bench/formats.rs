//! How fast formats are told and in how much memory: the real binary on real files in the page
//! cache, beside Siegfried (`pygfried` from PyPI) on the same files in the same run. Prints figures
//! against their goals; asserts nothing. The first argument is a folder with 1 GB of room; what it
//! makes there it removes.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]
#![expect(clippy::disallowed_methods, reason = "real time, and files that need not last")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[path = "../it/peer.rs"]
mod peer;

use peer::FORMATS;

const ROUNDS: usize = 5;
/// Goals: times as fast as the peer, and what a start may take and any run may hold.
const TIMES: f64 = 2.0;
const START_MS: f64 = 50.0;
const MEMORY_MIB: f64 = 100.0;

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let room = tempfile::Builder::new().prefix("bench-formats-").tempdir_in(place).unwrap();
    println!("## Formats (release binary, page cache, best of {ROUNDS})");
    println!("{} cores", std::thread::available_parallelism().unwrap());
    tell_start(room.path());
    tell_sizes(room.path());
    let Some(python) = FORMATS.python() else { return };
    let corpus = room.path().join("corpus");
    let made = Command::new(python).arg(script("gather.py")).arg(&corpus).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    compare(python, "many formats", &corpus);
    compare(python, "files of this system", Path::new("/usr/share"));
}

fn script(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats")).join(name)
}

/// Seconds of the best round, and the most memory of any in MiB.
fn best(path: &Path) -> (f64, f64) {
    let (mut seconds, mut memory) = (f64::MAX, 0_f64);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_strongroom"))
            .args(["--data", "no-such-data", "identify", "--json"])
            .arg(path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let status = format!("/proc/{}/status", child.id());
        while child.try_wait().unwrap().is_none() {
            memory = memory.max(peak_mib(&status).unwrap_or(0.0));
            std::thread::sleep(Duration::from_millis(2));
        }
        seconds = seconds.min(begun.elapsed().as_secs_f64());
    }
    (seconds, memory)
}

fn peak_mib(status: &str) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn tell_start(room: &Path) {
    let path = room.join("one.txt");
    fs::write(&path, "one line\n").unwrap();
    let (seconds, memory) = best(&path);
    let (ms, goal) = (seconds * 1e3, START_MS);
    println!("\nstart with one file: {ms:.0} ms (goal: under {goal}), {memory:.0} MiB");
}

/// The same file, a thousand times larger: a film whose index comes last is read at both ends.
fn tell_sizes(room: &Path) {
    println!("\none file, by its size");
    for megabytes in [1, 10, 100, 1000] {
        let path = room.join("film.mp4");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"\0\0\0\x18ftypmp42").unwrap();
        file.set_len(megabytes << 20).unwrap();
        let (seconds, _) = best(&path);
        println!("  {megabytes:>5} MB  {:.0} ms", seconds * 1e3);
    }
}

fn compare(python: &Path, name: &str, folder: &Path) {
    let peer = Command::new(python)
        .arg(script("time_peer.py"))
        .arg(folder)
        .arg(ROUNDS.to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&peer.stdout);
    let Ok(peer) = serde_json::from_str::<serde_json::Value>(&said) else {
        println!("\n{name}: the peer failed: {said}{}", String::from_utf8_lossy(&peer.stderr));
        return;
    };
    let number = |key: &str| peer[key].as_f64().unwrap_or(f64::NAN);
    let (files, megabytes) = (number("files"), number("bytes") / 1e6);
    let (seconds, memory) = best(folder);
    let way = peer["way"].as_str().unwrap_or_default();
    println!("\n{name}: {files:.0} files, {megabytes:.0} MB");
    println!(
        "  strongroom identify   {seconds:.3} s, {:.0} files/s, {:.0} MB/s, {memory:.0} MiB (goal: \
         under {MEMORY_MIB})",
        files / seconds,
        megabytes / seconds
    );
    println!(
        "  pygfried, {way:<12} {:.3} s, {:.0} files/s, {:.0} MB/s, {:.0} MiB",
        number("seconds"),
        number("files_per_second"),
        number("mb_per_second"),
        number("peak_rss_mib")
    );
    let times = number("seconds") / seconds;
    println!("  {times:.1}x (goal: at least {TIMES}x)");
}
