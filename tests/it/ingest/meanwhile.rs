//! What people and clocks do while a deposit is on its way, at every point where a stage says where
//! it is: clocks jump, deposits are replaced or written to, and ingests are called off.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use storage::clock::{Clock, Timestamp};
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::disk::struck;
use super::site::{FOLDERS, MIXED, Place, all_held, deposits, home, rig_at, story};
use super::{Files, deposit, held, receiving, write_tar};
use crate::harness::{Rig, secs};
use crate::s3::Door;

fn rig(places: [Place; 2]) -> Rig<App> {
    rig_at(FLOWS, places, &Arc::new(Door::default()))
}

#[test]
fn clocks_that_jump_change_nothing() {
    const MONTH_MS: u64 = 30 * 86_400_000;
    let calm = struck(&mut rig(FOLDERS), usize::MAX, || {}, &|| {});
    for at in 1..=calm.checkpoints {
        for is_forward in [true, false] {
            let mut rig = rig(FOLDERS);
            let clock = Arc::clone(&rig.clock);
            let jump = move || {
                let now = clock.now().0;
                let then = if is_forward { now + MONTH_MS } else { now - MONTH_MS };
                clock.jump_to(Timestamp(then));
            };
            let told = struck(&mut rig, at, jump, &|| {});
            assert_eq!(told.held, calm.held, "at checkpoint {at}, forward: {is_forward}");
            assert_eq!(told.parked, Vec::<String>::new(), "at checkpoint {at}");
        }
    }
}

/// Does something to the item at a checkpoint of this rig, counted over all of its deposits.
fn act_at(rig: &Rig<App>, at: usize, act: impl Fn() + Send + Sync + 'static) -> Arc<AtomicUsize> {
    let passed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&passed);
    rig.shop().at_every_checkpoint(move || {
        if count.fetch_add(1, Ordering::SeqCst) + 1 == at {
            act();
        }
    });
    passed
}

fn put(rig: &Rig<App>, files: &[(String, Vec<u8>)]) -> ItemId {
    deposit(rig, "letters.tar", |path: &Path| write_tar(path, "letters", files)).unwrap()
}

#[test]
fn an_ingest_that_is_called_off_leaves_nothing_and_can_be_begun_again() {
    for places in [FOLDERS, MIXED] {
        let bags = deposits(false);
        let calm = {
            let mut rig = rig(places);
            story(&mut rig, &bags, &mut |rig, id| drop(home(rig, id)))
        };
        let mut called_off = 0;
        for at in 1.. {
            let rig = rig(places);
            let (shop, clock) = (Arc::downgrade(rig.shop()), Arc::clone(&rig.clock));
            let passed = act_at(&rig, at, move || {
                let shop = shop.upgrade().unwrap();
                let newest = shop.queue.items(None, usize::MAX).unwrap().pop().unwrap();
                // Refused when it is being cleaned up already.
                drop(shop.controls().cancel(newest.id, "the test"));
                // Now the checkpoint looks at the queue.
                clock.advance(secs(10));
            });
            for files in &bags {
                let id = put(&rig, files);
                rig.drain_all();
                if rig.word(id) == "cancelled" {
                    called_off += 1;
                    let left = held(&rig);
                    let is_draft = |it: &str| it.contains("/drafts/") || it.starts_with("staging ");
                    assert!(!left.lines().any(is_draft), "called off at {at}: {left}");
                    let path = receiving(&rig).join("letters.tar");
                    if path.try_exists().unwrap() {
                        std::fs::remove_file(path).unwrap();
                    }
                    let again = put(&rig, files);
                    assert_eq!(home(&rig, again), Vec::<String>::new(), "called off at {at}");
                    assert_eq!(rig.word(again), "finished");
                }
            }
            assert_eq!(all_held(&rig), calm, "called off at checkpoint {at}");
            if passed.load(Ordering::SeqCst) < at {
                break;
            }
        }
        assert!(called_off > 20, "only {called_off} were called off");
    }
}

/// How a depositor changes what was deposited.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Another file under the same name.
    Replaced,
    /// Other bytes in the same file, also where it is linked to.
    Rewritten,
}

#[test]
fn a_deposit_that_is_changed_while_it_is_read_is_never_mixed() {
    let [first, second] = deposits(false);
    let of = |bags: &[Files]| story(&mut rig(FOLDERS), bags, &mut |rig, id| drop(home(rig, id)));
    let (only_second, both) =
        (of(std::slice::from_ref(&second)), of(&[first.clone(), second.clone()]));
    for change in [Change::Replaced, Change::Rewritten] {
        let mut parked = Vec::new();
        for at in 1.. {
            let rig = rig(FOLDERS);
            let (path, files) = (receiving(&rig).join("letters.tar"), second.clone());
            let passed = act_at(&rig, at, move || match change {
                Change::Rewritten => write_tar(&path, "letters", &files),
                Change::Replaced => {
                    let part = path.with_file_name("letters.tar.part");
                    write_tar(&part, "letters", &files);
                    byteio::durable::rename(&part, &path).unwrap();
                }
            });
            let id = put(&rig, &first);
            rig.drain_all();
            if passed.load(Ordering::SeqCst) < at {
                break;
            }
            let is_kept = rig.word(id) == "finished";
            if !is_kept {
                parked.push(rig.reason(id).code);
                rig.controls().cancel(id, "the test").unwrap();
                rig.drain_all();
                assert_eq!(rig.word(id), "cancelled");
            }
            // Whatever became of the first, what lies there now is found and taken.
            let next = deposit(&rig, "letters.tar", |_| {}).unwrap();
            assert_eq!(home(&rig, next), Vec::<String>::new(), "{change:?} at {at}");
            let expected = if is_kept { &both } else { &only_second };
            assert_eq!(all_held(&rig), *expected, "{change:?} at checkpoint {at}");
        }
        let known = ["deposit-changed", "source-changed", "source-unreadable"];
        let is_known = |code: &String| known.contains(&code.as_str());
        assert!(parked.len() > 5 && parked.iter().all(is_known), "{change:?}: {parked:?}");
    }
}
