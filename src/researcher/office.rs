//! Where a researcher's work comes from and its results go: the bureau of this house, one that is
//! reached over the network, or a folder that was carried here.

use std::ops::ControlFlow;
use std::time::Duration;

use storage::registry::{Recording, RecordingKind};

use super::media::{GoOn, Opened};
use crate::research::{LeaseNow, Report, Work};

/// Where work comes from. Every call may wait for the other side, and no longer than is bearable.
pub trait Office: Sync {
    /// Some work, or none for now.
    fn next_work(&self) -> Result<Option<Work>, OfficeError>;

    /// A sign of life; whether the lease is still theirs.
    fn heartbeat(&self, lease: &str) -> Result<bool, OfficeError>;

    /// Hands a result over. When this returns, it is on the other side's medium.
    fn record(&self, report: &Report) -> Result<LeaseNow, OfficeError>;

    /// How results are handed over: one by one as they are found, unless the way there is dear.
    fn gather(&self) -> Gather {
        Gather { most: 1, wait: Duration::ZERO }
    }

    /// Hands several results over, no more than are gathered. Those before one that nobody heard may be
    /// handed over again.
    fn record_all(&self, reports: &[Report]) -> Result<Answers, OfficeError> {
        one_by_one(self, reports)
    }

    /// Gives back what is left of a lease.
    fn finish(&self, lease: &str) -> Result<(), OfficeError>;

    /// Opens a recording.
    fn open(
        &self,
        kind: RecordingKind,
        recording: &Recording,
        go_on: GoOn<'_>,
    ) -> Result<Opened, Unopened>;
}

/// Hands results over each for itself.
pub fn one_by_one<O: Office + ?Sized>(
    office: &O,
    reports: &[Report],
) -> Result<Answers, OfficeError> {
    let record = |report| match office.record(report) {
        Ok(lease) => Ok(Ok(lease)),
        Err(OfficeError::Refused(why)) => Ok(Err(why)),
        Err(away @ OfficeError::Away(_)) => Err(away),
    };
    reports.iter().map(record).collect()
}

/// What became of several results, in their order: why, where one was refused.
pub type Answers = Vec<Result<LeaseNow, String>>;

/// How many results go together, and how long the first of them waits for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The most of them.
    pub most: usize,
    /// How long.
    pub wait: Duration,
}

/// Why an office did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfficeError {
    /// It cannot be reached, or has trouble of its own: the same may be asked again.
    #[error("{0}")]
    Away(String),
    /// It says no, and would again.
    #[error("{0}")]
    Refused(String),
}

/// Why a recording was not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// It cannot be: a result of its own.
    Trouble {
        /// Stable, kebab-case.
        code: String,
        /// In a sentence.
        why: String,
    },
    /// The researcher was asked to stop first.
    Stopped,
}

/// What is wished of a researcher at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Go on.
    GoOn,
    /// Tell what was found, and give the rest back.
    WindDown,
    /// Let everything go at once.
    Stop,
}

/// Asked often, from any thread.
pub type Watch<'a> = &'a (dyn Fn() -> Wish + Sync);

/// Whether to go on with what can only be done whole.
pub(super) fn unless_winding_down(watch: Watch<'_>) -> ControlFlow<()> {
    match watch() {
        Wish::GoOn => ControlFlow::Continue(()),
        Wish::WindDown | Wish::Stop => ControlFlow::Break(()),
    }
}
