//! Giving work out: is there room for more, what comes next, and who takes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::Moment;
use storage::registry::{Recording, RecordingKind};
use storage::work::assignment::{Assignment, NewAssignment, Standing, check_researcher};

use super::board::Board;
use super::bureau::Bureau;
use super::capacity::has_room;
use super::error::ResearchError;

/// Who asks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Researcher {
    /// Its own name: whoever comes with it again is the same.
    pub name: String,
    /// The version of its analyst.
    pub analyst: u32,
}

/// A piece of work, under a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// The name of the lease: every result is to carry it.
    pub lease: String,
    /// What is to be searched.
    pub episode: Recording,
    /// What is to be looked for, in this order.
    pub clips: Vec<Recording>,
    /// When the lease ends unless something is heard.
    #[serde(with = "Moment")]
    pub expires: Timestamp,
    /// The least version of the analyst that is asked for.
    pub analyst: u32,
    /// Which house it is from: every result is to carry it.
    #[serde(default)]
    pub house: Option<String>,
}

impl Bureau {
    /// Work for a researcher, or none for now. Whoever has some gets the same again, with the clips
    /// that are left: so an answer that was lost on its way, or a start anew, costs nothing.
    ///
    /// # Errors
    ///
    /// `Refused` when its analyst is older than what is asked for.
    pub fn next_work(&self, researcher: &Researcher) -> Result<Option<Work>, ResearchError> {
        check_researcher(&researcher.name)?;
        self.hear(&researcher.name, Some(researcher.analyst));
        let now = self.clock.now();
        let mut slot = self.board();
        let board = self.ready(&mut slot)?;
        if researcher.analyst < board.floor() {
            let why = format!(
                "the analyst of {:?} is version {}, and work asks for version {} at least: update it",
                researcher.name,
                researcher.analyst,
                board.floor()
            );
            return Err(ResearchError::Refused(why));
        }
        let mut out = self.out(now)?;
        if let Some(own) = out.iter().find(|it| it.is_held_by(&researcher.name))
            && let Standing::Extended(own) =
                self.assignments.beat(&own.id, &researcher.name, self.lease())?
        {
            return self.work(own);
        }
        let given = match offer_for(&out, researcher.analyst) {
            Some(offer) => self.assignments.take(&offer.id, &researcher.name, self.lease())?,
            None => self.make(board, &mut out, Some(researcher))?,
        };
        drop(slot);
        match given.filter(|it| it.is_held_by(&researcher.name)) {
            Some(given) => self.work(given),
            None => Ok(None),
        }
    }

    /// Puts work on offer while there is room for it, `most` pieces at once; says how many.
    pub(super) fn fill(
        &self,
        board: &mut Board,
        out: &mut Vec<Assignment>,
        most: usize,
    ) -> Result<usize, ResearchError> {
        for made in 0..most {
            if self.make(board, out, None)?.is_none() {
                return Ok(made);
            }
        }
        Ok(most)
    }

    /// Makes one piece of work if there is room for it, for everybody or for somebody who waits.
    fn make(
        &self,
        board: &mut Board,
        out: &mut Vec<Assignment>,
        taker: Option<&Researcher>,
    ) -> Result<Option<Assignment>, ResearchError> {
        let (now, present) = (self.clock.now(), self.census());
        let is_there = |name: &str| present.iter().any(|it| it.name == name);
        // What somebody has who is gone holds nobody else up: it is out until its lease ends.
        let unfinished = out.iter().filter(|it| {
            !it.is_over(now) && it.taken.as_ref().is_none_or(|taken| is_there(&taken.by))
        });
        if !has_room(present.len(), unfinished.count(), self.rules.config.spare) {
            return Ok(None);
        }
        let limits = (now, self.rules.config.clips);
        let Some(next) = board.next(&self.registry, out, limits)? else { return Ok(None) };
        // What asks for a newer analyst is offered, and waits for one.
        let taker = taker.filter(|taker| taker.analyst >= next.analyst);
        let new = NewAssignment {
            id: self.lease_name(now),
            episode: next.episode,
            clips: next.clips,
            analyst: next.analyst,
            taken_by: taker.map(|taker| taker.name.clone()),
        };
        let (made, lapsed) = self.assignments.offer(new, self.spans())?;
        self.note_lapsed(&lapsed)?;
        out.push(made.clone());
        Ok(Some(made))
    }

    /// What is out, on offer or in hands; what is over has ended with this.
    pub(super) fn out(&self, now: Timestamp) -> Result<Vec<Assignment>, ResearchError> {
        let mut out = self.assignments.list(usize::MAX)?;
        if out.iter().any(|it| it.is_over(now)) {
            self.note_lapsed(&self.assignments.lapse(usize::MAX)?)?;
            out.retain(|it| !it.is_over(now));
        }
        Ok(out)
    }

    fn work(&self, taken: Assignment) -> Result<Option<Work>, ResearchError> {
        let episode = self.registry.recording(RecordingKind::Episode, taken.episode)?;
        let clips = self.registry.some_recordings(RecordingKind::Clip, &taken.left)?;
        Ok(episode.map(|episode| Work {
            lease: taken.id,
            episode,
            clips,
            expires: taken.expires,
            analyst: taken.analyst,
            house: Some(self.house.clone()),
        }))
    }
}

/// The oldest offer that this version of an analyst may take.
fn offer_for(out: &[Assignment], analyst: u32) -> Option<&Assignment> {
    let fits = out.iter().filter(|it| it.taken.is_none() && it.analyst <= analyst);
    fits.min_by_key(|it| (it.made, it.offered_until, it.id.len(), &it.id))
}
