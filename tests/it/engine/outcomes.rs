use std::sync::atomic::{AtomicU32, Ordering};

use storage::clock::Clock;
use strongroom::fault::{Failure, Fault, Kind};
use strongroom::work::{Admit, Aftermath, Backoff, Done, Job, Policy, Step};

use crate::harness::{
    Acted, Rig, World, fatal, finding, flow_with_cleanup, leak, only, passing, secs, stage,
    transient,
};

/// A first stage that ends in these ways one after the other, then advances; two stages follow.
fn rig_ending(ends: impl Fn(u32) -> Option<Result<Done, Fault>> + Send + Sync + 'static) -> Rig {
    Rig::new(only(vec![ending(ends), passing("b"), passing("c")]))
}

fn ending(
    ends: impl Fn(u32) -> Option<Result<Done, Fault>> + Send + Sync + 'static,
) -> Acted<World> {
    let turn = AtomicU32::new(0);
    stage("a", move |job: &Job<'_, World>| {
        job.app.say("a");
        ends(turn.fetch_add(1, Ordering::SeqCst)).unwrap_or(Ok(Done::Advance))
    })
    .policy(|policy| Policy { backoff: Backoff { jitter: 0.0, ..Backoff::MINUTE }, ..policy })
}

#[test]
fn an_item_advances_through_all_stages_and_finishes() {
    let rig = rig_ending(|_| None);
    let id = rig.push("a");
    assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
    assert_eq!(rig.at(id), ("ready", "b".into()));
    assert_eq!(rig.drain(), 2);
    assert_eq!(rig.at(id), ("finished", "c".into()));
    assert_eq!(rig.app().said(), ["a", "b", "c"]);
    assert_eq!(rig.outcomes(id), ["advanced", "advanced", "finished"]);
    assert_eq!(rig.item(id).outcome, "finished");
    assert_eq!(rig.step(), Step::Idle);
}

#[test]
fn a_stage_can_finish_the_flow_early() {
    let rig = rig_ending(|_| Some(Ok(Done::Finish)));
    let id = rig.push("a");
    assert_eq!(rig.drain(), 1);
    assert_eq!(rig.at(id), ("finished", "a".into()));
}

#[test]
fn a_snooze_costs_no_attempt_however_often() {
    let snooze = || Ok(Done::Snooze { after: secs(30), why: "the tape is rewound".into() });
    let rig = rig_ending(move |turn| (turn < 10).then(snooze));
    let id = rig.push("a");
    for _ in 0..10 {
        assert_eq!(rig.drain(), 1);
        assert_eq!((rig.word(id), rig.strikes(id).attempts), ("delayed", 0));
        assert_eq!(rig.item(id).note, "the tape is rewound");
        rig.clock.advance(secs(29));
        assert_eq!(rig.step(), Step::Idle);
        rig.clock.advance(secs(1));
    }
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn a_transient_fault_is_retried_when_due_and_not_before() {
    let rig = rig_ending(|turn| (turn < 2).then(|| Err(transient("away"))));
    let id = rig.push("a");
    assert_eq!(rig.drain(), 1);
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("delayed", 1));
    assert_eq!(rig.item(id).note, "the replica is away");
    for wait in [60, 120] {
        rig.clock.advance(secs(wait - 1));
        assert_eq!(rig.step(), Step::Idle, "not due yet");
        rig.clock.advance(secs(1));
        assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
    }
    assert_eq!(rig.at(id), ("ready", "b".into()));
    assert_eq!(rig.strikes(id).attempts, 0, "a new stage is a clean slate");
    rig.drain();
    assert_eq!(rig.outcomes(id), ["retried", "retried", "advanced", "advanced", "finished"]);
}

#[test]
fn a_failure_can_ask_for_more_time_than_the_backoff() {
    let rig = rig_ending(|turn| {
        let kind = Kind::Transient { retry_after: Some(secs(600)) };
        let Fault::Failed(failure) = transient("busy") else { return None };
        (turn == 0).then_some(Err(Fault::Failed(Failure { kind, ..failure })))
    });
    let id = rig.push("a");
    rig.drain();
    rig.clock.advance(secs(599));
    assert_eq!(rig.step(), Step::Idle);
    rig.clock.advance(secs(1));
    rig.drain();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn exhausted_attempts_park_with_everything_a_person_needs() {
    let rig = rig_ending(|_| Some(Err(transient("away"))));
    let id = rig.push("a");
    assert_eq!(rig.drain_all(), 3);
    assert_eq!(rig.word(id), "parked");
    let reason = rig.reason(id);
    assert_eq!(reason.code, "away");
    assert_eq!(reason.happened, "3 times: The replica is away.");
    assert!(reason.kept.starts_with("Everything is kept"), "{reason:?}");
    assert_eq!(reason.advice, "Bring it back.");
    assert_eq!(rig.outcomes(id), ["retried", "retried", "parked"]);
}

#[test]
fn a_fatal_fault_parks_at_once() {
    let rig = rig_ending(|_| Some(Err(fatal("damaged"))));
    let id = rig.push("a");
    assert_eq!(rig.drain_all(), 1);
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "damaged"));
    assert_eq!(rig.reason(id).happened, "The replica is away.");
}

