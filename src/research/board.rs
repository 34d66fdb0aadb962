//! What comes next: episodes and clips in the order of work.
//!
//! Kept in memory and derived from the registry whenever the catalogue changes. Episodes in which
//! everything was looked for are not on it; a look at one that is tells exactly what is left, from
//! its bitmap, so that the board may be behind and never wrong. How many episodes are looked at for
//! one piece of work is bounded by how many are out, and by those that have just become complete.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{ClipSet, Floors, Rank, RecordingKind, Registry, Troubles};
use storage::work::assignment::Assignment;

use super::error::ResearchError;

/// How long an episode rests in which something failed and nothing else is left.
const REST: Duration = Duration::from_secs(60);

/// Where a recording stands in the order of work: the first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    priority: Reverse<i32>,
    aired: Reverse<Option<Timestamp>>,
    curated: Reverse<Timestamp>,
    id: u32,
}

impl Place {
    fn of(rank: &Rank, aired_first: bool) -> Place {
        Place {
            priority: Reverse(rank.priority),
            aired: Reverse(rank.date_aired.filter(|_| aired_first)),
            curated: Reverse(rank.first_curated_at),
            id: rank.id,
        }
    }
}

/// An episode, and the clips to look for in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) episode: u32,
    pub(super) clips: Vec<u32>,
    /// The least version of the analyst.
    pub(super) analyst: u32,
}

/// The order of work.
pub(super) struct Board {
    /// Episodes in which something may be left.
    open: BTreeSet<Place>,
    /// Those among them that are not looked at before a moment.
    resting: BTreeMap<(Timestamp, u32), Place>,
    clips: Vec<Place>,
    all: ClipSet,
    floors: Floors,
    troubles: Troubles,
}

impl Board {
    /// The board as the registry has it.
    pub(super) fn load(registry: &Registry, aired_first: bool) -> Result<Board, ResearchError> {
        let ranks = registry.ranks(RecordingKind::Clip)?;
        let all: ClipSet = ranks.iter().map(|rank| rank.id).collect();
        // The note orders clips by when they were first known of, whatever episodes are ordered by.
        let mut clips: Vec<Place> = ranks.iter().map(|rank| Place::of(rank, false)).collect();
        clips.sort_unstable();
        let (floors, troubles) = (registry.floors()?, registry.troubles()?);
        let ranks = registry.ranks(RecordingKind::Episode)?;
        let mut places: BTreeMap<u32, Place> =
            ranks.iter().map(|rank| (rank.id, Place::of(rank, aired_first))).collect();
        let wanted = wanted(&all, &troubles.clips);
        registry.each_searched(&mut |episode, searched| {
            if wanted.is_within(&floors.standing(episode, searched)) {
                places.remove(&episode);
            }
        })?;
        let open = if wanted.is_empty() { BTreeSet::new() } else { places.into_values().collect() };
        Ok(Board { open, resting: BTreeMap::new(), clips, all, floors, troubles })
    }

    /// What failed has changed. An episode that rests for it may be looked at again.
    pub(super) fn heed(&mut self, troubles: Troubles) {
        self.troubles = troubles;
        self.open.extend(std::mem::take(&mut self.resting).into_values());
    }

    /// Whether something is known to be wrong with one of the two.
    pub(super) fn is_troubled(&self, episode: u32, clip: u32) -> bool {
        self.troubles.episodes.contains_key(&episode) || self.troubles.clips.contains_key(&clip)
    }

    /// The version that work asks for everywhere.
    pub(super) fn floor(&self) -> u32 {
        self.floors.all
    }

    pub(super) fn floors(&self) -> &Floors {
        &self.floors
    }

    pub(super) fn clip_count(&self) -> u64 {
        self.all.len()
    }

    pub(super) fn open_count(&self) -> usize {
        self.open.len() + self.resting.len()
    }

    /// The next work: the first episode in which clips are left that are not out, and the first of
    /// those clips.
    pub(super) fn next(
        &mut self,
        registry: &Registry,
        out: &[Assignment],
        (now, clips_max): (Timestamp, usize),
    ) -> Result<Option<Selection>, ResearchError> {
        self.wake(now);
        let blocked = blocked(&self.troubles.clips, now);
        let mut behind = Bound::Unbounded;
        while let Some(place) = self.open.range((behind, Bound::Unbounded)).next().copied() {
            behind = Bound::Excluded(place);
            if let Some(retry_at) = self.troubles.episodes.get(&place.id) {
                match retry_at {
                    None => drop(self.open.remove(&place)),
                    Some(at) if *at > now => self.rest(place, *at),
                    Some(_) => {}
                }
                if !self.open.contains(&place) {
                    continue;
                }
            }
            let mut left = self.all.clone();
            left.take_out(&self.floors.standing(place.id, &registry.searched(place.id)?));
            if left.is_empty() {
                self.open.remove(&place);
                continue;
            }
            left.take_out(&blocked);
            left.take_out(&registry.troubled_clips(place.id, now)?);
            if left.is_empty() {
                self.rest(place, now.after(REST));
                continue;
            }
            for other in out.iter().filter(|it| it.episode == place.id && !it.is_over(now)) {
                left.take_out(&other.clips.iter().copied().collect());
            }
            if !left.is_empty() {
                return Ok(Some(self.select(place.id, &left, clips_max)));
            }
        }
        Ok(None)
    }

    fn select(&self, episode: u32, left: &ClipSet, clips_max: usize) -> Selection {
        let wanted = self.clips.iter().map(|place| place.id).filter(|clip| left.contains(*clip));
        let clips: Vec<u32> = wanted.take(clips_max).collect();
        let analyst = self.floors.least(episode, &clips);
        Selection { episode, clips, analyst }
    }

    fn rest(&mut self, place: Place, until: Timestamp) {
        self.open.remove(&place);
        self.resting.insert((until, place.id), place);
    }

    fn wake(&mut self, now: Timestamp) {
        while let Some(first) = self.resting.first_entry()
            && first.key().0 <= now
        {
            self.open.insert(first.remove());
        }
    }
}

/// All recordings but those that a person has to ask for again.
pub(super) fn wanted(all: &ClipSet, troubles: &BTreeMap<u32, Option<Timestamp>>) -> ClipSet {
    let given_up = troubles.iter().filter(|(_, retry_at)| retry_at.is_none());
    let mut wanted = all.clone();
    wanted.take_out(&given_up.map(|(id, _)| *id).collect());
    wanted
}

/// Clips that are not to be looked for now.
fn blocked(clips: &BTreeMap<u32, Option<Timestamp>>, now: Timestamp) -> ClipSet {
    let not_yet = clips.iter().filter(|(_, retry_at)| retry_at.is_none_or(|at| at > now));
    not_yet.map(|(clip, _)| *clip).collect()
}
