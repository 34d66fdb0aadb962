//! What a stage is handed: the item, the tools, and the means to be interrupted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use storage::clock::millis;
use storage::work::dossier::Dossier;
use storage::work::item::{Finding, Subject, WorkItem};
use storage::work::queue::{Account, Lease, WaitFor};

use super::board::Slot;
use super::pools::Pool;
use super::stage::{OnStop, Policy};
use super::workshop::Workshop;
use crate::fault::Fault;

/// How often a checkpoint asks the queue whether the item was cancelled.
const PULSE: Duration = Duration::from_secs(2);

/// One attempt at one item, as the stage sees it. May be shared with the threads of a pool.
pub struct Job<'a, C> {
    /// The application's tools.
    pub app: &'a C,
    /// The item, as claimed.
    pub item: &'a WorkItem,
    shop: &'a Workshop,
    lease: &'a Lease,
    policy: &'a Policy,
    slot: &'a Slot,
    account: Mutex<Account>,
    renewed_ms: AtomicU64,
}

impl<'a, C> Job<'a, C> {
    pub(super) fn new(
        app: &'a C,
        item: &'a WorkItem,
        shop: &'a Workshop,
        (lease, policy, slot): (&'a Lease, &'a Policy, &'a Slot),
    ) -> Job<'a, C> {
        let renewed_ms = AtomicU64::new(millis(shop.clock.steady()));
        Job { app, item, shop, lease, policy, slot, account: Mutex::default(), renewed_ms }
    }

    /// Shows a sign of life and asks whether to go on. Call it between any two pieces of work
    /// that may be repeated: after each file, after each few megabytes.
    pub fn checkpoint(&self) -> Result<(), Fault> {
        self.shop.tell_checkpoint();
        let now = self.shop.clock.steady();
        self.slot.beat(now);
        if self.must_stop() {
            return Err(Fault::Interrupted);
        }
        // A third of the lease at most, so that two renewals may be missed before it ends; and
        // often enough that a person who cancels sees it happen.
        let every = millis(self.policy.lease / 3).min(millis(PULSE));
        if millis(now) < self.renewed_ms.load(Ordering::Relaxed) + every {
            return Ok(());
        }
        self.renew()
    }

    fn must_stop(&self) -> bool {
        let stop = &self.shop.stop;
        match self.policy.on_stop {
            OnStop::PutBack => stop.asked(),
            OnStop::Finish => stop.insisted(),
        }
    }

    /// Renews the lease now and learns whether the item was cancelled.
    fn renew(&self) -> Result<(), Fault> {
        let pulse = self.shop.queue.beat(self.lease, self.policy.lease)?;
        self.renewed_ms.store(millis(self.shop.clock.steady()), Ordering::Relaxed);
        if !pulse.cancelled {
            return Ok(());
        }
        // Who cancelled it, and why, is what people want to read.
        let wish = self.shop.queue.item(self.item.id)?.and_then(|item| item.cancel);
        self.note(wish.map(|wish| wish.why).unwrap_or_default());
        Err(Fault::Cancelled)
    }

    /// The item's interim state.
    pub fn dossier(&self) -> Dossier<'a> {
        Dossier::of(self.shop.queue.store(), self.item.id)
    }

    /// Says how much there is to do, in whatever unit.
    pub fn total(&self, total: u64) {
        self.slot.total(total);
    }

    /// Says how much more is done.
    pub fn advance(&self, by: u64) {
        self.slot.advance(by);
    }

    /// Leaves a message for people with the item.
    pub fn note(&self, note: impl Into<String>) {
        self.account().note = note.into();
    }

    /// Says what is waited for, before the stage asks for another attempt later. `what` tells one such
    /// thing from others, such as the name of a replica.
    pub fn waits_for(&self, cause: &'static str, what: impl Into<String>) {
        self.account().wait = Some(WaitFor { cause, what: what.into(), counts: false });
    }

    /// The same, for what somebody has to repair elsewhere: these attempts are counted, and an
    /// operator may limit them.
    pub fn waits_for_repair(&self, cause: &'static str, what: impl Into<String>) {
        self.account().wait = Some(WaitFor { cause, what: what.into(), counts: true });
    }

    /// Adds something worth knowing about the deposit that does not stop it.
    pub fn finding(&self, finding: Finding) {
        self.account().findings.push(finding);
    }

    /// Keeps what is now known about the subject; stored when the attempt is settled.
    pub fn learn(&self, subject: Subject) -> Result<(), Fault> {
        subject.check()?;
        self.account().subject = Some(subject);
        Ok(())
    }

    /// Runs the parallel part of the work on the threads of a pool.
    pub fn enter<T: Send>(&self, pool: Pool, work: impl FnOnce() -> T + Send) -> T {
        self.shop.pools.enter(pool, work)
    }

    pub(super) fn into_account(self) -> Account {
        self.account.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self) -> std::sync::MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
