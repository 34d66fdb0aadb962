//! Research at the desk: the catalogue, what is out, what was found, and work for researchers.

use std::time::Duration;

use byteio::causes::chain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{
    Added, Deed, Error as RegistryError, LeaseRow, NewRecording, Recording, RecordingKind,
};
use storage::work::assignment::check_researcher;

use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::research::catalogue::LineFinding;
use crate::research::{
    Beat, ClipResults, Demand, EpisodeResults, Holding, Present, Progress, Receipt, Report,
    ResearchError, Researcher, Scope, Work,
};
use crate::rights::Right;

/// Recordings added at once.
pub const ADDED_MAX: usize = 5000;
/// The longest that a lease is extended at once: thirty days.
pub const HOURS_MAX: u32 = 720;
/// Results told at once.
pub const RESULTS_MAX: usize = 100;
/// Rows of one page of a list.
pub const ROWS_MAX: u32 = 1000;

/// Episodes or clips to be added.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogueWish {
    /// Up to 5,000. Those that break a rule are told and left out, the others are added; when all do,
    /// nothing is.
    pub recordings: Vec<NewRecording>,
}

/// What came of adding episodes or clips.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogueTold {
    /// Not known before.
    pub new: u32,
    /// Known, and something about them is different now.
    pub changed: u32,
    /// Known as they were told.
    pub same: u32,
    /// How many were left out.
    pub left_out: usize,
    /// Why, for each of them; `line` says which one it is, from 1.
    pub findings: Vec<LineFinding>,
}

impl CatalogueTold {
    /// What became of those that were not left out.
    pub fn added(&self) -> Added {
        Added { new: self.new, changed: self.changed, same: self.same }
    }
}

/// A page of episodes or clips, by number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordingList {
    /// The rows.
    pub results: Vec<Recording>,
    /// What to ask for the next page with; absent on the last.
    pub next: Option<u32>,
}

/// A page of leases, the newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeaseList {
    /// The rows.
    pub results: Vec<LeaseRow>,
    /// What to ask for the next page with; absent on the last.
    pub next: Option<i64>,
}

/// A researcher asks for work.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkWish {
    /// Its own name: whoever comes with it again is the same.
    pub researcher: String,
    /// The version of its analyst.
    pub analyst: u32,
}

/// Work, or none for now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkTold {
    /// What is to be done; absent when there is nothing now.
    pub work: Option<Work>,
}

/// A sign of life.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeatWish {
    /// Whose.
    pub researcher: String,
    /// The lease to extend.
    #[serde(default)]
    pub lease: Option<String>,
}

/// A result.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultWish {
    /// Whose.
    pub researcher: String,
    /// What it says.
    pub report: Report,
}

/// Results of one researcher, which are recorded one by one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultBatch {
    /// Whose.
    pub researcher: String,
    /// What they say, 1 to 100.
    pub reports: Vec<Report>,
}

/// What became of results, in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResultBatchResponse {
    /// One for each of them.
    pub results: Vec<ResultResponse>,
}

/// What became of one of several results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum ResultResponse {
    /// It is recorded.
    Recorded(Receipt),
    /// It makes no sense, and nothing of it was kept; the others are not touched by that.
    Rejected {
        /// Why, in a sentence.
        why: String,
    },
}

/// A researcher winds down.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinishWish {
    /// Who.
    pub researcher: String,
}

/// Whether a lease has ended by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinishTold {
    /// Not when it was not (or no longer) theirs.
    pub ended: bool,
}

/// How long a lease is to stand from now on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendWish {
    /// In hours, 1 to 720.
    pub hours: u32,
}

/// What is to be looked at again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgainWish {
    /// What analysts below this version have said. When absent, an episode or clip is searched
    /// again whatever has searched it, and everything below the version of the built-in analyst.
    pub analyst: Option<u32>,
}

