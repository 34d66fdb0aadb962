//! Finds the objects that a replica lacks copies of, and those that were not looked at for longest, and
//! makes an item of each.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use byteio::causes::chain;
use storage::registry::{DueObject, ObjectId, ReplicaClass, Sight};

use crate::app::App;
use crate::checkup;
use crate::fault::Fault;
use crate::vaults;
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct FixityDue;

/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;

impl Sweep<App> for FixityDue {
    fn name(&self) -> &'static str {
        "fixity_due"
    }

    fn about(&self) -> &'static str {
        "Finds copies that are missing or were not read for longest, and has them made or compared."
    }

    fn every(&self, app: &App) -> Duration {
        app.config.fixity.sweep
    }

    /// The oldest first, over all replicas; nothing falls out of a window. One object at least is
    /// taken, however many files it has.
    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let now = app.shop.clock.now();
        // A few small files: they are not for quiet hours to protect.
        let roots = repair_roots(app)?;
        if app.config.fixity.is_quiet(now) {
            let note = noted("it is a quiet hour: nothing is checked".into(), roots);
            return Ok(Swept { made: 0, note });
        }
        let most = u32::try_from(limit).unwrap_or(u32::MAX).min(app.config.fixity.files_per_sweep);
        let mut due: BTreeMap<ObjectId, DueObject> = BTreeMap::new();
        for row in app.registry.replicas(REPLICAS)? {
            if row.replica.class == ReplicaClass::Cold {
                continue;
            }
            let before = now.before(app.config.fixity_every(&row.replica.name));
            for object in app.registry.due_objects(row.id, before, most)? {
                let known = due.entry(object.object_id).or_insert_with(|| object.clone());
                known.oldest_checked_at = known.oldest_checked_at.min(object.oldest_checked_at);
            }
        }
        let mut due: Vec<DueObject> = due.into_values().collect();
        due.sort_by_key(|object| (object.oldest_checked_at, object.object_id));
        let filled = fill(app, limit)?;
        let (mut made, mut files) = (0, 0);
        for object in due {
            if made > 0 && files + object.copy_count > u64::from(most) {
                break;
            }
            let Some(row) = app.registry.object(object.object_id)? else { continue };
            let why = format!("last looked at on {}", object.oldest_checked_at);
            let pushed = app.shop.queue.push(checkup::item(&row, checkup::HOUSE, &why))?;
            files += object.copy_count;
            made += usize::from(pushed.new);
        }
        let mut note = format!("objects to check: {made}");
        if filled > 0 {
            write!(note, "; objects to copy to a replica that lacks them: {filled}").ok();
        }
        Ok(Swept { made: made + filled, note: noted(note, roots) })
    }
}

/// A note, with how many files of storage roots were repaired.
fn noted(mut note: String, roots: usize) -> String {
    if roots > 0 {
        write!(note, "; files of storage roots that were repaired: {roots}").ok();
    }
    note
}

/// Has every replica filled that lacks copies and is there; the number of new items. One that is away
/// is filled when it is back, and what only cold replicas hold is not copied.
fn fill(app: &App, limit: usize) -> Result<usize, Fault> {
    let most = u32::try_from(limit).unwrap_or(u32::MAX);
    let mut made = 0;
    for missing in app.registry.missing_copies(Sight::All)? {
        if !matches!(app.vaults.reach(&missing.replica), Some(Ok(_))) {
            continue;
        }
        let why = format!("copies are missing in replica {}", missing.replica);
        for object in app.registry.objects_missing_in(&missing.replica, most)? {
            let Some(row) = app.registry.object(object)? else { continue };
            if checkup::is_readable(app, &row)? {
                let pushed = app.shop.queue.push(checkup::item(&row, checkup::HOUSE, &why))?;
                made += usize::from(pushed.new);
            }
        }
    }
    Ok(made)
}

/// Checks the files that describe the storage root of every replica that was used and is there, and
/// repairs them; how many were made again.
fn repair_roots(app: &App) -> Result<usize, Fault> {
    let mut repaired = 0;
    for row in app.registry.replicas(REPLICAS)? {
        let Some(Ok(replica)) = app.vaults.reach(&row.replica.name) else { continue };
        match vaults::repair_root(replica) {
            Ok(count) => repaired += count,
            // One that fails must not keep the others from being checked.
            Err(error) => {
                let (replica, fault) = (replica.name(), chain(&error));
                tracing::warn!(replica, fault, "the files of the storage root cannot be checked");
            }
        }
    }
    Ok(repaired)
}
