//! What becomes of an item after an attempt. Pure: a table of cases, tested as one.

use storage::clock::Timestamp;
use storage::work::item::{Reason, Strikes, Verdict, Wait};
use storage::work::queue::{Charge, Settlement};

use super::stage::{Aftermath, Done, Policy};
use crate::fault::{Failure, Fault, Kind, problems};

/// Everything that was tried, but for the result.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// How the stage is run.
    pub policy: &'a Policy,
    /// What went wrong before; the current attempt is counted.
    pub strikes: Strikes,
    /// The topic of the next stage.
    pub next: Option<&'a str>,
    /// The topic that cleans up, unless this is it.
    pub cleanup: Option<&'a str>,
    /// The time.
    pub now: Timestamp,
    /// A number in 0..1 for what is left to chance.
    pub dice: f64,
    /// What it waits for after this attempt, if it asks for another later.
    pub wait: Option<&'a Wait>,
}

const KEPT: &str = "Everything is kept: what was received, and what earlier stages found.";

/// The settlement; `None` when the lease was lost and nothing may be written.
pub fn decide(tried: &Tried<'_>, result: &Result<Done, Fault>) -> Option<Settlement> {
    Some(match result {
        Ok(Done::Advance) => match tried.next {
            Some(to) => Settlement::Advance { to: to.to_owned() },
            None => Settlement::Finish,
        },
        Ok(Done::Finish) => Settlement::Finish,
        Ok(Done::Fail(because)) => afterwards(tried, Aftermath::Fail, because.clone()),
        Ok(Done::SendBack { to, .. }) => Settlement::SendBack { to: (*to).to_owned() },
        Ok(Done::Snooze { after, why }) => waited(tried, why).unwrap_or_else(|| {
            Settlement::Retry { at: tried.now.after(*after), charge: Charge::Free }
        }),
        Err(Fault::Interrupted) => Settlement::Retry { at: tried.now, charge: Charge::Free },
        Err(Fault::Cancelled) => ended(tried, Verdict::Cancelled),
        Err(Fault::LeaseLost) => return None,
        Err(Fault::Rejected(findings)) => {
            let reason = Reason {
                code: "rejected".into(),
                happened: format!("The deposit was rejected. {}", problems(findings)),
                kept: "The deposit is where it was received; nothing of it was stored.".into(),
                advice: "Send the report to the depositor; deposit a corrected bag.".into(),
            };
            afterwards(tried, tried.policy.on_rejected, reason)
        }
        Err(Fault::Failed(failure)) => failed(tried, failure),
        Err(Fault::Panicked(what)) => panicked(tried, what),
    })
}

/// Parks an item that has waited as often as the operator allows. It does not fail: what it waits for
/// is not its fault.
fn waited(tried: &Tried<'_>, why: &str) -> Option<Settlement> {
    let (wait, most) = (tried.wait?, tried.policy.max_waits?);
    if wait.looks < u32::from(most) {
        return None;
    }
    let because = Reason {
        code: wait.cause.clone(),
        happened: format!(
            "It has waited since {}, for {} attempts: {}",
            wait.since.to_minute(),
            wait.looks,
            sentence(why)
        ),
        kept: KEPT.into(),
        advice: "Repair what it waits for, then requeue the item.".into(),
    };
    Some(Settlement::Park { because })
}

fn failed(tried: &Tried<'_>, failure: &Failure) -> Settlement {
    let reason = Reason {
        code: failure.code.into(),
        happened: sentence(&failure.sentence()),
        kept: KEPT.into(),
        advice: sentence(&failure.advice),
    };
    match failure.kind {
        Kind::Fatal => afterwards(tried, tried.policy.on_fatal, reason),
        Kind::Transient { .. } if tried.strikes.attempts >= tried.policy.max_attempts => {
            let attempts = tried.strikes.attempts;
            let times = if attempts == 1 { "Once" } else { &format!("{attempts} times") };
            let happened = format!("{times}: {}", reason.happened);
            afterwards(tried, tried.policy.on_exhausted, Reason { happened, ..reason })
        }
        Kind::Transient { retry_after } => {
            let wait = tried.policy.backoff.wait(tried.strikes.attempts, tried.dice);
            let wait = wait.max(retry_after.unwrap_or_default());
            Settlement::Retry { at: tried.now.after(wait), charge: Charge::Attempt }
        }
    }
}

/// A panic is a bug of ours. Once it may have been chance; twice it is not. The first one counts
/// as an attempt like any other that failed.
fn panicked(tried: &Tried<'_>, what: &str) -> Settlement {
    let first = tried.strikes.panics == 0;
    if first && tried.strikes.attempts < tried.policy.max_attempts {
        let wait = tried.policy.backoff.wait(tried.strikes.attempts, tried.dice);
        return Settlement::Retry { at: tried.now.after(wait), charge: Charge::Panic };
    }
    let times = if first { "" } else { "twice " };
    let reason = Reason {
        code: "panic".into(),
        happened: format!("The stage was stopped {times}by a mistake in the program: {what}."),
        kept: KEPT.into(),
        advice: "Report this with the item's page. Requeue it with a newer version.".into(),
    };
    Settlement::Park { because: reason }
}

/// Why an item must not be attempted again, before anything is run: it took the program down, or
/// hung, more often than is good for the rest.
pub(super) fn spent(policy: &Policy, strikes: Strikes) -> Option<Reason> {
    let (code, happened) = if strikes.is_condemned() {
        let Strikes { crashes, alone, .. } = strikes;
        let beside = match alone {
            0 => String::new(),
            1 => ", once while nothing else was".to_owned(),
            alone => format!(", {alone} times while nothing else was"),
        };
        let happened =
            format!("The program died {crashes} times while this was under way{beside}.");
        ("process-died", happened)
    } else if strikes.attempts > policy.max_attempts {
        let silent = strikes.attempts - 1;
        ("no-sign-of-life", format!("{silent} attempts ended without a sign of life."))
    } else {
        return None;
    };
    let advice = "Look at the item and at the program's log, then requeue or cancel it.".into();
    Some(Reason { code: code.into(), happened, kept: KEPT.into(), advice })
}

fn afterwards(tried: &Tried<'_>, aftermath: Aftermath, because: Reason) -> Settlement {
    match aftermath {
        Aftermath::Park => Settlement::Park { because },
        Aftermath::Fail => match tried.cleanup {
            Some(_) => ended(tried, Verdict::Failed(because)),
            None => Settlement::Fail { because },
        },
    }
}

fn ended(tried: &Tried<'_>, verdict: Verdict) -> Settlement {
    match tried.cleanup {
        Some(to) => Settlement::Divert { to: to.to_owned(), verdict },
        None => Settlement::Cancel,
    }
}

/// A cause as a sentence: people read it on a page.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests;
