//! What is known, for pages and programs: who holds what, what was found, how far it has come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::{MaybeMoment, Moment};
use storage::registry::{
    FoundPair, LeaseRow, Recording, RecordingKind, Searched, Trouble, TroubleCounts,
};
use storage::work::assignment::Assignment;

use super::bureau::Bureau;
use super::error::ResearchError;

/// Pairs told of one episode or clip at once.
const FOUND_MAX: u32 = 1000;

/// A piece of work that is out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Holding {
    /// The name of its lease.
    pub lease: String,
    /// What is searched.
    pub episode: u32,
    /// How many clips are looked for.
    pub clip_count: usize,
    /// Of how many of them nothing was heard yet.
    pub left: usize,
    /// Who has it; nobody while it is on offer.
    pub holder: Option<String>,
    /// When it was made.
    #[serde(with = "Moment")]
    pub made: Timestamp,
    /// When it was taken.
    #[serde(with = "MaybeMoment")]
    pub taken: Option<Timestamp>,
    /// When it ends unless something is heard.
    #[serde(with = "Moment")]
    pub expires: Timestamp,
    /// How often it was extended.
    pub renewals: u32,
}

impl Holding {
    pub(super) fn of(it: Assignment) -> Holding {
        // An offer ends with its own time, before its lease.
        let expires = if it.taken.is_some() { it.expires } else { it.offered_until };
        Holding {
            lease: it.id,
            episode: it.episode,
            clip_count: it.clips.len(),
            left: it.left.len(),
            made: it.made,
            taken: it.taken.as_ref().map(|taken| taken.at),
            holder: it.taken.map(|taken| taken.by),
            expires,
            renewals: it.renewals,
        }
    }
}

/// What is known of an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EpisodeResults {
    /// The episode.
    pub episode: Recording,
    /// How many clips were looked for in it, as far as that counts.
    pub searched_count: u64,
    /// How many clips there are.
    pub clip_count: u64,
    /// Which were found, the first thousand.
    pub found: Vec<FoundPair>,
    /// What stands in the way.
    pub troubles: Vec<Trouble>,
}

/// What is known of a clip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClipResults {
    /// The clip.
    pub clip: Recording,
    /// Where it was found, the first thousand episodes.
    pub found: Vec<FoundPair>,
    /// What stands in the way.
    pub troubles: Vec<Trouble>,
}

/// How far research has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Episodes there are.
    pub episodes: u64,
    /// Clips there are.
    pub clips: u64,
    /// Pairs that were searched, as far as that counts.
    pub searched_pairs: u64,
    /// Episodes in which something may be left to look for.
    pub open_episodes: usize,
    /// Episodes that could not be searched.
    #[serde(default)]
    pub failed_episodes: u64,
    /// Clips that could not be looked for.
    #[serde(default)]
    pub failed_clips: u64,
    /// Pairs that failed, of an episode and a clip that have not.
    #[serde(default)]
    pub failed_pairs: u64,
}

impl Bureau {
    /// What is out, the soonest to end first.
    pub fn holdings(&self) -> Result<Vec<Holding>, ResearchError> {
        let now = self.clock.now();
        let out = self.assignments.list(usize::MAX)?;
        let live = out.into_iter().filter(|it| !it.is_over(now));
        let mut holdings: Vec<Holding> = live.map(Holding::of).collect();
        holdings.sort_by(|a, b| (a.expires, &a.lease).cmp(&(b.expires, &b.lease)));
        Ok(holdings)
    }

    /// Whether an episode or clip is part of work that is in the hands of somebody whose name fits.
    pub fn is_in_hands(
        &self,
        (kind, id): (RecordingKind, u32),
        fits: impl Fn(&str) -> bool,
    ) -> Result<bool, ResearchError> {
        let now = self.clock.now();
        let out = self.assignments.list(usize::MAX)?;
        let mut theirs = out.iter().filter(|it| {
            !it.is_over(now) && it.taken.as_ref().is_some_and(|taken| fits(&taken.by))
        });
        Ok(theirs.any(|it| match kind {
            RecordingKind::Episode => it.episode == id,
            RecordingKind::Clip => it.clips.contains(&id),
        }))
    }

    /// Leases of the past and those that are out, the newest first, from before a number on.
    pub fn history(&self, before: Option<i64>, limit: u32) -> Result<Vec<LeaseRow>, ResearchError> {
        Ok(self.registry.lease_history(before, limit)?)
    }

    /// What is known of an episode.
    pub fn of_episode(&self, id: u32) -> Result<Option<EpisodeResults>, ResearchError> {
        let Some(episode) = self.registry.recording(RecordingKind::Episode, id)? else {
            return Ok(None);
        };
        let searched = self.registry.searched(id)?;
        let mut found = self.registry.found_in(id, 0, FOUND_MAX)?;
        found.retain(|pair| is_latest(pair, &searched));
        let troubles = self.registry.troubles_of((Some(id), None))?;
        let mut slot = self.board();
        let board = self.ready(&mut slot)?;
        let searched_count = board.floors().standing(id, &searched).len();
        let clip_count = board.clip_count();
        Ok(Some(EpisodeResults { episode, searched_count, clip_count, found, troubles }))
    }

    /// What is known of a clip.
    pub fn of_clip(&self, id: u32) -> Result<Option<ClipResults>, ResearchError> {
        let Some(clip) = self.registry.recording(RecordingKind::Clip, id)? else { return Ok(None) };
        let mut found = Vec::new();
        for pair in self.registry.found_of(id, 0, FOUND_MAX)? {
            if is_latest(&pair, &self.registry.searched(pair.episode)?) {
                found.push(pair);
            }
        }
        let troubles = self.registry.troubles_of((None, Some(id)))?;
        Ok(Some(ClipResults { clip, found, troubles }))
    }

    /// How far it has come.
    pub fn progress(&self) -> Result<Progress, ResearchError> {
        let mut slot = self.board();
        let board = self.ready(&mut slot)?;
        let mut searched_pairs = 0;
        self.registry.each_searched(&mut |episode, searched| {
            searched_pairs += board.floors().standing(episode, searched).len();
        })?;
        let episodes = self.registry.ranks(RecordingKind::Episode)?.len() as u64;
        let (clips, open_episodes) = (board.clip_count(), board.open_count());
        let TroubleCounts { episodes: failed_episodes, clips: failed_clips, pairs: failed_pairs } =
            self.registry.trouble_counts()?;
        Ok(Progress {
            episodes,
            clips,
            searched_pairs,
            open_episodes,
            failed_episodes,
            failed_clips,
            failed_pairs,
        })
    }
}

/// Whether no later version of the analyst has looked at the pair: what it says counts.
pub(super) fn is_latest(pair: &FoundPair, searched: &[Searched]) -> bool {
    !searched.iter().any(|it| it.analyst > pair.analyst && it.clips.contains(pair.clip))
}
