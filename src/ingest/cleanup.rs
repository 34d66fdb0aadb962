//! Takes away what was only needed on the way.
//!
//! Promise: the dossier and the staging area of the item are gone; the deposit too, if it was
//! recorded. A deposit that was not stays where it is. Repeats: safe.

use std::fs;
use std::io;
use std::path::Path;

use storage::work::item::Verdict;

use super::patience::patient;
use super::place::{deposit, etag, staging};
use super::records::BagRecord;
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::vault::ObjectId;
use crate::work::{About, Done, Job, Policy, Stage};

pub(super) struct Cleanup;

impl Stage<App> for Cleanup {
    fn about(&self) -> About {
        About { topic: "ingest09_cleanup", label: "Cleanup", env: Some("INGEST_CLEANUP") }
    }

    fn policy(&self) -> Policy {
        Policy::DISK
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, cleanup(job))
    }
}

fn cleanup(job: &Job<'_, App>) -> Result<Done, Fault> {
    let kept = job.item.verdict == Verdict::Open || is_recorded(job)?;
    if kept {
        remove_deposit(job)?;
    } else {
        give_up_drafts(job)?;
    }
    clear(job)?;
    job.note(if kept {
        "the object is preserved; what was needed on the way is gone"
    } else {
        "given up; what was needed on the way is gone, the deposit stays"
    });
    Ok(Done::Finish)
}

/// Whether the registry has what this item brought: a wish to cancel it came too late.
fn is_recorded(job: &Job<'_, App>) -> Result<bool, Fault> {
    let Some(record) = job.dossier().whole::<BagRecord>()? else { return Ok(false) };
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(false);
    };
    let newest = registry.deposits(object.id, 1)?;
    Ok(newest.iter().any(|deposit| deposit.facts.item_id.unsigned_abs() == job.item.id.0))
}

/// Removes the interim state of an item.
pub(super) fn clear(job: &Job<'_, App>) -> Result<(), Fault> {
    let folder = staging(job.app, job.item.id);
    remove(&folder, fs::remove_dir_all(&folder))?;
    job.dossier().remove()?;
    Ok(())
}

/// Removes the deposit, if it is still the one that was ingested: a newer one under the same name is
/// not ours to remove.
fn remove_deposit(job: &Job<'_, App>) -> Result<(), Fault> {
    let path = deposit(job.app, job.item);
    let found = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(FileFault::at("look at", &path))?,
    };
    if job.item.subject.etag.as_deref() != Some(&etag(&found)) {
        return Ok(());
    }
    let removed = if found.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    remove(&path, removed)
}

/// Takes the drafts of a version that will not be sealed out of every replica.
fn give_up_drafts(job: &Job<'_, App>) -> Result<(), Fault> {
    let Some(record) = job.dossier().whole::<BagRecord>()? else { return Ok(()) };
    // Before formats were told nothing was written anywhere.
    if record.moments.identified == 0 {
        return Ok(());
    }
    let object = ObjectId::new(record.object_identifier.clone());
    let held = job.app.registry.object_by_identifier(&record.object_identifier)?;
    let recorded = held.map_or(0, |object| object.version.0);
    for replica in job.app.vaults.replicas(&record.facts.storage_option)? {
        job.checkpoint()?;
        replica.reclaim(&object, recorded)?;
    }
    Ok(())
}

fn remove(path: &Path, removed: io::Result<()>) -> Result<(), Fault> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(FileFault::at("remove", path)),
    }
}
