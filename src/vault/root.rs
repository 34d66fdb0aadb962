//! The files that describe a storage root: without them no other tool can tell what it is.
//!
//! All of them follow from the layout, so that one which is missing or was changed is made again. What
//! was there is kept in our corner of the root.

use std::fmt;

use super::address::{CORNER, LAYOUT};
use super::error::VaultError;
use super::replica::Replica;

const ABOUT: &str = "hashed n-tuple by sha256 of the object id, which is institution/bag";

/// A file of a storage root that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootFlaw {
    /// Relative to the storage root.
    pub path: String,
    /// Whether there is no such file; otherwise it has other bytes.
    pub is_missing: bool,
}

impl fmt::Display for RootFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_missing { "is missing" } else { "is not what was written" };
        write!(f, "{} {what}", self.path)
    }
}

impl Replica {
    /// Compares every file that describes the storage root with what it must be.
    pub fn check_root(&self) -> Result<Vec<RootFlaw>, VaultError> {
        self.present()?;
        let mut flaws = Vec::new();
        for (path, text) in root_files() {
            let found = self.read_small(&path)?;
            if found.as_deref() != Some(text.as_bytes()) {
                flaws.push(RootFlaw { path, is_missing: found.is_none() });
            }
        }
        Ok(flaws)
    }

    /// Makes those files again that are not as they must be, and tells which.
    pub fn repair_root(&self) -> Result<Vec<RootFlaw>, VaultError> {
        let flaws = self.check_root()?;
        for (path, text) in root_files() {
            let Some(flaw) = flaws.iter().find(|flaw| flaw.path == path) else { continue };
            if !flaw.is_missing {
                let aside = format!("{CORNER}/set-aside/storage-root/{path}");
                self.medium.set_aside(&path, &aside, true)?;
            }
            self.put_small(&path, text.as_bytes())?;
        }
        Ok(flaws)
    }
}

/// In the order they are written: whoever sees the declaration sees a whole storage root.
fn root_files() -> [(String, String); 3] {
    [
        (
            "ocfl_layout.json".into(),
            format!("{{\"extension\": \"{LAYOUT}\", \"description\": \"{ABOUT}\"}}\n"),
        ),
        (
            format!("extensions/{LAYOUT}/config.json"),
            format!(
                "{{\"extensionName\": \"{LAYOUT}\", \"digestAlgorithm\": \"sha256\", \
                 \"tupleSize\": 3, \"numberOfTuples\": 3, \"shortObjectRoot\": false}}\n"
            ),
        ),
        ("0=ocfl_1.1".into(), "ocfl_1.1\n".into()),
    ]
}
