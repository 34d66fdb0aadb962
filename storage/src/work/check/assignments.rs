//! Assignments, and the leases that stand behind them.

use super::{Walk, readable};
use crate::error::Error;
use crate::work::assignment::{AssignmentTree, SPACE};
use crate::work::lease::{LeaseTree, remove};

impl Walk<'_> {
    /// Every assignment has its lease. Where one is without the other both go: their pairs are given
    /// out again.
    pub(super) fn assignments(&mut self) -> Result<(), Error> {
        self.each::<AssignmentTree>(|walk, id, _| {
            let (name, mend) = ((SPACE.to_owned(), id.clone()), walk.mend);
            let apart = walk.store.commit(|tx| {
                let Some(it) = readable(tx.get::<AssignmentTree>(&id))? else { return Ok(false) };
                let lease = readable(tx.get::<LeaseTree>(&name))?;
                let apart = it.id != id || lease.as_ref() != Some(&it.lease());
                if apart && mend {
                    lease.iter().for_each(|lease| remove(tx, lease));
                    tx.remove::<AssignmentTree>(&id);
                }
                Ok::<_, Error>(apart)
            })?;
            if apart {
                let sentence = format!("assignment {id} and its lease say different things");
                walk.report("assignment-without-lease", sentence, mend);
            }
            Ok(())
        })
    }

    /// Whether a lease of research stands behind nothing; then it goes.
    pub(super) fn is_alone(&mut self, name: &(String, String)) -> Result<bool, Error> {
        if name.0 != SPACE {
            return Ok(false);
        }
        let mend = self.mend;
        let alone = self.store.commit(|tx| {
            let lease = readable(tx.get::<LeaseTree>(name))?;
            let alone = lease.filter(|_| matches!(tx.get::<AssignmentTree>(&name.1), Ok(None)));
            if let Some(lease) = alone.as_ref().filter(|_| mend) {
                remove(tx, lease);
            }
            Ok::<_, Error>(alone.is_some())
        })?;
        if alone {
            let sentence = format!("lease {} of research stands behind no assignment", name.1);
            self.report("lease-without-assignment", sentence, mend);
        }
        Ok(alone)
    }
}
