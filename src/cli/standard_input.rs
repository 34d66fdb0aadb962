//! What comes over standard input, kept in a nameless file: archives and formats are read at any
//! position, and a pipe is not.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use byteio::causes::chain;

use super::Failure;

/// What stands for it among paths. A file of this name is named `./-`.
pub(super) const NAME: &str = "-";

/// More is kept as a file by whoever has it.
const BYTES_MAX: u64 = 64 << 30;

/// Whether a path stands for standard input.
pub(super) fn is_named(path: &Path) -> bool {
    path.as_os_str() == NAME
}

/// Reads standard input to its end, if it is named among the paths. It can be read once.
pub(super) fn take(paths: &[PathBuf]) -> Result<Option<File>, Failure> {
    match paths.iter().filter(|path| is_named(path)).count() {
        0 => Ok(None),
        1 => keep(io::stdin().lock(), BYTES_MAX).map(Some).map_err(|error| {
            Failure::Unable(format!("standard input cannot be kept: {}", chain(&error)))
        }),
        _ => Err(Failure::Unable("standard input can be read once: name - once".into())),
    }
}

/// Keeps all that comes, in a file that is gone whatever happens.
fn keep(reader: impl Read, most: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let kept = io::copy(&mut reader.take(most.saturating_add(1)), &mut file)?;
    if kept > most {
        let why = format!("it is longer than {most} bytes; write it to a file and name that");
        return Err(io::Error::other(why));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_may_be_kept_is_refused() {
        let file = keep(&b"abc"[..], 3).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 3);
        let why = keep(io::repeat(0), 3).unwrap_err().to_string();
        assert!(why.contains("longer than 3 bytes"), "{why}");
    }
}
