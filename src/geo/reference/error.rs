//! Why reference data cannot be used.

use std::io;
use std::path::PathBuf;

use super::gate::GateReport;
use super::table::Table;

/// Why reference data cannot be imported, opened or rolled back. The version in use stays as it
/// was, whatever happened.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error("{} cannot be read or written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} is not in form: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("the drop has no {0}; add it and load again")]
    MissingTable(Table),
    #[error("\"{0}\" is no table that is known here; take it out of the manifest")]
    UnknownTable(String),
    #[error("the data version is empty; name the drop")]
    NoDataVersion,
    #[error("the quality gate refused the data: {}", .0.refusals())]
    Refused(Box<GateReport>),
    #[error("the load was stopped; the version in use stays as it was")]
    Stopped,
    #[error("another load is running; wait for its end")]
    Busy,
    #[error("there is no reference data yet; load some first")]
    Empty,
    #[error("table {0} is empty; results would be plausible zeros, so nothing is assessed")]
    EmptyTable(Table),
    #[error("there is no version to go back to")]
    NothingToRollBack,
    #[error("data version {0} is the one in use; load it again only with force")]
    SameVersion(String),
}

impl ReferenceError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ReferenceError {
        let path = path.into();
        move |source| ReferenceError::Io { path, source }
    }
}
