//! Copies the bytes of every new or changed file into a draft of every replica, from one read.
//!
//! Promise: what is marked as stored is durable in every replica of the storage option.
//! Interruptible: after every batch of files. Repeats: safe; files that are marked are not copied
//! again, and within a page none to a replica that has it (see `progress`). A replica that is away, or
//! does not hold the earlier versions yet, makes the item wait. Where the staging area does not hold what was surveyed, the item goes back to be
//! unpacked again.

use std::time::Duration;

use ocfl::{Draft, Intake, ObjectId, Placement, Placing, Replica, store};

use super::patience::patient;
use super::progress::Progress;
use super::records::{BagRecord, FileRecord, bag, change_pages};
use super::reliance::filled_first;
use super::restage::{forget_returns, unpack_again};
use super::source::stream;
use super::unpack;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Pool, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Where items go whose copies must be made again.
pub(super) const TOPIC: &str = "ingest06_storage";

pub(super) struct Preserve;

impl Stage<App> for Preserve {
    fn about(&self) -> About {
        About { topic: TOPIC, label: "Store", env: Some("INGEST_PRESERVATION_UPLOADER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let stored = preserve(job).or_else(|fault| Err(filled_first(job, fault)?));
        patient(job, stored.or_else(|fault| unpack_again(job, fault)))
    }
}

fn preserve(job: &Job<'_, App>) -> Result<Done, Fault> {
    let mut record = bag(job)?;
    if record.saved_file_count == 0 {
        job.note("nothing to store");
        return Ok(Done::Advance);
    }
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    job.app.custody.wait_for_removal(&record.object_identifier, || job.checkpoint())?;
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
    job.dossier().clear_done()?;
    forget_returns(job, unpack::TOPIC)?;
    record.moments.stored = job.app.shop.clock.now().0;
    job.dossier().put_whole(&record)?;
    let names: Vec<&str> = replicas.iter().map(|replica| replica.name()).collect();
    job.note(format!("stored in {}", names.join(" and ")));
    Ok(Done::Advance)
}

/// What is copied to where.
struct Target<'t> {
    record: &'t BagRecord,
    draft: Draft<'t>,
    replicas: &'t [&'t Replica],
}

/// Copies those of the files that are not stored yet, and marks them.
fn copy(
    job: &Job<'_, App>,
    target: &Target<'_>,
    files: &mut [(String, FileRecord)],
) -> Result<(), Fault> {
    let Target { record, draft, replicas } = *target;
    let wanted = |file: &FileRecord| file.is_saved() && !file.stored;
    let progress = Progress::of(job, files, replicas.len())?;
    let intakes: Vec<Intake<'static>> = files
        .iter()
        .filter(|(_, file)| wanted(file))
        .filter_map(|(path, file)| {
            let content_path = file.content_path.clone()?;
            let done = progress.replicas_with(&content_path);
            let is_missing =
                replicas.iter().any(|replica| !done.iter().any(|it| it == replica.name()));
            is_missing.then(|| Intake {
                content_path,
                done,
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
        let done = |replica: &str, paths: Vec<String>| progress.tell(replica, paths);
        let stored = job
            .enter(Pool::Disk, || store(intakes.into_iter(), draft, replicas, checkpoint, &done));
        if let Some(fault) = stored.stopped {
            return Err(fault);
        }
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
