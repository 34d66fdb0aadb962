//! Finds the objects that were not looked at for longest, and makes an item of each.

use std::collections::BTreeMap;
use std::time::Duration;

use storage::registry::{DueObject, ObjectId, ReplicaClass};

use crate::app::App;
use crate::checkup;
use crate::fault::Fault;
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
        "Finds copies that were not read for longest, and has them read and compared."
    }

    fn every(&self, app: &App) -> Duration {
        app.config.fixity.sweep
    }

    /// The oldest first, over all replicas; nothing falls out of a window. One object at least is
    /// taken, however many files it has.
    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let now = app.shop.clock.now();
        if app.config.fixity.is_quiet(now) {
            return Ok(Swept { made: 0, note: "it is a quiet hour: nothing is checked".into() });
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
        Ok(Swept { made, note: format!("objects to check: {made}") })
    }
}
