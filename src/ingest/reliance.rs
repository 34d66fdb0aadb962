//! What a deposit relies on: bytes that it does not bring into the vault again, because an earlier
//! version holds them. The deposit goes when the item ends, so these copies are read as well before
//! that; one that is not sound is noted in the registry, and repaired with the deposit (see `repair`).

use std::collections::HashMap;
use std::error::Error;

use ocfl::{Class, Inventory, ObjectId, Replica, VaultError};
use storage::registry::{CheckedCopy, CopyState, ObjectRow};

use super::frame;
use super::patience::WAITS_FOR_REPAIR;
use super::records::{BagRecord, FileRecord, Walk, bag};
use crate::app::App;
use crate::checkup;
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

/// Where bytes lie in the vault's object, by their sha512.
pub(super) type Places = HashMap<[u8; 64], String>;

/// A copy that is not what it should be.
pub(super) struct Unsound<'r> {
    /// The place of its file in the page.
    pub(super) at: usize,
    pub(super) replica: &'r str,
    pub(super) is_missing: bool,
}

/// Where an inventory has the bytes of new files that were not copied, because another file or an
/// earlier version has the same. An inventory may be large, and is opened only if there are any.
pub(super) fn shared(
    job: &Job<'_, App>,
    open: impl FnOnce() -> Result<Option<Inventory>, VaultError>,
) -> Result<Places, Fault> {
    let mut walk = Walk::new(job.dossier());
    let saved = walk.by_ref().filter(|(_, file)| file.is_saved() && file.content_path.is_none());
    let mut places: Places =
        saved.map(|(_, file)| (file.digests.sha512(), String::new())).collect();
    walk.finish()?;
    if !places.is_empty()
        && let Some(inventory) = open()?
    {
        inventory.contents(&mut |path, sha512| {
            if let Some(place) = places.get_mut(sha512) {
                path.clone_into(place);
            }
            Ok(())
        })?;
    }
    places.retain(|_, place| !place.is_empty());
    Ok(places)
}

/// The same in the version before: what is shared with a file of this deposit is read with that one.
/// Asked of the first replica that holds it, because all of them hold the same.
pub(super) fn relied_on(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&Replica],
) -> Result<Places, Fault> {
    let before = record.version.map_or(0, |version| version.0.saturating_sub(1));
    let object = ObjectId::new(record.object_identifier.clone());
    let asked = if before > 0 { replicas } else { &[] };
    shared(job, || {
        let mut found = asked.iter().map(|replica| replica.version_inventory(&object, before));
        found.find_map(Result::transpose).transpose()
    })
}

/// Notes in the registry which held copies are not sound, before anything is done about them.
pub(super) fn note_unsound(
    job: &Job<'_, App>,
    record: &BagRecord,
    files: &[(String, FileRecord)],
    found: &[Unsound<'_>],
) -> Result<(), Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(());
    };
    let paths: Vec<&str> = found.iter().map(|it| files[it.at].0.as_str()).collect();
    let (rows, replicas) = (registry.files_by_path(object.id, &paths)?, registry.replicas(1000)?);
    let mut checks = Vec::new();
    for it in found {
        let Some(replica) = replicas.iter().find(|row| row.replica.name == it.replica) else {
            continue;
        };
        if let Some(file) = rows.iter().find(|row| row.path == files[it.at].0) {
            let state = if it.is_missing { CopyState::Missing } else { CopyState::Damaged };
            let (file_id, version, at) = (file.id, file.version, job.app.shop.clock.now());
            checks.push(CheckedCopy { file_id, version, replica: replica.id, state, at });
        }
    }
    registry.record_checks(&checks)?;
    Ok(())
}

/// What a fault means if a replica does not hold the version that this one builds on: it is filled
/// first, by a fixity check that is asked for here, and the item waits for that. Any other fault is
/// given back.
pub(super) fn filled_first(job: &Job<'_, App>, fault: Fault) -> Result<Fault, Fault> {
    let Fault::Failed(failure) = fault else { return Ok(fault) };
    let Some(VaultError::Lacks { replica, .. }) = failure.source.downcast_ref() else {
        return Ok(Fault::Failed(failure));
    };
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&bag(job)?.object_identifier)? else {
        return Ok(Fault::Failed(failure));
    };
    let is_filled = registry.missing_in(object.id, replica)? == 0;
    let known = job.app.vaults.named(replica);
    if is_filled && known.is_some_and(|known| known.settings().class == Class::Cold) {
        return framed(job, &object, failure.source);
    }
    if is_filled && was_checked(job, &object, replica)? {
        return Ok(Fault::Failed(failure));
    }
    filling(job, &object, failure.source)
}

