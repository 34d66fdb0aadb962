//! What pages and tables show of research beyond one recording: lists, counts, and all that was found.

use std::collections::BTreeMap;

use storage::registry::{
    Browsed, FoundPair, LeaseRow, Recording, RecordingKind, RecordingQuestion, Searched, Troubles,
};

use super::bureau::Bureau;
use super::error::ResearchError;
use super::told::is_latest;

/// Pairs read at a time.
const PAIRS: u32 = 500;

/// One row of a list: a recording, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The recording.
    pub recording: Recording,
    /// Of an episode the clips, of a clip the episodes that were searched, as far as that counts.
    pub searched_count: u64,
    /// Occurrences found.
    pub found_count: u64,
    /// Whether it could not be searched.
    pub is_troubled: bool,
}

impl Bureau {
    /// Episodes or clips by what is asked, so many from a place on; and of how many others each is a
    /// pair with.
    pub fn browse(
        &self,
        kind: RecordingKind,
        question: &RecordingQuestion,
        place: (u64, u32),
    ) -> Result<(Browsed<Listed>, u64), ResearchError> {
        let found = self.registry.browse_recordings(kind, question, place)?;
        let ids: Vec<u32> = found.rows.iter().map(|it| it.id).collect();
        let searched = self.searched_counts(kind, &ids)?;
        let counts = self.registry.occurrence_counts(kind, &ids)?;
        let troubles = self.registry.troubles()?;
        let others = self.other_count(kind)?;
        let rows = found.rows.into_iter().zip(counts).map(|(recording, found_count)| Listed {
            searched_count: searched.get(&recording.id).copied().unwrap_or(0),
            found_count,
            is_troubled: is_troubled(&troubles, kind, recording.id),
            recording,
        });
        Ok((Browsed { rows: rows.collect(), count: found.count }, others))
    }

    /// These recordings, in the order they are asked for.
    pub fn some(&self, kind: RecordingKind, ids: &[u32]) -> Result<Vec<Recording>, ResearchError> {
        Ok(self.registry.some_recordings(kind, ids)?)
    }

    /// How an episode sounds: the lowest and the highest sample of each stretch, from -127 to 127.
    pub fn outline(&self, episode: u32) -> Result<Vec<(i8, i8)>, ResearchError> {
        Ok(self.registry.outline(episode)?)
    }

    /// Leases that are over, the newest first, so many from a place on.
    pub fn ended(&self, offset: u64, limit: u32) -> Result<Browsed<LeaseRow>, ResearchError> {
        Ok(self.registry.ended_leases(offset, limit)?)
    }

    /// Which whole recordings could not be searched.
    pub fn troubled(&self) -> Result<Troubles, ResearchError> {
        Ok(self.registry.troubles()?)
    }

    /// Of each of these episodes how many clips were looked for, of each of these clips in how many
    /// episodes, as far as that counts.
    pub fn searched_counts(
        &self,
        kind: RecordingKind,
        ids: &[u32],
    ) -> Result<BTreeMap<u32, u64>, ResearchError> {
        let floors = self.registry.floors()?;
        let mut counts: BTreeMap<u32, u64> = ids.iter().map(|id| (*id, 0)).collect();
        match kind {
            RecordingKind::Episode => {
                for (id, count) in &mut counts {
                    *count = floors.standing(*id, &self.registry.searched(*id)?).len();
                }
            }
            RecordingKind::Clip if ids.is_empty() => {}
            // A clip has no bitmap of its own: one look at those of all episodes tells of all clips.
            RecordingKind::Clip => self.registry.each_searched(&mut |episode, searched| {
                let standing = floors.standing(episode, searched);
                for (_, count) in counts.iter_mut().filter(|(id, _)| standing.contains(**id)) {
                    *count += 1;
                }
            })?,
        }
        Ok(counts)
    }

    /// How many there are of the other kind.
    pub fn other_count(&self, kind: RecordingKind) -> Result<u64, ResearchError> {
        match kind {
            RecordingKind::Episode => {
                let mut slot = self.board();
                Ok(self.ready(&mut slot)?.clip_count())
            }
            RecordingKind::Clip => Ok(self.registry.ranks(RecordingKind::Episode)?.len() as u64),
        }
    }

    /// Gives everything that was found in an episode, or of a clip, and still counts to `each`, a pair
    /// at a time; `each` says whether to go on.
    pub fn each_found(
        &self,
        kind: RecordingKind,
        id: u32,
        each: &mut dyn FnMut(FoundPair) -> bool,
    ) -> Result<(), ResearchError> {
        let own = match kind {
            RecordingKind::Episode => self.registry.searched(id)?,
            RecordingKind::Clip => Vec::new(),
        };
        let mut after = 0;
        loop {
            let mut page = match kind {
                RecordingKind::Episode => self.registry.found_in(id, after, PAIRS)?,
                RecordingKind::Clip => self.registry.found_of(id, after, PAIRS)?,
            };
            let other = |pair: &FoundPair| match kind {
                RecordingKind::Episode => pair.clip,
                RecordingKind::Clip => pair.episode,
            };
            let Some(last) = page.last().map(other) else { return Ok(()) };
            let is_full = page.len() as u64 == u64::from(PAIRS);
            if is_full && page.iter().any(|pair| other(pair) != last) {
                // Other versions of the last pair may be behind the page: it is read with them.
                page.retain(|pair| other(pair) != last);
            }
            for pair in page {
                after = other(&pair);
                let of_clip: Vec<Searched>;
                let searched = match kind {
                    RecordingKind::Episode => &own,
                    RecordingKind::Clip => {
                        of_clip = self.registry.searched(pair.episode)?;
                        &of_clip
                    }
                };
                if is_latest(&pair, searched) && !each(pair) {
                    return Ok(());
                }
            }
            if !is_full {
                return Ok(());
            }
        }
    }
}

fn is_troubled(troubles: &Troubles, kind: RecordingKind, id: u32) -> bool {
    match kind {
        RecordingKind::Episode => troubles.episodes.contains_key(&id),
        RecordingKind::Clip => troubles.clips.contains_key(&id),
    }
}
