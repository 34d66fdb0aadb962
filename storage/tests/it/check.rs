//! Plants damage of every kind behind the room's back, then looks whether it is found, named and
//! mended.

use std::sync::Arc;

use byteio::record::{Record, encode};
use storage::clock::Timestamp;
use storage::work::assignment::{Assignments, NewAssignment, Spans};
use storage::work::check::{Disagreement, check};
use storage::work::item::{ItemId, WorkItem};
use storage::work::key::{Key, Tail};
use storage::work::lease::KeyLeases;
use storage::work::place::{Place, Spot, place};
use storage::work::queue::{Account, Charge, Meta, NewItem, Settlement, Topic};

use crate::room::{HOLD, Room, new_item, open_store};

/// Writes behind the room's back; it must be closed.
pub(crate) fn plant(room: &Room, tree: &str, key: &[u8], value: Option<&[u8]>) {
    // Opened and closed once, so that its file is free.
    drop(open_store(&room.dir()));
    let db = sled::open(room.dir()).unwrap();
    let tree = db.open_tree(tree).unwrap();
    match value {
        Some(value) => tree.insert(key, value).unwrap(),
        None => tree.remove(key).unwrap(),
    };
    db.flush().unwrap();
}

fn put(room: &Room, tree: &str, key: &impl Key, value: &impl Record) {
    plant(room, tree, &key.bytes(), Some(&encode(value).unwrap()));
}

fn remove(room: &Room, tree: &str, key: &impl Key) {
    plant(room, tree, &key.bytes(), None);
}

/// An item waiting in line with a name and an end, its number, and a lease over a key.
fn furnished() -> (Room, ItemId) {
    let room = Room::new();
    let item = NewItem {
        unique: Some("one of a kind".into()),
        expires: Some(room.later(600)),
        ..new_item("a")
    };
    let id = room.queue().push(item).unwrap().id;
    let leases = KeyLeases::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
    leases.create("pages", "mine", "ann", vec![b"k".to_vec(), b"l".to_vec()], HOLD).unwrap();
    let assignments = Assignments::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _);
    let new =
        NewAssignment { id: "work".into(), episode: 7, clips: vec![9], analyst: 1, taken_by: None };
    assignments.offer(new, Spans { lease: HOLD, offer: HOLD / 2 }).unwrap();
    room.assert_sound();
    (room, id)
}

fn look(room: &Room, mend: bool) -> Vec<Disagreement> {
    check(room.queue(), room.now(), mend).unwrap()
}

fn codes(found: &[Disagreement]) -> Vec<&str> {
    found.iter().map(|it| it.code.as_str()).collect()
}

/// Plants, looks, looks again without having mended, mends, and finds nothing more. Mending one
/// thing can put another right: what is mended is among what was found.
fn finds_and_mends(expected: &[&str], harm: impl FnOnce(&Room, &WorkItem)) -> Room {
    let room = finds(expected, harm);
    let mended = look(&room, true);
    assert!(mended.iter().all(|it| it.mended), "{mended:?}");
    assert!(!mended.is_empty() && codes(&mended).iter().all(|it| expected.contains(it)));
    assert_eq!(look(&room, false), []);
    room
}

fn finds(expected: &[&str], harm: impl FnOnce(&Room, &WorkItem)) -> Room {
    let (mut room, id) = furnished();
    let item = room.item(id);
    room.close();
    harm(&room, &item);
    room.restart();
    for _ in 0..2 {
        let found = look(&room, false);
        assert_eq!(codes(&found), expected, "{found:?}");
        assert!(found.iter().all(|it| !it.mended && !it.sentence.is_empty()), "{found:?}");
    }
    room
}

#[test]
fn an_item_that_is_not_in_line_is_found_and_put_back() {
    let room = finds_and_mends(&["missing-place", "wrong-count"], |room, item| {
        remove(room, "place", &place(item).unwrap());
    });
    assert_eq!(room.line("a").len(), 1);
}

#[test]
fn a_place_that_names_another_item_is_put_right() {
    let room = finds_and_mends(&["missing-place", "stray-place"], |room, item| {
        put(room, "place", &place(item).unwrap(), &ItemId(77));
    });
    assert_eq!(room.line("a").len(), 1);
}

#[test]
fn a_place_of_no_item_is_found_and_removed() {
    let room = finds_and_mends(&["stray-place", "wrong-count"], |room, _| {
        let stray = Place { topic: "a".into(), spot: Spot::Ready { rank: 0, seq: 0 } };
        put(room, "place", &stray, &ItemId(77));
    });
    assert_eq!(room.line("a").len(), 1);
}

#[test]
fn an_item_in_two_places_is_found_and_left_in_one() {
    finds_and_mends(&["stray-place", "wrong-count"], |room, item| {
        let second = Place { topic: "b".into(), spot: Spot::Parked(item.id) };
        put(room, "place", &second, &item.id);
    });
}

#[test]
fn ends_of_life_and_unique_names_are_found_and_mended() {
    finds_and_mends(&["missing-expiry"], |room, item| {
        remove(room, "expiry", &(item.expires.unwrap().0, item.id));
    });
    finds_and_mends(&["stray-expiry"], |room, item| put(room, "expiry", &(5_u64, item.id), &()));
    finds_and_mends(&["missing-unique-name"], |room, item| {
        remove(room, "unique", &item.unique.clone().unwrap());
    });
    finds_and_mends(&["stray-unique-name"], |room, item| {
        put(room, "unique", &"another".to_owned(), &item.id);
    });
}

