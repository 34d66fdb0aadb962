//! Where a deposit lies, and what it is called.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use storage::work::item::{ItemId, WorkItem};

use crate::app::App;
use crate::config::Config;

/// Endings of deposits, longest first. A folder has none.
pub(crate) const SUFFIXES: [&str; 4] = [".tar.gz", ".tar", ".tgz", ".zip"];

/// Where the deposits of an institution are received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    Folder(PathBuf),
    /// Below its name, in the bucket at this address.
    Bucket(String),
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Area::Folder(path) => path.display().fmt(f),
            Area::Bucket(url) => url.fmt(f),
        }
    }
}

/// The receiving area of an institution.
pub(crate) fn area(config: &Config, institution: &str) -> Area {
    match config.receiving_folder() {
        Some(folder) => Area::Folder(folder.join(institution)),
        None => Area::Bucket(format!("{}/{institution}/", config.receiving_shown())),
    }
}

/// The deposit of an item: as it was received, or as it was fetched from a bucket.
pub(crate) fn deposit(app: &App, item: &WorkItem) -> PathBuf {
    match area(&app.config, institution(item)) {
        Area::Folder(folder) => folder.join(&item.subject.name),
        Area::Bucket(_) => staging(app, item.id).join("received").join(&item.subject.name),
    }
}

/// The identifier of the institution that an item's deposit is from.
pub(crate) fn institution(item: &WorkItem) -> &str {
    item.subject.bucket.as_deref().unwrap_or_default()
}

/// What is kept for an item while it is ingested.
pub(crate) fn staging(app: &App, item: ItemId) -> PathBuf {
    // The slash of the path keeps item 12 from being taken for 120.
    app.config.staging().join(item.to_string())
}

/// The tar of an item in staging.
pub(crate) fn staged_tar(app: &App, item: ItemId) -> PathBuf {
    staging(app, item).join("bag.tar")
}

/// The folder of an item's files in staging.
pub(crate) fn staged_files(app: &App, item: ItemId) -> PathBuf {
    staging(app, item).join("files")
}

/// The name of a bag: that of its file without ending, and without the number of a part.
pub(crate) fn bag_name(file_name: &str) -> &str {
    let stem = SUFFIXES.iter().find_map(|suffix| file_name.strip_suffix(suffix));
    let stem = stem.unwrap_or(file_name);
    let part =
        stem.rsplit_once(".of").filter(|(_, count)| is_number(count)).and_then(|(rest, _)| {
            let (rest, number) = rest.rsplit_once(".b")?;
            is_number(number).then_some(rest)
        });
    part.filter(|name| !name.is_empty()).unwrap_or(stem)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What tells one state of a deposit from another: it changes when the file is written or replaced.
pub(crate) fn etag(metadata: &Metadata) -> String {
    let nanoseconds =
        i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    format!("{:x}-{:x}-{:x}", metadata.len(), nanoseconds, metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_is_named_by_its_file() {
        for (file, name) in [
            ("letters.tar", "letters"),
            ("letters.tar.gz", "letters"),
            ("letters.v2.zip", "letters.v2"),
            ("letters", "letters"),
            ("test.edu.bag.b001.of012.tar", "test.edu.bag"),
            (".b1.of2.tar", ".b1.of2"),
            ("a.of.b.tar", "a.of.b"),
        ] {
            assert_eq!(bag_name(file), name, "{file}");
        }
    }
}
