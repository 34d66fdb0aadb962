//! Takes away what was only needed on the way.
//!
//! Promise: the dossier and the staging area of the item are gone; the deposit too, if it was
//! recorded. A deposit that was not stays where it is, and what was sealed of it is taken back. What
//! is called off when its chronicle lies in a replica is recorded all the same: it would stand in the
//! way of the next deposit. Repeats: safe.

use std::fs;
use std::io;

use ocfl::ObjectId;
use storage::registry::Version;
use storage::work::dossier::Dossier;
use storage::work::item::{ItemId, Verdict};

use super::patience::patient;
use super::place::staging;
use super::record::record;
use super::records::BagRecord;
use super::removal::remove_deposit;
use crate::app::{App, FileFault};
use crate::fault::Fault;
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
    let note = if job.item.verdict == Verdict::Open {
        // A newer one under the same name is not ours to remove.
        remove_deposit(job.app, job.item)?;
        "the object is preserved; what was needed on the way is gone"
    } else if is_told(job)? {
        record(job)?;
        remove_deposit(job.app, job.item)?;
        "it was too late to call it off: the version was recorded"
    } else {
        give_up_drafts(job)?;
        &format!("{}; what was needed on the way is gone, nothing was stored", given_up(job))
    };
    clear(job)?;
    job.note(note);
    Ok(Done::Finish)
}

/// Why the item is given up: whoever cancelled it has said so, and a first attempt still knows.
fn given_up<'j>(job: &Job<'j, App>) -> &'j str {
    let told = job.item.verdict == Verdict::Cancelled && job.item.strikes.attempts <= 1;
    if told && !job.item.note.is_empty() { &job.item.note } else { "given up" }
}

/// Whether a replica says that the version was recorded: then it is, and a wish to call the item off
/// came too late.
fn is_told(job: &Job<'_, App>) -> Result<bool, Fault> {
    let Some(record) = job.dossier().whole::<BagRecord>()? else { return Ok(false) };
    // Nothing is told before every copy was read back, nor where there is nothing new.
    let Some(Version(version)) = record.version.filter(|_| record.moments.recorded > 0) else {
        return Ok(false);
    };
    if record.saved_file_count == 0 {
        return Ok(false);
    }
    let object = ObjectId::new(record.object_identifier.clone());
    for replica in job.app.vaults.replicas(&record.facts.storage_option)? {
        if replica.has_chronicle(&object, version)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the interim state of an item.
pub(super) fn clear(job: &Job<'_, App>) -> Result<(), Fault> {
    drop_interim(job.app, job.item.id)
}

/// Removes the interim state of an item that nobody works on, or of one's own.
pub(crate) fn drop_interim(app: &App, item: ItemId) -> Result<(), Fault> {
    let folder = staging(app, item);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other.map_err(FileFault::at("remove", &folder))?,
    }
    Dossier::of(app.shop.queue.store(), item).remove()?;
    Ok(())
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
    let _hold = job.app.custody.hold(&record.object_identifier, || job.checkpoint())?;
    for replica in job.app.vaults.replicas(&record.facts.storage_option)? {
        job.checkpoint()?;
        replica.reclaim(&object, recorded)?;
    }
    Ok(())
}
