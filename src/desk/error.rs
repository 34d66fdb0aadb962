//! Why the desk did not do what was asked.

use nutrients::{Findings, ReferenceError};
use storage::registry::BadQuery;
use storage::work::export::ExportError;

use super::{Held, ReplaceError};
use crate::accounts::AccountError;
use crate::assess::AskError;
use crate::ingest::AgainError;
use crate::maintenance::MaintenanceError;
use crate::premis::PremisError;
use crate::research::ResearchError;
use crate::restore::Unwished;
use crate::rights::Right;
use crate::work::Refused;

/// Why the desk did not do what was asked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The question is not understood.
    #[error(transparent)]
    Query(#[from] BadQuery),
    /// The rules of the flows do not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There is no such item, now or ever.
    #[error("there is no item {0}")]
    NoSuchItem(u64),
    /// There is no such alert, or it is not for whoever asks.
    #[error("there is no alert {0}")]
    NoSuchAlert(i64),
    /// Nobody who reads alerts has this address.
    #[error("nobody with the address {0:?} reads alerts")]
    NoSuchReader(String),
    /// There is nothing of this kind under this name.
    #[error("there is no {} {asked:?}", kind.name())]
    NotHeld {
        /// What was asked for.
        kind: Held,
        /// By which name.
        asked: String,
    },
    /// There is no such request to delete.
    #[error("there is no deletion request {0}")]
    NoSuchDeletion(i64),
    /// There is no such sweep.
    #[error("there is no sweep {0:?}")]
    NoSuchSweep(String),
    /// It is not the caller's to change.
    #[error("this account may not {}: {what} is not open to it", right.deed())]
    NotAllowed {
        /// What it would take.
        right: Right,
        /// To what.
        what: String,
    },
    /// The token of the caller was not made for it.
    #[error("this token may not {}: it was not made for deletions and users; nothing was changed", .0.deed())]
    TokenScope(Right),
    /// The rules of deletions are against it.
    #[error("{0}")]
    Declined(String),
    /// Nothing waits for a person for this reason.
    #[error("nothing is parked for the reason {0:?}")]
    NothingParked(String),
    /// Nothing was found wrong with it.
    #[error("nothing was found wrong with the deposit of item {0}: there is no report")]
    NothingToReport(u64),
    /// There is no rejected deposit to remove.
    #[error("item {0} has no rejected deposit in a receiving area: nothing was removed")]
    NotRejected(u64),
    /// A deposit is not taken again.
    #[error(transparent)]
    TakeAgain(#[from] AgainError),
    /// Another deposit lies under the name of the rejected one.
    #[error(
        "another deposit is under the name of the rejected one of item {0}: nothing was removed"
    )]
    Replaced(u64),
    /// It has ended: nothing moves it any more.
    #[error("item {id} has ended ({status}) and is not put back")]
    Ended {
        /// The item.
        id: u64,
        /// How.
        status: String,
    },
    /// It was deleted.
    #[error("{0} was deleted: there is nothing to check")]
    NothingToCheck(String),
    /// No check reads what is in cold storage alone.
    #[error("{0}; nothing was put in line")]
    OnlyCold(String),
    /// A lost file was not replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// How the checks stand cannot be told.
    #[error("how the checks stand cannot be told: {0}")]
    Checks(String),
    /// Somebody is not known, or may not be made.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] storage::registry::Error),
    /// The copy of the items failed.
    #[error(transparent)]
    Mirror(#[from] storage::mirror::MirrorError),
    /// The work state failed.
    #[error(transparent)]
    Work(#[from] storage::Error),
    /// The export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The receiving areas failed.
    #[error("the receiving areas: {0}")]
    Areas(String),
    /// It cannot be restored.
    #[error(transparent)]
    Unwished(#[from] Unwished),
    /// Nothing that this item restored is there.
    #[error("nothing that item {0} restored lies in a restoration area any more")]
    NotRestored(u64),
    /// The restoration areas failed.
    #[error("the restoration areas: {0}")]
    Restoring(String),
    /// The house could not be closed or opened.
    #[error(transparent)]
    Maintenance(#[from] MaintenanceError),
    /// Research.
    #[error(transparent)]
    Research(#[from] ResearchError),
    /// There is no such assessment, or it is another's.
    #[error("there is no assessment {0:?}")]
    NoSuchAssessment(String),
    /// It has no result, yet or for ever.
    #[error("assessment {0} has no result: it is {1}")]
    NoResult(String, &'static str),
    /// The site cannot be assessed: everything that is wrong with it.
    #[error("{}", super::assessments::worded(.0))]
    BadSite(Findings),
    /// The boundary that a message names cannot be read.
    #[error("the boundary \"{0}\" that the message names cannot be read")]
    Input(String, #[source] std::io::Error),
    /// The wish was not taken.
    #[error(transparent)]
    Assessing(#[from] AskError),
    /// The reference data cannot be used.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// Another load is on its way.
    #[error("item {0} is loading reference data; there is one load at a time")]
    LoadUnderWay(u64),
    /// The folder that is to be loaded is none.
    #[error("{0}")]
    BadFolder(String),
    /// The notes about loads failed.
    #[error("the reference data: {0}")]
    Loading(String),
    /// Where to write failed.
    #[error("cannot write the export")]
    Write(#[from] std::io::Error),
}

impl From<PremisError> for DeskError {
    fn from(error: PremisError) -> DeskError {
        match error {
            PremisError::Registry(error) => error.into(),
            PremisError::Write(error) => error.into(),
        }
    }
}