fn failing(stage: Acted<World>) -> Acted<World> {
    let fail = Aftermath::Fail;
    stage.policy(move |policy| Policy {
        on_fatal: fail,
        on_rejected: fail,
        on_exhausted: fail,
        ..policy
    })
}

#[test]
fn a_policy_can_fail_the_item_instead() {
    for fault in [|| fatal("damaged"), || transient("away"), || Fault::Rejected(vec![])] {
        let stage = failing(ending(move |_| Some(Err(fault()))));
        let rig = Rig::new(only(vec![stage, passing("b")]));
        let id = rig.push("a");
        rig.drain_all();
        assert_eq!(rig.at(id), ("failed", "a".into()));
        assert_eq!(rig.item(id).outcome, "failed");
        assert_eq!(rig.outcomes(id).last().unwrap(), "failed");
    }
}

#[test]
fn a_failing_item_passes_through_the_clean_up_stage_first() {
    let stage = failing(ending(|_| Some(Err(fatal("damaged")))));
    let stages = vec![stage, passing("b"), passing("cleanup")];
    let rig = Rig::new(leak(vec![flow_with_cleanup("test", stages)]));
    let id = rig.push("a");
    rig.step();
    assert_eq!(rig.at(id), ("ready", "cleanup".into()));
    rig.drain();
    assert_eq!(rig.at(id), ("failed", "cleanup".into()));
    assert_eq!(rig.reason(id).code, "damaged");
    assert_eq!(rig.app().said(), ["a", "cleanup"]);
    assert_eq!(rig.outcomes(id), ["failed", "failed"]);
}

#[test]
fn an_item_that_went_well_is_finished_by_the_same_clean_up_stage() {
    let stages = vec![ending(|_| None), passing("cleanup")];
    let rig = Rig::new(leak(vec![flow_with_cleanup("test", stages)]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!(rig.at(id), ("finished", "cleanup".into()));
}

#[test]
fn what_is_wrong_with_a_deposit_is_kept_with_the_attempt() {
    let rig =
        rig_ending(|_| Some(Err(Fault::Rejected(vec![finding("data/a"), finding("data/b")]))));
    let id = rig.push("a");
    rig.drain();
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "rejected"));
    let attempt = &rig.history(id)[0];
    let places: Vec<_> = attempt.findings.iter().map(|it| it.place.as_str()).collect();
    assert_eq!(places, ["data/a", "data/b"]);
    let note = "rejected: data/a: the digest is wrong. data/b: the digest is wrong.";
    assert_eq!(attempt.note, note);
}

#[test]
fn a_panic_is_retried_once_and_then_parked() {
    let rig = rig_ending(|turn| panic!("turn {turn} went wrong"));
    let id = rig.push("a");
    assert_eq!(rig.drain(), 1);
    assert_eq!((rig.word(id), rig.strikes(id).panics), ("delayed", 1));
    assert_eq!(rig.item(id).note, "a mistake in the program: turn 0 went wrong");
    assert_eq!(rig.drain_all(), 1);
    let reason = rig.reason(id);
    assert_eq!(reason.code, "panic");
    let happened = "The stage was stopped twice by a mistake in the program: turn 1 went wrong.";
    assert_eq!(reason.happened, happened);
    assert!(!reason.advice.is_empty() && !reason.kept.is_empty());
}

#[test]
fn a_panic_that_passes_does_no_harm() {
    let rig = rig_ending(|turn| (turn == 0).then(|| panic!("bad luck")));
    let id = rig.push("a");
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
}

#[test]
fn a_panic_in_the_last_attempt_is_parked_as_a_panic() {
    let rig =
        rig_ending(|turn| if turn < 2 { Some(Err(transient("away"))) } else { panic!("ouch") });
    let id = rig.push("a");
    rig.drain_all();
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "panic"));
    assert_eq!(rig.reason(id).happened, "The stage was stopped by a mistake in the program: ouch.");
}

