//! One attempt at one item: admit, run, decide, settle. The only place that catches a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use storage::work::item::{ItemId, WorkItem};
use storage::work::queue::{Account, Claim, Settlement, WaitFor};

use super::board::Slot;
use super::decide::{Tried, decide, spent};
use super::job::Job;
use super::stage::{Admit, Done, OnStop, Policy, Stage};
use super::workshop::Workshop;
use crate::fault::{Fault, problems};

/// The cause of a wait of which the stage says nothing more.
const NOT_YET: &str = "not-yet";

/// A stage at its place in its flow.
pub(super) struct Station<C: 'static> {
    pub stage: &'static dyn Stage<C>,
    pub topic: &'static str,
    pub next: Option<&'static str>,
    /// The flow's clean-up topic, unless this is it.
    pub cleanup: Option<&'static str>,
    pub policy: Policy,
}

/// Makes one attempt and settles it. Returns the item it was made at.
pub(super) fn attempt<C>(
    app: &C,
    shop: &Workshop,
    station: &Station<C>,
    slot: &Slot,
    claim: Claim,
) -> ItemId {
    let Claim { lease, item } = claim;
    let began = shop.clock.steady();
    let (settlement, account) = if let Some(because) = spent(&station.policy, item.strikes) {
        let note = because.happened.clone();
        (Some(Settlement::Park { because }), Account { note, ..Account::default() })
    } else {
        let _busy = shop.pools.occupy(station.policy.pool);
        slot.begin(item.id, expected(app, shop, station, &item), began);
        let job = Job::new(app, &item, shop, (&lease, &station.policy, slot));
        let result = run(station.stage, &job);
        let mut account = job.into_account();
        explain(&mut account, &result, (&station.policy, shop.stop.asked()));
        let now = shop.clock.now();
        let wait = account.wait.as_ref().map(|wait| wait.after(item.waiting.as_ref(), now));
        let tried = Tried {
            policy: &station.policy,
            strikes: item.strikes,
            next: station.next,
            cleanup: station.cleanup,
            now,
            dice: shop.roll(),
            wait: wait.as_ref(),
        };
        let settlement = decide(&tried, &result);
        (settlement, account)
    };
    let took = shop.clock.steady().saturating_sub(began);
    slot.end(shop.clock.steady());
    let id = item.id;
    let Some(settlement) = settlement else {
        tracing::warn!(
            item = id.0,
            topic = station.topic,
            "lost the lease on item {id}; nothing was written"
        );
        return id;
    };
    tell(station.topic, &item, &settlement, &account, took);
    if matches!(settlement, Settlement::Advance { .. } | Settlement::Finish) {
        // An estimate: losing one measurement is no fault.
        drop(shop.queue.store().learn_pace(station.topic, took, item.subject.size_bytes));
    }
    if let Err(error) = shop.queue.settle(lease, &settlement, account) {
        // The item comes back when its lease ends, or at the next start: nothing is lost.
        let error = byteio::causes::chain(&error);
        tracing::error!(item = id.0, topic = station.topic, error, "could not settle item {id}");
    }
    id
}

/// Asks the stage whether to run, and runs it; a panic in either is caught.
fn run<C>(stage: &dyn Stage<C>, job: &Job<'_, C>) -> Result<Done, Fault> {
    caught(|| match stage.admit(job.item, job.app)? {
        Admit::Run => stage.run(job),
        Admit::Drop(why) => {
            job.note(why);
            Err(Fault::Cancelled)
        }
        Admit::Later { after, wait: (cause, what), why } => {
            job.waits_for(cause, what);
            Ok(Done::Snooze { after, why })
        }
    })
}

/// Makes a fault of a panic, so that it ends what was being done and nothing else.
pub(super) fn caught<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Fault::Panicked(text.unwrap_or("no message").to_owned()))
    })
}

/// How long the item may take before health calls it overtime: never less than the stage's
/// patience, more where the stage or experience says so.
fn expected<C>(app: &C, shop: &Workshop, station: &Station<C>, item: &WorkItem) -> Duration {
    // Asking for an estimate must not be able to end the attempt.
    let told = catch_unwind(AssertUnwindSafe(|| station.stage.expected(item, app))).ok().flatten();
    let learned = shop.queue.store().pace(station.topic).ok();
    let learned = learned.and_then(|pace| pace.expect(item.subject.size_bytes));
    // Twice the mean: half of all items take longer than the mean, and are not late.
    let learned = learned.map(|mean| mean.saturating_mul(2));
    station.policy.patience.max(told.or(learned).unwrap_or_default())
}

/// Adds what the result has to say for people, and findings, to the stage's own account.
fn explain(
    account: &mut Account,
    result: &Result<Done, Fault>,
    (policy, is_stopping): (&Policy, bool),
) {
    // What was said of a wait holds only if the stage does wait.
    let said = account.wait.take();
    if matches!(result, Ok(Done::Snooze { .. })) {
        let later = WaitFor { cause: NOT_YET, what: String::new(), counts: false };
        account.wait = Some(said.unwrap_or(later));
    }
    let note = match result {
        Ok(Done::Advance | Done::Finish | Done::Fail(_)) => {
            if is_stopping && policy.on_stop == OnStop::Finish {
                let gap = if account.note.is_empty() { "" } else { "; " };
                account.note.push_str(gap);
                account.note.push_str("it finished while the program was being stopped");
            }
            return;
        }
        Ok(Done::SendBack { why, .. } | Done::Snooze { why, .. }) => why.clone(),
        Err(Fault::Interrupted) => match policy.on_stop {
            OnStop::PutBack => "the program was stopped; it goes on from where it was",
            OnStop::Finish => {
                "the program was stopped, and this did not finish within the grace of the stop \
                 (work.stop_grace_s); it begins again at the next start"
            }
        }
        .to_owned(),
        Err(Fault::Cancelled) if account.note.is_empty() => "cancelled".to_owned(),
        Err(Fault::Cancelled | Fault::LeaseLost) => return,
        Err(Fault::Rejected(findings)) => {
            account.findings.extend(findings.iter().cloned());
            format!("rejected: {}", problems(findings))
        }
        Err(Fault::Failed(failure)) => failure.sentence(),
        Err(Fault::Panicked(what)) => format!("a mistake in the program: {what}"),
    };
    account.note = note;
}

/// One line in the log for each settlement; `warn` asks a person to look.
fn tell(topic: &str, item: &WorkItem, how: &Settlement, account: &Account, took: Duration) {
    let (id, attempt) = (item.id, item.strikes.attempts);
    let took_ms = storage::clock::millis(took);
    let note = account.note.as_str();
    match how {
        Settlement::Park { because } | Settlement::Fail { because } => {
            let reason = because.code.as_str();
            tracing::warn!(
                item = id.0,
                topic,
                attempt,
                took_ms,
                reason,
                note,
                "item {id} needs a person"
            );
        }
        Settlement::SendBack { to } => {
            tracing::info!(
                item = id.0,
                topic,
                attempt,
                took_ms,
                note,
                "item {id} goes back to {to}"
            );
        }
        Settlement::Retry { .. } => {
            tracing::info!(
                item = id.0,
                topic,
                attempt,
                took_ms,
                note,
                "item {id} is tried again later"
            );
        }
        Settlement::Advance { .. }
        | Settlement::Finish
        | Settlement::Cancel
        | Settlement::Divert { .. } => {
            tracing::debug!(item = id.0, topic, attempt, took_ms, note, "item {id} moves on");
        }
    }
}
