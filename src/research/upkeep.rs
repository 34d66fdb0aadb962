//! What has to be done from time to time, and at the start.

use std::collections::BTreeSet;

use storage::registry::{Ending, LeaseEnd};
use storage::work::assignment::Assignment;

use super::bureau::Bureau;
use super::error::ResearchError;

/// Pieces of work put on offer by one look.
const AT_ONCE: usize = 16;

/// What came of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Leases and offers whose time was over.
    pub lapsed: usize,
    /// Pieces of work put on offer.
    pub offered: usize,
}

impl Bureau {
    /// Ends what is over, and keeps some work on offer.
    pub fn keep(&self) -> Result<Kept, ResearchError> {
        let mut slot = self.board();
        let lapsed = self.assignments.lapse(usize::MAX)?;
        self.note_lapsed(&lapsed)?;
        let mut out = self.assignments.list(usize::MAX)?;
        let board = self.ready(&mut slot)?;
        let offered = self.fill(board, &mut out, AT_ONCE)?;
        Ok(Kept { lapsed: lapsed.len(), offered })
    }

    /// Writes down how leases ended; offers that nobody took leave no trace.
    pub(super) fn note_ended(
        &self,
        ended: &[Assignment],
        ending: Ending,
    ) -> Result<(), ResearchError> {
        let ends: Vec<LeaseEnd<'_>> = ended
            .iter()
            .filter(|it| it.taken.is_some())
            .map(|it| LeaseEnd {
                name: &it.id,
                ending,
                done_count: u32::try_from(it.clips.len() - it.left.len()).unwrap_or(u32::MAX),
                renewals: it.renewals,
            })
            .collect();
        Ok(self.registry.end_leases(&ends, self.clock.now())?)
    }

    /// Brings the history of leases in line with what is out: the two are written one after the
    /// other, and the program may have died between.
    pub(super) fn reconcile(&self) -> Result<(), ResearchError> {
        let out = self.assignments.list(usize::MAX)?;
        for it in &out {
            self.note_taken(it)?;
        }
        let out: BTreeSet<String> = out.into_iter().map(|it| it.id).collect();
        let gone: Vec<String> =
            self.registry.leases_out()?.into_iter().filter(|name| !out.contains(name)).collect();
        let ends: Vec<LeaseEnd<'_>> = gone
            .iter()
            .map(|name| LeaseEnd { name, ending: Ending::Unknown, done_count: 0, renewals: 0 })
            .collect();
        Ok(self.registry.end_leases(&ends, self.clock.now())?)
    }
}
