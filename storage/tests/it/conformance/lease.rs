use storage::work::queue::{Account, Pulse, Settlement};

use crate::room::{HOLD, Room, is_lost};

/// Every way to write with a lease is refused, and nothing about the item changes.
fn assert_powerless(room: &Room, stale: storage::work::queue::Lease) {
    let before = room.item(stale.item());
    assert!(is_lost(room.queue().beat(&stale, HOLD)));
    let id = stale.item();
    assert!(is_lost(room.queue().settle(stale, &Settlement::Finish, Account::default())));
    assert_eq!(room.item(id), before);
    room.assert_sound();
}

#[test]
fn a_lease_that_was_reaped_can_write_nothing() {
    let room = Room::new();
    room.push("a");
    let stale = room.claim("a").lease;
    room.advance(61);
    assert_eq!(room.queue().reap().unwrap(), 1);
    assert_powerless(&room, stale);
}

#[test]
fn a_lease_that_was_overtaken_can_write_nothing() {
    let room = Room::new();
    room.push("a");
    let stale = room.claim("a").lease;
    room.advance(61);
    room.queue().reap().unwrap();
    let current = room.claim("a");
    assert_powerless(&room, stale);
    room.settle(current, &Settlement::Finish);
}

#[test]
fn a_lease_of_an_earlier_run_can_write_nothing() {
    let mut room = Room::new();
    room.push("a");
    let stale = room.claim("a").lease;
    room.restart();
    let _current = room.claim("a");
    assert_powerless(&room, stale);
}

#[test]
fn a_lease_on_an_item_that_is_gone_can_write_nothing() {
    let mut room = Room::new();
    let id = room.push("a");
    let stale = room.claim("a").lease;
    room.restart();
    let ended = room.settle(room.claim("a"), &Settlement::Finish);
    room.queue().forget(&[(id, ended.revision, vec![1, 2])]).unwrap();
    assert!(is_lost(room.queue().beat(&stale, HOLD)));
    assert!(is_lost(room.queue().settle(stale, &Settlement::Finish, Account::default())));
    assert_eq!(room.queue().item(id).unwrap(), None);
    room.assert_sound();
}

#[test]
fn a_heartbeat_keeps_the_lease_and_brings_news_of_a_cancel() {
    let room = Room::new();
    let id = room.push("a");
    let claim = room.claim("a");
    for _ in 0..5 {
        room.advance(50);
        assert_eq!(room.queue().beat(&claim.lease, HOLD).unwrap(), Pulse { cancelled: false });
        assert_eq!(room.queue().reap().unwrap(), 0);
    }
    room.queue().cancel(id, "not wanted", None).unwrap();
    assert_eq!(room.queue().beat(&claim.lease, HOLD).unwrap(), Pulse { cancelled: true });
    room.settle(claim, &Settlement::Finish);
}

#[test]
fn a_hung_item_returns_to_its_place_in_line_and_the_attempt_counts() {
    let room = Room::new();
    let (hung, behind) = (room.push("a"), room.push("a"));
    let _never_settled = room.claim("a").lease;
    room.advance(59);
    assert_eq!(room.queue().reap().unwrap(), 0);
    room.advance(1);
    assert_eq!(room.queue().reap().unwrap(), 1);
    let item = room.item(hung);
    assert_eq!((item.strikes.attempts, item.strikes.crashes, item.turns), (1, 0, 1));
    assert_eq!(room.queue().history(hung, 10).unwrap()[0].1.outcome, "hung");
    assert_eq!(room.queue().topic("a").unwrap().counts.retried, 1);
    assert_eq!(room.line("a"), [hung, behind]);
}

#[test]
fn a_clock_that_jumps_back_does_not_end_leases_early_or_shorten_them() {
    let room = Room::new();
    room.push("a");
    let start = room.now();
    let claim = room.claim("a");
    room.clock.jump_to(storage::clock::Timestamp(start.0 - 3_600_000));
    assert_eq!(room.queue().reap().unwrap(), 0);
    room.queue().beat(&claim.lease, HOLD).unwrap();
    room.clock.jump_to(start);
    assert_eq!(room.queue().reap().unwrap(), 0);
    room.settle(claim, &Settlement::Finish);
    room.assert_sound();
}
