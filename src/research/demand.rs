//! How much there is to search and who is at it, for programs that start and end researchers by these
//! numbers.
//!
//! What is out and who is present is counted at every call. Pairs are counted over the bitmaps of all
//! episodes, which takes longer the more there are; such a count stands for twenty times as long as it
//! took, so that asking often never takes more than a twentieth of one processor.

use std::sync::PoisonError;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::{ClipSet, RecordingKind};

use super::board::wanted;
use super::bureau::Bureau;
use super::error::ResearchError;

/// How many times as long as it took a count of pairs stands.
const STANDS: u32 = 20;

/// How many pairs of an episode and a clip there are, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pairs {
    /// To be searched, now or when what failed is tried again.
    pub left: u64,
    /// Searched, as far as that counts.
    pub searched: u64,
    /// Failed too often: a person has to ask for another try.
    pub failed: u64,
}

/// What is out, and who is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// Pieces of work that nobody has taken.
    pub offers: u64,
    /// Pieces of work that researchers have.
    pub leases: u64,
    /// Researchers who are present.
    pub researchers: u64,
    /// How long the oldest offer has waited, in seconds; 0 when there is none.
    pub oldest_offer_s: u64,
    /// How long ago the oldest lease was taken, in seconds; 0 when there is none.
    pub oldest_lease_s: u64,
}

/// All numbers that tell how many researchers are of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Demand {
    /// Pairs, and how far they are.
    pub pairs: Pairs,
    /// What is out, and who is there.
    pub load: Load,
}

/// A count of pairs, when it was made, and how long that took.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pairs: Pairs,
    at: Duration,
    took: Duration,
}

impl Bureau {
    /// What is out, and who is there.
    pub fn load(&self) -> Result<Load, ResearchError> {
        let now = self.clock.now();
        let mut load = Load { researchers: self.census().len() as u64, ..Load::default() };
        let age = |since: Timestamp| now.since(since).as_secs();
        for it in self.assignments.list(usize::MAX)?.iter().filter(|it| !it.is_over(now)) {
            match &it.taken {
                None => {
                    load.offers += 1;
                    load.oldest_offer_s = load.oldest_offer_s.max(age(it.made));
                }
                Some(taken) => {
                    load.leases += 1;
                    load.oldest_lease_s = load.oldest_lease_s.max(age(taken.at));
                }
            }
        }
        Ok(load)
    }

    /// How far all pairs are, as of now or of a short while ago.
    pub fn pairs(&self) -> Result<Pairs, ResearchError> {
        // One counts, and whoever else asks waits for the same count.
        let mut known = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let began = self.clock.steady();
        if let Some(known) = &*known
            && began.saturating_sub(known.at) < known.took.saturating_mul(STANDS)
        {
            return Ok(known.pairs);
        }
        let pairs = self.count_pairs()?;
        let at = self.clock.steady();
        *known = Some(Counted { pairs, at, took: at.saturating_sub(began) });
        Ok(pairs)
    }

    /// All numbers.
    pub fn demand(&self) -> Result<Demand, ResearchError> {
        Ok(Demand { pairs: self.pairs()?, load: self.load()? })
    }

    /// Counts from the registry alone: the board stays free for those who ask for work.
    fn count_pairs(&self) -> Result<Pairs, ResearchError> {
        let numbers = |kind| -> Result<ClipSet, ResearchError> {
            Ok(self.registry.ranks(kind)?.iter().map(|rank| rank.id).collect())
        };
        let (episodes, clips) = (numbers(RecordingKind::Episode)?, numbers(RecordingKind::Clip)?);
        let (floors, troubles) = (self.registry.floors()?, self.registry.troubles()?);
        let wanted_clips = wanted(&clips, &troubles.clips);
        let wanted_episodes = wanted(&episodes, &troubles.episodes);
        let (mut searched, mut left) = (0, wanted_episodes.len() * wanted_clips.len());
        self.registry.each_searched(&mut |episode, found| {
            if !episodes.contains(episode) {
                return;
            }
            let standing = floors.standing(episode, found);
            searched += common(&standing, &clips);
            if wanted_episodes.contains(episode) {
                left -= common(&standing, &wanted_clips);
            }
        })?;
        self.registry.each_given_up_pair(&mut |episode, clip| {
            let counts = wanted_episodes.contains(episode) && wanted_clips.contains(clip);
            left = left.saturating_sub(u64::from(counts));
        })?;
        let all = episodes.len() * clips.len();
        Ok(Pairs { left, searched, failed: all.saturating_sub(searched + left) })
    }
}

/// How many two sets have in common.
fn common(some: &ClipSet, others: &ClipSet) -> u64 {
    let mut apart = some.clone();
    apart.take_out(others);
    some.len() - apart.len()
}
