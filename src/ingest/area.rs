//! What something in a receiving area is, by its name, kind and age.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use storage::clock::Timestamp;

use super::place::{SUFFIXES, bag_name};
use crate::app::App;

/// What lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lying {
    /// Somebody still brings it, as far as can be told.
    Arriving,
    /// A deposit that nobody writes to any more.
    Still,
    /// Passed over without a word: systems leave such files everywhere.
    Hidden,
    /// No deposit, and why.
    Odd(&'static str),
}

/// Looks at one entry of a receiving area.
pub(crate) fn lying(app: &App, path: &Path, found: &Metadata) -> Lying {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Lying::Odd("its name is not text");
    };
    if name.ends_with(".part") || name.starts_with(".ingest-") {
        return Lying::Arriving;
    }
    if name.starts_with('.') {
        return Lying::Hidden;
    }
    if !found.is_dir() && !found.is_file() {
        return Lying::Odd("it is neither a file nor a folder");
    }
    if found.is_file() && !is_archive(name) {
        return Lying::Odd("a bag is a folder, or a file ending in .tar, .tar.gz, .tgz or .zip");
    }
    if bag_name(name).is_empty() {
        return Lying::Odd("its name has nothing before the ending");
    }
    if is_still(app, found) { Lying::Still } else { Lying::Arriving }
}

/// Whether a file of this name can be a bag.
pub(crate) fn is_archive(name: &str) -> bool {
    SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Whether nobody writes to it any more, as far as can be told. A folder is as old as its newest
/// entry at the top; what is written deeper down shows in the digests.
fn is_still(app: &App, found: &Metadata) -> bool {
    let now = app.shop.clock.now();
    let still = app.config.ingest.still;
    modified(found).is_none_or(|moment| moment.after(still) <= now)
}

/// When it was last changed.
pub(crate) fn modified(found: &Metadata) -> Option<Timestamp> {
    let seconds = u64::try_from(found.mtime()).ok()?;
    let millis = u64::try_from(found.mtime_nsec()).ok()? / 1_000_000;
    Some(Timestamp(seconds.checked_mul(1000)?.checked_add(millis)?))
}

const DRAFT: (&str, &str) = (".upload-", ".part");

/// What an upload is called until all of it is there.
pub(super) fn draft_of(name: &str) -> String {
    format!("{}{name}{}", DRAFT.0, DRAFT.1)
}

/// What the draft of an upload will be called.
pub(crate) fn name_of_draft(draft: &str) -> Option<&str> {
    draft.strip_prefix(DRAFT.0)?.strip_suffix(DRAFT.1)
}

/// Removes what uploads left in the areas whose process died; the number of them.
pub(crate) fn remove_leftovers(app: &App) -> io::Result<u64> {
    let mut removed = 0;
    let areas = match fs::read_dir(app.config.receiving()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        other => other?,
    };
    for area in areas {
        let area = area?;
        if area.file_type()?.is_dir() {
            for entry in fs::read_dir(area.path())? {
                removed += u64::from(remove_leftover(app, &entry?.path())?);
            }
        }
    }
    Ok(removed)
}

/// Removes a draft that nobody is writing.
pub(super) fn remove_leftover(app: &App, path: &Path) -> io::Result<bool> {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(name_of_draft);
    let area = path.parent().and_then(Path::file_name).and_then(|area| area.to_str());
    let (Some(name), Some(area)) = (name, area) else { return Ok(false) };
    match app.arrivals.unless_held(area, name, || fs::remove_file(path)) {
        None => Ok(false),
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Some(removed) => removed.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_gives_its_name_back() {
        assert_eq!(name_of_draft(&draft_of("a.tar")), Some("a.tar"));
        assert_eq!(name_of_draft("a.tar.part"), None);
        assert_eq!(name_of_draft(".upload-a.tar"), None);
    }
}
