//! How fast copies are read again and in how much memory: the real binary, beside the same machine
//! doing only what cannot be avoided. Prints ratios against their goals; asserts nothing. The first
//! argument is a folder with 8 GB of room; what it makes there it removes. A second one is the only
//! part to run: large, small or many.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::fmt::Write;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

mod material;
mod running;

use digests::{Algorithm, AlgorithmSet, digest_buffers};
use material::{INSTITUTION, appliance_folder, digest, files_of, make_source, pack, remove};
use running::{Running, get, now, start, stop};
use serde_json::Value;

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let room = tempfile::Builder::new().prefix("bench-fixity-").tempdir_in(place).unwrap();
    println!("## Fixity (release binary, two replicas in folders, every copy of both read)");
    let only = |part| std::env::args().nth(2).is_none_or(|it| it == part || it.starts_with('-'));
    if only("large") {
        large(room.path());
    }
    if only("small") {
        small(room.path());
    }
    if only("many") {
        many(room.path());
    }
}

fn sha512() -> AlgorithmSet {
    AlgorithmSet::EMPTY.with(Algorithm::Sha512)
}

/// 2 GiB in both replicas together.
fn large(room: &Path) {
    println!("\n8 files of 128 MiB, twice");
    let checked = Checked::of(room, &[128 << 20; 8]);
    let limit = memory_rate();
    let rate = checked.bytes as f64 / checked.seconds;
    println!("  against sha512 of memory   {:.2} (goal: at least 0.85)", rate / limit);
    println!("  against a bare read        {:.2}", checked.bare_seconds / checked.seconds);
    // Where this is low, it is the disk that both wait for.
    let bare_rate = checked.bytes as f64 / checked.bare_seconds;
    println!("  a bare read against memory {:.2}", bare_rate / limit);
    checked.end();
}

fn small(room: &Path) {
    println!("\n5000 files of 16 KiB, twice");
    let checked = Checked::of(room, &[16 << 10; 5000]);
    let peer = checked.sha512sum();
    println!("  against sha512sum -c       {:.2}x (goal: at least 3)", peer / checked.seconds);
    println!("  against a bare read        {:.2}", checked.bare_seconds / checked.seconds);
    checked.end();
}

/// Memory must not grow with the number of files.
fn many(room: &Path) {
    let [few, many] = [30_000, 300_000].map(|count| {
        println!("\n{count} files of 16 bytes, twice");
        let checked = Checked::of(room, &vec![16; count]);
        let (peak, rate) = (checked.peak_mib, checked.files as f64 / checked.seconds);
        println!("  resident at most           {peak:.0} MiB");
        checked.end();
        (peak, rate)
    });
    println!("\n300,000 against 30,000: resident {:.2}x (goal: flat)", many.0 / few.0);
    println!("300,000 against 30,000: a file {:.2}x", few.1 / many.1);
}

/// Bytes a second that our lanes digest on all cores, from memory.
fn memory_rate() -> f64 {
    let cores = std::thread::available_parallelism().unwrap().get();
    let buffers: Vec<Vec<u8>> = (0..8).map(|at| vec![at; 4 << 20]).collect();
    let rounds = 32;
    let began = now();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
                for _ in 0..rounds {
                    drop(std::hint::black_box(digest_buffers(sha512(), &slices)));
                }
            });
        }
    });
    (cores * rounds * 8 * (4 << 20)) as f64 / began.elapsed().as_secs_f64()
}

/// An object that was checked after its bytes were driven out of the page cache.
struct Checked {
    data: PathBuf,
    contents: Vec<PathBuf>,
    bytes: u64,
    files: usize,
    seconds: f64,
    /// Seconds for reading and digesting the same files, with nothing else.
    bare_seconds: f64,
    peak_mib: f64,
}

impl Checked {
    fn of(room: &Path, sizes: &[usize]) -> Checked {
        let source = make_source(room, sizes);
        let (data, area) = appliance_folder(room);
        pack(&source, &area.join("bag.tar"));
        remove(&source);
        let running = start(&data);
        until(|| get(&running, "/api/v1/items/1").contains("\"state\":\"finished\""));
        // Another process, so that what an ingest needs is not counted.
        stop(running);
        let contents: Vec<PathBuf> = files_of(&data.join("vault"))
            .into_iter()
            .filter(|path| path.to_str().unwrap().contains("/content/"))
            .collect();
        let bytes = contents.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        let running = start(&data);
        // Checks give way to other work: there must be none.
        until(|| is_idle(&running));
        let before = peak_mib(&running);
        forget(&contents);
        let seconds = check(&data);
        let peak = peak_mib(&running);
        println!("  resident before            {before:.0} MiB");
        stop(running);
        forget(&contents);
        let began = now();
        digest(&contents, sha512());
        let bare_seconds = began.elapsed().as_secs_f64();
        let files = contents.len();
        Checked { data, contents, bytes, files, seconds, bare_seconds, peak_mib: peak }
    }

    /// Seconds that `sha512sum -c` takes for the same files.
    fn sha512sum(&self) -> f64 {
        let mut list = String::new();
        for path in &self.contents {
            let mut bytes = Vec::new();
            File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
            let digests = digest_buffers(sha512(), &[&bytes]);
            let hex = digests[0].hex(Algorithm::Sha512).unwrap();
            writeln!(list, "{hex}  {}", path.display()).unwrap();
        }
        let sums = self.data.join("sums");
        byteio::durable::write(&sums, list.as_bytes(), false).unwrap();
        forget(&self.contents);
        let began = now();
        let mut command = Command::new("sha512sum");
        command.args(["--check", "--quiet"]).arg(&sums).stdout(Stdio::null());
        assert!(command.status().unwrap().success());
        began.elapsed().as_secs_f64()
    }

    fn end(self) {
        fs::remove_dir_all(self.data).unwrap();
    }
}

/// Drives files out of the page cache, as far as that is allowed.
fn forget(files: &[PathBuf]) {
    for path in files {
        let file = File::open(path).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }
}

/// Seconds from the beginning of the check to its end.
fn check(data: &Path) -> f64 {
    let mut ask = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    let object = format!("{INSTITUTION}/bag");
    ask.arg("--data").arg(data).args(["fixity", "check", &object, "--wait", "--json"]);
    let output = ask.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let moment = |key: &str| {
        let text = told["attempts"][0][key].as_str().unwrap();
        text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
    };
    (moment("finished_at") - moment("started_at")) as f64 / 1e3
}

fn until(holds: impl Fn() -> bool) {
    while !holds() {
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

fn is_idle(running: &Running) -> bool {
    let answer = get(running, "/api/v1/queues");
    let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
    let queues: Vec<Value> = serde_json::from_str(body).unwrap_or_default();
    !queues.is_empty() && queues.iter().all(|it| it["ready"] == 0 && it["in_flight"] == 0)
}

fn peak_mib(running: &Running) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
