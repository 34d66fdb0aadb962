//! Why a recording cannot be read.

use std::io;
use std::path::PathBuf;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The object has no such file, or not any more.
    #[error("{file} is not held; correct the location, or deposit it again")]
    NotHeld {
        /// By its identifier.
        file: String,
    },
    /// Copies are known, and none can be read now.
    #[error("no copy of {file} can be read now ({why}); it is tried again when a replica is back")]
    NoCopy {
        /// By its identifier.
        file: String,
        /// What the last one said.
        why: String,
    },
    /// A path where the configuration lets nothing be read.
    #[error(
        "{} is not below a folder of research.media_folders, and nothing was read; move it there, \
         or add its folder to the configuration",
        path.display()
    )]
    Outside {
        /// As it was curated.
        path: PathBuf,
    },
    /// Nothing that can be read is there.
    #[error("{} cannot be read; put it there, or correct the location", path.display())]
    Missing {
        /// As it was curated.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The other side did not give it.
    #[error("the recording could not be fetched: {why}; it is tried again later")]
    Unfetched {
        /// In words.
        why: String,
    },
    /// Its address leads to where nobody outside may send us.
    #[error("the recording was not fetched: {why}")]
    Inside {
        /// In words.
        why: String,
    },
    /// It is larger than what may be fetched.
    #[error(
        "the recording is larger than {limit_mb} MiB; raise research.media_limit_mb to take it"
    )]
    TooLarge {
        /// The limit.
        limit_mb: u64,
    },
    /// There was no place for a copy of it.
    #[error("there is no place for a copy of the recording; make room in the staging folder")]
    NoPlace(#[source] io::Error),
    /// The registry did not answer.
    #[error("what is held cannot be told; run `strongroom doctor` if it comes back")]
    Registry(#[from] storage::registry::Error),
    /// We were asked to stop.
    #[error("stopped on request")]
    Stopped,
}

impl MediaError {
    /// Stable, kebab-case, as results name it.
    pub fn code(&self) -> &'static str {
        match self {
            MediaError::NotHeld { .. } => "not-held",
            MediaError::NoCopy { .. } => "no-copy",
            MediaError::Outside { .. } => "outside",
            MediaError::Missing { .. } => "missing",
            MediaError::Unfetched { .. } | MediaError::NoPlace(_) | MediaError::Registry(_) => {
                "fetch"
            }
            MediaError::Inside { .. } => "inside",
            MediaError::TooLarge { .. } => "too-large",
            MediaError::Stopped => "stopped",
        }
    }
}