/// Has what describes the object written anew in cold storage that was filled and lacks it; the fault
/// that makes the item go on after that.
fn framed(
    job: &Job<'_, App>,
    object: &ObjectRow,
    source: Box<dyn Error + Send + Sync>,
) -> Result<Fault, Fault> {
    let record = bag(job)?;
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    let _hold = job.app.custody.hold(&object.identifier, || job.checkpoint())?;
    let unframed = frame::lacking(job, &record, &replicas)?;
    if unframed.is_empty() {
        return Ok(Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "inventory-damaged",
            advice:
                "Compare the inventories of the object in the cold replica with their sidecars, \
                     bring back the right ones, then requeue the item; the deposit is kept."
                    .into(),
            source,
        }));
    }
    let truth = frame::truth(job, object, &replicas)?;
    frame::write_anew(job, object, &truth, (&unframed, &replicas))?;
    Ok(waiting(
        "What describes the object there was written anew; the deposit goes on by itself.",
        source,
    ))
}

/// Requires that no replica lacks copies of the object, unless it was checked since the deposit came:
/// what a new replica lacks is copied from the others, and not repaired with the deposit.
pub(super) fn require_filled(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&Replica],
) -> Result<(), Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(());
    };
    for name in replicas.iter().map(|replica| replica.name()) {
        if registry.missing_in(object.id, name)? > 0 && !was_checked(job, &object, name)? {
            let what = format!("replica `{name}` does not hold all of the object yet");
            return Err(filling(job, &object, what.into())?);
        }
    }
    Ok(())
}

/// Whether an object was checked in a replica since the deposit came.
fn was_checked(job: &Job<'_, App>, object: &ObjectRow, replica: &str) -> Result<bool, Fault> {
    let registry = &job.app.registry;
    let rows = registry.replicas(1000)?;
    let row = rows.iter().find(|row| row.replica.name == replica);
    let checked_at = row.map(|row| registry.object_check(object.id, row.id)).transpose()?.flatten();
    Ok(checked_at >= Some(job.item.created))
}

/// Asks for the check that fills a replica; the fault that makes the item wait for it. What no check can
/// copy is for a person.
fn filling(
    job: &Job<'_, App>,
    object: &ObjectRow,
    source: Box<dyn Error + Send + Sync>,
) -> Result<Fault, Fault> {
    if !checkup::is_readable(job.app, object)? {
        return Ok(Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "only-cold",
            advice: format!(
                "No hot replica that is configured holds the object, and cold storage is not read to \
                 fill a replica. The deposit is kept: take the replica out of the storage option {}, or \
                 configure the hot replica again that held the object, start the appliance again, then \
                 requeue the item.",
                object.storage_option
            ),
            source,
        }));
    }
    let why = "a deposit waits until a replica holds the earlier versions";
    checkup::ask(job.app, object, checkup::HOUSE, why)?;
    Ok(waiting(
        "The earlier versions are being copied there; the deposit goes on by itself after that.",
        source,
    ))
}

fn waiting(advice: &str, source: Box<dyn Error + Send + Sync>) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Transient { retry_after: None },
        code: WAITS_FOR_REPAIR,
        advice: advice.into(),
        source,
    })
}

/// Has the whole object read when a copy of it is not known to be intact, or was not until now: other
/// copies may have suffered with it.
pub(super) fn have_checked(
    job: &Job<'_, App>,
    record: &BagRecord,
    is_repaired: bool,
) -> Result<(), Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(());
    };
    if is_repaired || !registry.unsound_copies(Some(object.id), 1)?.is_empty() {
        let why = "a deposit relies on a copy that was not sound";
        checkup::ask(job.app, &object, checkup::HOUSE, why)?;
    }
    Ok(())
}
