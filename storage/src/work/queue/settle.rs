//! Ending an attempt: one transaction says what became of it.

use super::claim::Lease;
use super::topic::Topic;
use super::{Histories, Queue};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::work::item::{
    Attempt, CancelRequest, Finding, Reason, State, Strikes, Subject, Verdict, Wait, WorkItem,
    bound_findings, check_name, cut,
};

/// What becomes of an item after an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Settlement {
    /// On to the next stage.
    Advance {
        /// Its topic.
        to: String,
    },
    /// Back to an earlier stage, because what it claims is no longer there.
    SendBack {
        /// Its topic.
        to: String,
    },
    /// The flow is done: finished, or as the verdict says.
    Finish,
    /// Another attempt at this stage.
    Retry {
        /// Not before.
        at: Timestamp,
        /// What it costs.
        charge: Charge,
    },
    /// Wait for a person.
    Park {
        /// Why.
        because: Reason,
    },
    /// End as failed.
    Fail {
        /// Why.
        because: Reason,
    },
    /// End as cancelled.
    Cancel,
    /// On to the flow's clean-up stage, to end there as the verdict says.
    Divert {
        /// The clean-up topic.
        to: String,
        /// How it ends after that.
        verdict: Verdict,
    },
}

/// What another attempt costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// One of the attempts the policy allows.
    Attempt,
    /// Nothing: it was not the item's fault.
    Free,
    /// An attempt, and a panic is remembered.
    Panic,
}

/// What is told about an attempt.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// For people.
    pub note: String,
    /// What is wrong with the deposit.
    pub findings: Vec<Finding>,
    /// What is known about the subject by now, if more than before.
    pub subject: Option<Subject>,
    /// What another attempt waits for, if it waits for something.
    pub wait: Option<WaitFor>,
}

/// What an item is to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitFor {
    /// Stable code of the cause, kebab-case.
    pub cause: &'static str,
    /// Which of them, such as the name of a replica; empty where there is one only.
    pub what: String,
    /// Whether somebody has to repair something: such attempts are counted.
    pub counts: bool,
}

impl WaitFor {
    /// The wait after one more attempt; it goes on when the cause is the same as before.
    pub fn after(&self, before: Option<&Wait>, now: Timestamp) -> Wait {
        let cut_what = cut(self.what.clone());
        let same = before.filter(|wait| wait.cause == self.cause && wait.what == cut_what);
        let looks = same.map_or(0, |wait| wait.looks);
        Wait {
            cause: self.cause.to_owned(),
            what: cut_what,
            since: same.map_or(now, |wait| wait.since),
            looks: looks.saturating_add(u32::from(self.counts)),
        }
    }
}

impl Queue {
    /// Ends an attempt. Refused, with nothing written, when the lease is no longer held.
    pub fn settle(
        &self,
        lease: Lease,
        how: &Settlement,
        account: Account,
    ) -> Result<WorkItem, Error> {
        let now = self.clock.now();
        if let Some(to) = destination(how) {
            check_name("the topic", to)?;
        }
        if let Some(subject) = &account.subject {
            subject.check()?;
        }
        let item = self.store.commit(|tx| {
            let old = Queue::leased(tx, &lease)?;
            let asked = old.cancel.as_ref().and_then(|wish| overruled(wish, how));
            let how = asked.as_ref().unwrap_or(how);
            let mut new = self.after(&old, how, now);
            new.waiting = waiting(&old, how, account.wait.as_ref(), now);
            new.note = cut(account.note);
            if let (Some(wish), true) = (&old.cancel, asked.is_some()) {
                new.note = cut(wish.why.clone());
            }
            if let Some(subject) = account.subject {
                new.subject = subject;
            }
            let attempt = Attempt {
                topic: old.topic.clone(),
                started: old.started.unwrap_or(now),
                finished: now,
                outcome: outcome(how, &old).into(),
                note: new.note.clone(),
                findings: bound_findings(account.findings),
            };
            tx.put::<Histories>(&(old.id, old.turns), &attempt)?;
            self.shift(tx, Some(&old), &mut new, now)?;
            Topic::update(tx, &old.topic, |topic| count(topic, how, &old))?;
            if destination(how).is_some() {
                Topic::update(tx, &new.topic, |topic| topic.pushed += 1)?;
            }
            Ok::<_, Error>(new)
        })?;
        self.announce([(item.id, item.topic.as_str())]);
        self.let_others_in();
        Ok(item)
    }

