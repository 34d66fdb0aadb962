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
    /// A delivered file.
    #[error("{} is not in form: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    /// A file of a version that is kept here.
    #[error("{} is damaged or gone, so nothing is assessed with it", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
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
    #[error("data version {0} is in use already, with the same content")]
    SameVersion(String),
    #[error(
        "data version {version} is known here with other content ({} differ); nothing was loaded and \
         the version in use stays as it was",
        listed(tables)
    )]
    OtherContent { version: String, tables: Vec<Table> },
}

impl ReferenceError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ReferenceError {
        let path = path.into();
        move |source| ReferenceError::Io { path, source }
    }

    /// A file that was written here is not there, or reads otherwise. That does not pass by itself, as a
    /// disk that is away may.
    pub(crate) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ReferenceError {
        let path = path.into();
        move |source| match is_damage(source.kind()) {
            true => ReferenceError::Damaged { path, source },
            false => ReferenceError::Io { path, source },
        }
    }
}

fn is_damage(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as Kind;
    matches!(kind, Kind::InvalidData | Kind::UnexpectedEof | Kind::NotFound)
}

fn listed(tables: &[Table]) -> String {
    tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(", ")
}
