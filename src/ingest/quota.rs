//! How much an institution may have in its receiving area (`ingest.receiving_max_gb`).
//!
//! What lies there counts, whatever it is, and for an upload under way all that it will take. An upload
//! that does not fit is refused before it begins, or while it is sent if its length was not known.
//! What comes by other means is left where it is and waits until there is room.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use storage::clock::Clock;

use super::place::etag;
use super::receiving::name_of_draft;
use crate::app::App;
use crate::arrivals::{Announced, Arrivals};
use crate::config::Config;

/// The quota of one institution whose area is a folder.
pub(crate) struct Quota {
    most: u64,
    institution: String,
    area: PathBuf,
    arrivals: Arrivals,
    clock: Arc<dyn Clock>,
    /// Entries of one folder that are looked at.
    max_files: u64,
}

/// Why something does not fit.
pub(crate) enum OverQuota {
    /// The area has this many bytes, of this many that it may have.
    Full { used: u64, most: u64 },
    /// The area cannot be looked at.
    Files(io::Error),
}

impl Quota {
    /// The quota of an institution; none if there is no limit.
    pub(crate) fn of(app: &App, institution: &str, area: &Path) -> Option<Quota> {
        Some(Quota {
            most: app.config.ingest.receiving_max_bytes?,
            institution: institution.to_owned(),
            area: area.to_owned(),
            arrivals: app.arrivals.clone(),
            clock: Arc::clone(&app.shop.clock),
            max_files: app.config.ingest.max_files,
        })
    }

    /// Whether a deposit of this name and size would fit now.
    pub(crate) fn check(&self, name: &str, bytes: u64) -> Result<(), OverQuota> {
        let reserved = self.reserved();
        let used = self.at_rest(Some(name))?.saturating_add(reserved);
        if used.saturating_add(bytes) > self.most {
            return Err(OverQuota::Full { used, most: self.most });
        }
        Ok(())
    }

    /// Reserves bytes for an upload, in place of what it had reserved before.
    pub(crate) fn reserve(
        &self,
        announced: &Announced,
        name: &str,
        bytes: u64,
    ) -> Result<(), OverQuota> {
        let seen = self.arrivals.reserved(&self.institution);
        let at_rest = self.at_rest(Some(name))?;
        let left = self.most.saturating_sub(at_rest);
        announced.reserve(bytes, left, &seen).map_err(|others| OverQuota::Full {
            used: at_rest.saturating_add(others),
            most: self.most,
        })
    }

    /// Bytes in the area, and those that uploads under way will take.
    pub(crate) fn used(&self) -> io::Result<u64> {
        let reserved = self.reserved();
        Ok(self.at_rest(None)?.saturating_add(reserved))
    }

    fn reserved(&self) -> u64 {
        let reserved = self.arrivals.reserved(&self.institution);
        reserved.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes))
    }

    /// Bytes in the area but for drafts of uploads under way, and what a deposit takes the place of.
    fn at_rest(&self, replaced: Option<&str>) -> io::Result<u64> {
        let mut sum = 0_u64;
        let entries = match fs::read_dir(&self.area) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            other => other?,
        };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_replaced = replaced.is_some_and(|replaced| replaced == name);
            if is_replaced || self.is_under_way(&name) {
                continue;
            }
            // What is gone meanwhile takes no room.
            if let Ok(found) = fs::symlink_metadata(&path) {
                sum = sum.saturating_add(self.bytes(&path, &found));
            }
        }
        Ok(sum)
    }

    /// Whether this is the draft of an upload, which is counted by what it will take.
    pub(super) fn is_under_way(&self, name: &str) -> bool {
        name_of_draft(name).is_some_and(|name| self.arrivals.holds(&self.institution, name))
    }

    /// The size of something in the area.
    pub(super) fn bytes(&self, path: &Path, found: &Metadata) -> u64 {
        if !found.is_dir() {
            return found.len();
        }
        let measure = || bytes_below(path, self.max_files);
        self.arrivals.folders.bytes(path, &etag(found), self.clock.as_ref(), measure)
    }
}

impl From<io::Error> for OverQuota {
    fn from(error: io::Error) -> OverQuota {
        OverQuota::Files(error)
    }
}

/// Adds up an area while a sweep looks at it: first what is there already, then what is to be taken.
pub(super) struct Sum {
    most: Option<u64>,
    bytes: u64,
}

impl Sum {
    pub(super) fn of(app: &App, institution: &str) -> Sum {
        let reserved = app.arrivals.reserved(institution);
        let bytes = reserved.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        Sum { most: app.config.ingest.receiving_max_bytes, bytes }
    }

    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Adds what is to be taken, if it fits.
    pub(super) fn fits(&mut self, bytes: u64) -> bool {
        let sum = self.bytes.saturating_add(bytes);
        let fits = self.most.is_none_or(|most| sum <= most);
        if fits {
            self.bytes = sum;
        }
        fits
    }
}

/// Why bags of so many bytes do not fit into an area, if they do not: for a command, which knows
/// uploads under way only by what they have written.
pub(crate) fn over_quota(config: &Config, area: &Path, bytes: u64) -> Option<String> {
    let most = config.ingest.receiving_max_bytes?;
    let used = bytes_below(area, config.ingest.max_files);
    (used.saturating_add(bytes) > most).then(|| {
        format!(
            "the receiving area has {used} of the {most} bytes that it may have \
             (ingest.receiving_max_gb), and {bytes} more do not fit: wait until deposits there are \
             preserved, or remove rejected ones"
        )
    })
}

/// The bytes of all files below a folder, or of a file; looks at no more than `most` entries, and
/// follows no links.
pub(crate) fn bytes_below(path: &Path, most: u64) -> u64 {
    let mut sum = 0_u64;
    let mut seen = 0;
    let mut waiting = vec![path.to_owned()];
    while let Some(next) = waiting.pop() {
        let Ok(found) = fs::symlink_metadata(&next) else { continue };
        if !found.is_dir() {
            sum = sum.saturating_add(found.len());
            continue;
        }
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > most {
                return sum;
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => waiting.push(entry.path()),
                Ok(found) => sum = sum.saturating_add(found.len()),
                Err(_) => {}
            }
        }
    }
    sum
}
