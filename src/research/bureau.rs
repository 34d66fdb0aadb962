//! The one value that everybody who has to do with research comes to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use storage::clock::{Clock, Timestamp};
use storage::registry::{Added, NewRecording, Recording, RecordingKind, Registry};
use storage::work::assignment::{Assignments, Spans};
use storage::work::queue::Queue;

use super::board::Board;
use super::census::{Census, Present};
use super::demand::Counted;
use super::error::ResearchError;
use crate::config::ResearchConfig;

/// What holds for all work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Leases, offers, and who counts.
    pub config: ResearchConfig,
    /// The version of the analyst that is built in.
    pub analyst: u32,
}

/// What is to be looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every pair.
    All,
    /// Every clip in this episode.
    Episode(u32),
    /// This clip in every episode.
    Clip(u32),
}

/// Research, open for whoever comes: curators, researchers and those who watch.
pub struct Bureau {
    pub(super) registry: Arc<Registry>,
    pub(super) assignments: Assignments,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) rules: Rules,
    /// Which house this is: results of others' work are not for it.
    pub(super) house: String,
    pub(super) census: Census,
    /// Held while work is chosen, so that no two choose the same; none until it is first asked for.
    board: Mutex<Option<Board>>,
    /// How many pairs there were when they were last counted.
    pub(super) pairs: Mutex<Option<Counted>>,
    /// The run of the program and a count: with the time, a name that no lease ever had.
    epoch: u64,
    lease_count: AtomicU64,
}

impl Bureau {
    /// Opens research over what is held and what is to be done.
    ///
    /// # Errors
    ///
    /// `Refused` for rules by which work could be given out twice.
    pub fn open(
        registry: Arc<Registry>,
        queue: &Queue,
        clock: Arc<dyn Clock>,
        rules: Rules,
    ) -> Result<Bureau, ResearchError> {
        let ResearchConfig { lease, offer, clips, .. } = rules.config;
        if offer >= lease || clips == 0 {
            let why = "work must be on offer for less time than its lease stands, or it could be \
                 given out twice, and must have a clip";
            return Err(ResearchError::Refused(why.into()));
        }
        let house = registry.research_house()?;
        Ok(Bureau {
            registry,
            house,
            assignments: Assignments::new(Arc::clone(queue.store()), Arc::clone(&clock)),
            clock,
            rules,
            census: Census::default(),
            board: Mutex::new(None),
            pairs: Mutex::new(None),
            epoch: queue.epoch(),
            lease_count: AtomicU64::new(0),
        })
    }

    /// Takes recordings in, by what they are known by; all of them or none. What is known keeps its
    /// number and the date it was first known of.
    pub fn add(
        &self,
        kind: RecordingKind,
        recordings: &[NewRecording],
    ) -> Result<Added, ResearchError> {
        let mut board = self.board();
        let added = self.registry.add_recordings(kind, recordings, self.clock.now())?;
        if added.new + added.changed > 0 {
            *board = None;
        }
        Ok(added)
    }

    /// The same for what a feed lists: what a person has removed stays so.
    pub fn add_listed(
        &self,
        kind: RecordingKind,
        recordings: &[NewRecording],
    ) -> Result<Added, ResearchError> {
        let mut board = self.board();
        let added = self.registry.add_listed(kind, recordings, self.clock.now())?;
        if added.new + added.changed > 0 {
            *board = None;
        }
        Ok(added)
    }

    /// Takes an episode or clip off that was added by mistake, with all that was found in it or of
    /// it. Leases that have it end, and what else they were for is offered again.
    pub fn remove(&self, kind: RecordingKind, id: u32) -> Result<Recording, ResearchError> {
        // Held to the end, so that nobody takes work with it in between.
        let mut board = self.board();
        let removed = self.registry.remove_recording(kind, id, self.clock.now())?;
        *board = None;
        for it in self.assignments.list(usize::MAX)? {
            let has_it = match kind {
                RecordingKind::Episode => it.episode == id,
                RecordingKind::Clip => it.clips.contains(&id),
            };
            if has_it {
                self.revoke(&it.id)?;
            }
        }
        Ok(removed)
    }

