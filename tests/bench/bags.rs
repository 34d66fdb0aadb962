//! How fast bags are judged and in how much memory: the real binary on bags in the page cache,
//! beside `bagit` from PyPI and the limit of the digest lanes. Prints figures against their goals;
//! asserts nothing. The first argument is a folder with 5 GB of room; what it makes there it
//! removes. A second one is the only part to run: small, large, one or many.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use digests::{AlgorithmSet, digest_buffers};

#[path = "../it/peer.rs"]
mod peer;

const ROUNDS: usize = 3;

/// Cores that goals are set for, and processes that the peer is given.
const CORES: usize = 2;

/// Goals for speed: against bagit with all cores, and as a part of the lane limit.
struct Goals {
    peer: f64,
    lanes: Option<f64>,
}

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let room = tempfile::Builder::new().prefix("bench-bags-").tempdir_in(place).unwrap();
    println!("## Bags (release binary, page cache, four manifests, best of {ROUNDS})");
    let cores = std::thread::available_parallelism().unwrap();
    println!("{cores} cores; goals are for {CORES}");
    let only = |part| std::env::args().nth(2).is_none_or(|it| it == part || it.starts_with('-'));
    if only("small") {
        let goals = Goals { peer: 8.0, lanes: Some(0.75) };
        compare(room.path(), "A, 10,000 files of 1 to 64 KiB", &small_sizes(), &goals);
    }
    if only("large") {
        let goals = Goals { peer: 1.05, lanes: Some(0.9) };
        compare(room.path(), "B, 8 files of 256 MiB", &[256 << 20; 8], &goals);
    }
    if only("one") {
        let goals = Goals { peer: 1.6, lanes: None };
        compare(room.path(), "one file of 2 GiB", &[2 << 30], &goals);
    }
    if only("many") {
        let bag = make(room.path(), &[16; 300_000]);
        println!("\n300,000 tiny files: {:.2} s", timed(&mut validate(&bag)));
        tell_memory(&bag);
    }
}

/// Sizes spread evenly over the powers of two, so that small files are as frequent as they are.
#[expect(clippy::cast_possible_truncation, reason = "below 64 Ki")]
fn small_sizes() -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(7);
    (0..10_000).map(|_| (1024.0 * 64_f64.powf(random.f64())) as usize).collect()
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; len];
    fastrand::Rng::with_seed(seed).fill(&mut bytes);
    bytes
}

/// A bag of files of these sizes, in place of any that was made here before.
fn make(room: &Path, sizes: &[usize]) -> PathBuf {
    let (source, bag) = (room.join("source"), room.join("bag"));
    for old in [&source, &bag] {
        if old.try_exists().unwrap() {
            fs::remove_dir_all(old).unwrap();
        }
    }
    for (at, size) in sizes.iter().enumerate() {
        let folder = source.join((at / 1000).to_string());
        fs::create_dir_all(&folder).unwrap();
        let mut file = BufWriter::new(File::create(folder.join(format!("{at:06}.bin"))).unwrap());
        let block = noise((1 << 20).min(*size), at as u64);
        for done in (0..*size).step_by(block.len()) {
            file.write_all(&block[..block.len().min(size - done)]).unwrap();
        }
        file.flush().unwrap();
    }
    let mut create = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    create.args(["bag", "create", "--link"]).arg(&source).arg("--output").arg(&bag);
    timed(&mut create);
    bag
}

fn validate(bag: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    command.args(["bag", "validate"]).arg(bag);
    command
}

fn bagit(python: &Path, bag: &Path, processes: usize) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "bagit", "--validate", "--quiet", "--processes"]);
    command.arg(processes.to_string()).arg(bag);
    command
}

fn compare(room: &Path, name: &str, sizes: &[usize], goals: &Goals) {
    let bag = make(room, sizes);
    let megabytes = sizes.iter().sum::<usize>() as f64 / 1e6;
    println!("\n{name}: {megabytes:.0} MB");
    // Once for the page cache.
    timed(&mut validate(&bag));
    let python = peer::BAGIT.python();
    let (mut ours, mut lanes, mut peers) = (f64::MAX, 0_f64, [f64::MAX; CORES]);
    // By turns, so that a busy moment of the machine spoils one round of all, not all of one.
    for _ in 0..ROUNDS {
        // A short run has room for more tries, and needs them more.
        for _ in 0..if megabytes < 500.0 { 5 } else { 1 } {
            ours = ours.min(timed(&mut validate(&bag)));
            lanes = lanes.max(lane_limit());
        }
        if let Some(python) = python {
            for (processes, best) in (1..).zip(&mut peers) {
                *best = best.min(timed(&mut bagit(python, &bag, processes)));
            }
        }
    }
    println!("  strongroom bag validate    {ours:.3} s, {:.0} MB/s", megabytes / ours);
    let part = megabytes / ours / lanes;
    let goal = goals.lanes.map_or(String::new(), |goal| format!(" (goal: at least {goal})"));
    println!(
        "  lane limit                 {:.3} s, {lanes:.0} MB/s: ours is {part:.2} of it{goal}",
        megabytes / lanes
    );
    for (processes, took) in (1..).zip(peers).filter(|_| python.is_some()) {
        let goal = match processes == CORES {
            true => format!(" (goal: at least {})", goals.peer),
            false => String::new(),
        };
        println!("  bagit, {processes} process(es)        {took:.3} s: {:.2}x{goal}", took / ours);
    }
    tell_memory(&bag);
}

/// Bytes in memory through full lanes on every core that counts, in MB/s: nobody reads, nobody
/// waits, nothing is left over at the end.
fn lane_limit() -> f64 {
    const TURNS: u32 = 100;
    let data: Vec<Vec<u8>> = (0..16).map(|seed| noise(64 << 10, seed)).collect();
    let buffers: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    let began = now();
    std::thread::scope(|scope| {
        for _ in 0..CORES {
            scope.spawn(|| {
                for _ in 0..TURNS {
                    black_box(digest_buffers(AlgorithmSet::FOUR, black_box(&buffers)));
                }
            });
        }
    });
    let megabytes = f64::from(TURNS) * CORES as f64 * f64::from(1 << 20) / 1e6;
    megabytes / began.elapsed().as_secs_f64()
}

#[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
fn now() -> Instant {
    Instant::now()
}

/// Seconds of a whole process that must end well.
fn timed(command: &mut Command) -> f64 {
    let began = now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let took = began.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    took
}

/// The most memory that a run of its own had resident: asking disturbs, so none of the timed ones.
fn tell_memory(bag: &Path) {
    let mut child = validate(bag).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0_f64;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0));
        std::thread::park_timeout(Duration::from_millis(2));
    }
    println!("  resident at most           {:.1} MiB (goal: under 64)", peak / 1024.0);
}
