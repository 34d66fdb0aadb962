use storage::work::queue::{Charge, NewItem, Settlement};

use crate::room::{Room, new_item};

#[test]
fn items_of_a_dead_process_are_claimable_at_once_where_they_stood() {
    let mut room = Room::new();
    let (first, second, third) = (room.push("a"), room.push("a"), room.push("a"));
    let _died_with_it = room.queue().claim("a", 2, crate::room::HOLD).unwrap();
    room.restart();
    let item = room.item(first);
    assert_eq!(item.state.word(), "ready");
    assert_eq!((item.strikes.attempts, item.strikes.crashes, item.turns), (0, 1, 1));
    assert_eq!(room.queue().history(first, 10).unwrap()[0].1.outcome, "stopped");
    room.assert_sound();
    assert_eq!(room.line("a"), [first, second, third]);
    assert_eq!(room.item(first).strikes.attempts, 1);
}

#[test]
fn counts_and_ages_survive_a_restart_and_are_exact() {
    let mut room = Room::new();
    for _ in 0..6 {
        room.push("a");
        room.advance(1);
    }
    room.settle(room.claim("a"), &Settlement::Finish);
    room.settle(room.claim("a"), &Settlement::Park { because: Default::default() });
    let again = Settlement::Retry { at: room.later(900), charge: Charge::Attempt };
    room.settle(room.claim("a"), &again);
    let before = room.queue().topic("a").unwrap();
    assert_eq!(before.oldest_ms, Some(3000));
    room.restart();
    let after = room.queue().topic("a").unwrap();
    assert_eq!(after, before);
    let counts = after.counts;
    assert_eq!((counts.ready, counts.delayed, counts.leased, counts.parked), (3, 1, 0, 1));
    assert_eq!((counts.pushed, counts.claimed, counts.done), (6, 3, 1));
    assert_eq!((counts.retried, counts.parkings), (1, 1));
    assert_eq!(room.queue().topics().unwrap(), [after]);
}

#[test]
fn the_oldest_is_found_among_all_priorities_and_giving_back_does_not_make_it_young() {
    let room = Room::new();
    room.push("a");
    room.advance(10);
    room.queue().push(NewItem { priority: 9, ..new_item("a") }).unwrap();
    room.advance(5);
    let urgent = room.claim("a");
    room.settle(urgent, &Settlement::Retry { at: room.now(), charge: Charge::Free });
    assert_eq!(room.queue().topic("a").unwrap().oldest_ms, Some(15_000));
    room.queue().empty("a", "no more", None).unwrap();
    assert_eq!(room.queue().topic("a").unwrap().oldest_ms, None);
}

#[test]
fn an_item_that_waited_for_its_moment_is_as_old_as_its_place_in_line() {
    let room = Room::new();
    let due = Some(room.later(100));
    room.queue().push(NewItem { due, ..new_item("a") }).unwrap();
    room.queue().push(NewItem { due, ..new_item("a") }).unwrap();
    room.advance(100);
    let _one = room.claim("a");
    room.advance(7);
    assert_eq!(room.queue().topic("a").unwrap().oldest_ms, Some(7000));
}

#[test]
fn numbers_are_never_given_twice_and_can_be_set_above_the_registrys() {
    let mut room = Room::new();
    let first = room.push("a");
    room.queue().number_above(500).unwrap();
    room.queue().number_above(20).unwrap();
    let second = room.push("a");
    assert_eq!((first.0, second.0), (1, 501));
    for id in [first, second] {
        let ended = room.settle(room.claim("a"), &Settlement::Finish);
        assert_eq!(ended.id, id);
        room.queue().forget(&[(id, ended.revision, vec![1])]).unwrap();
    }
    room.restart();
    assert_eq!(room.push("a").0, 502);
}

#[test]
fn each_run_has_a_number_of_its_own() {
    let mut room = Room::new();
    let first = room.queue().epoch();
    room.restart();
    assert_eq!(room.queue().epoch(), first + 1);
}
