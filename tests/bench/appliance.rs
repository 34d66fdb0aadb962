//! How long the appliance takes to answer, and how much memory it holds: the real binary on a real
//! data directory. Prints figures against their goals; asserts nothing.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod running;

use running::{Running, get, now, start, stop};
use storage::clock::SystemClock;
use storage::home::Home;
use storage::work::Store;
use storage::work::item::Subject;
use storage::work::queue::{NewItem, Queue};

const TOPIC: &str = "upkeep01_snapshot";

fn main() {
    println!("## Appliance (release binary, embedded defaults)");
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_strongroom")).unwrap().len();
    println!("binary: {:.1} MB (goal: at most 40)", size as f64 / 1e6);
    for items in [0, 100_000] {
        let dir = tempfile::tempdir().unwrap();
        if items > 0 {
            fill(dir.path(), items);
            // Once through, so that the registry has its copy: a normal start, not a first one.
            let first = start(dir.path());
            wait_until_copied(&first, items);
            stop(first);
        }
        let began = now();
        let running = start(dir.path());
        let answer = began.elapsed();
        let healthy = wait_healthy(&running, began);
        println!(
            "{items} items: first answer after {answer:.0?} (goal: under 1 s), healthy after {healthy:.0?}"
        );
        let page = median(|| drop(get(&running, "/items")));
        let filtered = median(|| drop(get(&running, "/items?status=Pending&sort=name__asc")));
        let overview = median(|| drop(get(&running, "/")));
        println!(
            "{items} items: page of 50 {page:.1?}, filtered and sorted {filtered:.1?}, overview {overview:.1?}"
        );
        std::thread::park_timeout(Duration::from_secs(3));
        println!("{items} items: resident {:.1} MB idle (goal: under 100)", resident_mb(&running));
        stop(running);
    }
}

fn fill(dir: &Path, items: u64) {
    let home = Home::open(dir).unwrap();
    let store = Arc::new(Store::open(&home.work(), &dir.join("aside")).unwrap().store);
    let queue = Queue::open(store, Arc::new(SystemClock::start())).unwrap();
    queue.pause(TOPIC, true).unwrap();
    for from in (0..items).step_by(1000) {
        let batch = (from..from + 1000).map(|number| NewItem {
            flow: "upkeep".into(),
            topic: TOPIC.into(),
            subject: Subject {
                action: "Upkeep".into(),
                name: format!("bench item {number}"),
                user: "bench@example.org".into(),
                ..Subject::default()
            },
            ..NewItem::default()
        });
        queue.push_all(batch.collect()).unwrap();
    }
}

fn wait_healthy(running: &Running, began: Instant) -> Duration {
    while !get(running, "/health").starts_with("HTTP/1.1 200") {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    began.elapsed()
}

fn wait_until_copied(running: &Running, items: u64) {
    loop {
        let answer = get(running, "/api/v1/items?per_page=1");
        let count = answer.split("\"count\":").nth(1).and_then(|rest| rest.split(',').next());
        if count.and_then(|count| count.parse().ok()).is_some_and(|count: u64| count >= items) {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(200));
    }
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..21)
        .map(|_| {
            let began = now();
            work();
            began.elapsed()
        })
        .collect();
    times.sort();
    times[10]
}

fn resident_mb(running: &Running) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1000.0
}
