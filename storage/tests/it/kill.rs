//! A process that works with several threads and is killed at any moment, over and over on the
//! same directory. It says what was confirmed to it, after it was; all of that must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fastrand::Rng;
use storage::testing::{ManualClock, disagreements};
use storage::work::dossier::Dossier;
use storage::work::item::{ItemId, WorkItem};
use storage::work::queue::{Account, Charge, NewItem, Queue, Settlement};

use crate::model::{rounds, seed};
use crate::room::{HOLD, new_item, open_queue};

const DIR: &str = "STRONGROOM_TEST_KILL_DIR";
const SEED: &str = "STRONGROOM_TEST_KILL_SEED";
/// Items of one push: all there or none.
const TOGETHER: usize = 3;

/// Runs only in a process of its own, until it is killed.
#[test]
fn a_process_to_be_killed() {
    let (Some(dir), Ok(seed)) = (std::env::var_os(DIR), std::env::var(SEED)) else { return };
    let seed: u64 = seed.parse().unwrap();
    let queue = open_queue(Path::new(&dir), &ManualClock::start());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (queue, random) = (&queue, Rng::with_seed(seed ^ thread));
            scope.spawn(move || work_for_ever(queue, random, &format!("{seed}-{thread}")));
        }
    });
}

/// One line, whole or not at all from a reader's view: it ends in a newline.
fn say(line: &str) {
    std::io::stdout().lock().write_all(format!("\n{line}.\n").as_bytes()).unwrap();
}

fn confirm(item: &WorkItem) {
    say(&format!("has {} {}", item.id, item.revision));
}

fn work_for_ever(queue: &Queue, mut random: Rng, name: &str) {
    for batch in 0.. {
        let mut together = new_item("a");
        together.subject.name = format!("{name}-{batch}");
        together.priority = random.i32(0..3);
        let items: Vec<NewItem> = (0..TOGETHER).map(|_| together.clone()).collect();
        for pushed in queue.push_all(items).unwrap() {
            say(&format!("has {} 1", pushed.id));
        }
        let topic = if random.bool() { "a" } else { "b" };
        for claim in queue.claim(topic, random.usize(1..5), HOLD).unwrap() {
            confirm(&claim.item);
            let dossier = Dossier::of(queue.store(), claim.item.id);
            dossier.put_whole(&u64::from(claim.item.turns)).unwrap();
            let (turns, how) = (claim.item.turns, settlement(&mut random));
            let item = queue.settle(claim.lease, &how, Account::default()).unwrap();
            confirm(&item);
            say(&format!("mark {} {turns}", item.id));
            if item.state.is_terminal() && random.bool() {
                say(&format!("forgetting {} {}", item.id, item.subject.name));
                let turns = queue.history(item.id, 100).unwrap().iter().map(|it| it.0).collect();
                queue.forget(&[(item.id, item.revision, turns)]).unwrap();
            }
        }
    }
}

fn settlement(random: &mut Rng) -> Settlement {
    match random.u8(..6) {
        0 => Settlement::Advance { to: "b".into() },
        1 => Settlement::Retry { at: Default::default(), charge: Charge::Attempt },
        2 => Settlement::Park { because: Default::default() },
        3 => Settlement::Divert { to: "b".into(), verdict: Default::default() },
        _ => Settlement::Finish,
    }
}

/// What the killed process had been told.
#[derive(Default)]
struct Told {
    revisions: BTreeMap<u64, u64>,
    marks: BTreeMap<u64, u64>,
    forgotten: BTreeSet<u64>,
    forgotten_names: Vec<String>,
}

impl Told {
    fn hear(&mut self, line: &str) {
        // A line cut short by the kill has no full stop.
        let Some(line) = line.strip_suffix('.') else { return };
        let words: Vec<_> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        match words[0] {
            "has" => {
                let revision = self.revisions.entry(number(1)).or_default();
                *revision = number(2).max(*revision);
            }
            "mark" => {
                self.marks.insert(number(1), number(2));
            }
            "forgetting" => {
                self.forgotten.insert(number(1));
                self.forgotten_names.push(words[2].to_owned());
            }
            _ => {}
        }
    }

