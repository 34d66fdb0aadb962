use storage::Error;
use storage::work::queue::{Charge, NewItem, Settlement};

use crate::room::{Room, new_item};

#[test]
fn first_in_is_first_out_within_a_priority_and_higher_priorities_go_first() {
    let room = Room::new();
    let push = |priority| room.queue().push(NewItem { priority, ..new_item("a") }).unwrap().id;
    let (low, first, second) = (push(-1), push(0), push(0));
    let (high, other_high) = (push(7), push(7));
    assert_eq!(room.line("a"), [high, other_high, first, second, low]);
    room.assert_sound();
}

#[test]
fn topics_do_not_mix() {
    let room = Room::new();
    let (one, two) = (room.push("a"), room.push("ab"));
    assert_eq!(room.line("a"), [one]);
    assert_eq!(room.line("ab"), [two]);
    assert_eq!(room.line("never-heard-of"), []);
}

#[test]
fn a_delayed_item_is_claimable_when_due_and_not_before() {
    let room = Room::new();
    let due = Some(room.later(10));
    let pushed = room.queue().push(NewItem { due, ..new_item("a") }).unwrap().id;
    let retried = room.push("a");
    let claim = room.claim("a");
    room.settle(claim, &Settlement::Retry { at: room.later(20), charge: Charge::Attempt });

    assert_eq!(room.queue().next_due("a").unwrap(), due);
    room.advance(9);
    assert_eq!(room.line("a"), []);
    room.advance(1);
    assert_eq!(room.line("a"), [pushed]);
    assert_eq!(room.queue().next_due("a").unwrap(), Some(room.later(10)));
    room.advance(10);
    assert_eq!(room.line("a"), [retried]);
    assert_eq!(room.queue().next_due("a").unwrap(), None);
    room.assert_sound();
}

#[test]
fn more_delayed_items_than_one_claim_promotes_are_all_claimed_in_the_end() {
    let room = Room::new();
    let due = Some(room.later(5));
    let items = (0..600).map(|_| NewItem { due, ..new_item("a") }).collect();
    let pushed: Vec<_> = room.queue().push_all(items).unwrap().iter().map(|it| it.id).collect();
    room.advance(5);
    let mut claimed = room.line("a");
    claimed.extend(room.line("a"));
    claimed.extend(room.line("a"));
    assert_eq!(claimed, pushed);
}

#[test]
fn an_item_that_outlived_its_time_is_put_away_at_claim_and_by_expire() {
    let room = Room::new();
    let expires = Some(room.later(10));
    let push = |due| room.queue().push(NewItem { expires, due, ..new_item("a") }).unwrap().id;
    let (at_claim, by_sweep, delayed) = (push(None), push(None), push(Some(room.later(60))));
    let lives = room.push("a");

    assert_eq!(room.queue().expire(10).unwrap(), 0);
    room.advance(10);
    assert_eq!(room.queue().expire(1).unwrap(), 1);
    assert_eq!(room.state(at_claim), "expired");
    assert_eq!(room.claim("a").item.id, lives);
    assert_eq!(room.state(by_sweep), "expired");
    assert_eq!(room.state(delayed), "delayed");
    assert_eq!(room.queue().expire(10).unwrap(), 1);
    assert_eq!(room.state(delayed), "expired");
    assert_eq!(room.queue().topic("a").unwrap().counts.expired, 3);
    room.assert_sound();
}

#[test]
fn an_item_being_worked_on_does_not_expire_but_does_when_it_waits_again() {
    let room = Room::new();
    let expires = Some(room.later(10));
    let id = room.queue().push(NewItem { expires, ..new_item("a") }).unwrap().id;
    let claim = room.claim("a");
    room.advance(20);
    assert_eq!(room.queue().expire(10).unwrap(), 0);
    room.settle(claim, &Settlement::Retry { at: room.later(30), charge: Charge::Attempt });
    assert_eq!(room.queue().expire(10).unwrap(), 1);
    assert_eq!(room.state(id), "expired");
    room.assert_sound();
}

#[test]
fn a_unique_name_is_held_by_one_live_item_at_a_time() {
    let room = Room::new();
    let named = || NewItem { unique: Some("deposit/7".into()), ..new_item("a") };
    let first = room.queue().push(named()).unwrap();
    let again = room.queue().push(named()).unwrap();
    assert!(first.new && !again.new && first.id == again.id);

    let within_one_call = room.queue().push_all(vec![named(), named()]).unwrap();
    assert!(within_one_call.iter().all(|it| it.id == first.id));

    room.settle(room.claim("a"), &Settlement::Advance { to: "b".into() });
    assert!(!room.queue().push(named()).unwrap().new);
    room.settle(room.claim("b"), &Settlement::Finish);
    let next = room.queue().push(named()).unwrap();
    assert!(next.new && next.id != first.id);
    room.assert_sound();
}

#[test]
fn what_cannot_be_stored_is_refused_whole() {
    let room = Room::new();
    for bad in [
        new_item("A topic"),
        NewItem { flow: String::new(), ..new_item("a") },
        NewItem { unique: Some("x".repeat(3000)), ..new_item("a") },
        NewItem { unique: Some("a\0b".into()), ..new_item("a") },
        NewItem { subject: storage::work::item::Subject::default(), ..new_item("a") },
    ] {
        let refused = room.queue().push_all(vec![new_item("a"), bad]);
        assert!(matches!(refused, Err(Error::Malformed { .. })), "{refused:?}");
    }
    assert_eq!(room.queue().items(None, 10).unwrap(), []);
    assert_eq!(room.line("a"), []);
}

#[test]
fn pages_of_items_follow_one_another() {
    let room = Room::new();
    let ids: Vec<_> = (0..25).map(|_| room.push("a")).collect();
    let mut seen = Vec::new();
    while let page = room.queue().items(seen.last().copied(), 10).unwrap()
        && !page.is_empty()
    {
        seen.extend(page.iter().map(|item| item.id));
    }
    assert_eq!(seen, ids);
    assert_eq!(room.queue().peek("a", 5).unwrap().len(), 5);
}
