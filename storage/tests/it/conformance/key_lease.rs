use std::sync::Arc;

use storage::Error;
use storage::work::lease::KeyLeases;

use crate::room::{HOLD, Room};

fn leases(room: &Room) -> KeyLeases {
    KeyLeases::new(Arc::clone(room.store()), Arc::clone(&room.clock) as _)
}

fn keys(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

#[test]
fn an_overlap_fails_whole() {
    let room = Room::new();
    let leases = leases(&room);
    leases.create("pages", "one", "ann", keys(&["a", "b"]), HOLD).unwrap();
    let refused = leases.create("pages", "two", "bob", keys(&["c", "b", "d"]), HOLD).unwrap_err();
    let Error::Overlap { key, holder, until } = &refused else { panic!("{refused}") };
    assert_eq!((key.as_str(), holder.as_str(), *until), ("b", "ann", room.later(60)));
    assert_eq!(leases.holder("pages", b"c").unwrap(), None);
    assert_eq!(leases.get("pages", "two").unwrap(), None);
    leases.create("other", "two", "bob", keys(&["b"]), HOLD).unwrap();
    room.assert_sound();
}

#[test]
fn an_expired_lease_in_the_way_is_put_aside_whole() {
    let room = Room::new();
    let leases = leases(&room);
    leases.create("pages", "one", "ann", keys(&["a", "b", "c"]), HOLD).unwrap();
    room.advance(60);
    leases.create("pages", "two", "bob", keys(&["b", "b"]), HOLD).unwrap();
    assert_eq!(leases.get("pages", "one").unwrap(), None);
    assert_eq!(leases.holder("pages", b"a").unwrap(), None);
    assert_eq!(leases.holder("pages", b"b").unwrap().unwrap().holder, "bob");
    room.assert_sound();
}

#[test]
fn a_lease_is_extended_revoked_and_expired_and_survives_a_restart() {
    let mut room = Room::new();
    leases(&room).create("pages", "one", "ann", keys(&["a"]), HOLD).unwrap();
    room.restart();
    let leases = leases(&room);
    room.advance(50);
    let longer = leases.extend("pages", "one", HOLD).unwrap().unwrap();
    assert_eq!((longer.expires, longer.renewals), (room.later(60), 1));
    room.advance(59);
    assert_eq!(leases.expire("pages", 10).unwrap(), []);
    room.advance(1);
    assert_eq!(leases.holder("pages", b"a").unwrap(), None);
    assert_eq!(leases.extend("pages", "one", HOLD).unwrap(), None, "too late");
    assert_eq!(leases.expire("pages", 10).unwrap(), [longer]);
    assert_eq!(leases.list("pages", None, 10).unwrap(), []);

    leases.create("pages", "two", "bob", keys(&["a"]), HOLD).unwrap();
    assert!(leases.revoke("pages", "two").unwrap().is_some());
    assert_eq!(leases.holder("pages", b"a").unwrap(), None);
    room.assert_sound();
}

#[test]
fn unknown_and_malformed_leases_change_nothing() {
    let room = Room::new();
    let leases = leases(&room);
    assert_eq!(leases.extend("pages", "none", HOLD).unwrap(), None);
    assert_eq!(leases.revoke("pages", "none").unwrap(), None);
    leases.create("pages", "one", "ann", keys(&["a"]), HOLD).unwrap();
    assert!(leases.create("pages", "one", "ann", keys(&["z"]), HOLD).is_err(), "name taken");
    assert!(leases.create("pages", "two", "ann", vec![], HOLD).is_err());
    assert!(leases.create("pages", "two", "ann", vec![vec![0; 1025]], HOLD).is_err());
    assert!(leases.create("Pages", "two", "ann", keys(&["z"]), HOLD).is_err());
    assert_eq!(leases.list("pages", None, 10).unwrap().len(), 1);
}

#[test]
fn the_largest_lease_can_be_made_read_and_ended() {
    let room = Room::new();
    let leases = leases(&room);
    let keys: Vec<_> =
        (0..10_000_u32).map(|at| [&at.to_be_bytes()[..], &[7; 1020]].concat()).collect();
    leases.create("pages", "vast", "ann", keys.clone(), HOLD).unwrap();
    assert_eq!(leases.holder("pages", &keys[9_999]).unwrap().unwrap().keys.len(), 10_000);
    assert!(leases.revoke("pages", "vast").unwrap().is_some());
    assert_eq!(leases.holder("pages", &keys[0]).unwrap(), None);
    room.assert_sound();
}

#[test]
fn pages_of_leases_follow_one_another() {
    let room = Room::new();
    let leases = leases(&room);
    for name in ["a", "b", "c"] {
        leases.create("pages", name, "ann", keys(&[name]), HOLD).unwrap();
    }
    let names = |after| {
        let page = leases.list("pages", after, 2).unwrap();
        page.into_iter().map(|lease| lease.id).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["a", "b"]);
    assert_eq!(names(Some("b")), ["c"]);
}
