use std::sync::Arc;
use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use strongroom::fault::Fault;
use strongroom::work::{Flow, Sweep, Sweeper, Swept};

use crate::harness::{Rig, World, leak, only, passing, secs, transient};

const EVERY: Duration = Duration::from_secs(3600);

/// Says its name every hour; fails or panics while the world says so.
struct Hourly(&'static str);

impl Sweep<World> for Hourly {
    fn name(&self) -> &'static str {
        self.0
    }

    fn about(&self) -> &'static str {
        "Counts."
    }
    fn every(&self, _: &World) -> Duration {
        EVERY
    }
    fn sweep(&self, app: &World, _: usize) -> Result<Swept, Fault> {
        app.say(self.0);
        if app.count("break") > app.count("mend") {
            return Err(transient("away"));
        }
        assert!(app.count("panic") == 0, "the sweep is broken");
        Ok(Swept { made: 0, note: "nothing to do".into() })
    }
}

fn rig() -> Rig {
    let flows: &'static [Flow<World>] = only(vec![passing("a")]);
    Rig::new(flows)
}

/// Two sweeps, as a sweeper of the rig's present run would do them.
fn sweep(rig: &Rig) -> Timestamp {
    let sweeps: &'static [&'static dyn Sweep<World>] = leak(vec![&Hourly("one"), &Hourly("two")]);
    Sweeper::new(rig.shared_app(), Arc::clone(rig.shop()), sweeps).step()
}

#[test]
fn a_sweep_runs_when_it_is_due_and_leaves_a_note() {
    let rig = rig();
    let now = rig.clock.now();
    let next = sweep(&rig);
    assert_eq!(rig.app().said(), ["one", "two"]);
    assert_eq!(next, now.after(secs(60)), "the sweeper looks again within a minute");
    let schedule = rig.queue().store().schedule("one").unwrap().unwrap();
    assert_eq!((schedule.last_run, schedule.next_run), (Some(now), now.after(EVERY)));
    assert_eq!((schedule.last_outcome.as_str(), schedule.runs), ("nothing to do", 1));
    rig.clock.advance(EVERY - secs(1));
    let next = sweep(&rig);
    assert_eq!(rig.app().count("one"), 1, "not due yet");
    assert_eq!(next, now.after(EVERY));
    rig.clock.advance(secs(1));
    sweep(&rig);
    assert_eq!(rig.app().count("one"), 2);
}

#[test]
fn a_restart_repeats_no_sweep_and_skips_none() {
    let mut rig = rig();
    sweep(&rig);
    rig.restart();
    sweep(&rig);
    assert_eq!(rig.app().count("one"), 1);
    rig.clock.advance(EVERY * 5);
    rig.restart();
    sweep(&rig);
    assert_eq!(rig.app().count("one"), 2);
}

#[test]
fn a_failed_sweep_comes_again_sooner_and_does_not_hold_up_the_next() {
    let rig = rig();
    rig.app().say("break");
    let failed = rig.clock.now();
    sweep(&rig);
    assert_eq!(rig.app().said(), ["break", "one", "two"]);
    let schedule = rig.queue().store().schedule("one").unwrap().unwrap();
    assert_eq!(schedule.last_outcome, "failed: the replica is away");
    assert_eq!(schedule.next_run, failed.after(secs(60)));
    rig.app().say("mend");
    rig.clock.advance(secs(60));
    sweep(&rig);
    assert_eq!(rig.app().count("one"), 2);
    let schedule = rig.queue().store().schedule("one").unwrap().unwrap();
    assert_eq!(schedule.next_run, rig.clock.now().after(EVERY));
}

#[test]
fn a_sweep_that_panics_is_a_failed_sweep() {
    let rig = rig();
    rig.app().say("panic");
    sweep(&rig);
    assert_eq!(rig.app().said(), ["panic", "one", "two"]);
    let schedule = rig.queue().store().schedule("two").unwrap().unwrap();
    assert_eq!(schedule.last_outcome, "failed: a mistake in the program: the sweep is broken");
}

#[test]
fn a_clock_that_jumps_back_does_not_put_a_sweep_off_for_ever() {
    let rig = rig();
    sweep(&rig);
    rig.clock.jump_to(Timestamp(rig.clock.now().0 - 10 * 86_400_000));
    for hour in 0..5 {
        sweep(&rig);
        assert!(rig.app().count("one") > hour, "hour {hour}: {:?}", rig.app().said());
        rig.clock.advance(EVERY);
    }
    assert!(rig.app().count("one") <= 7, "{:?}", rig.app().said());
}

#[test]
fn a_sweep_waits_while_no_work_is_taken() {
    let rig = rig();
    rig.app().fill_disk(true);
    sweep(&rig);
    assert!(rig.app().said().is_empty());
    rig.app().fill_disk(false);
    sweep(&rig);
    assert_eq!(rig.app().said(), ["one", "two"]);
}
