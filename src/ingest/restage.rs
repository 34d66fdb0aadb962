//! What earlier stages claim and is no longer there is made again by the item itself.
//!
//! The staging area is a cache of the received bag: whatever removed or changed something in it, the
//! bag is unpacked again while it is still where it was received. A draft that has lost a copy is
//! filled again. How often an item goes back is counted in its dossier and bounded: a medium that
//! keeps nothing is for a person to look at.

use std::fs;
use std::io;

use ocfl::VaultError;
use storage::registry::Version;

use super::fetch::is_there;
use super::place::staging;
use super::records::{bag, change_pages};
use super::{preserve, unpack, verify};
use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};
use crate::work::{Done, Job};

/// How often an item may go back to the same stage without getting further in between.
const MOST: u64 = 3;

/// Sends the item back to be unpacked, if what stopped it is that the staging area does not hold
/// what was surveyed; any other fault is passed on.
pub(super) fn unpack_again(job: &Job<'_, App>, fault: Fault) -> Result<Done, Fault> {
    let Some(what) = unstaged(&fault) else { return Err(fault) };
    // Where the bag is gone, what is left of it in the staging area is all there is.
    if !is_there(job)? {
        return Err(fault);
    }
    if !may_return(job, unpack::TOPIC)? {
        // A person who has looked at the disk gives it as many tries again.
        forget_returns(job, unpack::TOPIC)?;
        return Err(for_good(fault));
    }
    let folder = staging(job.app, job.item.id);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other.map_err(FileFault::at("remove", &folder))?,
    }
    // What was identified by other bytes than those of the bag is not known.
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        files.iter_mut().for_each(|(_, file)| file.format = None);
        Ok(())
    })?;
    let why = format!("{what}; the received bag is unpacked again");
    Ok(Done::SendBack { to: unpack::TOPIC, why })
}

/// Sends the item back to copy files again whose copies do not read back as they should. These are
/// marked as not stored. `first` names one of them.
pub(super) fn store_again(job: &Job<'_, App>, count: u64, first: &str) -> Result<Done, Fault> {
    if !may_return(job, preserve::TOPIC)? {
        // A person who has looked at the replica gives it as many tries again.
        forget_returns(job, preserve::TOPIC)?;
        return Err(Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "copy-differs",
            advice: "check the disk of the replica; requeue the item when it is sound".into(),
            source: format!(
                "a copy of {first} was written {} times and does not read back as it should",
                MOST + 1
            )
            .into(),
        }));
    }
    let what = if count == 1 { "is" } else { "are" };
    let why =
        format!("copies of {count} of the files {what} missing or differ; they are stored again");
    Ok(Done::SendBack { to: preserve::TOPIC, why })
}

/// Sends the item back to read its copies, if what stopped it is that a replica does not hold one of
/// those of its own version; any other fault is passed on.
pub(super) fn verify_again(job: &Job<'_, App>, fault: Fault) -> Result<Done, Fault> {
    if !lacks_own_copy(&fault, bag(job)?.version) {
        return Err(fault);
    }
    if !may_return(job, verify::TOPIC)? {
        // A person who has looked at the replica gives it as many tries again.
        forget_returns(job, verify::TOPIC)?;
        return Err(for_good(fault));
    }
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        files.iter_mut().for_each(|(_, file)| file.verified = false);
        Ok(())
    })?;
    let why = "a replica lacks a copy that it had; every copy is read again".to_owned();
    Ok(Done::SendBack { to: verify::TOPIC, why })
}

/// Whether a replica does not hold a file that this version brings.
fn lacks_own_copy(fault: &Fault, version: Option<Version>) -> bool {
    let (Fault::Failed(failure), Some(version)) = (fault, version) else { return false };
    let content = format!("v{version}/content/");
    matches!(failure.source.downcast_ref(),
        Some(VaultError::NotFound { what, .. }) if what.starts_with(&content))
}

/// Forgets how often the item went back to a stage, because it got further.
pub(super) fn forget_returns(job: &Job<'_, App>, topic: &str) -> Result<(), Fault> {
    if job.dossier().result::<u64>(topic)?.is_some_and(|count| count > 0) {
        job.dossier().put_result(topic, &0_u64)?;
    }
    Ok(())
}

/// Whether the item may go back to a stage once more; counts it.
fn may_return(job: &Job<'_, App>, topic: &str) -> Result<bool, Fault> {
    let count = job.dossier().result::<u64>(topic)?.unwrap_or(0);
    if count >= MOST {
        return Ok(false);
    }
    job.dossier().put_result(topic, &(count + 1))?;
    Ok(true)
}

/// The same fault as one that does not pass by itself.
fn for_good(fault: Fault) -> Fault {
    if let Fault::Failed(failure) = fault {
        return Fault::Failed(Failure { kind: Kind::Fatal, ..failure });
    }
    fault
}

/// What is wrong with the staging area, if that is what a fault tells.
fn unstaged(fault: &Fault) -> Option<String> {
    let Fault::Failed(failure) = fault else { return None };
    match failure.source.downcast_ref()? {
        VaultError::Source { what, .. } => {
            Some(format!("{what} cannot be read in the staging area"))
        }
        VaultError::Changed { what } => Some(format!("{what} differs in the staging area")),
        VaultError::Away { .. }
        | VaultError::Full { .. }
        | VaultError::Denied { .. }
        | VaultError::NotFound { .. }
        | VaultError::Lacks { .. }
        | VaultError::Damaged { .. }
        | VaultError::Conflict { .. }
        | VaultError::Ahead { .. }
        | VaultError::Refused { .. }
        | VaultError::Scratch { .. } => None,
    }
}
