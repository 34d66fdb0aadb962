//! Results and signs of life, from whoever sends them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::moment::{MaybeMoment, Moment};
use storage::registry::{
    Ending, MediaFacts, NewResult, Noted, Recorded, RecordingKind, SearchOutcome,
};
use storage::work::assignment::{Assignment, Standing, check_researcher};

use super::bureau::Bureau;
use super::error::ResearchError;
use super::told::Holding;

/// What a researcher tells of one clip in one episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Under which lease.
    pub lease: String,
    /// Searched.
    pub episode: u32,
    /// Looked for.
    pub clip: u32,
    /// The version of the analyst.
    pub analyst: u32,
    /// What became of it.
    pub result: SearchOutcome,
    /// Whether nothing else comes under this lease.
    #[serde(default)]
    pub is_final: bool,
    /// What was measured of the episode.
    #[serde(default)]
    pub episode_facts: Option<MediaFacts>,
    /// What was measured of the clip.
    #[serde(default)]
    pub clip_facts: Option<MediaFacts>,
    /// Which house the work is from, as it said; no other takes the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house: Option<String>,
}

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// Whether it was new. It is on the medium in any case.
    pub recorded: Recorded,
    /// What became of the lease.
    pub lease: LeaseNow,
}

/// What became of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum LeaseNow {
    /// It stands.
    Extended {
        /// Until then.
        #[serde(with = "Moment")]
        until: Timestamp,
    },
    /// It has ended: ask for the next work.
    Ended,
    /// It is not (or no longer) theirs: nothing else was touched.
    NotTheirs,
}

/// The answer to a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Beat {
    /// How many researchers are there.
    pub present: usize,
    /// Until when the lease stands; absent when it is not (or no longer) theirs.
    #[serde(with = "MaybeMoment")]
    pub expires: Option<Timestamp>,
}

impl Bureau {
    /// Records a result. It is recorded whoever sends it, whenever; but only the holder of a live
    /// lease extends it, or ends it with the last one.
    ///
    /// # Errors
    ///
    /// The caller's own for what makes no sense or is from another house; nothing was kept then, and
    /// the lease is as before. Also when it heard another recording than the one that is known:
    /// nothing of that is kept but the trouble, and the lease goes on.
    pub fn record(&self, researcher: &str, report: &Report) -> Result<Receipt, ResearchError> {
        self.record_of(researcher, report, false)
    }

    /// Records a result of a researcher of this house, who has heard the recordings themselves.
    ///
    /// # Errors
    ///
    /// As for [`Bureau::record`].
    pub fn record_here(&self, researcher: &str, report: &Report) -> Result<Receipt, ResearchError> {
        self.record_of(researcher, report, true)
    }

    fn record_of(
        &self,
        researcher: &str,
        report: &Report,
        is_of_house: bool,
    ) -> Result<Receipt, ResearchError> {
        check_researcher(researcher)?;
        if report.house.as_ref().is_some_and(|house| *house != self.house) {
            let why =
                "this result is about work of another house; nothing was kept, bring it there";
            return Err(ResearchError::Refused(why.into()));
        }
        self.hear(researcher, Some(report.analyst));
        let now = self.clock.now();
        let lease = self.assignments.get(&report.lease)?;
        let is_theirs = lease.is_some_and(|it| {
            it.is_held_by(researcher)
                && !it.is_over(now)
                && it.episode == report.episode
                && it.clips.contains(&report.clip)
        });
        let result = NewResult {
            episode: report.episode,
            clip: report.clip,
            analyst: report.analyst,
            researcher,
            lease: &report.lease,
            outcome: &report.result,
            episode_facts: report.episode_facts.as_ref(),
            clip_facts: report.clip_facts.as_ref(),
            tries_max: self.rules.config.tries,
            is_leased: is_theirs,
            is_of_house,
        };
        let Noted { recorded, has_voided, other } = self.registry.record_result(&result, now)?;
        if has_voided {
            *self.board() = None;
        }
        self.heed(report, (recorded, other.is_some()))?;
        let lease = if is_theirs {
            let clip = (report.clip, report.is_final);
            let span = self.lease();
            self.lease_now(self.assignments.progress(&report.lease, researcher, clip, span)?)?
        } else {
            LeaseNow::NotTheirs
        };
        match other {
            Some(kind) => Err(another(kind)),
            None => Ok(Receipt { recorded, lease }),
        }
    }

