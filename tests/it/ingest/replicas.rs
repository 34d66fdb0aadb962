//! What is known of replicas without asking them: told by stages that meet them, and by a look.

use std::fs;
use std::path::{Path, PathBuf};

use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::vaults::{ReplicaStanding, Standing};

use super::{LETTERS, bag, deposit, deposit_letters, rig, write_tar};
use crate::harness::{Rig, secs};

fn standing(rig: &Rig<App>, name: &str) -> ReplicaStanding {
    rig.app().vaults.standings().into_iter().find(|it| it.name == name).unwrap()
}

/// Where replica b is, and where it is put while it is away.
fn places(rig: &Rig<App>) -> (PathBuf, PathBuf) {
    let vault = rig.app().config.data.join("vault");
    (vault.join("b"), vault.join("b-unmounted"))
}

#[test]
fn a_replica_is_unused_then_there_then_away_with_those_who_wait_then_there_again() {
    let mut rig = rig(FLOWS);
    assert_eq!(standing(&rig, "b").standing, Standing::Unused);
    // One that was never used is not asked: its folder is nobody's business yet.
    rig.app().vaults.look();
    assert_eq!(standing(&rig, "b").standing, Standing::Unused);
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(first), "finished");
    assert_eq!(standing(&rig, "b").standing, Standing::There);

    let (place, aside) = places(&rig);
    byteio::durable::rename(&place, &aside).unwrap();
    fs::create_dir(&place).unwrap();
    rig.restart();
    assert_eq!(standing(&rig, "b").standing, Standing::Unknown, "used before, not asked yet");
    let make = |path: &Path| write_tar(path, "more", &bag(LETTERS));
    let second = deposit(&rig, "more.tar", make).unwrap();
    rig.drain();
    let away = standing(&rig, "b");
    assert!(matches!(&away.standing, Standing::Away(why) if why.contains("marker")), "{away:?}");
    assert_eq!((away.waiting, away.since), (1, Some(rig.app().shop.clock.now())));
    // Waiting longer, it is away since the same moment.
    rig.clock.advance(secs(61));
    rig.drain();
    assert_eq!(standing(&rig, "b").since, away.since);
    assert_eq!(standing(&rig, "b").waiting, 1);
    assert_eq!(standing(&rig, "a").waiting, 0);

    fs::remove_dir(&place).unwrap();
    byteio::durable::rename(&aside, &place).unwrap();
    // A look sees it before the item does.
    rig.app().vaults.look();
    let there = standing(&rig, "b");
    assert_eq!((there.standing, there.waiting), (Standing::There, 1));
    assert!(there.room.is_some_and(|(free, all)| free > 0 && all >= free));
    rig.drain_all();
    assert_eq!(rig.word(second), "finished");
    assert_eq!(standing(&rig, "b").waiting, 0);
}

#[test]
fn a_look_finds_a_replica_that_went_away_and_nobody_waits_for_a_cancelled_item() {
    let mut rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    let (place, aside) = places(&rig);
    byteio::durable::rename(&place, &aside).unwrap();
    rig.app().vaults.look();
    assert!(matches!(standing(&rig, "b").standing, Standing::Away(_)));
    rig.restart();
    let make = |path: &Path| write_tar(path, "more", &bag(LETTERS));
    let second = deposit(&rig, "more.tar", make).unwrap();
    rig.drain();
    assert_eq!(standing(&rig, "b").waiting, 1);
    rig.controls().cancel(second, "not wanted").unwrap();
    rig.drain();
    assert_eq!(standing(&rig, "b").waiting, 0);
}
