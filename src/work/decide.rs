//! What becomes of an item after an attempt. Pure: a table of cases, tested as one.

use storage::clock::Timestamp;
use storage::work::item::{Reason, Strikes, Verdict};
use storage::work::queue::{Charge, Settlement};

use super::stage::{Aftermath, Done, Policy};
use crate::fault::{Failure, Fault, Kind, counted};

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
        Ok(Done::SendBack { to, .. }) => Settlement::SendBack { to: (*to).to_owned() },
        Ok(Done::Snooze { after, .. }) => {
            Settlement::Retry { at: tried.now.after(*after), charge: Charge::Free }
        }
        Err(Fault::Interrupted) => Settlement::Retry { at: tried.now, charge: Charge::Free },
        Err(Fault::Cancelled) => ended(tried, Verdict::Cancelled),
        Err(Fault::LeaseLost) => return None,
        Err(Fault::Rejected(findings)) => {
            let reason = Reason {
                code: "rejected".into(),
                happened: format!("The deposit was not accepted: {}.", counted(findings)),
                kept: "The deposit is where it was received; nothing of it was stored.".into(),
                advice: "Send the findings to the depositor; deposit a mended bag.".into(),
            };
            afterwards(tried, tried.policy.on_rejected, reason)
        }
        Err(Fault::Failed(failure)) => failed(tried, failure),
        Err(Fault::Panicked(what)) => panicked(tried, what),
    })
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
    /// A power cut is not the item's fault, five in the same stage are suspicious.
    const CRASHES: u16 = 5;
    let (code, happened) = if strikes.crashes > CRASHES {
        let crashes = strikes.crashes;
        ("process-died", format!("The program died {crashes} times while this was under way."))
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
