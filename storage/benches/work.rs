//! Speed of the work room as ratios within one run: against raw syncs on the same disk, and with
//! a million items against ten thousand. Prints the goal beside each result and judges nothing.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]
#![expect(clippy::unwrap_used, reason = "a bench that fails stops")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use storage::clock::{Clock, SystemClock};
use storage::testing::after_each_barrier;
use storage::work::Store;
use storage::work::item::{ItemId, Subject};
use storage::work::queue::{Account, Claim, NewItem, Queue, Settlement};

const SPAN: Duration = Duration::from_secs(2);
const HOLD: Duration = Duration::from_secs(600);
const CONCURRENT: usize = 64;

fn main() {
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(place()).unwrap();
    let bench = Bench { clock: Arc::new(SystemClock::start()), folder: folder.path().to_owned() };
    let only = |part| std::env::args().nth(2).is_none_or(|it| it == part || it.starts_with('-'));
    if only("pairs") {
        bench.pairs();
    }
    if only("depth") {
        bench.depth();
    }
}

/// A folder on the disk to be measured: the first argument, or the current one. A second argument
/// is the only part to run.
fn place() -> PathBuf {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    given.map_or_else(|| PathBuf::from("."), PathBuf::from)
}

struct Bench {
    clock: Arc<SystemClock>,
    folder: PathBuf,
}

impl Bench {
    fn open(&self, name: &str) -> Queue {
        let opened = Store::open(&self.folder.join(name), &self.folder.join("aside")).unwrap();
        Queue::open(Arc::new(opened.store), Arc::clone(&self.clock) as _).unwrap()
    }

    fn pairs(&self) {
        let queue = self.open("pairs");
        refill(&queue, "a", 300_000);
        let barriers = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&barriers);
        after_each_barrier(queue.store(), move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        println!("durable claim and settle, against raw syncs of 512 bytes on the same disk:");
        let show = |what: &str, goal: f64, measure: &dyn Fn() -> (f64, Duration)| {
            let before = self.raw_syncs();
            barriers.store(0, Ordering::Relaxed);
            let (pairs, took) = measure();
            let rate = pairs / took.as_secs_f64();
            let share = pairs / barriers.load(Ordering::Relaxed) as f64;
            let raw = f64::midpoint(before, self.raw_syncs());
            println!(
                "  {what:<29}{rate:8.0} pairs/s{raw:8.0} syncs/s  {:6.2} (goal {goal}), {share:.1} pairs a barrier",
                rate / raw
            );
        };
        show("1 item at a time", 0.4, &|| self.pairs_one_by_one(&queue, 1));
        show("64 at once, claimed singly", 8.0, &|| self.pairs_one_by_one(&queue, CONCURRENT));
        show("64 at once, claimed together", 8.0, &|| self.pairs_in_batches(&queue));
    }

    fn raw_syncs(&self) -> f64 {
        let mut file = File::create(self.folder.join("raw")).unwrap();
        self.rate(|| {
            file.write_all(&[7; 512]).unwrap();
            file.sync_data().unwrap();
        })
    }