#[test]
fn wrong_counts_are_found_and_counted_anew() {
    let room = finds_and_mends(&["wrong-count"], |room, _| {
        let wrong = Topic { ready: 5, parked: 1, pushed: 9, ..Topic::default() };
        put(room, "topic", &"a".to_owned(), &wrong);
    });
    let counts = room.queue().topic("a").unwrap().counts;
    assert_eq!((counts.ready, counts.parked, counts.pushed), (1, 0, 9));
    finds_and_mends(&["wrong-count"], |room, _| remove(room, "topic", &"a".to_owned()));
}

#[test]
fn dossiers_and_attempts_of_no_item_are_found_and_removed() {
    finds_and_mends(&["orphan-dossier"], |room, item| {
        put(room, "dossier", &(ItemId(item.id.0 + 70), 1_u8, Tail(b"data/a".to_vec())), &1_u64);
        put(room, "dossier", &(ItemId(item.id.0 + 70), 1_u8, Tail(b"data/b".to_vec())), &1_u64);
        put(room, "dossier", &(item.id, 0_u8), &1_u64);
    });
    finds_and_mends(&["orphan-attempt"], |room, _| {
        let attempt = storage::work::item::Attempt {
            topic: "a".into(),
            started: Default::default(),
            finished: Default::default(),
            outcome: "finished".into(),
            note: String::new(),
            findings: Vec::new(),
        };
        put(room, "history", &(ItemId(70), 1_u32), &attempt);
    });
}

#[test]
fn a_lease_whose_time_is_over_is_found_and_taken_back_by_the_reaper() {
    let room = Room::new();
    room.push("a");
    let _hung = room.claim("a");
    room.advance(61);
    assert_eq!(codes(&look(&room, true)), ["stale-lease"]);
    room.queue().reap().unwrap();
    assert_eq!(look(&room, false), []);
}

#[test]
fn assignments_and_their_leases_go_together() {
    let name = ("research".to_owned(), "work".to_owned());
    let both = ["stray-lease-key", "assignment-without-lease"];
    finds_and_mends(&both, |room, _| remove(room, "lease", &name));
    finds_and_mends(&["lease-without-assignment"], |room, _| {
        remove(room, "assignment", &"work".to_owned());
    });
}

#[test]
fn keys_of_leases_are_found_and_mended() {
    let held = |name: &str| ("pages".to_owned(), Tail(name.as_bytes().to_vec()));
    finds_and_mends(&["lease-without-key"], |room, _| remove(room, "lease-key", &held("k")));
    finds_and_mends(&["stray-lease-key"], |room, _| {
        put(room, "lease-key", &held("z"), &"mine".to_owned());
    });
    finds_and_mends(&["stray-lease-key"], |room, _| {
        put(room, "lease-key", &held("z"), &"nobody".to_owned());
    });
}

#[test]
fn numbers_that_would_be_given_twice_are_found_and_set_higher() {
    let room = finds_and_mends(&["item-number-reused"], |room, _| {
        put(room, "meta", &0_u8, &Meta { epoch: 1, next_item: 1 });
    });
    assert_eq!(room.push("a"), ItemId(2));
}

#[test]
fn an_item_filed_under_another_number_is_found() {
    finds(&["misfiled-item"], |room, item| {
        let ended = WorkItem { state: storage::work::item::State::Finished, ..item.clone() };
        put(room, "item", &ItemId(0), &ended);
    });
}

#[test]
fn an_unreadable_item_is_found_kept_and_taken_out_of_the_line() {
    let mut room = finds(
        &["unreadable-record", "stray-place", "stray-expiry", "stray-unique-name"],
        |room, item| {
            plant(room, "item", &item.id.bytes(), Some(&[1, 255, 255]));
            put(room, "dossier", &(item.id, 0_u8), &1_u64);
        },
    );
    let behind = room.push("a");
    let claimed = room.queue().claim("a", 1, HOLD).unwrap().pop().unwrap();
    assert_eq!(claimed.item.id, behind, "it does not hold up the line");
    let back = Settlement::Retry { at: Timestamp(0), charge: Charge::Free };
    room.queue().settle(claimed.lease, &back, Account::default()).unwrap();
    look(&room, true);
    assert_eq!(codes(&look(&room, false)), ["unreadable-record"]);
    assert_eq!(room.line("a"), [behind]);
    room.restart();
    assert_eq!(codes(&look(&room, false)), ["unreadable-record"]);
}

#[test]
fn unreadable_derived_records_are_made_again() {
    let room = finds(&["missing-place", "unreadable-record"], |room, item| {
        plant(room, "place", &place(item).unwrap().bytes(), Some(&[77]));
    });
    look(&room, true);
    assert_eq!(look(&room, false), []);
    assert_eq!(room.line("a").len(), 1);

    let room = finds(&["unreadable-record"], |room, _| plant(room, "place", b"\xff", Some(&[1])));
    look(&room, true);
    assert_eq!(look(&room, false), []);
}

#[test]
fn unreadable_records_elsewhere_are_found_and_kept() {
    for (tree, key) in [
        ("history", &[0_u8][..]),
        ("schedule", b"z\0"),
        ("pace", b"z\0"),
        ("lease", b"z\0z\0"),
        ("dossier", &[1]),
    ] {
        let room = finds(&["unreadable-record"], |room, _| plant(room, tree, key, Some(&[200])));
        assert_eq!(codes(&look(&room, true)), ["unreadable-record"], "{tree}");
        assert_eq!(codes(&look(&room, false)), ["unreadable-record"], "{tree}");
    }
}

#[test]
fn a_room_full_of_ordinary_life_has_nothing_to_mend() {
    let (room, _) = furnished();
    room.push("b");
    room.settle(room.claim("b"), &Settlement::Finish);
    room.queue().pause("c", true).unwrap();
    assert_eq!(look(&room, true), []);
}
