//! Reads every copy back from its medium and compares its digest.
//!
//! Promise: every copy that this ingest made is equal, in every replica; one that is not was copied
//! again and read again. Interruptible: every few megabytes. Repeats: safe, files that are verified
//! are passed over.

use std::time::Duration;

use super::patience::patient;
use super::preserve::{Target, copy};
use super::records::{FileRecord, bag, change_pages};
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::vault::{CopyState, Draft, Expected, ObjectId, Replica};
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
    let mut mended = 0;
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let bad = unequal(job, &object, &replicas, files)?;
        if !bad.is_empty() {
            mended += bad.len();
            for at in &bad {
                files[*at].1.stored = false;
            }
            copy(job, &Target { record: &record, draft, replicas: &replicas }, files)?;
            if let Some(at) = unequal(job, &object, &replicas, files)?.first() {
                return Err(still_unequal(&files[*at].0));
            }
        }
        for (_, file) in files.iter_mut().filter(|(_, file)| file.is_saved()) {
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

/// Files of which a copy is not what it should be, by their place in the page.
fn unequal(
    job: &Job<'_, App>,
    object: &ObjectId,
    replicas: &[&Replica],
    files: &[(String, FileRecord)],
) -> Result<Vec<usize>, Fault> {
    let mut bad = Vec::new();
    for replica in replicas {
        let copies =
            files.iter().enumerate().filter(|(_, (_, file))| file.is_saved() && !file.verified);
        let expected: Vec<Expected<usize>> = copies
            .filter_map(|(at, (_, file))| {
                Some(Expected {
                    key: at,
                    content_path: file.content_path.clone()?,
                    sha512: file.digests.sha512(),
                    size_bytes: Some(file.size_bytes),
                })
            })
            .collect();
        let checkpoint = |bytes: u64| {
            job.advance(bytes);
            job.checkpoint()
        };
        let mut failed = None;
        let deliver = |at: usize, state: CopyState| match state {
            CopyState::Equal => {}
            CopyState::Differs | CopyState::Missing => bad.push(at),
            CopyState::Unreadable(error) => failed = Some(error),
        };
        job.enter(Pool::Cpu, || replica.verify(object, expected.into_iter(), checkpoint, deliver))?;
        if let Some(error) = failed {
            return Err(error.into());
        }
    }
    bad.sort_unstable();
    bad.dedup();
    Ok(bad)
}

fn still_unequal(path: &str) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Transient { retry_after: None },
        code: "copy-differs",
        advice: "check the disk of the replica; requeue the item when it is sound".into(),
        source: format!("a copy of {path} was written twice and reads back different").into(),
    })
}