    /// Notes a sign of life, and extends a lease by it.
    pub fn heartbeat(&self, researcher: &str, lease: Option<&str>) -> Result<Beat, ResearchError> {
        check_researcher(researcher)?;
        self.hear(researcher, None);
        let standing = match lease {
            Some(lease) => self.assignments.beat(lease, researcher, self.lease())?,
            None => Standing::NotTheirs,
        };
        let expires = match standing {
            Standing::Extended(it) => Some(it.expires),
            Standing::Ended(_) | Standing::NotTheirs => None,
        };
        Ok(Beat { present: self.census().len(), expires })
    }

    /// Ends a lease for its holder, who is winding down: what is left is offered again. Says
    /// whether it was theirs.
    pub fn finish(&self, researcher: &str, lease: &str) -> Result<bool, ResearchError> {
        check_researcher(researcher)?;
        self.hear(researcher, None);
        let standing = self.assignments.finish(lease, researcher)?;
        Ok(self.lease_now(standing)? == LeaseNow::Ended)
    }

    /// Lets a lease stand for longer, for a person, whoever holds it; `None` when it is not held.
    pub fn extend(&self, lease: &str, span: Duration) -> Result<Option<Holding>, ResearchError> {
        let holder = self.assignments.get(lease)?.and_then(|it| it.taken);
        let Some(holder) = holder else { return Ok(None) };
        match self.assignments.beat(lease, &holder.by, span)? {
            Standing::Extended(it) => Ok(Some(Holding::of(it))),
            Standing::Ended(_) | Standing::NotTheirs => Ok(None),
        }
    }

    /// Ends a lease for a person, whoever holds it; `None` when it is not out.
    pub fn revoke(&self, lease: &str) -> Result<Option<Holding>, ResearchError> {
        let Some(ended) = self.assignments.revoke(lease)? else { return Ok(None) };
        self.note_ended(std::slice::from_ref(&ended), Ending::Revoked)?;
        Ok(Some(Holding::of(ended)))
    }

    fn lease_now(&self, standing: Standing) -> Result<LeaseNow, ResearchError> {
        Ok(match standing {
            Standing::Extended(it) => LeaseNow::Extended { until: it.expires },
            Standing::Ended(it) => {
                self.note_ended(&[it], Ending::Finished)?;
                LeaseNow::Ended
            }
            Standing::NotTheirs => LeaseNow::NotTheirs,
        })
    }

    /// Lets the board know what failed, or works again.
    fn heed(
        &self,
        report: &Report,
        (recorded, is_other): (Recorded, bool),
    ) -> Result<(), ResearchError> {
        let failed = match &report.result {
            SearchOutcome::Failed { .. } => true,
            SearchOutcome::Searched { .. } => is_other,
        };
        if recorded == Recorded::Again && !is_other {
            return Ok(());
        }
        let mut slot = self.board();
        if let Some(board) = &mut *slot
            && (failed || board.is_troubled(report.episode, report.clip))
        {
            board.heed(self.registry.troubles()?);
        }
        Ok(())
    }

    pub(super) fn note_lapsed(&self, lapsed: &[Assignment]) -> Result<(), ResearchError> {
        self.note_ended(lapsed, Ending::Expired)
    }
}

fn another(kind: RecordingKind) -> ResearchError {
    let word = kind.word();
    let why = format!(
        "this is another recording than the {word} that was searched before, or does not say which; \
         nothing was kept. If the {word} was replaced, have it searched again"
    );
    ResearchError::Refused(why)
}
