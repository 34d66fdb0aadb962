//! What a crash at any moment leaves behind: an image of the disk at every durable point, and
//! images whose end was never written.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use storage::testing::{ManualClock, after_each_barrier, copy_folder, disagreements};
use storage::work::Store;
use storage::work::assignment::{Assignments, NewAssignment, Spans, Standing};
use storage::work::dossier::Dossier;
use storage::work::export::export;
use storage::work::item::{Finding, ItemId, Severity};
use storage::work::lease::KeyLeases;
use storage::work::queue::{Account, Charge, NewItem, Queue, Settlement};

use crate::model::seed;
use crate::room::{HOLD, Room, new_item, open_queue, open_store};

/// The whole truth as text.
fn truth(store: &Store) -> String {
    let mut out = Vec::new();
    export(store, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn assert_sound_in(dir: &Path) {
    let clock = ManualClock::start();
    let queue = open_queue(dir, &clock);
    let now = storage::clock::Clock::now(&*clock);
    assert_eq!(disagreements(&queue, now).unwrap(), [""; 0], "{}", dir.display());
}

/// Findings enough to make a page that goes to a file of its own.
fn long_account() -> Account {
    let finding = Finding {
        code: "missing-file".into(),
        severity: Severity::Error,
        place: "data/".repeat(40),
        sentence: "The manifest names it, but it is not there.".into(),
    };
    Account { findings: vec![finding; 900], ..Account::default() }
}

type Act = Box<dyn Fn(&Room)>;

/// What was confirmed by a moment.
type Confirmed = Vec<(ItemId, u64)>;

/// Acts of every kind, each of which ends in at least one barrier.
fn acts() -> Vec<Act> {
    let settle =
        |how: Settlement| -> Act { Box::new(move |room| drop(room.settle(room.claim("a"), &how))) };
    vec![
        Box::new(|room| assert!(room.push("a").0 > 0)),
        Box::new(|room| {
            let named = NewItem { unique: Some("x".into()), priority: 1, ..new_item("a") };
            room.queue()
                .push_all(vec![named.clone(), new_item("a"), new_item("a"), named])
                .unwrap();
        }),
        settle(Settlement::Advance { to: "b".into() }),
        Box::new(|room| {
            let claim = room.claim("a");
            let dossier = Dossier::of(room.store(), claim.item.id);
            dossier.put_files([(&b"data/a"[..], &1_u64), (b"data/b", &2)]).unwrap();
            room.queue().settle(claim.lease, &Settlement::Finish, long_account()).unwrap();
        }),
        settle(Settlement::Park { because: Default::default() }),
        Box::new(|room| {
            let parked = room.queue().parked("a", None, 1).unwrap().remove(0).id;
            room.queue().requeue(parked, "a", "again").unwrap();
        }),
        Box::new(|room| {
            let waiting = room.queue().peek("a", 1).unwrap().remove(0).id;
            room.queue().cancel(waiting, "no", Some("tidy")).unwrap();
        }),
        Box::new(|room| room.queue().pause("b", true).unwrap()),
        Box::new(|room| assert!(room.queue().empty("b", "no", None).unwrap() > 0)),
        Box::new(|room| room.store().note_run("sweep", room.now(), room.later(9), "ok").unwrap()),
        Box::new(|room| {
            let leases = KeyLeases::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
            drop(leases.revoke("pages", "one").unwrap());
            leases.create("pages", "one", "ann", vec![b"a".to_vec(), b"b".to_vec()], HOLD).unwrap();
        }),
        Box::new(|room| {
            let work = Assignments::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
            drop(work.revoke("w").unwrap());
            let new = NewAssignment {
                id: "w".into(),
                episode: 1,
                clips: vec![1, 2],
                analyst: 1,
                taken_by: None,
            };
            work.offer(new, Spans { lease: HOLD, offer: HOLD / 2 }).unwrap();
            assert!(work.take("w", "bob", HOLD).unwrap().is_some());
            let told = work.progress("w", "bob", (1, false), HOLD).unwrap();
            assert!(matches!(told, Standing::Extended(_)));
        }),
        Box::new(|room| {
            let at = room.later(5);
            room.push("a");
            room.settle(room.claim("a"), &Settlement::Retry { at, charge: Charge::Attempt });
        }),
    ]
}

#[test]
fn an_image_at_every_barrier_holds_everything_confirmed_by_then_and_nothing_by_halves() {
    let room = Room::new();
    let images = tempfile::tempdir().unwrap();
    let taken = Arc::new(Mutex::new(0_usize));
    let (from, to, count) = (room.dir(), images.path().to_owned(), Arc::clone(&taken));
    after_each_barrier(room.store(), move || {
        let mut count = count.lock().unwrap();
        copy_folder(&from, &to.join(count.to_string()).join("work")).unwrap();
        *count += 1;
    });
    let mut expected: Vec<(usize, String)> = Vec::new();
    for round in 0..3 {
        for (number, act) in acts().iter().enumerate() {
            act(&room);
            let last = taken.lock().unwrap().checked_sub(1).expect("a barrier");
            assert!(expected.last().is_none_or(|it| it.0 < last), "act {number} of round {round}");
            expected.push((last, truth(room.store())));
        }
    }
    let taken = *taken.lock().unwrap();
    println!("{taken} images, {} of them at the end of an act", expected.len());
    let dir = |image: usize| images.path().join(image.to_string()).join("work");
    for (image, truth_then) in &expected {
        let opened = open_store(&dir(*image));
        assert!(opened.set_aside.is_none(), "image {image}: {:?}", opened.set_aside);
        assert_eq!(truth(&opened.store), *truth_then, "image {image}");
    }
    (0..taken).for_each(|image| assert_sound_in(&dir(image)));
}

#[test]
fn an_image_taken_in_a_crowd_holds_everything_confirmed_by_then() {
    let room = Room::new();
    let images = tempfile::tempdir().unwrap();
    let confirmed: Arc<Mutex<Confirmed>> = Arc::default();
    let taken: Arc<Mutex<Vec<(PathBuf, Confirmed)>>> = Arc::default();
    let (from, to) = (room.dir(), images.path().to_owned());
    let (known, log) = (Arc::clone(&confirmed), Arc::clone(&taken));
    let barriers = Mutex::new(0);
    after_each_barrier(room.store(), move || {
        let mut barriers = barriers.lock().unwrap();
        *barriers += 1;
        if *barriers % 7 == 0 {
            let known = known.lock().unwrap().clone();
            let dir = to.join(barriers.to_string()).join("work");
            copy_folder(&from, &dir).unwrap();
            log.lock().unwrap().push((dir, known));
        }
    });
    let confirm = |id, revision| confirmed.lock().unwrap().push((id, revision));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..12 {
                    confirm(room.push("a"), 1);
                    for claim in room.queue().claim("a", 2, HOLD).unwrap() {
                        confirm(claim.item.id, claim.item.revision);
                        let item = room.settle(claim, &Settlement::Advance { to: "b".into() });
                        confirm(item.id, item.revision);
                    }
                }
            });
        }
    });
    let taken = taken.lock().unwrap();
    assert!(taken.len() > 3);
    for (dir, known) in taken.iter() {
        let store = open_store(dir).store;
        let clock = ManualClock::start();
        let queue = Queue::open(Arc::new(store), Arc::clone(&clock) as _).unwrap();
        for (id, revision) in known {
            let item = queue.item(*id).unwrap();
            assert!(item.is_some_and(|item| item.revision >= *revision), "item {id}");
        }
        drop(queue);
        assert_sound_in(dir);
    }
}

