//! What something in a receiving area is, by its name, kind and age.

use std::fs::Metadata;
use std::path::Path;

use super::place::{SUFFIXES, bag_name};
use super::receiving::{is_draft_of_command, is_still};
use crate::app::App;

/// What lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lying {
    /// Somebody still brings it, as far as can be told.
    Arriving,
    /// A deposit that nobody writes to any more; of a folder, not at its top.
    Still,
    /// Passed over without a word: systems leave such files everywhere.
    Hidden,
    /// No deposit, and why.
    Odd(String),
}

/// Looks at one entry of a receiving area.
pub(crate) fn lying(app: &App, path: &Path, found: &Metadata) -> Lying {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Lying::Odd("its name is not text".into());
    };
    if name.ends_with(".part") || is_draft_of_command(name) {
        return Lying::Arriving;
    }
    if name.starts_with('.') {
        return Lying::Hidden;
    }
    if !found.is_dir() && !found.is_file() {
        return Lying::Odd("it is neither a file nor a folder".into());
    }
    if found.is_file() && !is_archive(name) {
        return Lying::Odd(
            "a bag is a folder, or a file ending in .tar, .tar.gz, .tgz or .zip".into(),
        );
    }
    if bag_name(name).is_empty() {
        return Lying::Odd("its name has nothing before the ending".into());
    }
    if is_still(app, found) { Lying::Still } else { Lying::Arriving }
}

/// Whether a file of this name can be a bag.
pub(crate) fn is_archive(name: &str) -> bool {
    SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}
