//! Sweeps: periodic looks that make items. They read state, never messages, so a restart or a
//! lost message needs no second path.

use std::sync::Arc;
use std::time::Duration;

use storage::clock::Timestamp;

use super::attempt::caught;
use super::workshop::Workshop;
use crate::fault::{Fault, counted};

/// A periodic look at the state of things.
pub trait Sweep<C>: Send + Sync {
    /// Its name: on disk, forever.
    fn name(&self) -> &'static str;
    /// What it is for, in a sentence for people.
    fn about(&self) -> &'static str;
    /// How often.
    fn every(&self, app: &C) -> Duration;
    /// Looks, and makes at most `limit` items.
    fn sweep(&self, app: &C, limit: usize) -> Result<Swept, Fault>;
}

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Items made.
    pub made: usize,
    /// For people.
    pub note: String,
}

/// Items one sweep may make in one go.
const LIMIT: usize = 10_000;
/// After a failure, another look comes at least this soon.
const AGAIN: Duration = Duration::from_secs(60);

/// Runs sweeps when they are due. When each ran last is kept: a restart repeats none and skips
/// none.
pub struct Sweeper<C: 'static> {
    app: Arc<C>,
    shop: Arc<Workshop>,
    sweeps: &'static [&'static dyn Sweep<C>],
}

impl<C: Send + Sync + 'static> Sweeper<C> {
    /// A sweeper for these sweeps.
    pub fn new(
        app: Arc<C>,
        shop: Arc<Workshop>,
        sweeps: &'static [&'static dyn Sweep<C>],
    ) -> Sweeper<C> {
        Sweeper { app, shop, sweeps }
    }

    /// Runs every sweep that is due, and says when the next one is.
    pub fn step(&self) -> Timestamp {
        let now = self.shop.clock.now();
        let mut next = now.after(AGAIN);
        for sweep in self.sweeps {
            if !self.shop.takes_work() {
                return next;
            }
            next = next.min(self.look(*sweep, now));
        }
        next
    }

    fn look(&self, sweep: &dyn Sweep<C>, now: Timestamp) -> Timestamp {
        let store = self.shop.queue.store();
        let every = sweep.every(&self.app);
        if let Ok(Some(schedule)) = store.schedule(sweep.name()) {
            // A next run further off than one period comes from a clock that has jumped back, and
            // would be waited for until it has caught up.
            if now < schedule.next_run && schedule.next_run <= now.after(every) {
                return schedule.next_run;
            }
        }
        let (next, outcome) = match caught(|| sweep.sweep(&self.app, LIMIT)) {
            Ok(swept) => (now.after(every), swept.note),
            Err(fault) => {
                let why = describe(&fault);
                tracing::warn!(sweep = sweep.name(), why, "sweep {} failed", sweep.name());
                (now.after(every.min(AGAIN)), format!("failed: {why}"))
            }
        };
        if let Err(error) = store.note_run(sweep.name(), now, next, &outcome) {
            tracing::warn!(error = %error, "could not note the run of sweep {}", sweep.name());
        }
        next
    }
}

fn describe(fault: &Fault) -> String {
    match fault {
        Fault::Interrupted => "stopped".into(),
        Fault::Cancelled => "cancelled".into(),
        Fault::LeaseLost => "lost its lease".into(),
        Fault::Rejected(findings) => counted(findings),
        Fault::Failed(failure) => failure.sentence(),
        Fault::Panicked(what) => format!("a mistake in the program: {what}"),
    }
}