/// Where the last byte that is not zero stands.
fn written_end(db: &Path) -> u64 {
    let bytes = fs::read(db).unwrap();
    bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at as u64 + 1)
}

fn cut(db: &Path, at: u64) {
    OpenOptions::new().write(true).open(db).and_then(|file: File| file.set_len(at)).unwrap();
}

fn garble(db: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(db).unwrap();
    file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes)).unwrap();
}

#[test]
fn a_torn_tail_loses_nothing_without_a_word() {
    let seed = seed();
    println!("replay with STRONGROOM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let room = Room::new();
    let images = tempfile::tempdir().unwrap();
    for act in acts().iter().chain(&acts()) {
        act(&room);
    }
    // Taken from under the running program, as a power cut would; nothing is being written.
    let whole = images.path().join("whole");
    copy_folder(&room.dir(), &whole).unwrap();
    let expected = truth(room.store());
    let end = written_end(&whole.join("db"));
    let mut kept = 0;
    for round in 0..60 {
        let dir = images.path().join(round.to_string()).join("work");
        copy_folder(&whole, &dir).unwrap();
        let length = if round < 8 { 1 << round } else { random.u64(1..=4096) };
        let at = end.saturating_sub(length);
        let garbage: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        match round % 3 {
            0 => cut(&dir.join("db"), at),
            1 => garble(&dir.join("db"), at, &garbage),
            _ => garble(&dir.join("db"), at, &vec![0; garbage.len()]),
        }
        let opened = open_store(&dir);
        match opened.set_aside {
            Some((aside, why)) => assert!(aside.join("db").is_file() && !why.is_empty()),
            None => {
                kept += 1;
                assert_eq!(truth(&opened.store), expected, "{length} bytes in round {round}");
            }
        }
        drop(opened.store);
        assert_sound_in(&dir);
    }
    println!("{kept} of 60 lost nothing, the others were set aside");
}

/// What was being written but not yet confirmed may be torn: then it is not there at all.
#[test]
fn a_torn_tail_that_was_not_confirmed_costs_nothing_else() {
    let room = Room::new();
    let images = tempfile::tempdir().unwrap();
    for act in &acts() {
        act(&room);
    }
    let before = (truth(room.store()), written_end(&room.dir().join("db")));
    let (from, to) = (room.dir(), images.path().join("whole"));
    let target = to.clone();
    after_each_barrier(room.store(), move || copy_folder(&from, &target).unwrap());
    room.queue().push_all((0..20).map(|_| new_item("c")).collect()).unwrap();
    let after = truth(room.store());
    let end = written_end(&to.join("db"));
    assert!(end > before.1);
    let mut rolled_back = 0;
    for round in 0..40 {
        let dir = images.path().join(round.to_string()).join("work");
        copy_folder(&to, &dir).unwrap();
        cut(&dir.join("db"), before.1 + (end - before.1) * round / 40);
        let opened = open_store(&dir);
        assert!(opened.set_aside.is_none(), "round {round}: {:?}", opened.set_aside);
        let there = truth(&opened.store);
        assert!(there == before.0 || there == after, "half there in round {round}");
        rolled_back += usize::from(there == before.0);
        drop(opened.store);
        assert_sound_in(&dir);
    }
    assert!(rolled_back > 0);
}
