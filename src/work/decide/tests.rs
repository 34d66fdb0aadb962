//! Every result, under every policy, at every count of attempts.

use std::time::Duration;

use storage::work::item::{Finding, Reason, Severity};

use super::*;
use crate::config::StageOverrides;
use crate::work::Backoff;

const NOW: Timestamp = Timestamp(1_000_000);

#[derive(Debug)]
struct Oops(&'static str);
impl std::fmt::Display for Oops {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}
impl std::error::Error for Oops {}

fn failure(kind: Kind) -> Fault {
    Fault::Failed(Failure {
        kind,
        code: "away",
        advice: "bring it back".into(),
        source: Box::new(Oops("the replica is away")),
    })
}

fn policy(aftermath: Aftermath) -> Policy {
    Policy {
        max_attempts: 3,
        backoff: Backoff { jitter: 0.0, ..Backoff::MINUTE },
        on_rejected: aftermath,
        on_fatal: aftermath,
        on_exhausted: aftermath,
        ..Policy::DISK
    }
}

/// What the table says, spelled out once more and independently of `decide`.
fn expected(tried: &Tried<'_>, case: &str) -> &'static str {
    let parks = tried.policy.on_fatal == Aftermath::Park;
    let gives_up = match (parks, tried.cleanup) {
        (true, _) => "park",
        (false, Some(_)) => "divert-failed",
        (false, None) => "fail",
    };
    match case {
        "advance" if tried.next.is_some() => "advance",
        "advance" | "finish" => "finish",
        "fail" if tried.cleanup.is_some() => "divert-failed",
        "fail" => "fail",
        "send-back" => "send-back",
        "snooze" | "interrupted" => "retry-free",
        "cancelled" if tried.cleanup.is_some() => "divert-cancelled",
        "cancelled" => "cancel",
        "lost" => "nothing",
        "rejected" | "fatal" => gives_up,
        "transient" if tried.strikes.attempts >= 3 => gives_up,
        "transient" => "retry-attempt",
        "panic" if tried.strikes.panics > 0 || tried.strikes.attempts >= 3 => "park",
        "panic" => "retry-panic",
        other => panic!("no such case: {other}"),
    }
}

fn word(settlement: Option<&Settlement>) -> &'static str {
    match settlement {
        None => "nothing",
        Some(Settlement::Advance { .. }) => "advance",
        Some(Settlement::SendBack { .. }) => "send-back",
        Some(Settlement::Finish) => "finish",
        Some(Settlement::Retry { charge: Charge::Attempt, .. }) => "retry-attempt",
        Some(Settlement::Retry { charge: Charge::Free, .. }) => "retry-free",
        Some(Settlement::Retry { charge: Charge::Panic, .. }) => "retry-panic",
        Some(Settlement::Park { .. }) => "park",
        Some(Settlement::Fail { .. }) => "fail",
        Some(Settlement::Cancel) => "cancel",
        Some(Settlement::Divert { verdict: Verdict::Failed(_), .. }) => "divert-failed",
        Some(Settlement::Divert { .. }) => "divert-cancelled",
    }
}

fn result(case: &str) -> Result<Done, Fault> {
    let finding = Finding {
        code: "x".into(),
        severity: Severity::Error,
        place: "data/a".into(),
        sentence: "wrong".into(),
    };
    match case {
        "advance" => Ok(Done::Advance),
        "finish" => Ok(Done::Finish),
        "fail" => Ok(Done::Fail(Reason {
            code: "no-intact-copy".into(),
            happened: "No copy is intact.".into(),
            kept: String::new(),
            advice: String::new(),
        })),
        "send-back" => Ok(Done::SendBack { to: "ingest01", why: "w".into() }),
        "snooze" => Ok(Done::Snooze { after: Duration::from_secs(5), why: "w".into() }),
        "interrupted" => Err(Fault::Interrupted),
        "cancelled" => Err(Fault::Cancelled),
        "lost" => Err(Fault::LeaseLost),
        "rejected" => Err(Fault::Rejected(vec![finding])),
        "fatal" => Err(failure(Kind::Fatal)),
        "transient" => Err(failure(Kind::Transient { retry_after: None })),
        "panic" => Err(Fault::Panicked("index out of bounds".into())),
        other => panic!("no such case: {other}"),
    }
}

#[test]
fn every_result_at_every_count_under_every_policy() {
    let cases = [
        "advance",
        "finish",
        "fail",
        "send-back",
        "snooze",
        "interrupted",
        "cancelled",
        "lost",
        "rejected",
        "fatal",
        "transient",
        "panic",
    ];
    let mut seen = 0;
    for aftermath in [Aftermath::Park, Aftermath::Fail] {
        let policy = policy(aftermath);
        for next in [None, Some("ingest02")] {
            for cleanup in [None, Some("ingest09")] {
                for attempts in 1..=4 {
                    for panics in 0..=1 {
                        let strikes = Strikes { attempts, panics, crashes: 0, alone: 0 };
                        let tried = Tried {
                            policy: &policy,
                            strikes,
                            next,
                            cleanup,
                            now: NOW,
                            dice: 0.5,
                            wait: None,
                        };
                        for case in cases {
                            let settlement = decide(&tried, &result(case));
                            assert_eq!(
                                word(settlement.as_ref()),
                                expected(&tried, case),
                                "{case} with {tried:?}"
                            );
                            seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 2 * 2 * 2 * 4 * 2 * cases.len());
}

fn tried(policy: &Policy, attempts: u16) -> Tried<'_> {
    let strikes = Strikes { attempts, ..Strikes::default() };
    Tried { policy, strikes, next: None, cleanup: None, now: NOW, dice: 0.5, wait: None }
}

#[test]
fn waits_grow_and_respect_what_the_failure_asks_for() {
    let policy = policy(Aftermath::Park);
    let at = |attempts, retry_after| {
        let fault = failure(Kind::Transient { retry_after });
        match decide(&tried(&policy, attempts), &Err(fault)) {
            Some(Settlement::Retry { at, .. }) => (at.0 - NOW.0) / 1000,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([at(1, None), at(2, None)], [60, 120]);
    assert_eq!(at(1, Some(Duration::from_secs(600))), 600);
    let snooze = decide(&tried(&policy, 1), &result("snooze"));
    let due = NOW.after(Duration::from_secs(5));
    assert_eq!(snooze, Some(Settlement::Retry { at: due, charge: Charge::Free }));
}

#[test]
fn a_parked_item_says_what_happened_what_was_kept_and_what_to_do() {
    let policy = policy(Aftermath::Park);
    let fault = failure(Kind::Transient { retry_after: None });
    let Some(Settlement::Park { because }) = decide(&tried(&policy, 3), &Err(fault)) else {
        panic!("not parked")
    };
    assert_eq!(because.code, "away");
    assert_eq!(because.happened, "3 times: The replica is away.");
    assert!(because.kept.starts_with("Everything is kept"));
    assert_eq!(because.advice, "Bring it back.");
}

#[test]
fn items_that_take_the_program_down_or_hang_are_spent() {
    let policy = policy(Aftermath::Park);
    let code = |strikes| spent(&policy, strikes).map(|reason| reason.code);
    assert_eq!(code(Strikes { attempts: 3, panics: 0, crashes: 19, alone: 2 }), None);
    let crashed = |crashes, alone| Strikes { attempts: 1, panics: 0, crashes, alone };
    for crashed in [crashed(6, 3), crashed(20, 0)] {
        assert_eq!(code(crashed).as_deref(), Some("process-died"));
    }
    let hung = Strikes { attempts: 4, panics: 0, crashes: 0, alone: 0 };
    assert_eq!(code(hung).as_deref(), Some("no-sign-of-life"));
}

#[test]
fn a_wait_is_without_limit_unless_the_operator_has_set_one() {
    let wait = |looks| Wait { cause: "replica-away".into(), what: "b".into(), since: NOW, looks };
    let snooze = result("snooze");
    let settled = |policy: &Policy, wait: Option<&Wait>| {
        decide(&Tried { wait, ..tried(policy, 1) }, &snooze).unwrap()
    };
    let usual = policy(Aftermath::Fail);
    assert_eq!(word(Some(&settled(&usual, Some(&wait(1000))))), "retry-free");
    let overrides = StageOverrides { max_attempts: Some(3), ..StageOverrides::default() };
    let limited = usual.with(overrides);
    assert_eq!(word(Some(&settled(&limited, Some(&wait(2))))), "retry-free");
    assert_eq!(word(Some(&settled(&limited, None))), "retry-free");
    let Settlement::Park { because } = settled(&limited, Some(&wait(3))) else {
        panic!("not parked")
    };
    assert_eq!(because.code, "replica-away");
    assert!(because.happened.contains("for 3 attempts: W."), "{}", because.happened);
}

#[test]
fn a_rejected_deposit_says_its_first_problems_and_counts_the_rest() {
    let finding = |severity, place: &str, sentence: &str| Finding {
        code: "x".into(),
        severity,
        place: place.into(),
        sentence: sentence.into(),
    };
    let wrong = |place| finding(Severity::Error, place, "The digest is wrong");
    let told = |findings: Vec<Finding>| {
        let policy = policy(Aftermath::Park);
        match decide(&tried(&policy, 1), &Err(Fault::Rejected(findings))) {
            Some(Settlement::Park { because }) => because.happened,
            other => panic!("{other:?}"),
        }
    };
    let odd = finding(Severity::Warning, "bag-info.txt", "Odd.");
    assert_eq!(
        told(vec![odd.clone(), wrong("data/a"), odd]),
        "The deposit was rejected. data/a: The digest is wrong."
    );
    let many = ["data/a", "", "data/c", "data/d", "data/e"].map(wrong).to_vec();
    assert_eq!(
        told(many),
        "The deposit was rejected. data/a: The digest is wrong. the bag: The digest is wrong. \
         data/c: The digest is wrong. And 2 more problems."
    );
    // However long names are, the note is short.
    let long = "ü".repeat(4000);
    let long = (0..10_000).map(|_| finding(Severity::Error, &long, &long)).collect();
    let told = told(long);
    assert!(told.ends_with("… And 9997 more problems."), "{told}");
    assert!(told.chars().count() < 1400, "{told}");
}