    /// One episode or clip.
    pub fn recording(
        &self,
        kind: RecordingKind,
        id: u32,
    ) -> Result<Option<Recording>, ResearchError> {
        Ok(self.registry.recording(kind, id)?)
    }

    /// Episodes or clips by number, from behind `after` on.
    pub fn recordings(
        &self,
        kind: RecordingKind,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recording>, ResearchError> {
        Ok(self.registry.recordings(kind, after, limit)?)
    }

    /// Has an episode or clip searched again, whatever has searched it before. What was found stays
    /// until then.
    pub fn anew(&self, kind: RecordingKind, id: u32) -> Result<(), ResearchError> {
        let mut board = self.board();
        self.registry.search_again(kind, id, self.clock.now())?;
        *board = None;
        Ok(())
    }

    /// Has everything in the scope looked at again that was looked at by an analyst below a version.
    /// What was found before stays until then.
    ///
    /// # Errors
    ///
    /// `Refused` for a version that nobody here has.
    pub fn again(&self, scope: Scope, analyst: u32) -> Result<(), ResearchError> {
        let (kind, id, key) = match scope {
            Scope::All => (RecordingKind::Episode, None, (None, None)),
            Scope::Episode(id) => (RecordingKind::Episode, Some(id), (Some(id), None)),
            Scope::Clip(id) => (RecordingKind::Clip, Some(id), (None, Some(id))),
        };
        if let Some(id) = id
            && self.registry.recording(kind, id)?.is_none()
        {
            return Err(ResearchError::Refused(format!("there is no {} {id}", kind.word())));
        }
        let newest = self.census().iter().filter_map(|it| it.analyst).max().unwrap_or(0);
        let newest = newest.max(self.rules.analyst);
        if analyst > newest {
            let why = format!(
                "nobody here has version {analyst} of the analyst, so nothing would ever be looked \
                 at again; the newest is {newest}"
            );
            return Err(ResearchError::Refused(why));
        }
        let mut board = self.board();
        self.registry.raise_floor(key, analyst)?;
        *board = None;
        Ok(())
    }

    /// Lets an episode or clip that has failed be tried again at once; whether any had.
    pub fn retry(&self, kind: RecordingKind, id: u32) -> Result<bool, ResearchError> {
        let key = match kind {
            RecordingKind::Episode => (Some(id), None),
            RecordingKind::Clip => (None, Some(id)),
        };
        let mut board = self.board();
        let ended = self.registry.forget_troubles(key, self.clock.now())?;
        *board = None;
        Ok(ended > 0)
    }

    /// Who is there, by name.
    pub fn census(&self) -> Vec<Present> {
        let since = self.clock.steady().saturating_sub(self.rules.config.present);
        self.census.present(since)
    }

    /// What holds for all work.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    pub(super) fn hear(&self, name: &str, analyst: Option<u32>) {
        self.census.hear(name, analyst, (self.clock.steady(), self.clock.now()));
    }

    pub(super) fn spans(&self) -> Spans {
        Spans { lease: self.rules.config.lease, offer: self.rules.config.offer }
    }

    pub(super) fn lease(&self) -> Duration {
        self.rules.config.lease
    }

    /// A name that no lease ever had: the time tells those apart that were drawn before the work
    /// state was lost and its runs counted anew.
    pub(super) fn lease_name(&self, now: Timestamp) -> String {
        let count = self.lease_count.fetch_add(1, Ordering::Relaxed);
        format!("r{}-{count}-{}", self.epoch, now.0)
    }

    pub(super) fn board(&self) -> MutexGuard<'_, Option<Board>> {
        // A panic may have left it half changed: then it is read anew.
        self.board.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut board = poisoned.into_inner();
            *board = None;
            board
        })
    }

    /// The board, read from the registry when nobody has it.
    pub(super) fn ready<'b>(
        &self,
        board: &'b mut Option<Board>,
    ) -> Result<&'b mut Board, ResearchError> {
        match board {
            Some(board) => Ok(board),
            none => {
                let fresh = Board::load(&self.registry, self.rules.config.aired_first)?;
                Ok(none.insert(fresh))
            }
        }
    }
}
