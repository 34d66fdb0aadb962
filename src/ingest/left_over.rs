//! Removes what crashes and power cuts left in the replicas and in the staging area: drafts of
//! objects that nobody works on, files that were not finished, and folders of items that have ended.

use std::collections::BTreeSet;
use std::time::Duration;

use ocfl::{DraftName, ObjectId, Replica};
use storage::work::dossier::Dossier;
use storage::work::item::ItemId;

use super::INGEST;
use super::orphans::remove_orphans;
use super::records::BagRecord;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// Items looked at in one go.
const PAGE: usize = 1000;
/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;
/// Objects whose drafts are removed in one go.
const HELD: usize = 100;

/// The sweep.
pub struct LeftOvers;

impl Sweep<App> for LeftOvers {
    fn name(&self) -> &'static str {
        "left_overs"
    }

    fn about(&self) -> &'static str {
        "Removes unfinished drafts and files that crashes left in the replicas and in staging."
    }

    fn every(&self, _: &App) -> Duration {
        Duration::from_secs(3600)
    }

    fn sweep(&self, app: &App, _: usize) -> Result<Swept, Fault> {
        let staged = remove_orphans(app)?;
        let (mut drafts, mut files, mut away) = (0, 0, 0);
        let mut failed = None;
        // One that was never used is left alone: its disk may not be mounted yet.
        for row in app.registry.replicas(REPLICAS)? {
            // One that is away is looked at the next time.
            match app.vaults.reach(&row.replica.name) {
                Some(Ok(replica)) => match clear(app, replica) {
                    Ok(removed) => (files, drafts) = (files + removed.0, drafts + removed.1),
                    // One that fails must not keep the others from being cleared.
                    Err(fault) => failed = failed.or(Some(fault)),
                },
                Some(Err(_)) => away += 1,
                None => {}
            }
        }
        if let Some(fault) = failed {
            return Err(fault);
        }
        let absent = match away {
            0 => String::new(),
            _ => format!("; {away} replicas are away"),
        };
        let note = format!(
            "removed {drafts} drafts and {files} unfinished files in the replicas, {staged} folders \
             in staging{absent}"
        );
        Ok(Swept { made: 0, note })
    }
}

/// Removes what is left over in one replica: the number of files, and of drafts.
fn clear(app: &App, replica: &Replica) -> Result<(u64, u64), Fault> {
    Ok((replica.remove_unfinished_files()?, remove_drafts(app, replica)?))
}

/// Removes the drafts that nobody works on; the number of them.
fn remove_drafts(app: &App, replica: &Replica) -> Result<u64, Fault> {
    // Drafts first: an item is there before its draft.
    let drafts = replica.drafts()?;
    if drafts.is_empty() {
        return Ok(0);
    }
    let live = under_way(app)?;
    let left_over: Vec<&DraftName> = drafts.difference(&live).collect();
    let mut removed = 0;
    for drafts in left_over.chunks(HELD) {
        // Repairs and deletions send files of objects that they hold: those are looked at next time.
        let hold = |draft: &&DraftName| app.custody.hold_for_removal(draft);
        let held: Vec<_> = drafts.iter().filter_map(|draft| Some((*draft, hold(draft)?))).collect();
        if held.is_empty() {
            continue;
        }
        // An item may have come since. One that comes from now on waits until they are removed.
        let live = under_way(app)?;
        for (draft, _hold) in held.iter().filter(|(draft, _)| !live.contains(draft)) {
            replica.remove_draft(draft)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The objects that items are making versions of.
fn under_way(app: &App) -> Result<BTreeSet<DraftName>, Fault> {
    let queue = &app.shop.queue;
    let (mut found, mut after) = (BTreeSet::new(), None::<ItemId>);
    loop {
        let page = queue.items(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.id);
        for item in page.iter().filter(|item| item.flow == INGEST.name && !item.state.is_terminal())
        {
            let record: Option<BagRecord> = Dossier::of(queue.store(), item.id).whole()?;
            let object = record.map(|record| ObjectId::new(record.object_identifier));
            found.extend(object.map(|object| DraftName::of(&object)));
        }
    }
}
