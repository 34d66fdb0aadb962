//! Reads every copy back from its medium and compares its digest.
//!
//! Promise: every copy that this ingest made is equal, in every replica; one that is not was copied
//! again and read again. Copies of earlier versions that it relies on are sound. Interruptible: every
//! few megabytes. Repeats: safe, files that are verified are passed over.

use std::time::Duration;

use super::patience::patient;
use super::preserve::{Target, copy};
use super::records::{Fate, FileRecord, bag, change_pages};
use super::reliance::{Places, Unsound, relied_on, unsound};
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::vault::{Class, CopyState, Draft, Expected, ObjectId, Replica};
use crate::work::{About, Done, Job, Policy, Pool, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

pub(super) struct Verify;

impl Stage<App> for Verify {
    fn about(&self) -> About {
        About {
            topic: "ingest07_storage_validation",
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
    let draft = Draft { object: &object, version: record.version.map_or(1, |it| it.0) };
    job.total(record.size_bytes.saturating_mul(replicas.len() as u64));
    let relied_on = relied_on(job, &record, &replicas)?;
    let reading = Reading { object: &object, replicas: &replicas, relied_on: &relied_on };
    let mut mended = 0;
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let (ours, held): (Vec<_>, Vec<_>) =
            reading.unequal(job, files)?.into_iter().partition(|it| is_ours(&files[it.at].1));
        if !held.is_empty() {
            return Err(unsound(job, &record, files, &held)?);
        }
        if !ours.is_empty() {
            mended += ours.len();
            for Unsound { at, .. } in &ours {
                files[*at].1.stored = false;
            }
            copy(job, &Target { record: &record, draft, replicas: &replicas }, files)?;
            if let Some(Unsound { at, .. }) = reading.unequal(job, files)?.first() {
                return Err(still_unequal(&files[*at].0));
            }
        }
        for (_, file) in files.iter_mut().filter(|(_, file)| is_kept(file)) {
            file.verified = true;
        }
        Ok(())
    })?;
    // The moment of recording is drawn here, because it is settled with this stage: what the next
    // one writes must be the same however often it begins.
    record.moments.verified = job.app.shop.clock.now().0;
    if record.moments.recorded == 0 {
        record.moments.recorded = record.moments.verified;
    }
    job.dossier().put_whole(&record)?;
    job.note(match mended {
        0 => "every copy was read back and is equal".to_owned(),
        count => {
            format!("every copy was read back; {count} were copied again and are equal now")
        }
    });
    Ok(Done::Advance)
}

/// Whether a file is in the vault when this ingest has ended.
fn is_kept(file: &FileRecord) -> bool {
    file.is_saved() || file.fate == Fate::Unchanged
}

/// Whether this ingest has made the copies of a file.
fn is_ours(file: &FileRecord) -> bool {
    file.is_saved() && file.content_path.is_some()
}

/// What is read back.
struct Reading<'r> {
    object: &'r ObjectId,
    replicas: &'r [&'r Replica],
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
                .filter_map(|(at, (_, file))| self.expected(replica, at, file))
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

    fn expected(&self, replica: &Replica, at: usize, file: &FileRecord) -> Option<Expected<usize>> {
        // What lies in a cold replica for longer cannot be read without asking for it days before.
        let is_cold = replica.settings().class == Class::Cold && !is_ours(file);
        if !is_kept(file) || file.verified || is_cold {
            return None;
        }
        let sha512 = file.digests.sha512();
        let place = file.content_path.clone().or_else(|| self.relied_on.get(&sha512).cloned())?;
        Some(Expected { key: at, content_path: place, sha512, size_bytes: Some(file.size_bytes) })
    }
}

fn still_unequal(path: &str) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Transient { retry_after: None },
        code: "copy-differs",
        advice: "check the disk of the replica; requeue the item when it is sound".into(),
        source: format!("a copy of {path} was written twice and reads back different").into(),
    })
}
