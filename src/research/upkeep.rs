//! What has to be done from time to time.

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
        let count = |clips: usize| u32::try_from(clips).unwrap_or(u32::MAX);
        let ends: Vec<LeaseEnd<'_>> = ended
            .iter()
            .filter_map(|it| {
                let taken = it.taken.as_ref()?;
                Some(LeaseEnd {
                    name: &it.id,
                    episode: it.episode,
                    researcher: &taken.by,
                    clip_count: count(it.clips.len()),
                    done_count: count(it.clips.len() - it.left.len()),
                    renewals: it.renewals,
                    taken_at: taken.at,
                    ending,
                })
            })
            .collect();
        Ok(self.registry.note_lease_ends(&ends, self.clock.now())?)
    }
}
