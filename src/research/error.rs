//! What can go wrong in research, by what the caller can do about it.

use crate::fault::{Classify, Kind};

/// Why research did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ResearchError {
    /// What was asked makes no sense; the sentence says what would.
    #[error("{0}")]
    Refused(String),
    /// The leases could not be read or written.
    #[error(transparent)]
    Work(#[from] storage::Error),
    /// The catalogue or the results could not be read or written, or a value in them is refused.
    #[error(transparent)]
    Registry(#[from] storage::registry::Error),
}

impl ResearchError {
    /// Whether it was the caller's to know better.
    pub fn is_callers(&self) -> bool {
        use storage::registry::Error as E;
        match self {
            ResearchError::Refused(_) => true,
            ResearchError::Work(error) => matches!(error, storage::Error::Malformed { .. }),
            ResearchError::Registry(error) => {
                matches!(error, E::Invalid { .. } | E::NotFound { .. } | E::Refused { .. })
            }
        }
    }
}

impl Classify for ResearchError {
    fn kind(&self) -> Kind {
        match self {
            ResearchError::Refused(_) => Kind::Fatal,
            ResearchError::Work(error) => error.kind(),
            ResearchError::Registry(_) => Kind::Transient { retry_after: None },
        }
    }

    fn code(&self) -> &'static str {
        match self {
            ResearchError::Refused(_) => "research-refused",
            ResearchError::Work(error) => error.code(),
            ResearchError::Registry(_) => "registry",
        }
    }

    fn advice(&self) -> String {
        match self {
            ResearchError::Refused(_) => "mend what the sentence names and try again".into(),
            ResearchError::Work(error) => error.advice(),
            ResearchError::Registry(_) => "run `strongroom doctor` if it comes back".into(),
        }
    }
}
