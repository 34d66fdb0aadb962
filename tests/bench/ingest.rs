//! How fast deposits are preserved and in how much memory: the real binary with two replicas on one
//! disk, beside the same machine doing only what cannot be avoided. Prints figures against their
//! goals; asserts nothing. The first argument is a folder with 20 GB of room; what it makes there it
//! removes. A second one is the only part to run: small, large, many or crowd.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

mod material;
mod running;

use digests::{Algorithm, AlgorithmSet};
use material::{appliance_folder, digest, files_of, make_source, pack, remove};
use running::{Running, get, now, start, stop};
use serde_json::Value;

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let room = tempfile::Builder::new().prefix("bench-ingest-").tempdir_in(place).unwrap();
    let room = room.path();
    println!("## Ingest (release binary, a tar in the page cache, two replicas in folders)");
    let only = |part| std::env::args().nth(2).is_none_or(|it| it == part || it.starts_with('-'));
    if only("small") {
        small(room);
    }
    if only("large") {
        large(room);
    }
    if only("many") {
        many(room);
    }
    if only("crowd") {
        crowd(room);
    }
}

/// Bag A.
fn small(room: &Path) {
    let sizes = small_sizes();
    println!("\nA, {} files of 1 to 64 KiB", sizes.len());
    let source = make_source(room, &sizes);
    let raw = unavoidable(&source, &room.join("raw"));
    let ours = ingest(room, &source);
    let rate = sizes.len() as f64 / ours.seconds;
    println!("  unavoidable work alone     {raw:.2} s");
    println!(
        "  to sealed and verified     {:.2} s: {:.2}x (goal: at most 2), {rate:.0} files/s (goal: at least 1500)",
        ours.seconds,
        ours.seconds / raw
    );
    ours.tell();
}

/// Bag B.
fn large(room: &Path) {
    println!("\nB, 8 files of 256 MiB");
    let source = make_source(room, &[256 << 20; 8]);
    let raw = unavoidable(&source, &room.join("raw"));
    let ours = ingest(room, &source);
    println!("  unavoidable work alone     {raw:.2} s");
    println!(
        "  to sealed and verified     {:.2} s: {:.2}x (goal: at most 1.6)",
        ours.seconds,
        ours.seconds / raw
    );
    ours.tell();
}

/// A bag of very many files, against a tenth of it.
fn many(room: &Path) {
    let [few, many] = [30_000, 300_000].map(|count| {
        println!("\n{count} files of 16 bytes");
        let source = make_source(room, &vec![16; count]);
        let ours = ingest(room, &source);
        println!("  to sealed and verified     {:.1} s", ours.seconds);
        ours.tell();
        println!("  resident at most           {:.0} MiB (goal: under 200)", ours.peak_mib);
        ours.seconds / count as f64
    });
    println!("\na file of 300,000 against one of 30,000: {:.2}x (goal: at most 1.3)", many / few);
}

/// A hundred deposits at once, and somebody who looks at pages meanwhile.
fn crowd(room: &Path) {
    println!("\n100 bags of one file, deposited at once");
    let (data, area) = appliance_folder(room);
    for at in 0..100 {
        let source = make_source(room, &[1000 + at]);
        pack(&source, &area.join(format!("one{at}.tar")));
    }
    let running = start(&data);
    let (over, began) = (AtomicBool::new(false), now());
    let slowest = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                for page in ["/", "/items", "/queues", "/health"] {
                    let began = now();
                    drop(get(&running, page));
                    slowest = slowest.max(began.elapsed());
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
            slowest
        });
        while fs::read_dir(&area).unwrap().count() > 0 {
            std::thread::park_timeout(Duration::from_millis(20));
        }
        println!(
            "  all preserved              {:.1} s (goal: under 30)",
            began.elapsed().as_secs_f64()
        );
        over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    });
    println!("  slowest page meanwhile     {slowest:.0?} (goal: under 200 ms)");
    stop(running);
    fs::remove_dir_all(data).unwrap();
}

/// Sizes spread evenly over the powers of two, so that small files are as frequent as they are.
#[expect(clippy::cast_possible_truncation, reason = "below 64 Ki")]
fn small_sizes() -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(7);
    (0..10_000).map(|_| (1024.0 * 64_f64.powf(random.f64())) as usize).collect()
}

/// Seconds for what no ingest can do without: every file read and digested four ways, two copies
/// written and synced, both read back from the disk and digested.
fn unavoidable(source: &Path, to: &Path) -> f64 {
    remove(to);
    let files = files_of(source);
    let began = now();
    digest(&files, AlgorithmSet::FOUR);
    let copies: Vec<PathBuf> = ["a", "b"]
        .iter()
        .flat_map(|name| {
            files.iter().map(move |file| to.join(name).join(file.strip_prefix(source).unwrap()))
        })
        .collect();
    for folder in copies.iter().map(|copy| copy.parent().unwrap()) {
        if !folder.is_dir() {
            fs::create_dir_all(folder).unwrap();
        }
    }
    let (first, second) = copies.split_at(files.len());
    std::thread::scope(|scope| {
        for copies in [first, second] {
            let files = &files;
            scope.spawn(move || {
                for (file, copy) in files.iter().zip(copies) {
                    std::io::copy(&mut File::open(file).unwrap(), &mut File::create(copy).unwrap())
                        .unwrap();
                }
            });
        }
    });
    rustix::fs::syncfs(File::open(to).unwrap()).unwrap();
    for copy in &copies {
        let file = File::open(copy).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }
    digest(&copies, AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    let took = began.elapsed().as_secs_f64();
    remove(to);
    took
}

/// What came of one ingest.
struct Ingested {
    seconds: f64,
    stages: Vec<(String, f64)>,
    peak_mib: f64,
}

impl Ingested {
    fn tell(&self) {
        let stages: Vec<String> =
            self.stages.iter().map(|(stage, took)| format!("{stage} {took:.2}")).collect();
        println!("  of that                    {}", stages.join(", "));
    }
}

/// Preserves a folder as one bag; the time is that from being taken to the end.
fn ingest(room: &Path, source: &Path) -> Ingested {
    let (data, area) = appliance_folder(room);
    pack(source, &area.join("bag.tar"));
    let running = start(&data);
    let item = loop {
        let answer = get(&running, "/api/v1/items/1");
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        let item: Value = serde_json::from_str(body).unwrap_or_default();
        if item["item"]["state"] == "finished" {
            break item;
        }
        assert!(!["failed", "parked"].iter().any(|it| item["item"]["state"] == *it), "{item:#}");
        std::thread::park_timeout(Duration::from_millis(100));
    };
    let peak_mib = peak_mib(&running);
    stop(running);
    fs::remove_dir_all(data).unwrap();
    let moment = |value: &Value| value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let between = |from: &Value, to: &Value| {
        (moment(to).as_millisecond() - moment(from).as_millisecond()) as f64 / 1e3
    };
    let attempts = item["attempts"].as_array().unwrap();
    let mut stages: Vec<(String, f64)> = attempts
        .iter()
        .map(|it| {
            (
                it["topic"].as_str().unwrap()[9..].to_owned(),
                between(&it["started_at"], &it["finished_at"]),
            )
        })
        .collect();
    stages.reverse();
    let seconds = between(&item["item"]["created_at"], &item["item"]["updated_at"]);
    Ingested { seconds, stages, peak_mib }
}

fn peak_mib(running: &Running) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
