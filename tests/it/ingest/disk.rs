//! Disks that fill up, go away or become read-only under a deposit on its way, at every point where
//! a stage says where it is. Mounting needs rights: where there are none, these tests say so.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::site::{FOLDERS, deposits, home, rig_at, story};
use crate::harness::Rig;
use crate::room::SmallDisk;
use crate::s3::Door;

fn rig() -> Rig<App> {
    rig_at(FLOWS, FOLDERS, &Arc::new(Door::default()))
}

/// What came of a story that was struck.
pub(super) struct Told {
    pub(super) held: String,
    /// The word for the item's state, and what was said, when nothing went on any more.
    left: Option<(&'static str, String)>,
    /// What people were told after it was mended.
    pub(super) parked: Vec<String>,
    pub(super) checkpoints: usize,
}

/// Both deposits; at one of their checkpoints someone strikes, and mends it when nothing goes on.
pub(super) fn struck(
    rig: &mut Rig<App>,
    at: usize,
    strike: impl Fn() + Send + Sync + 'static,
    mend: &dyn Fn(),
) -> Told {
    let passed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&passed);
    rig.shop().at_every_checkpoint(move || {
        if count.fetch_add(1, Ordering::SeqCst) + 1 == at {
            strike();
        }
    });
    let (mut is_mended, mut left, mut parked) = (false, None, Vec::new());
    let mut walk = |rig: &mut Rig<App>, id: ItemId| {
        rig.drain();
        if !is_mended && passed.load(Ordering::SeqCst) >= at {
            is_mended = true;
            left = Some((rig.word(id), rig.item(id).note));
            mend();
        }
        parked.extend(home(rig, id));
    };
    let held = story(rig, &deposits(false), &mut walk);
    Told { held, left, parked, checkpoints: passed.load(Ordering::SeqCst) }
}

fn calm() -> Told {
    struck(&mut rig(), usize::MAX, || {}, &|| {})
}

/// Strikes at every checkpoint in turn; each end is the calm one. `expected` says how an item may be
/// left that could not go on. Returns how many could not.
fn at_every_checkpoint(one: &dyn Fn(usize) -> Told, expected: (&str, &str)) -> usize {
    let calm = calm();
    let mut stopped = 0;
    for at in 1..=calm.checkpoints {
        let told = one(at);
        assert_eq!(told.held, calm.held, "struck at checkpoint {at}: {:?}", told.left);
        let (word, note) = told.left.unwrap();
        if word == "finished" {
            continue;
        }
        stopped += 1;
        assert_eq!(word, expected.0, "at checkpoint {at}: {note}");
        assert!(note.contains(expected.1), "at checkpoint {at}: {note}");
        let asked = usize::from(word == "parked");
        assert_eq!(told.parked.len(), asked, "at checkpoint {at}: {:?}", told.parked);
    }
    println!("{stopped} of {} checkpoints", calm.checkpoints);
    stopped
}

#[test]
fn a_replica_that_goes_away_in_mid_copy_is_waited_for() {
    let one = |at| {
        let mut rig = rig();
        let vault = rig.app().config.data.join("vault");
        let (place, aside) = (vault.join("b"), vault.join("aside"));
        let (from, to) = (place.clone(), aside.clone());
        // Before the first deposit is copied there is nothing to take away. What is left behind is
        // the empty folder that a disk was mounted on.
        let strike = move || {
            if from.try_exists().unwrap() {
                byteio::durable::rename(&from, &to).unwrap();
                fs::create_dir(&from).unwrap();
            }
        };
        struck(&mut rig, at, strike, &|| {
            if aside.try_exists().unwrap() {
                fs::remove_dir(&place).expect("nothing was written under the mount");
                byteio::durable::rename(&aside, &place).unwrap();
            }
        })
    };
    assert!(at_every_checkpoint(&one, ("delayed", "is away")) > 5);
}

/// A small disk for one part of the data directory; `None` with the reason where none can be had.
fn small_disk(rig: &Rig<App>, part: &str) -> Option<Arc<SmallDisk>> {
    let small = rig.dir().join("small");
    fs::create_dir(&small).unwrap();
    let Some(disk) = SmallDisk::mount(&small, "1m") else {
        println!("skipped: mounting a small file system is not allowed here");
        return None;
    };
    let (place, inside) = (rig.app().config.data.join(part), small.join("inside"));
    fs::create_dir(&inside).unwrap();
    byteio::durable::create_folder(place.parent().unwrap()).unwrap();
    drop(fs::remove_dir(&place));
    symlink(&inside, &place).unwrap();
    Some(Arc::new(disk))
}

fn can_mount() -> bool {
    small_disk(&rig(), "vault/b").is_some()
}

/// Fills the disk of a part at a checkpoint.
fn filled(part: &str) -> impl Fn(usize) -> Told {
    move |at| {
        let mut rig = rig();
        let disk = small_disk(&rig, part).unwrap();
        let full = Arc::clone(&disk);
        struck(&mut rig, at, move || full.fill(), &|| disk.clear())
    }
}

#[test]
fn full_disk_under_a_replica_is_waited_for() {
    if can_mount() {
        assert!(at_every_checkpoint(&filled("vault/b"), ("delayed", "is full")) > 5);
    }
}

#[test]
fn full_disk_under_staging_is_waited_for() {
    if can_mount() {
        let full = ("delayed", "No space left");
        assert!(at_every_checkpoint(&filled("staging"), full) > 5);
        // Who waits too long is told what to do.
        let mut rig = rig();
        let disk = small_disk(&rig, "staging").unwrap();
        disk.fill();
        let is_full = Cell::new(true);
        story(&mut rig, &deposits(false), &mut |rig, id| {
            rig.drain_all();
            if is_full.take() {
                let because = rig.reason(id);
                assert_eq!(because.code, "disk-full", "{because:?}");
                disk.clear();
            }
            home(rig, id);
        });
    }
}

#[test]
fn a_replica_that_becomes_read_only_parks_at_once() {
    let one = |at| {
        let mut rig = rig();
        let disk = small_disk(&rig, "vault/b").unwrap();
        let sealed = Arc::clone(&disk);
        let strike = move || {
            // The system refuses while a file is being written; then nothing happens.
            sealed.seal(true);
        };
        struck(&mut rig, at, strike, &|| assert!(disk.seal(false)))
    };
    if can_mount() {
        assert!(at_every_checkpoint(&one, ("parked", "denies access")) > 5);
    }
}
