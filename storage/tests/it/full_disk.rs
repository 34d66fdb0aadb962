//! A disk with no room left: an error, no panic, nothing confirmed is lost, and work goes on when
//! there is room.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use storage::Error;
use storage::testing::{ManualClock, disagreements};
use storage::work::Store;
use storage::work::item::ItemId;
use storage::work::queue::{NewItem, Queue};

use crate::room::{HOLD, new_item, open_queue};

const CHILD: &str = "STRONGROOM_TEST_SMALL_FILES";

fn bulky() -> NewItem {
    NewItem { note: "0123456789abcdef".repeat(200), ..new_item("a") }
}

fn fill(queue: &Queue) -> (Vec<ItemId>, Error) {
    let mut confirmed = Vec::new();
    for _ in 0..100_000 {
        match queue.push(bulky()) {
            Ok(pushed) => confirmed.push(pushed.id),
            Err(error) => return (confirmed, error),
        }
    }
    panic!("the disk never filled");
}

fn assert_there(queue: &Queue, confirmed: &[ItemId]) {
    for id in confirmed {
        assert!(queue.item(*id).unwrap().is_some(), "item {id}");
    }
    let now = storage::clock::Clock::now(&*ManualClock::start());
    assert_eq!(disagreements(queue, now).unwrap(), [""; 0]);
}

fn fill_and_go_on(dir: &Path, make_room: impl FnOnce()) {
    let clock = ManualClock::start();
    let queue = open_queue(dir, &clock);
    let (mut confirmed, error) = fill(&queue);
    println!("full after {} items: {error}", confirmed.len());
    assert!(error.is_full() && queue.store().is_ailing(), "{error:?}");
    assert!(queue.push(bulky()).unwrap_err().is_full());
    assert!(queue.claim("a", 1, HOLD).unwrap_err().is_full());
    // Too early: whatever comes of it, nothing is lost by trying.
    println!("reopened without room: {:?}", queue.store().reopen().map_err(|it| it.to_string()));

    make_room();
    queue.store().reopen().unwrap();
    assert!(!queue.store().is_ailing());
    assert_there(&queue, &confirmed);
    confirmed.extend((0..50).map(|_| queue.push(bulky()).unwrap().id));
    assert_eq!(queue.claim("a", 1, HOLD).unwrap()[0].item.id, confirmed[0]);
    drop(queue);
    assert_there(&open_queue(dir, &clock), &confirmed);
}

/// Runs only in a process of its own whose files may not grow beyond a limit.
#[test]
fn a_process_whose_files_may_not_grow() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    fill_and_go_on(&Path::new(&dir).join("work"), || {
        let maximum = getrlimit(Resource::Fsize).maximum;
        setrlimit(Resource::Fsize, Rlimit { current: maximum, maximum }).unwrap();
    });
    println!("\nwent on");
}

#[test]
fn full_disk_by_a_limit_on_files_loses_nothing_and_work_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // A signal that is ignored stays ignored in the program that the shell becomes.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -S -f 6000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["full_disk::a_process_whose_files_may_not_grow", "--exact", "--nocapture"])
        .env(CHILD, folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("\nwent on"));
}

/// A small file system of its own, where mounting one is allowed.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "strongroom-test"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then_some(SmallDisk(folder))
    }

    fn enlarge(&self) {
        let arguments = ["-o", "remount,size=200m"];
        assert!(
            Command::new("mount").args(arguments).arg(self.0.path()).status().unwrap().success()
        );
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0.path()).status());
    }
}

#[test]
fn full_disk_for_real_loses_nothing_and_work_goes_on() {
    let Some(disk) = SmallDisk::mount() else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    fill_and_go_on(&disk.0.path().join("work"), || disk.enlarge());
}

#[test]
fn full_disk_at_the_start_is_named_and_nothing_is_set_aside() {
    let Some(disk) = SmallDisk::mount() else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    let dir = disk.0.path().join("work");
    let queue = open_queue(&dir, &ManualClock::start());
    let (confirmed, _) = fill(&queue);
    drop(queue);
    let aside = disk.0.path().join("work.aside");
    let opened = Store::open(&dir, &aside);
    let opened = opened.map(|opened| Queue::open(Arc::new(opened.store), ManualClock::start()));
    match opened {
        Ok(Ok(_)) => println!("there was just enough room to start"),
        Ok(Err(error)) | Err(error) => assert!(error.is_full(), "{error:?}"),
    }
    assert!(!aside.try_exists().unwrap());
    disk.enlarge();
    assert_there(&open_queue(&dir, &ManualClock::start()), &confirmed);
}