    fn verify(&self, queue: &Queue) {
        for (id, revision) in &self.revisions {
            match queue.item(ItemId(*id)).unwrap() {
                Some(item) => assert!(item.revision >= *revision, "item {id} is behind"),
                None => assert!(self.forgotten.contains(id), "item {id} is gone"),
            }
        }
        for (id, turns) in self.marks.iter().filter(|(id, _)| !self.forgotten.contains(id)) {
            let mark = Dossier::of(queue.store(), ItemId(*id)).whole::<u64>().unwrap();
            assert!(mark.is_some_and(|mark| mark >= *turns), "mark of item {id}");
        }
        let mut together: BTreeMap<String, usize> = BTreeMap::new();
        let items = queue.items(None, 100_000).unwrap();
        let there = items.iter().filter(|item| !self.forgotten.contains(&item.id.0));
        for name in there.map(|it| &it.subject.name).chain(&self.forgotten_names) {
            *together.entry(name.clone()).or_default() += 1;
        }
        for (name, count) in together {
            assert_eq!(count, TOGETHER, "of those pushed together as {name}");
        }
    }
}

/// Starts the process; the receiver hears when it confirms the first thing, and when it ends.
fn start(dir: &Path, seed: u64) -> (Child, Receiver<()>, JoinHandle<Told>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::a_process_to_be_killed", "--exact", "--nocapture"])
        .env(DIR, dir)
        .env(SEED, seed.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.stdout.take().unwrap();
    let (begun, hears) = channel();
    let listener = std::thread::spawn(move || {
        let mut told = Told::default();
        listen(output, |line| {
            told.hear(line);
            if told.revisions.len() == 1 && begun.send(()).is_err() {
                println!("nobody waits any more");
            }
        });
        told
    });
    (child, hears, listener)
}

fn listen(output: ChildStdout, mut hear: impl FnMut(&str)) {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        hear(line.trim_end_matches('\n'));
        line.clear();
    }
}

/// Ends and forgets everything, so that the directory stays small over many rounds.
fn tidy(queue: &Queue) {
    for topic in ["a", "b"] {
        queue.empty(topic, "tidied", None).unwrap();
        for parked in queue.parked(topic, None, 100_000).unwrap() {
            queue.cancel(parked.id, "tidied", None).unwrap();
        }
    }
    let items = queue.items(None, 100_000).unwrap();
    let copied: Vec<_> = items
        .iter()
        .map(|item| {
            let turns = queue.history(item.id, 1000).unwrap().iter().map(|it| it.0).collect();
            (item.id, item.revision, turns)
        })
        .collect();
    queue.forget(&copied).unwrap();
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("work");
    let seed = seed();
    println!("began with STRONGROOM_SEED={seed} (what is killed when is up to the machine)");
    let mut random = Rng::with_seed(seed);
    let (mut confirmed, rounds) = (0, rounds(200));
    for round in 0..rounds {
        let (mut child, hears, listener) = start(&dir, random.u64(..));
        hears.recv().expect("the first confirmation");
        let patience = Duration::from_millis(random.u64(5..=60));
        loop {
            match hears.recv_timeout(patience) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it ended by itself in round {round}")
                }
            }
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        let told = listener.join().unwrap();
        confirmed += told.revisions.len() + told.marks.len();

        let clock = ManualClock::start();
        let queue = open_queue(&dir, &clock);
        told.verify(&queue);
        let now = storage::clock::Clock::now(&*clock);
        assert_eq!(disagreements(&queue, now).unwrap(), [""; 0], "round {round}");
        tidy(&queue);
    }
    println!("{rounds} kills, {confirmed} confirmations, nothing lost");
}
