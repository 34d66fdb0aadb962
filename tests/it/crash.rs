//! A child process runs a crew over a data directory and is really killed, again and again. In the
//! end everything is done, exactly as if nothing had happened.
//!
//! The child is this very test binary, asked by an environment variable to be one.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use fastrand::Rng;
use storage::clock::SystemClock;
use storage::testing::disagreements;
use storage::work::item::{State, Subject};
use storage::work::queue::NewItem;
use strongroom::fault::{Failure, Fault, Kind};
use strongroom::work::{Done, Flow, Foreman, Job, Policy, Workshop};

use crate::harness::{Acted, flow, leak, open_shop, secs, stage, wait_for};
use crate::house::DEADLINE;

/// The data directory of the child; its presence makes one.
const CHILD: &str = "STRONGROOM_CRASH_DIR";
const KILLS: usize = 100;
const ITEMS: usize = 12;
const PARTS: usize = 4;
const STAGES: [&str; 3] = ["k1", "k2", "k3"];

static FLOWS: LazyLock<&'static [Flow<Yard>]> = LazyLock::new(|| {
    let busy = |policy| Policy { workers: 2, buffer: 3, ..policy };
    leak(vec![flow("crash", STAGES.map(|topic| writing(topic).policy(busy)).into())])
});

/// Where the stages leave their effects.
struct Yard {
    dir: std::path::PathBuf,
}

/// Adds a line for each part to the file of the item, and marks each part.
fn writing(topic: &'static str) -> Acted<Yard> {
    stage(topic, move |job: &Job<'_, Yard>| {
        let file = job.app.dir.join("out").join(&job.item.subject.name);
        for part in 0..PARTS {
            job.checkpoint()?;
            let line = format!("{topic} {part}");
            if job.dossier().file::<u64>(line.as_bytes())?.is_none() {
                add_once(&file, &line).map_err(broken)?;
                job.dossier().put_files([(line.as_bytes(), &1_u64)])?;
            }
            println!("{line}");
        }
        Ok(Done::Advance)
    })
}

fn broken(source: std::io::Error) -> Fault {
    let (kind, advice) = (Kind::Fatal, "look at the disk".into());
    Fault::Failed(Failure { kind, code: "files", advice, source: Box::new(source) })
}

/// Adds a line unless it is there already; half a line at the end is one that was never added.
fn add_once(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    if text[..whole].lines().any(|there| there == line) {
        return Ok(());
    }
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::Start(whole as u64))?;
    // In two writes, so that a kill can come between them.
    let (one, two) = line.split_at(line.len() / 2);
    file.write_all(one.as_bytes())?;
    file.write_all(two.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_data()
}

fn open(dir: &Path) -> Arc<Workshop> {
    open_shop(dir, Arc::new(SystemClock::start()), *FLOWS, "")
}

fn push(dir: &Path, names: std::ops::Range<usize>) {
    let shop = open(dir);
    for name in names {
        let subject = Subject { name: format!("{name:03}"), ..Subject::default() };
        let (flow, topic) = ("crash".into(), STAGES[0].into());
        let item = NewItem { flow, topic, subject, ..NewItem::default() };
        assert!(shop.queue.push(item).unwrap().new);
    }
}

/// What stands in the file of an item that nothing happened to.
fn undisturbed() -> String {
    let parts =
        |topic: &&str| (0..PARTS).map(|part| format!("{topic} {part}\n")).collect::<String>();
    STAGES.iter().map(parts).collect()
}

#[test]
fn the_child_that_is_killed() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let dir = Path::new(&dir);
    let shop = open(dir);
    println!("open");
    let yard = Arc::new(Yard { dir: dir.to_owned() });
    let crew = Foreman::new(yard, Arc::clone(&shop), *FLOWS).run().unwrap();
    wait_for(&shop.queue, "all items", || {
        let over = |state: &State| state.is_terminal() || matches!(state, State::Parked { .. });
        shop.queue.items(None, usize::MAX).unwrap().iter().all(|item| over(&item.state))
    });
    assert_eq!(crew.stop(secs(10)), 0);
}

/// Starts a child; what it prints comes out of the receiver line by line.
fn start(dir: &Path) -> (Child, Receiver<String>) {
    // Not by its name, which a build going on beside the test takes away.
    let mut child = Command::new("/proc/self/exe")
        .args(["--exact", "crash::the_child_that_is_killed", "--nocapture"])
        .env(CHILD, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (tell, told) = mpsc::channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    (child, told)
}

/// Kills a child a moment after it has done some of its work. Returns whether it still had any.
fn kill_one(dir: &Path, chance: &mut Rng) -> bool {
    let (mut child, told) = start(dir);
    let wanted = chance.usize(0..18);
    let mut done = 0;
    let mut ended = false;
    while done < wanted && !ended {
        match told.recv_timeout(DEADLINE) {
            Ok(line) if STAGES.iter().any(|topic| line.starts_with(topic)) => done += 1,
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => ended = true,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the child does nothing"),
        }
    }
    // Anywhere between two lines: in a write, in a sync, in a settlement, in the opening.
    drop(told.recv_timeout(Duration::from_micros(chance.u64(0..20_000))));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(status.code().is_none_or(|code| code == 0), "the child failed: {status}");
    status.code().is_none()
}

/// Opens what a dead child left: it must be sound, and nothing is leased any more.
fn look(dir: &Path) -> usize {
    let shop = open(dir);
    let found = disagreements(&shop.queue, shop.clock.now()).unwrap();
    assert_eq!(found, Vec::<String>::new());
    let items = shop.queue.items(None, usize::MAX).unwrap();
    assert!(items.iter().all(|item| !matches!(item.state, State::Leased(_))));
    // An item met by too many of the kills waits for a person: here is one.
    shop.controls().requeue_all("process-died", None, "the test").unwrap();
    items.iter().filter(|item| !item.state.is_terminal()).count()
}

#[test]
fn killed_again_and_again_a_crew_ends_as_if_nothing_had_happened() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("out")).unwrap();
    File::open(dir).unwrap().sync_all().unwrap();
    let mut chance = Rng::with_seed(9);
    let (mut pushed, mut kills) = (0, 0);
    while kills < KILLS {
        if pushed == 0 || look(dir) < ITEMS / 3 {
            push(dir, pushed..pushed + ITEMS);
            pushed += ITEMS;
        }
        kills += usize::from(kill_one(dir, &mut chance));
    }
    // What the kills left parked is put back by the look before.
    while look(dir) > 0 {
        let (mut child, told) = start(dir);
        while told.recv_timeout(DEADLINE).is_ok() {}
        assert!(child.wait().unwrap().success());
    }

    let shop = open(dir);
    let items = shop.queue.items(None, usize::MAX).unwrap();
    assert_eq!(items.len(), pushed);
    for item in items {
        assert!(matches!(item.state, State::Finished), "{item:?}");
        let text = fs::read_to_string(dir.join("out").join(&item.subject.name)).unwrap();
        assert_eq!(text, undisturbed(), "item {}", item.id);
        let history = shop.queue.history(item.id, usize::MAX).unwrap();
        let done = history.iter().filter(|(_, it)| it.outcome == "advanced").count();
        assert!(done >= STAGES.len() - 1, "{history:?}");
    }
    println!("{kills} kills, {pushed} items");
}
