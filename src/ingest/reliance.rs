//! What a deposit relies on: bytes that it does not bring into the vault again, because an earlier
//! version holds them. The deposit goes when the item ends, so these copies are read as well before
//! that; one that is not sound is noted in the registry, and repaired with the deposit (see `repair`).

use std::collections::HashMap;

use storage::registry::{CheckedCopy, CopyState};

use super::records::{BagRecord, FileRecord, Walk};
use crate::app::App;
use crate::checkup;
use crate::fault::Fault;
use crate::vault::{Inventory, ObjectId, Replica, VaultError};
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
/// Asked of the first replica, because all of them hold the same.
pub(super) fn relied_on(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&Replica],
) -> Result<Places, Fault> {
    let before = record.version.map_or(0, |version| version.0.saturating_sub(1));
    let object = ObjectId::new(record.object_identifier.clone());
    shared(job, || match replicas.first() {
        Some(replica) if before > 0 => replica.version_inventory(&object, before),
        _ => Ok(None),
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