    fn pairs_one_by_one(&self, queue: &Queue, threads: usize) -> (f64, Duration) {
        let (running, pairs) = (AtomicBool::new(true), AtomicU64::new(0));
        let start = self.clock.steady();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while running.load(Ordering::Relaxed) {
                        for claim in queue.claim("a", 1, HOLD).unwrap() {
                            finish(queue, claim);
                            pairs.fetch_add(1, Ordering::Relaxed);
                        }
                        if self.clock.steady() - start > SPAN {
                            running.store(false, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        (pairs.load(Ordering::Relaxed) as f64, self.clock.steady() - start)
    }

    /// As the foreman does: one claims as many as there are free workers, these settle.
    fn pairs_in_batches(&self, queue: &Queue) -> (f64, Duration) {
        let (work, todo) = sync_channel::<Claim>(CONCURRENT);
        let (todo, (free, freed)) = (Mutex::new(todo), channel());
        let start = self.clock.steady();
        let mut pairs = 0;
        thread::scope(|scope| {
            for _ in 0..CONCURRENT {
                let (todo, free) = (&todo, free.clone());
                scope.spawn(move || {
                    while let claim = { todo.lock().unwrap().recv() }
                        && let Ok(claim) = claim
                    {
                        finish(queue, claim);
                        free.send(()).unwrap();
                    }
                });
            }
            let mut slots = CONCURRENT;
            while self.clock.steady() - start < SPAN {
                for claim in queue.claim("a", slots, HOLD).unwrap() {
                    slots -= 1;
                    work.send(claim).unwrap();
                }
                freed.recv().unwrap();
                let returned = 1 + freed.try_iter().count();
                slots += returned;
                pairs += returned;
            }
            drop(work);
        });
        (pairs as f64, self.clock.steady() - start)
    }

    fn depth(&self) {
        let few = self.at_depth(10_000);
        self.at_depth(100_000);
        let many = self.at_depth(1_000_000);
        println!(
            "microseconds with 10,000 and with 1,000,000 items waiting (goal: within 2 times):"
        );
        for ((what, few), (_, many)) in few.iter().zip(&many) {
            println!("  {what:<22}{few:9.1}{many:9.1}  {:5.2} times", many / few);
        }
    }

    fn at_depth(&self, depth: u64) -> Vec<(&'static str, f64)> {
        let name = format!("depth-{depth}");
        let queue = self.open(&name);
        let start = self.clock.steady();
        refill(&queue, "a", depth);
        let fill = (self.clock.steady() - start).as_secs_f64();
        println!(
            "{depth} items waiting: filled at {:.0} a second, {}",
            depth as f64 / fill,
            memory()
        );
        drop(queue);
        let start = self.clock.steady();
        let queue = self.open(&name);
        let opened = (self.clock.steady() - start).as_secs_f64();
        println!("{depth} items waiting: opened in {opened:.2} s, {}", memory());

        let mut random = fastrand::Rng::with_seed(7);
        let micros = |rate: f64| 1e6 / rate;
        let measured = vec![
            ("push", micros(self.rate(|| assert!(queue.push(new_item("a")).unwrap().new)))),
            ("claim", micros(self.rate(|| drop(queue.claim("a", 1, HOLD).unwrap())))),
            (
                "page of 50 by number",
                micros(self.rate(|| {
                    let after = ItemId(random.u64(0..depth - 50));
                    assert_eq!(queue.items(Some(after), 50).unwrap().len(), 50);
                })),
            ),
            ("first 50 in line", micros(self.rate(|| drop(queue.peek("a", 50).unwrap())))),
            ("topic's counts and age", micros(self.rate(|| drop(queue.topic("a").unwrap())))),
        ];
        drop(queue);
        fs::remove_dir_all(self.folder.join(&name)).unwrap();
        measured
    }

    /// How often a second something can be done.
    fn rate(&self, mut act: impl FnMut()) -> f64 {
        let start = self.clock.steady();
        let mut count = 0_u32;
        while self.clock.steady() - start < SPAN {
            act();
            count += 1;
        }
        f64::from(count) / (self.clock.steady() - start).as_secs_f64()
    }
}

fn finish(queue: &Queue, claim: Claim) {
    queue.settle(claim.lease, &Settlement::Finish, Account::default()).unwrap();
}

fn new_item(topic: &str) -> NewItem {
    let subject = Subject {
        action: "Ingest".into(),
        name: "example.edu.bag-0001.tar".into(),
        etag: Some("0cc175b9c0f1b6a831c399e269772661".into()),
        institution: Some(7),
        object_identifier: Some("example.edu/bag-0001".into()),
        bucket: Some("receiving.example.edu".into()),
        user: "system@example.edu".into(),
        size_bytes: 5_000_000,
        storage_option: Some("Standard".into()),
        ..Subject::default()
    };
    NewItem { flow: "ingest".into(), topic: topic.into(), subject, ..NewItem::default() }
}

/// Brings a topic to a depth.
fn refill(queue: &Queue, topic: &str, depth: u64) {
    while queue.topic(topic).unwrap().counts.ready < depth {
        queue.push_all((0..1000).map(|_| new_item(topic)).collect()).unwrap();
    }
}

fn memory() -> String {
    let status = fs::read_to_string(Path::new("/proc/self/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    format!("resident {}", line.unwrap_or("unknown").trim())
}
