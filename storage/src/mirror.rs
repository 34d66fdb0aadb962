//! The registry's copy of the work items: a read model that lists and filters fast.
//!
//! The work state is the truth. Whatever changes there is copied here in batches; an item that has
//! ended leaves the work state only when its copy is durable. A copy carries its revision, so a
//! late one changes nothing and a repeated one is the same rows. A start compares both sides, so
//! nothing that a crash kept from being copied stays uncopied.

mod returning;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Timestamp;
use crate::registry::{AttemptRow, FindingRow, ItemRow, Registry, TERMINAL_STATES};
use crate::work::item::{ItemId, Reason, Severity, State, Verdict, Wait, WorkItem};
use crate::work::queue::Queue;

/// Items copied in one transaction of the registry.
const BATCH: usize = 500;
/// Attempts of one item copied at a time; more stay for the next copy.
const ATTEMPTS: usize = 1000;

/// What stopped a copy. It is tried again with the next.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// The work state failed.
    #[error("the work state could not be read")]
    Work(#[from] crate::Error),
    /// The registry failed.
    #[error("the registry could not be written")]
    Registry(#[from] crate::registry::Error),
}

/// Copies work items into the registry.
pub struct Mirror {
    queue: Arc<Queue>,
    registry: Arc<Registry>,
    /// Topic to the stage's word in the described registry.
    labels: BTreeMap<String, String>,
    /// Flows whose items are made again from their rows when the work state was lost.
    returning: &'static [&'static str],
    /// The paused topics as last copied.
    paused: Mutex<Option<BTreeSet<String>>>,
    /// One copy at a time: two would forget what the other still copies.
    copying: Mutex<()>,
}

impl Mirror {
    /// A mirror of `queue` in `registry`.
    pub fn new(
        queue: Arc<Queue>,
        registry: Arc<Registry>,
        labels: BTreeMap<String, String>,
    ) -> Mirror {
        let (paused, copying) = (Mutex::default(), Mutex::new(()));
        Mirror { queue, registry, labels, returning: &[], paused, copying }
    }

