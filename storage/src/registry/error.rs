//! What can go wrong in the registry, sorted by what the caller can do about it.
//!
//! SQLite has some hundred result codes; callers have seven decisions. The translation stands here
//! once, so that no room above has to know a SQLite code.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the registry did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or is no registry: check the path and its rights.
    #[error("cannot read {} as a registry: {why}", path.display())]
    Unreadable {
        /// The file as the caller named it.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What the system said, where it said something.
        #[source]
        source: Option<io::Error>,
    },
    /// A later Strongroom wrote the file: use that one. Nothing was changed.
    #[error(
        "the registry has schema version {found}, but this program knows only up to {known}; \
         use the newer program, nothing was changed"
    )]
    Newer {
        /// The version in the file.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// Somebody else holds the file: try again later.
    #[error("the registry is busy")]
    Busy(#[source] rusqlite::Error),
    /// No room left: free some and try again. Nothing of the write was kept.
    #[error("the disk that holds the registry is full")]
    Full(#[source] rusqlite::Error),
    /// The file or its folder may not be written: fix the rights.
    #[error("the registry is read-only")]
    ReadOnly(#[source] Option<rusqlite::Error>),
    /// A row that had to be there is not.
    #[error("{what} is not in the registry")]
    NotFound {
        /// The thing looked for, with its name.
        what: String,
    },
    /// The write contradicts rows that are there; nothing of it was kept.
    #[error("the write contradicts what the registry holds")]
    Conflict(#[source] rusqlite::Error),
    /// The call can not be done with the registry in this state.
    #[error("{why}")]
    Refused {
        /// What stands against it.
        why: String,
    },
    /// A value the caller gave breaks a rule of its field.
    #[error("{field} {rule}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// The rule, as the end of a sentence that starts with the field.
        rule: String,
    },
    /// What is stored makes no sense: restore a snapshot or rebuild from a vault.
    #[error("the registry is damaged: {what}")]
    Corrupt {
        /// The damage, as far as it is known.
        what: String,
        /// What SQLite said, where it said something.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// A file beside the registry could not be used.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Anything else that SQLite said: a defect of ours or of the machine.
    #[error("the registry's engine failed")]
    Sqlite(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        let stored = matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
        );
        if stored {
            let what = "a stored value has the wrong form".to_owned();
            return Error::Corrupt { what, source: Some(error) };
        }
        let Some(code) = error.sqlite_error_code() else { return Error::Sqlite(error) };
        if code == ErrorCode::DatabaseBusy || code == ErrorCode::DatabaseLocked {
            Error::Busy(error)
        } else if code == ErrorCode::DiskFull {
            Error::Full(error)
        } else if code == ErrorCode::ReadOnly {
            Error::ReadOnly(Some(error))
        } else if code == ErrorCode::ConstraintViolation {
            Error::Conflict(error)
        } else if code == ErrorCode::DatabaseCorrupt || code == ErrorCode::NotADatabase {
            Error::Corrupt { what: "a page cannot be read".to_owned(), source: Some(error) }
        } else {
            Error::Sqlite(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use rusqlite::ffi;

    use super::*;

    fn from_code(code: i32) -> Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn codes_become_decisions() {
        assert!(matches!(from_code(ffi::SQLITE_BUSY), Error::Busy(_)));
        assert!(matches!(from_code(ffi::SQLITE_FULL), Error::Full(_)));
        assert!(matches!(from_code(ffi::SQLITE_READONLY), Error::ReadOnly(_)));
        assert!(matches!(from_code(ffi::SQLITE_CONSTRAINT_UNIQUE), Error::Conflict(_)));
        assert!(matches!(from_code(ffi::SQLITE_CORRUPT), Error::Corrupt { .. }));
        assert!(matches!(from_code(ffi::SQLITE_NOTADB), Error::Corrupt { .. }));
        assert!(matches!(from_code(ffi::SQLITE_IOERR), Error::Sqlite(_)));
    }

    #[test]
    fn the_source_is_not_told_twice() {
        let error = from_code(ffi::SQLITE_FULL);
        let source = error.source().expect("a source").to_string();
        assert!(!error.to_string().contains(&source));
    }
}
