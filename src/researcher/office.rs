//! Where a researcher's work comes from and its results go: the bureau of this house, one that is
//! reached over the network, or a folder that was carried here.

use std::ops::ControlFlow;

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