    /// The same mirror, for flows whose items no scheduled task finds again: when the work state was
    /// lost, their items are made again from their rows.
    pub fn bringing_back(self, flows: &'static [&'static str]) -> Mirror {
        Mirror { returning: flows, ..self }
    }

    /// Copies everything that has changed; returns how many items.
    pub fn copy(&self) -> Result<usize, MirrorError> {
        let _turn = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        self.copy_pauses()?;
        let mut copied = 0;
        loop {
            let changed = self.queue.take_changed(BATCH);
            if changed.is_empty() {
                return Ok(copied);
            }
            if let Err(error) = self.copy_batch(&changed) {
                self.queue.mark_changed(changed);
                return Err(error);
            }
            copied += changed.len();
        }
    }

    fn copy_batch(&self, changed: &[ItemId]) -> Result<(), MirrorError> {
        let (mut rows, mut attempts, mut findings) = (Vec::new(), Vec::new(), Vec::new());
        let mut copied = Vec::new();
        for &id in changed {
            let Some(item) = self.queue.item(id)? else { continue };
            let mut turns = Vec::new();
            for (turn, attempt) in self.queue.history(id, ATTEMPTS)? {
                for (ordinal, finding) in (0..).zip(attempt.findings) {
                    findings.push(FindingRow {
                        item_id: number(id.0),
                        attempt: turn.into(),
                        ordinal,
                        code: finding.code,
                        severity: match finding.severity {
                            Severity::Error => "error".into(),
                            Severity::Warning => "warning".into(),
                        },
                        place: finding.place,
                        sentence: finding.sentence,
                    });
                }
                attempts.push(AttemptRow {
                    item_id: number(id.0),
                    number: turn.into(),
                    topic: attempt.topic,
                    started_at: attempt.started,
                    finished_at: Some(attempt.finished),
                    outcome: Some(attempt.outcome),
                    note: attempt.note,
                });
                turns.push(turn);
            }
            rows.push(self.row(&item));
            copied.push((id, item.revision, turns));
        }
        self.registry.record_items(&rows, &attempts, &findings)?;
        Ok(self.queue.forget(&copied)?)
    }

    /// What differs between the work state and its copy, in sentences; at most a hundred. What
    /// the copy is merely behind with (the program ended suddenly) is copied, not told.
    pub fn compare(&self) -> Result<Vec<String>, MirrorError> {
        self.each_item(|item, row| {
            if row.is_none_or(|row| row.revision < number(item.revision)) {
                self.queue.mark_changed([item.id]);
            }
            Ok(())
        })?;
        self.copy()?;
        let mut sentences = self.differences()?;
        // What came between the copy and the look is news, not a difference: it is gone when both
        // are repeated.
        if !sentences.is_empty() {
            self.copy()?;
            let still = self.differences()?;
            sentences.retain(|sentence| still.contains(sentence));
        }
        sentences.truncate(100);
        Ok(sentences)
    }

    fn differences(&self) -> Result<Vec<String>, MirrorError> {
        let mut sentences = Vec::new();
        self.each_item(|item, row| {
            // A change since the copy is news as well.
            let news = self.queue.item(item.id)?.is_none_or(|now| now.revision != item.revision);
            let same = row.is_some_and(|row| plain(row) == plain(&self.row(item)));
            if !same && !news {
                let known = row.map_or("none".to_owned(), |row| row.revision.to_string());
                sentences.push(format!(
                    "item {} is not in the registry as it is in the work state (revision {} here, \
                     {known} there)",
                    item.id, item.revision
                ));
            }
            Ok(())
        })?;
        self.each_lost(|row| {
            let id = row.id;
            sentences
                .push(format!("the registry has item {id} in progress, the work state has not"));
            Ok(())
        })?;
        Ok(sentences)
    }

    /// Compares both sides after a start: what differs is copied. Items that the work state does not
    /// know any more (it was lost) are made again from their rows, if nothing else makes them; the
    /// rows of the others say that they were lost.
    pub fn reconcile(&self, now: Timestamp) -> Result<usize, MirrorError> {
        let mut differing = 0;
        self.each_item(|item, row| {
            let differs = row.is_none_or(|row| plain(row) != plain(&self.row(item)));
            if differs || item.state.is_terminal() {
                self.queue.mark_changed([item.id]);
                differing += 1;
            }
            Ok(())
        })?;
        let mut lost = Vec::new();
        self.each_lost(|row| {
            lost.push(row);
            Ok(())
        })?;
        for rows in lost.chunks(BATCH) {
            let rows = self.bring_back(rows)?;
            let rows: Vec<_> = rows.into_iter().map(|(row, by)| lost_row(row, by, now)).collect();
            self.registry.record_items(&rows, &[], &[])?;
        }
        self.copy()?;
        Ok(differing + lost.len())
    }

    /// Visits every item of the work state with its copy.
    fn each_item(
        &self,
        mut visit: impl FnMut(&WorkItem, Option<&ItemRow>) -> Result<(), MirrorError>,
    ) -> Result<(), MirrorError> {
        let mut after = None;
        loop {
            let items = self.queue.items(after, BATCH)?;
            let Some(last) = items.last() else { return Ok(()) };
            after = Some(last.id);
            for item in items {
                visit(&item, self.registry.item(number(item.id.0))?.as_ref())?;
            }
        }
    }

    /// Visits every row in progress whose item the work state does not know.
    fn each_lost(
        &self,
        mut visit: impl FnMut(ItemRow) -> Result<(), MirrorError>,
    ) -> Result<(), MirrorError> {
        let mut after = 0;
        loop {
            let unfinished = self.registry.unfinished_items(after, 500)?;
            let Some(last) = unfinished.last() else { return Ok(()) };
            after = last.id;
            for item in unfinished {
                if self.queue.item(ItemId(item.id.unsigned_abs()))?.is_some() {
                    continue;
                }
                // An item leaves the work state after its row has ended: look at the row again.
                let row = self.registry.item(item.id)?;
                if let Some(row) = row.filter(|row| !TERMINAL_STATES.contains(&&*row.state)) {
                    visit(row)?;
                }
            }
        }
    }

    fn row(&self, item: &WorkItem) -> ItemRow {
        let subject = item.subject.clone();
        let status = status(item);
        let leased = matches!(item.state, State::Leased(_));
        let parked = matches!(item.state, State::Parked { .. });
        let why = reason(item);
        ItemRow {
            id: number(item.id.0),
            flow: item.flow.clone(),
            topic: item.topic.clone(),
            state: item.state.word().into(),
            name: subject.name,
            etag: subject.etag.unwrap_or_default(),
            institution_id: subject.institution,
            intellectual_object_id: subject.object,
            generic_file_id: subject.file,
            bucket: subject.bucket.unwrap_or_default(),
            user: subject.user,
            note: item.note.clone(),
            action: subject.action,
            stage: self.labels.get(&item.topic).unwrap_or(&item.topic).clone(),
            status: status.into(),
            outcome: item.outcome.clone(),
            bag_date: subject.bag_date,
            date_processed: item.updated,
            retry: !item.state.is_terminal() && !parked,
            node: leased.then(|| "this appliance".into()),
            pid: if leased { i64::from(std::process::id()) } else { 0 },
            needs_admin_review: parked || status == "Failed",
            queued_at: Some(item.queued),
            size: number(subject.size_bytes),
            stage_started_at: item.started,
            aptrust_approver: subject.aptrust_approver,
            inst_approver: subject.inst_approver,
            deletion_request_id: subject.deletion_request,
            object_identifier: subject.object_identifier,
            generic_file_identifier: subject.file_identifier,
            alt_identifier: subject.alt_identifier,
            bag_group_identifier: subject.bag_group_identifier,
            storage_option: subject.storage_option,
            bagit_profile_identifier: subject.bagit_profile_identifier,
            source_organization: subject.source_organization,
            internal_sender_identifier: subject.internal_sender_identifier,
            priority: item.priority.into(),
            attempts: item.strikes.attempts.into(),
            revision: number(item.revision),
            reason: why.filter(|_| parked).map(|why| why.code.clone()),
            happened: why.map(|why| why.happened.clone()),
            kept: why.map(|why| why.kept.clone()),
            advice: why.map(|why| why.advice.clone()),
            created_at: item.created,
            updated_at: item.updated,
            waiting_since: item.waiting.as_ref().map(|wait| wait.since),
            waiting_for: item.waiting.as_ref().map(Wait::label),
            unique_name: item.unique.clone(),
            institution_name: None,
            institution_identifier: None,
        }
    }
}

