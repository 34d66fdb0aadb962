//! Who is to blame when the process dies: a child process is really killed, or kills itself. Items
//! that were merely under way finish; the item that kills the process is parked, and was alone then.
//!
//! The child is this very test binary, asked by an environment variable to be one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use storage::clock::{Clock, SystemClock};
use storage::work::item::{ItemId, State, Subject, WorkItem};
use storage::work::queue::NewItem;
use strongroom::work::{Done, Flow, Foreman, Job, Policy, Workshop};

use crate::harness::{Acted, flow, leak, open_shop, stage, wait_for};
use crate::house::DEADLINE;

/// The data directory of the child; its presence makes one.
const CHILD: &str = "STRONGROOM_SUSPECTS_DIR";
const STAGES: [&str; 3] = ["i1", "i2", "i3"];
const KILLER: &str = "x1";
const WORKERS: u16 = 4;
const ITEMS: usize = 8;
/// Deaths that the killer causes before the others may go on.
const SHARED: usize = 3;

static FLOWS: LazyLock<&'static [Flow<Yard>]> = LazyLock::new(|| {
    let many = |policy| Policy { workers: WORKERS, buffer: WORKERS, ..policy };
    let innocent = STAGES.map(|topic| waiting(topic).policy(many));
    leak(vec![flow("innocent", innocent.into()), flow("deadly", vec![killing()])])
});

struct Yard {
    dir: PathBuf,
    shop: Arc<Workshop>,
}

impl Yard {
    fn deaths(&self) -> Vec<String> {
        let text = fs::read_to_string(self.dir.join("deaths")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn go(dir: &Path, topic: &str, name: &str) -> PathBuf {
    dir.join(format!("go-{topic}-{name}"))
}

/// Says that it has begun, and ends when it is let.
fn waiting(topic: &'static str) -> Acted<Yard> {
    stage(topic, move |job: &Job<'_, Yard>| {
        let (yard, name) = (job.app, &job.item.subject.name);
        println!("begin {topic} {name}");
        let gates = [go(&yard.dir, topic, name), yard.dir.join("go")];
        while !gates.iter().any(|gate| gate.try_exists().unwrap()) && yard.deaths().len() < SHARED {
            job.checkpoint()?;
            std::thread::park_timeout(Duration::from_millis(5));
        }
        println!("end {topic} {name}");
        Ok(Done::Advance)
    })
}

/// Writes down how many items are under way, and ends the process.
fn killing() -> Acted<Yard> {
    stage(KILLER, |job: &Job<'_, Yard>| {
        let shop = &job.app.shop;
        let running = || shop.board.running(shop.clock.steady()).len();
        if job.app.deaths().len() < SHARED {
            wait_for(&shop.queue, "company", || running() > usize::from(WORKERS));
        }
        let path = job.app.dir.join("deaths");
        let mut deaths = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(deaths, "{}", running()).unwrap();
        deaths.sync_all().unwrap();
        std::process::abort()
    })
}

fn open(dir: &Path) -> Arc<Workshop> {
    open_shop(dir, Arc::new(SystemClock::start()), *FLOWS, "")
}

fn push(shop: &Workshop, flow: &str, topic: &str, name: &str) -> ItemId {
    let subject = Subject { name: name.into(), ..Subject::default() };
    let (flow, topic) = (flow.into(), topic.into());
    shop.queue.push(NewItem { flow, topic, subject, ..NewItem::default() }).unwrap().id
}

fn is_over(item: &WorkItem) -> bool {
    item.state.is_terminal() || matches!(item.state, State::Parked { .. })
}

#[test]
fn the_child_that_dies() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let dir = PathBuf::from(dir);
    let shop = open(&dir);
    let yard = Arc::new(Yard { dir, shop: Arc::clone(&shop) });
    let crew = Foreman::new(yard, Arc::clone(&shop), *FLOWS).run().unwrap();
    let clock = SystemClock::start();
    while !shop.queue.items(None, usize::MAX).unwrap().iter().all(is_over) {
        assert!(clock.steady() < DEADLINE, "the items do not end");
        shop.queue.bell().wait(shop.queue.bell().count(), Duration::from_millis(50));
    }
    assert_eq!(crew.stop(DEADLINE), 0);
}

