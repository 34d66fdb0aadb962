//! Waiting shows since when and for what, and a replica that takes no writes is not there because it
//! can be read.

use std::path::Path;
use std::sync::Arc;

use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::vaults::Standing;

use super::site::{MIXED, rig_at};
use super::{LETTERS, bag, deposit, deposit_letters, write_tar};
use crate::harness::{Rig, secs};
use crate::s3::{Door, Ill};

/// The name of the small file.
const PROBE: &str = "write-probe";

fn standing(rig: &Rig<App>) -> Standing {
    let standings = rig.app().vaults.standings();
    standings.into_iter().find(|it| it.name == "b").unwrap().standing
}

#[test]
fn a_bucket_that_refuses_writes_is_away_until_a_write_works_though_it_can_be_read() {
    let door = Arc::new(Door::default());
    let mut rig = rig_at(FLOWS, MIXED, &door);
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!((rig.word(first), standing(&rig)), ("finished", Standing::There));

    door.writes_meet(Some(Ill::Busy));
    let make = |path: &Path| write_tar(path, "more", &bag(LETTERS));
    let id = deposit(&rig, "more.tar", make).unwrap();
    rig.drain();
    let item = rig.item(id);
    let wait = item.waiting.clone().expect("it says what it waits for");
    assert_eq!((item.state.word(), &*wait.cause, &*wait.what), ("delayed", "replica-away", "b"));
    assert!(matches!(standing(&rig), Standing::Away(_)), "{:?}", standing(&rig));

    // From here on nothing is asked twice by the client, which costs no time.
    door.writes_meet(Some(Ill::Odd));
    assert!(rig.app().vaults.reach("b").unwrap().is_ok(), "it can be read");
    assert!(matches!(standing(&rig), Standing::Away(_)), "a read says nothing about writes");
    rig.app().vaults.look();
    assert!(matches!(standing(&rig), Standing::Away(_)), "a small file could not be written");
    rig.clock.advance(secs(61));
    rig.drain();
    let again = rig.item(id).waiting.clone().unwrap();
    assert_eq!((again.since, again.looks), (wait.since, wait.looks + 1));
    rig.app().copy().unwrap();
    let row = rig.app().registry.item(i64::try_from(id.0).unwrap()).unwrap().unwrap();
    assert_eq!(row.waiting_since, Some(wait.since));
    assert_eq!(row.waiting_for.as_deref(), Some("replica-away b"));
    // A restart forgets neither, nor that writing has failed.
    rig.restart();
    assert_eq!(rig.item(id).waiting, Some(again));
    assert!(rig.app().vaults.reach("b").unwrap().is_ok(), "it can be read");
    assert_ne!(
        standing(&rig),
        Standing::There,
        "a read after the restart says nothing about writes"
    );
    rig.app().vaults.look();
    assert!(matches!(standing(&rig), Standing::Away(_)), "a small file could not be written");
    rig.clock.advance(secs(61));
    rig.drain();
    assert!(matches!(standing(&rig), Standing::Away(_)), "{:?}", standing(&rig));

    door.writes_meet(None);
    rig.app().vaults.look();
    assert_eq!(standing(&rig), Standing::There, "a small file was written");
    let probed = door.requests().iter().any(|it| it.starts_with("PUT") && it.contains(PROBE));
    let left = rig.dir().join("s3/bucket-b/extensions/strongroom-replica/parts").join(PROBE);
    assert!(probed && !left.try_exists().unwrap(), "it was written, and removed again");
    rig.drain_all();
    assert_eq!((rig.word(id), rig.item(id).waiting), ("finished", None));
}
