//! Reads every copy back from its medium and compares its digest.
//!
//! Promise: every copy that this ingest made is equal, in every replica; where one is missing or
//! differs, the item goes back to store it again. Copies of earlier versions that it relies on are
//! sound, or were repaired with the deposit (see `repair`); those in cold storage are there (see
//! `cold`). Interruptible: every few megabytes. Repeats: safe, files that are verified are passed
//! over.

use std::time::Duration;

use ocfl::{Class, CopyState, Expected, ObjectId, Replica};

use super::cold::{Cold, record_earlier};
use super::frame;
use super::patience::patient;
use super::preserve;
use super::records::{Fate, FileRecord, bag, change_pages};
use super::reliance::{Places, Unsound, have_checked, note_unsound, relied_on, require_filled};
use super::repair::{Gaps, repair, sentence};
use super::restage::{forget_returns, store_again};
use crate::app::App;
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Pool, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Where items go whose copies must be read again.
pub(super) const TOPIC: &str = "ingest07_storage_validation";

pub(super) struct Verify;

impl Stage<App> for Verify {
    fn about(&self) -> About {
        About {
            topic: TOPIC,
            label: "Storage Validation",
            env: Some("INGEST_PRESERVATION_VERIFIER"),
        }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, verify(job))
    }
}

fn verify(job: &Job<'_, App>) -> Result<Done, Fault> {
    let mut record = bag(job)?;
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    let object = ObjectId::new(record.object_identifier.clone());
    job.total(record.size_bytes.saturating_mul(replicas.len() as u64));
    let relied_on = relied_on(job, &record, &replicas)?;
    let reading = Reading { object: &object, replicas: &replicas, relied_on: &relied_on };
    record_earlier(job, &record, &reading)?;
    let (mut lost, mut first, mut cold, mut unsound) = (0, None, Cold::default(), 0);
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let (ours, held): (Vec<_>, Vec<_>) =
            reading.unequal(job, files)?.into_iter().partition(|it| is_ours(&files[it.at].1));
        if !held.is_empty() {
            note_unsound(job, &record, files, &held)?;
            unsound += held.len() as u64;
        }
        for Unsound { at, .. } in &ours {
            files[*at].1.stored = false;
        }
        let mut unseen = cold.look_for(&reading, files)?;
        unseen.extend(held.iter().map(|it| it.at));
        for (at, (path, file)) in files.iter_mut().enumerate() {
            if is_ours(file) && !file.stored {
                lost += 1;
                first.get_or_insert_with(|| path.clone());
            } else if is_kept(file) && !unseen.contains(&at) {
                file.verified = true;
            }
        }
        Ok(())
    })?;
    if let Some(first) = first {
        return store_again(job, lost, &first);
    }
    forget_returns(job, preserve::TOPIC)?;
    if unsound > 0 || !cold.is_whole() {
        require_filled(job, &record, &replicas)?;
    }
    let unframed = frame::lacking(job, &record, &replicas)?;
    let repaired = repair(job, &record, &reading, &Gaps { cold: &cold, unsound, unframed })?;
    have_checked(job, &record, repaired > 0)?;
    // The moment of recording is drawn here, because it is settled with this stage: what the next
    // one writes must be the same however often it begins.
    record.moments.verified = job.app.shop.clock.now().0;
    if record.moments.recorded == 0 {
        record.moments.recorded = record.moments.verified;
    }
    job.dossier().put_whole(&record)?;
    let note = cold.sentence(&replicas);
    job.note(sentence(repaired).map_or_else(|| note.clone(), |more| format!("{note}; {more}")));
    Ok(Done::Advance)
}

/// Whether a file is in the vault when this ingest has ended.
pub(super) fn is_kept(file: &FileRecord) -> bool {
    file.is_saved() || file.fate == Fate::Unchanged
}

/// Whether this ingest has made the copies of a file.
pub(super) fn is_ours(file: &FileRecord) -> bool {
    file.is_saved() && file.content_path.is_some()
}

/// Whether the copy of a file cannot be read without asking for it days before: it is in a cold replica
/// for longer than this ingest.
pub(super) fn is_cold(replica: &Replica, file: &FileRecord) -> bool {
    replica.settings().class == Class::Cold && !is_ours(file)
}

/// What is read back.
pub(super) struct Reading<'r> {
    pub(super) object: &'r ObjectId,
    pub(super) replicas: &'r [&'r Replica],
    relied_on: &'r Places,
}

impl<'r> Reading<'r> {
    /// Copies that are not what they should be.
    fn unequal(
        &self,
        job: &Job<'_, App>,
        files: &[(String, FileRecord)],
    ) -> Result<Vec<Unsound<'r>>, Fault> {
        let mut bad = Vec::new();
        for replica in self.replicas {
            let expected: Vec<Expected<usize>> = files
                .iter()
                .enumerate()
                .filter(|(_, (_, file))| !is_cold(replica, file))
                .filter_map(|(at, (_, file))| self.expected(at, file))
                .collect();
            let checkpoint = |bytes: u64| {
                job.advance(bytes);
                job.checkpoint()
            };
            let mut failed = None;
            let mut note = |at, is_missing| {
                bad.push(Unsound { at, replica: replica.name(), is_missing });
            };
            let deliver = |at: usize, state: CopyState| match state {
                CopyState::Equal => {}
                CopyState::Differs => note(at, false),
                CopyState::Missing => note(at, true),
                CopyState::Unreadable(error) => failed = Some(error),
            };
            job.enter(Pool::Cpu, || {
                replica.verify(self.object, expected.into_iter(), checkpoint, deliver)
            })?;
            if let Some(error) = failed {
                return Err(error.into());
            }
        }
        bad.sort_unstable_by_key(|it| it.at);
        Ok(bad)
    }

    /// The copy of a file that every replica must have, unless it was seen already.
    pub(super) fn expected<K>(&self, key: K, file: &FileRecord) -> Option<Expected<K>> {
        if !is_kept(file) || file.verified {
            return None;
        }
        let sha512 = file.digests.sha512();
        let place = file.content_path.clone().or_else(|| self.relied_on.get(&sha512).cloned())?;
        Some(Expected { key, content_path: place, sha512, size_bytes: Some(file.size_bytes) })
    }
}