impl Desk<'_> {
    /// How far research has come.
    pub fn research(&self) -> Result<Progress, DeskError> {
        Ok(self.app.research.progress()?)
    }

    /// How many researchers are of use, in numbers.
    pub fn research_demand(&self) -> Result<Demand, DeskError> {
        Ok(self.app.research.demand()?)
    }

    /// Adds episodes or clips; what is known by its name keeps its number and its first date. Those
    /// that break a rule are left out.
    ///
    /// # Errors
    ///
    /// Also when all of them do: nothing was added then.
    pub fn add_recordings(
        &self,
        kind: RecordingKind,
        wish: &CatalogueWish,
    ) -> Result<CatalogueTold, DeskError> {
        if wish.recordings.len() > ADDED_MAX {
            let rule = format!("may be {ADDED_MAX} at once: send them in parts");
            return Err(RegistryError::Invalid { field: "the recordings", rule }.into());
        }
        let (mut good, mut findings) = (Vec::with_capacity(wish.recordings.len()), Vec::new());
        for (line, recording) in (1..).zip(&wish.recordings) {
            match recording.check() {
                Ok(()) => good.push(recording.clone()),
                Err(error) if findings.len() + 1 == wish.recordings.len() => {
                    return Err(error.into());
                }
                Err(error) => findings.push(LineFinding { line, sentence: error.to_string() }),
            }
        }
        let Added { new, changed, same } = self.app.research.add(kind, &good)?;
        let said = format!("{new} new, {changed} changed");
        self.note(Note::of(Deed::CurateResearch).to(kind.word(), "").saying(said));
        Ok(CatalogueTold { new, changed, same, left_out: findings.len(), findings })
    }

    /// Episodes or clips by number.
    pub fn recordings(
        &self,
        kind: RecordingKind,
        after: u32,
        limit: u32,
    ) -> Result<RecordingList, DeskError> {
        let limit = limit.min(ROWS_MAX);
        let results = self.app.research.recordings(kind, after, limit)?;
        let is_full = results.len() as u64 == u64::from(limit);
        let next = results.last().filter(|_| is_full).map(|last| last.id);
        Ok(RecordingList { results, next })
    }

    /// What is known of an episode.
    pub fn episode(&self, id: u32) -> Result<EpisodeResults, DeskError> {
        let found = self.app.research.of_episode(id)?;
        found.ok_or_else(|| unknown(RecordingKind::Episode, id))
    }

    /// What is known of a clip.
    pub fn clip(&self, id: u32) -> Result<ClipResults, DeskError> {
        let found = self.app.research.of_clip(id)?;
        found.ok_or_else(|| unknown(RecordingKind::Clip, id))
    }

    /// Has pairs looked at again: all of one recording, or those that older analysts have looked
    /// at.
    pub fn research_again(&self, scope: Scope, wish: &AgainWish) -> Result<Progress, DeskError> {
        let (kind, id) = match scope {
            Scope::All => (RecordingKind::Episode, None),
            Scope::Episode(id) => (RecordingKind::Episode, Some(id)),
            Scope::Clip(id) => (RecordingKind::Clip, Some(id)),
        };
        if let Some(id) = id {
            self.known(kind, id)?;
        }
        let said = match (id, wish.analyst) {
            (Some(id), None) => {
                self.app.research.anew(kind, id)?;
                "all of it".to_owned()
            }
            (_, wished) => {
                let analyst = wished.unwrap_or(self.app.research.rules().analyst);
                self.app.research.again(scope, analyst)?;
                format!("below version {analyst}")
            }
        };
        let which = id.map_or("everything".into(), |id| id.to_string());
        self.note(Note::of(Deed::RepeatResearch).to(kind.word(), &which).saying(said));
        self.research()
    }

    /// Lets an episode or clip that has failed be tried again at once.
    pub fn retry_recording(&self, kind: RecordingKind, id: u32) -> Result<Recording, DeskError> {
        let recording = self.known(kind, id)?;
        self.app.research.retry(kind, id)?;
        let note = Note::of(Deed::RepeatResearch).to(kind.word(), &id.to_string());
        self.note(note.saying("tried again"));
        Ok(recording)
    }

    /// Takes an episode or clip off that was added by mistake.
    pub fn remove_recording(&self, kind: RecordingKind, id: u32) -> Result<Recording, DeskError> {
        let removed = self.app.research.remove(kind, id)?;
        let note = Note::of(Deed::CurateResearch).to(kind.word(), &id.to_string());
        self.note(note.saying(format!("removed {}", removed.title)));
        Ok(removed)
    }

    /// What is out, the soonest to end first.
    pub fn research_leases(&self) -> Result<Vec<Holding>, DeskError> {
        Ok(self.app.research.holdings()?)
    }

    /// Leases of the past and those that are out, the newest first.
    pub fn lease_history(&self, before: Option<i64>, limit: u32) -> Result<LeaseList, DeskError> {
        let limit = limit.min(ROWS_MAX);
        let results = self.app.research.history(before, limit)?;
        let is_full = results.len() as u64 == u64::from(limit);
        let next = results.last().filter(|_| is_full).map(|last| last.id);
        Ok(LeaseList { results, next })
    }

    /// Who is there.
    pub fn researchers(&self) -> Vec<Present> {
        self.app.research.census()
    }

    /// Ends a lease, whoever holds it.
    pub fn revoke_lease(&self, lease: &str) -> Result<Holding, DeskError> {
        let revoked = self.app.research.revoke(lease)?.ok_or_else(|| not_out(lease))?;
        let holder = revoked.holder.as_deref().unwrap_or("nobody");
        self.note(
            Note::of(Deed::RevokeLease).to("lease", lease).saying(format!("held by {holder}")),
        );
        Ok(revoked)
    }

    /// Lets a lease stand for longer: its holder is not connected.
    pub fn extend_lease(&self, lease: &str, wish: &ExtendWish) -> Result<Holding, DeskError> {
        if !(1..=HOURS_MAX).contains(&wish.hours) {
            let rule = format!("must be 1 to {HOURS_MAX}");
            return Err(RegistryError::Invalid { field: "the hours", rule }.into());
        }
        let span = Duration::from_secs(u64::from(wish.hours) * 3600);
        self.app.research.extend(lease, span)?.ok_or_else(|| not_out(lease))
    }

    /// Work for a researcher; none while the house takes no work.
    pub fn next_work(&self, wish: &WorkWish) -> Result<WorkTold, DeskError> {
        if !self.app.shop.takes_work() {
            return Ok(WorkTold { work: None });
        }
        let name = self.researcher(&wish.researcher)?;
        let researcher = Researcher { name, analyst: wish.analyst };
        Ok(WorkTold { work: self.app.research.next_work(&researcher)? })
    }

    /// A sign of life of a researcher.
    pub fn research_beat(&self, wish: &BeatWish) -> Result<Beat, DeskError> {
        let name = self.researcher(&wish.researcher)?;
        Ok(self.app.research.heartbeat(&name, wish.lease.as_deref())?)
    }

    /// A result of a researcher.
    pub fn record_result(&self, wish: &ResultWish) -> Result<Receipt, DeskError> {
        Ok(self.app.research.record(&self.researcher(&wish.researcher)?, &wish.report)?)
    }

    /// Several results of a researcher: each is recorded or rejected for itself, as if it came alone.
    ///
    /// # Errors
    ///
    /// When there are none or too many, and when what is not about one of them is in the way: those
    /// before it are recorded then, and sending all of them again does no harm.
    pub fn record_results(&self, batch: &ResultBatch) -> Result<ResultBatchResponse, DeskError> {
        if !(1..=RESULTS_MAX).contains(&batch.reports.len()) {
            let rule = format!("must be 1 to {RESULTS_MAX} at once: send them in parts");
            return Err(RegistryError::Invalid { field: "the results", rule }.into());
        }
        let name = self.researcher(&batch.researcher)?;
        let record = |report| match self.app.research.record(&name, report) {
            Ok(receipt) => Ok(ResultResponse::Recorded(receipt)),
            Err(error) if error.is_callers() => Ok(ResultResponse::Rejected { why: chain(&error) }),
            Err(error) => Err(error),
        };
        let results = batch.reports.iter().map(record).collect::<Result<Vec<_>, _>>()?;
        Ok(ResultBatchResponse { results })
    }

    /// The end of a lease by its holder.
    pub fn finish_work(&self, lease: &str, wish: &FinishWish) -> Result<FinishTold, DeskError> {
        let name = self.researcher(&wish.researcher)?;
        Ok(FinishTold { ended: self.app.research.finish(&name, lease)? })
    }

    /// Lets whoever bears a token for research hear only what is part of their work.
    pub fn may_hear(&self, kind: RecordingKind, id: u32) -> Result<(), DeskError> {
        let Some(token) = self.caller.research_token() else { return Ok(()) };
        let theirs = by_token("", token);
        if self.app.research.is_in_hands((kind, id), |holder| holder.ends_with(&theirs))? {
            return Ok(());
        }
        let what = format!("{} {id}, which is not part of work under this token,", kind.word());
        Err(DeskError::NotAllowed { right: Right::DoResearch, what })
    }

    /// The name that a researcher is known by. Who bears a token for research is known by its number
    /// too: so nobody takes, extends or ends the work of another under their name.
    fn researcher(&self, name: &str) -> Result<String, DeskError> {
        check_researcher(name).map_err(ResearchError::from)?;
        Ok(self.caller.research_token().map_or(name.to_owned(), |token| by_token(name, token)))
    }

    pub(super) fn known(&self, kind: RecordingKind, id: u32) -> Result<Recording, DeskError> {
        self.app.research.recording(kind, id)?.ok_or_else(|| unknown(kind, id))
    }
}

fn by_token(name: &str, token: i64) -> String {
    format!("{name} (token {token})")
}

fn unknown(kind: RecordingKind, id: u32) -> DeskError {
    RegistryError::NotFound { what: format!("{} {id}", kind.word()) }.into()
}

fn not_out(lease: &str) -> DeskError {
    let shown: String = lease.chars().take(80).collect();
    RegistryError::NotFound { what: format!("a lease {shown:?} that is out") }.into()
}
