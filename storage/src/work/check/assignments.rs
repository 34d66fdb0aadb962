//! Assignments, and the leases that stand behind them.

use super::{Walk, readable};
use crate::error::Error;
use crate::work::assignment::{AssignmentTree, SPACE};
use crate::work::lease::LeaseTree;

impl Walk<'_> {
    /// Every assignment has its lease, and every lease of that space its assignment.
    pub(super) fn assignments(&mut self) -> Result<(), Error> {
        self.each::<AssignmentTree>(|walk, id, _| {
            let name = (SPACE.to_owned(), id.clone());
            let apart = walk.store.commit(|tx| {
                let Some(it) = readable(tx.get::<AssignmentTree>(&id))? else { return Ok(false) };
                let lease = readable(tx.get::<LeaseTree>(&name))?;
                Ok::<_, Error>(it.id != id || lease != Some(it.lease()))
            })?;
            if apart {
                let sentence = format!(
                    "assignment {id} and its lease say different things; revoke it, and its pairs \
                     are given out again"
                );
                walk.report("assignment-without-lease", sentence, false);
            }
            Ok(())
        })?;
        self.each::<LeaseTree>(|walk, (space, id), _| {
            if space != SPACE {
                return Ok(());
            }
            let alone = walk.store.commit(|tx| {
                let there = tx.get::<LeaseTree>(&(space.clone(), id.clone()))?.is_some();
                Ok::<_, Error>(there && tx.get::<AssignmentTree>(&id)?.is_none())
            })?;
            if alone {
                let sentence = format!("lease {id} of research stands behind no assignment");
                walk.report("lease-without-assignment", sentence, false);
            }
            Ok(())
        })
    }
}
