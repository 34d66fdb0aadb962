//! The files that describe a storage root: without them no other tool can tell what it is.
//!
//! All of them follow from the layout, so that one which is missing or was changed is made again. What
//! was there is kept in our corner of the root.

use std::fmt;

use byteio::causes::chain;

use super::address::{CORNER, LAYOUT};
use super::error::VaultError;
use super::replica::Replica;

const ABOUT: &str = "hashed n-tuple by sha256 of the object id, which is institution/bag";

/// A file of a storage root that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootFlaw {
    /// Relative to the storage root.
    pub path: String,
    pub found: RootFound,
    /// Whether it was made again.
    pub is_repaired: bool,
}

/// What lies in the place of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootFound {
    Missing,
    /// Other bytes.
    Differs,
    /// It cannot be read, in a replica that is there; why.
    Unreadable(String),
}

impl fmt::Display for RootFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            RootFound::Missing => write!(f, "{} is missing", self.path),
            RootFound::Differs => write!(f, "{} is not what was written", self.path),
            RootFound::Unreadable(why) => write!(f, "{} cannot be read ({why})", self.path),
        }
    }
}

impl Replica {
    /// Compares every file that describes the storage root with what it must be.
    pub fn check_root(&self) -> Result<Vec<RootFlaw>, VaultError> {
        self.present()?;
        let mut flaws = Vec::new();
        for (path, text) in root_files() {
            let found = match self.read_small(&path) {
                Ok(Some(bytes)) if bytes == text.as_bytes() => continue,
                Ok(Some(_)) => RootFound::Differs,
                Ok(None) => RootFound::Missing,
                Err(error) => {
                    // A replica that is away says so here: then no file of it is at fault.
                    self.present()?;
                    RootFound::Unreadable(chain(&error))
                }
            };
            flaws.push(RootFlaw { path, found, is_repaired: false });
        }
        Ok(flaws)
    }

    /// Makes those files again that are not as they must be, and tells which. One that cannot be read
    /// may not be replaceable either: that keeps nobody from using the replica.
    pub fn repair_root(&self) -> Result<Vec<RootFlaw>, VaultError> {
        let mut flaws = self.check_root()?;
        for (path, text) in root_files() {
            let Some(flaw) = flaws.iter_mut().find(|flaw| flaw.path == path) else { continue };
            match self.put_root_file(flaw, &text) {
                Ok(()) => flaw.is_repaired = true,
                Err(error) if matches!(flaw.found, RootFound::Unreadable(_)) => {
                    self.present()?;
                    let (replica, error) = (self.name(), chain(&error));
                    tracing::warn!(replica, error, "{flaw} in the storage root, nor be replaced");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(flaws)
    }

    fn put_root_file(&self, flaw: &RootFlaw, text: &str) -> Result<(), VaultError> {
        let path = &flaw.path;
        // What cannot be read cannot be kept under a second name on every medium: it is moved.
        let stays = !matches!(flaw.found, RootFound::Unreadable(_));
        if flaw.found != RootFound::Missing {
            let aside = format!("{CORNER}/set-aside/storage-root/{path}");
            self.medium.set_aside(path, &aside, stays)?;
        }
        self.put_small(path, text.as_bytes())
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
