use storage::Error;
use storage::work::item::Verdict;
use storage::work::queue::{Charge, NewItem, Settlement};

use crate::room::{Room, new_item};

fn park() -> Settlement {
    Settlement::Park { because: Default::default() }
}

#[test]
fn a_paused_topic_gives_nothing_out_until_resumed_across_restarts() {
    let mut room = Room::new();
    let id = room.push("a");
    room.queue().pause("a", true).unwrap();
    assert_eq!(room.line("a"), []);
    room.restart();
    assert!(room.queue().topic("a").unwrap().counts.paused);
    assert_eq!(room.line("a"), []);
    let later = room.push("a");
    room.queue().pause("a", false).unwrap();
    room.restart();
    assert_eq!(room.line("a"), [id, later]);
    assert!(room.queue().pause("No Topic", true).is_err());
}

#[test]
fn empty_cancels_what_waits_and_nothing_else() {
    let mut room = Room::new();
    let (leased, parked) = (room.push("a"), room.push("a"));
    let _held = room.claim("a");
    room.settle(room.claim("a"), &park());
    for _ in 0..1201 {
        room.push("a");
    }
    let due = Some(room.later(60));
    room.queue().push(NewItem { due, ..new_item("a") }).unwrap();
    assert_eq!(room.queue().empty("a", "a wrong bucket", None).unwrap(), 1202);
    let counts = room.queue().topic("a").unwrap().counts;
    assert_eq!((counts.ready, counts.delayed, counts.leased, counts.parked), (0, 0, 1, 1));
    assert_eq!(counts.cancelled, 1202);
    assert_eq!((room.state(leased), room.state(parked)), ("leased", "parked"));
    room.assert_sound();
    room.restart();
    assert_eq!(room.line("a"), [leased]);
}

#[test]
fn empty_with_a_clean_up_stage_sends_everything_through_it() {
    let room = Room::new();
    let (one, two) = (room.push("a"), room.push("a"));
    assert_eq!(room.queue().empty("a", "gone", Some("tidy")).unwrap(), 2);
    assert_eq!(room.line("tidy"), [one, two]);
    assert_eq!(room.queue().topic("tidy").unwrap().counts.pushed, 2);
    assert!(room.queue().empty("a", "gone", Some("No Topic")).is_err());
}

#[test]
fn requeue_gives_a_parked_or_waiting_item_a_clean_slate_at_any_stage() {
    let room = Room::new();
    let id = room.push("b");
    room.settle(room.claim("b"), &Settlement::Retry { at: room.now(), charge: Charge::Panic });
    room.settle(room.claim("b"), &park());
    let item = room.queue().requeue(id, "a", "mended by hand").unwrap();
    assert_eq!((item.topic.as_str(), item.state.word()), ("a", "ready"));
    assert_eq!(item.strikes, Default::default());
    assert_eq!((item.turns, item.note.as_str()), (2, "mended by hand"));

    let behind = room.push("a");
    room.queue().requeue(id, "a", "again").unwrap();
    assert_eq!(room.line("a"), [behind, id]);
    let refused = room.queue().requeue(id, "a", "too soon");
    assert!(matches!(refused, Err(Error::WrongState { .. })), "{refused:?}");
    let unknown = room.queue().requeue(storage::work::item::ItemId(99), "a", "who?");
    assert!(matches!(unknown, Err(Error::NoSuchItem(_))), "{unknown:?}");
    room.assert_sound();
}

#[test]
fn cancel_ends_what_waits_at_once() {
    let room = Room::new();
    let (waiting, parked) = (room.push("a"), room.push("b"));
    room.settle(room.claim("b"), &park());
    for id in [waiting, parked] {
        let item = room.queue().cancel(id, "not wanted", None).unwrap();
        assert_eq!((item.state.word(), item.outcome.as_str()), ("cancelled", "cancelled"));
        assert!(matches!(room.queue().cancel(id, "twice", None), Err(Error::NoSuchItem(_))));
    }
    assert_eq!(room.line("a"), []);
    room.assert_sound();
}

#[test]
fn cancel_with_a_clean_up_stage_passes_through_it() {
    let room = Room::new();
    let id = room.push("a");
    let item = room.queue().cancel(id, "not wanted", Some("tidy")).unwrap();
    assert_eq!((item.topic.as_str(), &item.verdict), ("tidy", &Verdict::Cancelled));
    let item = room.settle(room.claim("tidy"), &Settlement::Finish);
    assert_eq!(item.state.word(), "cancelled");
    room.assert_sound();
}

#[test]
fn cancel_of_an_item_being_worked_on_waits_for_its_settlement() {
    for (cleanup, how, ends) in [
        (None, Settlement::Advance { to: "b".into() }, "cancelled"),
        (None, park(), "cancelled"),
        (None, Settlement::Finish, "finished"),
        (Some("tidy"), Settlement::Advance { to: "b".into() }, "ready"),
        (Some("tidy"), Settlement::Fail { because: Default::default() }, "failed"),
    ] {
        let room = Room::new();
        let id = room.push("a");
        let claim = room.claim("a");
        room.queue().cancel(id, "not wanted", cleanup).unwrap();
        assert_eq!(room.state(id), "leased");
        let item = room.settle(claim, &how);
        assert_eq!(item.state.word(), ends, "{how:?}");
        assert_eq!(item.cancel, None);
        if ends == "ready" {
            assert_eq!(
                room.settle(room.claim("tidy"), &Settlement::Finish).state.word(),
                "cancelled"
            );
        }
        room.assert_sound();
    }
}

#[test]
fn a_wish_to_cancel_is_granted_when_the_worker_is_gone() {
    let mut room = Room::new();
    let (died, hung) = (room.push("a"), room.push("b"));
    let _died = room.claim("a");
    room.queue().cancel(died, "not wanted", None).unwrap();
    room.restart();
    assert_eq!((room.state(died), room.item(died).note.as_str()), ("cancelled", "not wanted"));

    let _hung = room.claim("b");
    room.queue().cancel(hung, "not wanted", Some("tidy")).unwrap();
    room.advance(60);
    assert_eq!(room.queue().reap().unwrap(), 1);
    let item = room.item(hung);
    assert_eq!(
        (item.topic.as_str(), &item.verdict, item.cancel),
        ("tidy", &Verdict::Cancelled, None)
    );
    assert_eq!(room.settle(room.claim("tidy"), &Settlement::Finish).state.word(), "cancelled");
    room.assert_sound();
}

#[test]
fn a_clean_up_that_is_requeued_in_place_still_ends_as_was_decided() {
    let room = Room::new();
    let id = room.push("a");
    room.queue().cancel(id, "not wanted", Some("tidy")).unwrap();
    room.settle(room.claim("tidy"), &park());
    room.queue().requeue(id, "tidy", "the disk is back").unwrap();
    assert_eq!(room.settle(room.claim("tidy"), &Settlement::Finish).state.word(), "cancelled");
}

#[test]
fn the_bell_rings_when_something_may_have_become_ready() {
    let room = Room::new();
    let mut heard = room.queue().bell().count();
    let mut rang = |what: &str| {
        let count = room.queue().bell().count();
        assert!(count > heard, "{what}");
        heard = count;
    };
    let id = room.push("a");
    rang("push");
    let claim = room.claim("a");
    room.settle(claim, &Settlement::Retry { at: room.now(), charge: Charge::Free });
    rang("settle");
    room.queue().pause("a", false).unwrap();
    rang("resume");
    room.queue().requeue(id, "a", "").unwrap();
    rang("requeue");
    let _hung = room.claim("a");
    room.advance(61);
    room.queue().reap().unwrap();
    rang("reap");
}