#[test]
fn a_panic_while_admitting_is_a_panic_like_any_other() {
    let stage = passing("a").admit(|_, _| panic!("cannot even look"));
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    assert_eq!(rig.drain_all(), 2);
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "panic"));
    assert!(rig.app().said().is_empty());
}

#[test]
fn a_panic_while_estimating_is_no_one_s_business() {
    let stage = passing("a").expected(|_| panic!("no idea"));
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!((rig.word(id), rig.outcomes(id)), ("finished", vec!["finished".to_owned()]));
}

#[test]
fn an_item_not_worth_doing_is_dropped_with_the_reason() {
    let stage = passing("a").admit(|_, _| Ok(Admit::Drop("the object was deleted".into())));
    let rig = Rig::new(only(vec![stage, passing("b")]));
    let id = rig.push("a");
    assert_eq!(rig.drain(), 1);
    assert_eq!(rig.at(id), ("cancelled", "a".into()));
    assert_eq!(rig.item(id).note, "the object was deleted");
    assert_eq!(rig.history(id)[0].note, "the object was deleted");
    assert!(rig.app().said().is_empty());
}

#[test]
fn an_item_not_worth_doing_yet_waits_with_the_reason_and_at_no_cost() {
    let stage = passing("a").admit(|_, app: &World| {
        let early = app.count("looked") < 5;
        app.say("looked");
        let why = "the institution is closed".into();
        Ok(if early {
            Admit::Later { after: secs(3600), wait: ("not-yet", String::new()), why }
        } else {
            Admit::Run
        })
    });
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("delayed", 0));
    assert_eq!(rig.item(id).note, "the institution is closed");
    let before = rig.clock.now();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
    assert_eq!(rig.clock.now().since(before), secs(5 * 3600));
}

#[test]
fn a_fault_while_admitting_is_a_fault_like_any_other() {
    let stage = passing("a").admit(|_, _| Err(fatal("registry")));
    let rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    rig.drain();
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "registry"));
}

#[test]
fn a_stop_returns_the_item_at_no_cost_and_it_resumes_where_it_was() {
    const FILES: [&str; 4] = ["w", "x", "y", "z"];
    let stage = stage("a", |job: &Job<'_, World>| {
        for file in FILES {
            job.checkpoint()?;
            if job.dossier().file::<u64>(file.as_bytes())?.is_some() {
                continue;
            }
            job.app.say(file);
            job.dossier().put_files([(file.as_bytes(), &1_u64)])?;
            if file == "x" && job.app.count("stopped") == 0 {
                job.app.say("stopped");
                job.app.shop().ask_to_stop();
            }
        }
        Ok(Done::Advance)
    });
    let mut rig = Rig::new(only(vec![stage]));
    let id = rig.push("a");
    assert_eq!(rig.step(), Step::Worked { topic: "a", item: id });
    assert_eq!((rig.word(id), rig.strikes(id).attempts), ("ready", 0));
    assert!(rig.item(id).note.starts_with("the program was stopped"));
    assert_eq!(rig.step(), Step::Idle, "nothing is begun any more");
    rig.restart();
    assert_eq!(rig.strikes(id).crashes, 0, "an orderly stop is no crash");
    rig.drain();
    assert_eq!(rig.app().said(), ["w", "x", "stopped", "y", "z"]);
    assert_eq!(rig.outcomes(id), ["returned", "finished"]);
}

#[test]
fn every_wait_says_since_when_and_for_what_until_it_is_over() {
    let snooze = || Ok(Done::Snooze { after: secs(30), why: "the tape is rewound".into() });
    let rig = Rig::new(only(vec![
        stage("a", move |job: &Job<'_, World>| {
            job.app.say("a");
            match job.app.count("a") {
                1 => {}
                2 | 3 => job.waits_for("tape", "north"),
                4 => return Err(transient("away")),
                5 => job.waits_for_repair("tape", "north"),
                _ => {
                    // What was said of a wait holds only for a stage that waits.
                    job.waits_for("tape", "north");
                    return Ok(Done::Advance);
                }
            }
            snooze()
        }),
        passing("b"),
    ]));
    let id = rig.push("a");
    let mut seen = Vec::new();
    for _ in 0..6 {
        rig.step();
        let now = rig.clock.now();
        seen.push(rig.item(id).waiting.map(|wait| {
            let age = now.since(wait.since).as_secs();
            (wait.label(), age, wait.looks)
        }));
        rig.clock.advance(secs(90));
    }
    let tape = |age, looks| Some(("tape north".to_owned(), age, looks));
    assert_eq!(
        seen,
        [Some(("not-yet".into(), 0, 0)), tape(0, 0), tape(90, 0), None, tape(0, 1), None]
    );
}
