use std::time::Duration;

use storage::work::item::ItemId;
use storage::work::queue::{Account, Claim, Settlement};
use strongroom::work::{Done, Job, Policy, Step};

use crate::harness::{Acted, Rig, World, only, passing, secs, stage};

const LEASE: Duration = Policy::DISK.lease;

fn claim(rig: &Rig, topic: &str) -> Claim {
    rig.queue().claim(topic, 1, LEASE).unwrap().pop().expect("there is something to claim")
}

/// The item a crash or a hang happens to, in the middle of its attempt.
fn under_way(rig: &Rig) -> (ItemId, Claim) {
    let id = rig.push("a");
    (id, claim(rig, "a"))
}

#[test]
fn an_item_of_a_dead_process_resumes_at_once() {
    let mut rig = Rig::new(only(vec![passing("a")]));
    let (id, _lease) = under_way(&rig);
    rig.restart();
    let strikes = rig.strikes(id);
    assert_eq!((rig.word(id), strikes.attempts, strikes.crashes), ("ready", 0, 1));
    assert!(rig.item(id).note.starts_with("the program stopped while this was under way"));
    assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
    assert_eq!(rig.outcomes(id), ["stopped", "finished"]);
}

#[test]
fn an_item_that_takes_the_process_down_too_often_is_parked() {
    let mut rig = Rig::new(only(vec![passing("a")]));
    let id = rig.push("a");
    for crashes in 1..=6 {
        drop(claim(&rig, "a"));
        rig.restart();
        assert_eq!(rig.strikes(id).crashes, crashes);
    }
    rig.drain();
    let reason = rig.reason(id);
    assert_eq!((rig.word(id), reason.code.as_str()), ("parked", "process-died"));
    assert_eq!(
        reason.happened,
        "The program died 6 times while this was under way, 3 times while nothing else was."
    );
    assert!(rig.app().said().is_empty(), "it was not tried again");
    rig.controls().requeue(id, None, "ann").unwrap();
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn five_crashes_may_be_power_cuts() {
    let mut rig = Rig::new(only(vec![passing("a")]));
    let id = rig.push("a");
    for _ in 0..5 {
        drop(claim(&rig, "a"));
        rig.restart();
    }
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn a_hung_attempt_is_taken_back_after_its_lease_and_counts() {
    let rig = Rig::new(only(vec![passing("a")]));
    let (id, hung) = under_way(&rig);
    rig.clock.advance(LEASE - secs(1));
    assert_eq!(rig.queue().reap().unwrap(), 0);
    assert_eq!(rig.step(), Step::Idle);
    rig.clock.advance(secs(1));
    assert_eq!(rig.queue().reap().unwrap(), 1);
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("ready", 1));
    rig.drain();
    assert_eq!(rig.outcomes(id), ["hung", "finished"]);
    assert!(rig.queue().settle(hung.lease, &Settlement::Finish, Account::default()).is_err());
}

#[test]
fn an_item_that_only_ever_hangs_is_parked() {
    let rig = Rig::new(only(vec![passing("a")]));
    let id = rig.push("a");
    for _ in 0..3 {
        drop(claim(&rig, "a"));
        rig.clock.advance(LEASE);
        assert_eq!(rig.queue().reap().unwrap(), 1);
    }
    rig.drain();
    let reason = rig.reason(id);
    assert_eq!((rig.word(id), reason.code.as_str()), ("parked", "no-sign-of-life"));
    assert_eq!(reason.happened, "3 attempts ended without a sign of life.");
    assert!(rig.app().said().is_empty());
}

/// A stage that loses its lease in the middle: time passes, the lease is reaped, and if `taken`
/// another worker claims the item. `seen` decides whether a checkpoint follows.
fn overtaken(taken: bool, seen: bool) -> Acted<World> {
    stage("a", move |job: &Job<'_, World>| {
        if job.app.count("a") > 0 {
            return Ok(Done::Advance);
        }
        job.app.say("a");
        job.note("written by a worker that was overtaken");
        job.app.clock.advance(LEASE);
        let shop = job.app.shop();
        assert_eq!(shop.queue.reap().unwrap(), 1);
        if taken {
            drop(shop.queue.claim("a", 1, LEASE).unwrap().pop().unwrap());
        }
        if seen {
            job.checkpoint()?;
            job.app.say("went on");
        }
        Ok(Done::Advance)
    })
}

#[test]
fn an_overtaken_worker_writes_nothing() {
    for (taken, seen) in [(false, false), (false, true), (true, false), (true, true)] {
        let rig = Rig::new(only(vec![overtaken(taken, seen), passing("b")]));
        let id = rig.push("a");
        assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
        let word = if taken { "leased" } else { "ready" };
        assert_eq!(rig.at(id), (word, "a".into()), "{taken} {seen}");
        assert_eq!(rig.outcomes(id), ["hung"], "{taken} {seen}");
        assert!(rig.item(id).note.starts_with("its worker gave no sign of life"));
        assert_eq!(rig.app().said(), ["a"], "the checkpoint ends it");
        rig.clock.advance(LEASE);
        rig.queue().reap().unwrap();
        rig.drain();
        assert_eq!(rig.at(id), ("finished", "b".into()));
    }
}

#[test]
fn checkpoints_keep_the_lease_over_a_long_run() {
    let stage = stage("a", |job: &Job<'_, World>| {
        for _ in 0..100 {
            job.app.clock.advance(LEASE / 2);
            job.checkpoint()?;
            assert_eq!(job.app.shop().queue.reap().unwrap(), 0, "nobody may take it");
        }
        Ok(Done::Advance)
    });
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!((rig.word(id), rig.outcomes(id)), ("finished", vec!["finished".to_owned()]));
    assert_eq!(rig.history(id)[0].finished.since(rig.history(id)[0].started), LEASE * 50);
}

#[test]
fn a_disk_without_room_stops_the_giving_out_and_work_goes_on_after() {
    let rig = Rig::new(only(vec![passing("a")]));
    let ids: Vec<_> = (0..9).map(|_| rig.push("a")).collect();
    rig.step();
    rig.step();
    rig.app().fill_disk(true);
    assert!(!rig.shop().takes_work());
    assert_eq!(rig.step(), Step::Idle);
    let counts = rig.queue().topic("a").unwrap().counts;
    assert_eq!((counts.leased, counts.ready), (0, 7), "nothing is held meanwhile");
    rig.app().fill_disk(false);
    assert_eq!(rig.drain(), 7);
    assert!(ids.iter().all(|id| rig.word(*id) == "finished" && rig.strikes(*id).attempts <= 1));
}