/// The described registry's word. An item on its way out through clean-up is not a success.
fn status(item: &WorkItem) -> &'static str {
    match &item.state {
        State::Ready { .. } | State::Delayed { .. } => "Pending",
        State::Leased(_) => "Started",
        State::Parked { .. } => "Suspended",
        State::Finished => "Success",
        State::Failed { .. } => "Failed",
        State::Cancelled | State::Expired => "Cancelled",
    }
}

fn reason(item: &WorkItem) -> Option<&Reason> {
    match (&item.state, &item.verdict) {
        (State::Parked { because } | State::Failed { because }, _) => Some(because),
        (_, Verdict::Failed(because)) => Some(because),
        (
            State::Ready { .. }
            | State::Delayed { .. }
            | State::Leased(_)
            | State::Finished
            | State::Cancelled
            | State::Expired,
            Verdict::Open | Verdict::Cancelled,
        ) => None,
    }
}

/// The outcome of an item that was lost with the work state.
pub const LOST: &str = "lost";

/// The row of an item that was lost; another item may do what it was to do.
fn lost_row(row: ItemRow, by: Option<ItemId>, now: Timestamp) -> ItemRow {
    let advice = match by {
        Some(id) => format!("Look at item {id}, which does the same."),
        None => "The sweeps find what is still to be done and make new items for it.".into(),
    };
    ItemRow {
        state: "cancelled".into(),
        status: "Cancelled".into(),
        retry: false,
        needs_admin_review: true,
        node: None,
        pid: 0,
        waiting_since: None,
        waiting_for: None,
        reason: None,
        happened: Some("The work state was lost, and with it how far this item was.".into()),
        kept: Some("What was received and what was stored is untouched.".into()),
        advice: Some(advice),
        note: "the work state was lost".into(),
        outcome: LOST.into(),
        date_processed: now,
        updated_at: now,
        revision: row.revision.saturating_add(1),
        ..row
    }
}

/// A row without what only the registry knows, and without which process had the item.
fn plain(row: &ItemRow) -> ItemRow {
    ItemRow { institution_name: None, institution_identifier: None, pid: 0, ..row.clone() }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