    /// The item after a settlement; pure but for its place in line.
    fn after(&self, old: &WorkItem, how: &Settlement, now: Timestamp) -> WorkItem {
        let mut new = old.clone();
        match how {
            Settlement::Advance { to }
            | Settlement::SendBack { to }
            | Settlement::Divert { to, .. } => {
                new.topic.clone_from(to);
                new.state = State::Ready { seq: self.ticket() };
                new.strikes = Strikes::default();
                new.queued = now;
                if let Settlement::Divert { verdict, .. } = how {
                    new.verdict = verdict.clone();
                    new.cancel = None;
                }
            }
            Settlement::Finish => {
                new.state = match &old.verdict {
                    Verdict::Open => State::Finished,
                    Verdict::Cancelled => State::Cancelled,
                    Verdict::Failed(because) => State::Failed { because: because.clone() },
                };
            }
            Settlement::Retry { at, charge } => {
                match charge {
                    Charge::Attempt => {}
                    Charge::Free => {
                        new.strikes.attempts = old.strikes.attempts.saturating_sub(1);
                    }
                    Charge::Panic => new.strikes.panics = old.strikes.panics.saturating_add(1),
                }
                // Tried alone, and the process lives. An attempt that was interrupted says nothing.
                let interrupted = *charge == Charge::Free && *at <= now;
                if old.strikes.is_suspect() && !interrupted {
                    (new.strikes.crashes, new.strikes.alone) = (0, 0);
                }
                new.state = State::Delayed { due: *at };
                if let State::Leased(hold) = old.state
                    && *at <= now
                {
                    // Given back at once, it keeps its place in line.
                    new.state = State::Ready { seq: hold.seq };
                }
            }
            Settlement::Park { because } => {
                new.state = State::Parked { because: bounded(because) };
            }
            Settlement::Fail { because } => {
                new.state = State::Failed { because: bounded(because) };
            }
            Settlement::Cancel => new.state = State::Cancelled,
        }
        if new.state.is_terminal() {
            new.outcome = new.state.word().into();
            new.cancel = None;
        }
        new
    }
}

/// What the item waits for after a settlement.
fn waiting(
    old: &WorkItem,
    how: &Settlement,
    wait: Option<&WaitFor>,
    now: Timestamp,
) -> Option<Wait> {
    let Settlement::Retry { at, charge } = how else { return None };
    match wait {
        Some(wait) => Some(wait.after(old.waiting.as_ref(), now)),
        // An attempt that was interrupted did not look.
        None if *charge == Charge::Free && *at <= now => old.waiting.clone(),
        None => None,
    }
}

/// What a wish to cancel makes of a settlement; finished work stays finished.
fn overruled(wish: &CancelRequest, how: &Settlement) -> Option<Settlement> {
    match how {
        Settlement::Finish | Settlement::Fail { .. } | Settlement::Cancel => None,
        Settlement::Divert { .. } => None,
        Settlement::Advance { .. }
        | Settlement::SendBack { .. }
        | Settlement::Retry { .. }
        | Settlement::Park { .. } => Some(match &wish.cleanup {
            Some(to) => Settlement::Divert { to: to.clone(), verdict: Verdict::Cancelled },
            None => Settlement::Cancel,
        }),
    }
}

/// The topic that a settlement moves the item to.
fn destination(how: &Settlement) -> Option<&str> {
    match how {
        Settlement::Advance { to }
        | Settlement::SendBack { to }
        | Settlement::Divert { to, .. } => Some(to),
        Settlement::Finish
        | Settlement::Retry { .. }
        | Settlement::Park { .. }
        | Settlement::Fail { .. }
        | Settlement::Cancel => None,
    }
}

fn bounded(reason: &Reason) -> Reason {
    Reason {
        code: reason.code.clone(),
        happened: cut(reason.happened.clone()),
        kept: cut(reason.kept.clone()),
        advice: cut(reason.advice.clone()),
    }
}

fn outcome(how: &Settlement, old: &WorkItem) -> &'static str {
    match how {
        Settlement::Advance { .. } => "advanced",
        Settlement::Finish => match old.verdict {
            Verdict::Open => "finished",
            Verdict::Cancelled => "cancelled",
            Verdict::Failed(_) => "failed",
        },
        Settlement::SendBack { .. } | Settlement::Retry { charge: Charge::Free, .. } => "returned",
        Settlement::Retry { charge: Charge::Attempt | Charge::Panic, .. } => "retried",
        Settlement::Park { .. } => "parked",
        Settlement::Fail { .. } => "failed",
        Settlement::Cancel => "cancelled",
        Settlement::Divert { verdict: Verdict::Failed(_), .. } => "failed",
        Settlement::Divert { .. } => "cancelled",
    }
}

fn count(topic: &mut Topic, how: &Settlement, old: &WorkItem) {
    let counter = match outcome(how, old) {
        "advanced" | "finished" => &mut topic.done,
        "parked" => &mut topic.parkings,
        "failed" => &mut topic.failed,
        "cancelled" => &mut topic.cancelled,
        _ => &mut topic.retried,
    };
    *counter += 1;
}
