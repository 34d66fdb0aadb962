use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use storage::Error;
use storage::home::{Home, is_home};
use storage::testing::{copy_folder, disagreements};
use storage::work::Store;
use storage::work::queue::Queue;

use crate::room::{Room, new_item, open_store};

const CHILD: &str = "STRONGROOM_TEST_OPEN_HOME";

/// Runs only in a process of its own: opens the directory named by the variable.
#[test]
fn a_second_process_to_be_refused() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    match Home::open(Path::new(&dir)) {
        Ok(_) => println!("\nopened"),
        Err(error) => println!("\nrefused: {error}"),
    }
}

#[test]
fn a_second_process_on_the_same_directory_gets_a_clear_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::open(dir.path()).unwrap();
    let second = || {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["damage::a_second_process_to_be_refused", "--exact", "--nocapture"])
            .env(CHILD, dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = second();
    let id = std::process::id();
    assert!(said.contains("refused: ") && said.contains(&format!("(process {id})")), "{said}");
    drop(home);
    assert!(second().contains("\nopened"));
}

#[test]
fn a_store_that_is_open_cannot_be_opened_again_and_is_not_set_aside() {
    let room = Room::new();
    room.push("a");
    let refused = Store::open(&room.dir(), &room.dir().with_file_name("work.aside"));
    assert!(matches!(refused.err(), Some(Error::InUse { .. })));
    assert!(!room.dir().with_file_name("work.aside").try_exists().unwrap());
    assert_eq!(room.line("a").len(), 1);
}

#[test]
fn a_newer_directory_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut home = Home::open(dir.path()).unwrap();
    assert!(home.is_fresh() && !is_home(dir.path()));
    home.stamp().unwrap();
    drop(home);
    assert!(is_home(dir.path()));
    let stamp = dir.path().join("STRONGROOM");
    byteio::durable::write(&stamp, b"strongroom data, format 2\n", false).unwrap();
    let refused = Home::open(dir.path()).unwrap_err();
    assert!(matches!(refused, Error::Newer { found: 2, known: 1, .. }), "{refused}");
    assert_eq!(fs::read(&stamp).unwrap(), b"strongroom data, format 2\n");
}

#[test]
fn a_newer_record_is_refused_and_left_alone() {
    let mut room = Room::new();
    let id = room.push("a");
    room.close();
    crate::check::plant(&room, "item", &id.0.to_be_bytes(), Some(&[9, 1, 2, 3]));
    room.restart();
    let refused = room.queue().item(id).unwrap_err();
    assert!(matches!(refused, Error::Unreadable { tree: "item", .. }), "{refused}");
    let why = std::error::Error::source(&refused).unwrap().to_string();
    assert!(why.contains("version 9 is newer"), "{why}");
}

/// Whatever is done to the files: the room opens with all that was there, or empty with the old
/// folder set aside and a reason; never a panic, never a part lost without a word.
fn assert_survives(original: &Path, harm: impl Fn(&Path)) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("work");
    copy_folder(original, &dir).unwrap();
    harm(&dir);
    let opened = open_store(&dir);
    let aside = dir.with_file_name("work.aside");
    let reason = opened.set_aside.map(|(path, why)| {
        assert_eq!(path, aside);
        assert!(path.join("db").is_file());
        why
    });
    assert_eq!(aside.try_exists().unwrap(), reason.is_some());
    let clock = storage::testing::ManualClock::start();
    let now = storage::clock::Clock::now(&*clock);
    let queue = Queue::open(Arc::new(opened.store), clock).unwrap();
    assert_eq!(disagreements(&queue, now).unwrap(), [""; 0], "{reason:?}");
    queue.push(new_item("after")).unwrap();
    let kept = queue.topic("a").unwrap().counts.ready;
    assert_eq!(kept, if reason.is_some() { 0 } else { 2000 }, "lost without a word");
    reason
}

fn filled() -> Room {
    let mut room = Room::new();
    for _ in 0..20 {
        room.queue().push_all((0..100).map(|_| new_item("a")).collect()).unwrap();
    }
    room.close();
    room
}

fn overwrite(dir: &Path, name: &str, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(dir.join(name)).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn a_work_state_with_garbage_at_its_head_is_set_aside_with_the_reason() {
    let room = filled();
    let reason = assert_survives(&room.dir(), |dir| overwrite(dir, "db", 0, &[0xa5; 100_000]));
    assert!(reason.is_some_and(|why| !why.is_empty()));
}

#[test]
fn garbage_anywhere_in_the_work_state_never_gets_out_as_a_panic() {
    let room = filled();
    let size = fs::metadata(room.dir().join("db")).unwrap().len();
    let seed = crate::model::seed();
    println!("replay with STRONGROOM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut set_aside = 0;
    for _ in 0..12 {
        let at = random.u64(0..size);
        let garbage: Vec<u8> = (0..random.usize(1..20_000)).map(|_| random.u8(..)).collect();
        let reason = assert_survives(&room.dir(), |dir| overwrite(dir, "db", at, &garbage));
        set_aside += usize::from(reason.is_some());
    }
    println!("{set_aside} of 12 were set aside");
}

#[test]
fn a_damaged_or_missing_side_file_does_not_stop_the_room_from_opening() {
    let room = filled();
    let snapshot = fs::read_dir(room.dir()).unwrap().find_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.starts_with("snap.").then_some(name)
    });
    for name in snapshot.iter().map(String::as_str).chain(["conf"]) {
        assert_survives(&room.dir(), |dir| fs::remove_file(dir.join(name)).unwrap());
        assert_survives(&room.dir(), |dir| overwrite(dir, name, 3, &[0xa5; 20]));
    }
    let interrupted = |dir: &Path| {
        byteio::durable::write(&dir.join("snap.0000000000FFFFFF.generating"), b"half", false)
            .unwrap();
    };
    assert_eq!(assert_survives(&room.dir(), interrupted), None);
}