/// Starts a child; what it prints comes out of the receiver line by line.
fn start(dir: &Path) -> (Child, Receiver<String>) {
    // Not by its name, which a build going on beside the test takes away.
    let mut child = Command::new("/proc/self/exe")
        .args(["--exact", "suspects::the_child_that_dies", "--nocapture"])
        .env(CHILD, dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (tell, told) = mpsc::channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    (child, told)
}

/// Lets a child run until two items are under way, and kills it then. An item that is alone for a
/// while is let go on. Returns whether the child was killed; otherwise it has ended.
fn kill_when_shared(dir: &Path) -> bool {
    let (mut child, told) = start(dir);
    let mut begun = BTreeSet::new();
    loop {
        match told.recv_timeout(Duration::from_millis(700)) {
            Ok(line) => match line.split(' ').collect::<Vec<_>>()[..] {
                // What the test harness prints may stand before it.
                [.., "begin", topic, name] => {
                    begun.insert((topic.to_owned(), name.to_owned()));
                }
                [.., "end", topic, name] => {
                    begun.remove(&(topic.to_owned(), name.to_owned()));
                }
                _ => {}
            },
            Err(RecvTimeoutError::Timeout) => {
                for (topic, name) in &begun {
                    byteio::durable::write(&go(dir, topic, name), b"", false).unwrap();
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                assert!(child.wait().unwrap().success());
                return false;
            }
        }
        if begun.len() > 1 {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
    }
}

#[test]
fn items_that_were_under_way_at_many_kills_finish() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (mut pushed, mut kills) = (0, 0);
    while kills < 12 {
        if pushed == 0 || !kill_when_shared(dir) {
            let shop = open(dir);
            for name in pushed..pushed + ITEMS {
                push(&shop, "innocent", STAGES[0], &name.to_string());
            }
            pushed += ITEMS;
        } else {
            kills += 1;
        }
    }
    byteio::durable::write(&dir.join("go"), b"", false).unwrap();
    let (mut child, told) = start(dir);
    while told.recv_timeout(DEADLINE).is_ok() {}
    assert!(child.wait().unwrap().success());
    let shop = open(dir);
    for item in shop.queue.items(None, usize::MAX).unwrap() {
        assert!(matches!(item.state, State::Finished), "{item:?}");
        let history = shop.queue.history(item.id, usize::MAX).unwrap();
        let stopped = history.iter().filter(|(_, attempt)| attempt.outcome == "stopped").count();
        println!("item {} was under way at {stopped} kills", item.id);
    }
}

#[test]
fn the_item_that_kills_the_process_is_parked_after_it_was_alone_and_its_neighbours_finish() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let shop = open(dir);
    for name in 0..ITEMS / 2 {
        push(&shop, "innocent", STAGES[0], &name.to_string());
    }
    let killer = push(&shop, "deadly", KILLER, "killer");
    for name in ITEMS / 2..ITEMS {
        push(&shop, "innocent", STAGES[0], &name.to_string());
    }
    drop(shop);
    let mut deaths = 0;
    loop {
        let (mut child, told) = start(dir);
        while told.recv_timeout(DEADLINE).is_ok() {}
        if child.wait().unwrap().success() {
            break;
        }
        deaths += 1;
        assert!(deaths < 20, "the killer is tried again and again");
    }
    let shop = open(dir);
    for item in shop.queue.items(None, usize::MAX).unwrap() {
        if item.id != killer {
            assert!(matches!(item.state, State::Finished), "{item:?}");
            continue;
        }
        let State::Parked { because } = &item.state else { panic!("{item:?}") };
        assert_eq!(because.code, "process-died");
    }
    let text = fs::read_to_string(dir.join("deaths")).unwrap();
    let running: Vec<usize> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(running.len(), deaths);
    assert!(running[..SHARED].iter().all(|count| *count > usize::from(WORKERS)), "{running:?}");
    assert!(running[SHARED..].iter().all(|count| *count == 1), "it was not alone: {running:?}");
}
