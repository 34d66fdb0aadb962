//! What a deposit relies on: bytes that it does not bring into the vault again, because an earlier
//! version holds them. The deposit goes when the item ends, so these copies are read as well before
//! that; one that is not sound keeps the deposit where it is, and is told to the registry.

use std::collections::HashMap;

use storage::registry::{CheckedCopy, CopyState, Version};

use super::records::{BagRecord, FileRecord, Walk};
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::vault::{ObjectId, Replica};
use crate::work::Job;

/// Where bytes lie that new files of this deposit share with an earlier version.
pub(super) type Shared = HashMap<[u8; 64], String>;

/// A copy that is not what it should be.
pub(super) struct Unsound<'r> {
    /// The place of its file in the page.
    pub(super) at: usize,
    pub(super) replica: &'r str,
    pub(super) is_missing: bool,
}

/// Finds them; asked of the first replica, because all of them hold the same.
pub(super) fn shared(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&Replica],
) -> Result<Shared, Fault> {
    let mut walk = Walk::new(job.dossier());
    let saved = walk.by_ref().filter(|(_, file)| file.is_saved() && file.content_path.is_none());
    let mut shared: Shared =
        saved.map(|(_, file)| (file.digests.sha512(), String::new())).collect();
    walk.finish()?;
    let before = record.version.map_or(0, |version| version.0.saturating_sub(1));
    let object = ObjectId::new(record.object_identifier.clone());
    if let (false, true, Some(replica)) = (shared.is_empty(), before > 0, replicas.first())
        && let Some(inventory) = replica.version_inventory(&object, before)?
    {
        inventory.contents(&mut |path, sha512| {
            if let Some(place) = shared.get_mut(sha512) {
                path.clone_into(place);
            }
            Ok(())
        })?;
    }
    // The others share with a file of this deposit, which is read for itself.
    shared.retain(|_, place| !place.is_empty());
    Ok(shared)
}

/// Tells the registry which held copies are not sound, and why the item cannot go on.
pub(super) fn unsound(
    job: &Job<'_, App>,
    record: &BagRecord,
    files: &[(String, FileRecord)],
    found: &[Unsound<'_>],
) -> Result<Fault, Fault> {
    let registry = &job.app.registry;
    let paths: Vec<&str> = found.iter().map(|it| files[it.at].0.as_str()).collect();
    if let Some(object) = registry.object_by_identifier(&record.object_identifier)? {
        let (rows, replicas) =
            (registry.files_by_path(object.id, &paths)?, registry.replicas(1000)?);
        let check = |it: &Unsound<'_>| {
            let file = rows.iter().find(|row| row.path == files[it.at].0)?;
            let replica = replicas.iter().find(|row| row.replica.name == it.replica)?;
            let state = if it.is_missing { CopyState::Missing } else { CopyState::Damaged };
            let (file_id, version): (_, Version) = (file.id, file.version);
            Some(CheckedCopy {
                file_id,
                version,
                replica: replica.id,
                state,
                at: job.app.shop.clock.now(),
            })
        };
        registry.record_checks(&found.iter().filter_map(check).collect::<Vec<_>>())?;
    }
    let first = found.first().map(|it| {
        let what = if it.is_missing { "is missing" } else { "is not what was preserved" };
        format!("the copy of {} in replica `{}` {what}", files[it.at].0, it.replica)
    });
    let more = found.len().saturating_sub(1);
    let more = if more > 0 { format!(", and {more} more are not sound") } else { String::new() };
    Ok(Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "held-copy-unsound",
        advice: "Keep the deposit, it stays in the receiving area. Put the copy back from another \
                 replica or from a backup, then requeue the item."
            .into(),
        source: format!("{}{more}", first.unwrap_or_default()).into(),
    }))
}
