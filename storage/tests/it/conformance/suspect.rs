use std::time::Duration;

use storage::work::item::{ItemId, Strikes};
use storage::work::queue::{ALONE_MOST, Charge, HOLD_BACK, NewItem, Settlement};

use crate::room::{HOLD, Room, new_item};

/// Lets the process die while everything in line at `a` is under way, as often as makes suspects.
fn suspects(room: &mut Room, count: usize) -> Vec<ItemId> {
    let ids: Vec<_> = (0..count).map(|_| room.push("a")).collect();
    for _ in 0..Strikes::SUSPECT {
        assert_eq!(room.line("a"), ids);
        room.restart();
    }
    ids
}

fn crashes(room: &Room, id: ItemId) -> u16 {
    room.item(id).strikes.crashes
}

#[test]
fn an_item_under_way_at_several_deaths_is_claimed_before_others_and_alone() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 2);
    let other = room.push("b");
    assert!(room.item(ids[0]).note.contains("3 times"), "{}", room.item(ids[0]).note);
    assert!(room.claim_if_any("b").is_none(), "suspects come first");
    assert_eq!(room.line("a"), [ids[0]], "one at a time");
    assert!(room.claim_if_any("b").is_none() && room.claim_if_any("a").is_none());
    room.assert_sound();
    room.restart();
    assert_eq!((crashes(&room, ids[0]), crashes(&room, ids[1])), (4, 3));
    let first = room.claim("a");
    assert_eq!(first.item.id, ids[0]);
    room.settle(first, &Settlement::Advance { to: "b".into() });
    assert_eq!(crashes(&room, ids[0]), 0);
    assert!(room.claim_if_any("b").is_none(), "the second suspect is next");
    let second = room.claim("a");
    room.settle(second, &Settlement::Finish);
    assert_eq!(room.line("b"), [other, ids[0]], "then everybody");
}

#[test]
fn a_suspect_that_waits_or_fails_alone_is_none_any_more_and_one_that_was_interrupted_is() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 3);
    let later = room.later(30);
    for charge in [Charge::Free, Charge::Attempt] {
        let claim = room.claim("a");
        let id = claim.item.id;
        room.settle(claim, &Settlement::Retry { at: later, charge });
        assert_eq!(crashes(&room, id), 0);
    }
    let claim = room.claim("a");
    room.settle(claim, &Settlement::Retry { at: room.now(), charge: Charge::Free });
    assert_eq!(crashes(&room, ids[2]), 3);
}

#[test]
fn a_suspect_waits_for_work_that_is_under_way_and_holds_new_claims_back_for_a_while_only() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 1);
    room.queue().pause("a", true).unwrap();
    let (long, other) = (room.push("b"), room.push("b"));
    let under_way = room.claim("b");
    assert_eq!(under_way.item.id, long, "a paused topic holds nobody back");
    room.queue().pause("a", false).unwrap();
    assert!(room.claim_if_any("a").is_none(), "something else is under way");
    assert!(room.claim_if_any("b").is_none(), "new claims are held back");
    room.clock.advance(HOLD_BACK - Duration::from_secs(1));
    assert!(room.claim_if_any("a").is_none() && room.claim_if_any("b").is_none());
    room.clock.advance(Duration::from_secs(1));
    assert_eq!(room.line("a"), ids, "beside what has lived for that long");
    assert!(room.claim_if_any("b").is_none(), "and beside nothing else");
    room.clock.advance(ALONE_MOST);
    assert_eq!(room.line("b"), [other], "a long attempt lets others in");
    room.assert_sound();
}

#[test]
fn a_suspect_begins_when_the_last_other_has_ended() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 1);
    room.queue().pause("a", true).unwrap();
    room.push("b");
    let other = room.claim("b");
    room.queue().pause("a", false).unwrap();
    assert!(room.claim_if_any("a").is_none());
    room.settle(other, &Settlement::Finish);
    assert_eq!(room.line("a"), ids);
}

#[test]
fn a_suspect_that_is_cancelled_or_outlives_its_time_holds_nobody_back() {
    let mut room = Room::new();
    let expires = Some(room.later(100));
    let brief = room.queue().push(NewItem { expires, ..new_item("a") }).unwrap().id;
    let cancelled = room.push("a");
    for _ in 0..Strikes::SUSPECT {
        assert_eq!(room.line("a"), [brief, cancelled]);
        room.restart();
    }
    let other = room.push("b");
    room.queue().cancel(cancelled, "not wanted", None).unwrap();
    room.advance(200);
    assert!(room.claim_if_any("a").is_none());
    assert_eq!(room.item(brief).state.word(), "expired");
    assert_eq!(room.line("b"), [other]);
}

#[test]
fn a_suspect_deep_in_line_is_found_when_its_turn_comes() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 1);
    let urgent = NewItem { priority: 9, ..new_item("a") };
    room.queue().push_all(vec![urgent; 1100]).unwrap();
    room.restart();
    // The suspect is behind what a start looks at.
    let claims = room.queue().claim("a", 2000, HOLD).unwrap();
    assert_eq!(claims.len(), 1100);
    assert!(room.claim_if_any("a").is_none(), "others are under way");
    for claim in claims {
        room.settle(claim, &Settlement::Finish);
    }
    assert_eq!(room.line("a"), ids);
}

#[test]
fn a_topic_that_nobody_works_at_holds_the_rest_back_for_a_while_only() {
    let mut room = Room::new();
    suspects(&mut room, 1);
    let other = room.push("b");
    assert!(room.claim_if_any("b").is_none());
    room.clock.advance(HOLD_BACK);
    assert_eq!(room.line("b"), [other]);
}

#[test]
fn deaths_beside_other_work_are_not_counted_as_those_of_a_suspect_alone() {
    let mut room = Room::new();
    let ids = suspects(&mut room, 1);
    for death in 1..=3 {
        room.queue().pause("a", true).unwrap();
        let long = room.push("b");
        assert_eq!(room.claim("b").item.id, long);
        room.queue().pause("a", false).unwrap();
        assert!(room.claim_if_any("a").is_none());
        room.clock.advance(HOLD_BACK);
        assert!(room.claim_if_any("b").is_none());
        assert_eq!(room.line("a"), ids, "beside the long one");
        room.restart();
        let strikes = room.item(ids[0]).strikes;
        assert_eq!((strikes.crashes, strikes.alone), (Strikes::SUSPECT + death, 0));
        assert!(strikes.is_suspect(), "it was never alone");
        // The long one ends.
        room.queue().pause("a", true).unwrap();
        let ended = room.claim("b");
        room.settle(ended, &Settlement::Finish);
        room.queue().pause("a", false).unwrap();
    }
    for death in 1..=Strikes::ALONE {
        assert_eq!(room.line("a"), ids);
        room.restart();
        assert_eq!(room.item(ids[0]).strikes.alone, death);
    }
    assert!(room.item(ids[0]).strikes.is_condemned());
}
