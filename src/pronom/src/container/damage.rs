//! Why a container, or an entry of one, could not be read.
//!
//! Three things are kept apart. A limit was reached: the file may be sound, but nobody looked
//! further. The source failed: its error says whether a budget was spent or a disk is broken. All
//! else is damage in the file itself, and worth a warning to whoever keeps it.

use std::io;

/// What stopped the reading of a container. The texts are parts of a sentence for archivists.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Damage {
    #[error("the container cannot be read")]
    Source(#[source] io::Error),
    #[error("more than {0} entries")]
    EntryLimit(u64),
    #[error("more than {0} bytes to unpack")]
    UnpackedLimit(usize),
    #[error("there is no entry \"{0}\"")]
    Missing(String),
    #[error("the zip has no directory at its end")]
    ZipEnd,
    #[error("the directory of the zip is damaged")]
    ZipDirectory,
    #[error("the entry \"{0}\" of the zip is damaged")]
    ZipEntry(String),
    #[error("the entry \"{0}\" is encrypted")]
    Encrypted(String),
    #[error("the entry \"{path}\" is packed by method {method}, which cannot be unpacked")]
    Method { path: String, method: u16 },
    #[error("the header of the compound file is damaged")]
    CompoundHeader,
    #[error("the directory of the compound file is damaged")]
    CompoundDirectory,
    #[error("a sector chain leads out of the compound file")]
    Chain,
    #[error("the compound file has a loop in its sector chain")]
    Loop,
    #[error("a stream of the compound file ends too early")]
    Short,
}

impl Damage {
    /// Whether a bound was reached, which says nothing against the file.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Damage::EntryLimit(_) | Damage::UnpackedLimit(_))
    }

    /// Whether the file is at fault, so that what was read before still counts.
    pub(super) fn is_of_the_file(&self) -> bool {
        !self.is_limit() && !matches!(self, Damage::Source(_))
    }
}
