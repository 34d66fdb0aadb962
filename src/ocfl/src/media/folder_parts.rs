//! Files of a folder on their way to their place: each has a name that tells which process writes it.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// How the names of parts begin that this process writes. All others are left over: one process at a
/// time works with a replica.
fn process_prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| format!("{:016x}", fastrand::u64(..)))
}

/// A name for a file that is being written.
pub(super) fn part_name() -> String {
    format!("{}{:016x}", process_prefix(), fastrand::u64(..))
}

/// The names in a folder; none if it is not there.
pub(super) fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Removes the parts of earlier processes; the number of them.
pub(super) fn remove_old(parts: &Path) -> io::Result<u64> {
    let mut count = 0;
    for name in names_in(parts)?.iter().filter(|name| !name.starts_with(process_prefix())) {
        let part = parts.join(name);
        if fs::symlink_metadata(&part)?.is_dir() {
            fs::remove_dir_all(&part)?;
        } else {
            fs::remove_file(&part)?;
        }
        count += 1;
    }
    Ok(count)
}
