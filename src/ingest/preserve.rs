//! Copies the bytes of every new or changed file into a draft of every replica, from one read.
//!
//! Promise: what is marked as stored is durable in every replica of the storage option.
//! Interruptible: after every batch of files. Repeats: safe; files that are marked are not copied
//! again. A replica that is away makes the item wait.

use std::time::Duration;

use super::patience::patient;
use super::records::{BagRecord, FileRecord, bag, change_pages};
use super::source::stream;
use crate::app::App;
use crate::fault::Fault;
use crate::vault::{Draft, Intake, ObjectId, Placement, Placing, Replica, store};
use crate::work::{About, Done, Job, Policy, Pool, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

pub(super) struct Preserve;

impl Stage<App> for Preserve {
    fn about(&self) -> About {
        About {
            topic: "ingest06_storage",
            label: "Store",
            env: Some("INGEST_PRESERVATION_UPLOADER"),
        }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, preserve(job))
    }
}

fn preserve(job: &Job<'_, App>) -> Result<Done, Fault> {
    let mut record = bag(job)?;
    if record.saved_file_count == 0 {
        job.note("nothing to store");
        return Ok(Done::Advance);
    }
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    let object = ObjectId::new(record.object_identifier.clone());
    let draft = Draft { object: &object, version: record.version.map_or(1, |it| it.0) };
    let mut placing = Placing::new(draft, &replicas)?;
    job.total(record.size_bytes);
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        for (path, file) in files.iter_mut().filter(|(_, file)| file.is_saved()) {
            file.content_path = match placing.place(path, &file.digests.sha512()) {
                Placement::Copy(content_path) => Some(content_path),
                Placement::Held => None,
            };
        }
        copy(job, &Target { record: &record, draft, replicas: &replicas }, files)
    })?;
    record.moments.stored = job.app.shop.clock.now().0;
    job.dossier().put_whole(&record)?;
    let names: Vec<&str> = replicas.iter().map(|replica| replica.name()).collect();
    job.note(format!("stored in {}", names.join(" and ")));
    Ok(Done::Advance)
}

/// What is copied to where.
pub(super) struct Target<'t> {
    pub(super) record: &'t BagRecord,
    pub(super) draft: Draft<'t>,
    pub(super) replicas: &'t [&'t Replica],
}

/// Copies those of the files that are not stored yet, and marks them.
pub(super) fn copy(
    job: &Job<'_, App>,
    target: &Target<'_>,
    files: &mut [(String, FileRecord)],
) -> Result<(), Fault> {
    let Target { record, draft, replicas } = *target;
    let wanted = |file: &FileRecord| file.is_saved() && !file.stored;
    let intakes: Vec<Intake<'static>> = files
        .iter()
        .filter(|(_, file)| wanted(file))
        .filter_map(|(path, file)| {
            Some(Intake {
                content_path: file.content_path.clone()?,
                source: stream(job.app, job.item.id, record, (path, file)),
                size_bytes: file.size_bytes,
                sha512: file.digests.sha512(),
            })
        })
        .collect();
    if !intakes.is_empty() {
        let checkpoint = |bytes: u64| {
            job.advance(bytes);
            job.checkpoint()
        };
        let stored =
            job.enter(Pool::Disk, || store(intakes.into_iter(), draft, replicas, checkpoint))?;
        for outcome in stored.replicas {
            outcome?;
        }
        if let Some((_, error)) = stored.rejected.into_iter().next() {
            return Err(error.into());
        }
    }
    for (_, file) in files.iter_mut().filter(|(_, file)| wanted(file)) {
        file.stored = true;
    }
    Ok(())
}
