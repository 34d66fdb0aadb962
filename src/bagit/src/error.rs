//! What stops the judging of a bag. What is wrong with the bag itself is a finding.

use std::io;
use std::path::PathBuf;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// The path leads to nothing that can be opened.
    #[error("cannot open {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    /// Neither a folder nor, by its bytes or its name, an archive of a kind that is read here.
    #[error("{} is neither a folder nor a .tar, .tar.gz, .tgz or .zip file", path.display())]
    NotABag { path: PathBuf },
    /// The archive as a whole cannot be read from its disk.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// No room for what is set aside while a `.tar.gz` is read.
    #[error("cannot set tag files aside in the scratch folder")]
    Scratch { source: io::Error },
    /// The caller asked to stop.
    #[error("stopped before the bag was judged")]
    Stopped,
}
