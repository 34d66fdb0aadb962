//! Whether somebody still brings a deposit, by when it was last changed.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use storage::clock::Timestamp;

use crate::app::App;

/// When it was last changed.
pub(crate) fn modified(found: &Metadata) -> Option<Timestamp> {
    moment(found.mtime(), found.mtime_nsec())
}

/// Whether nobody has written to it for a while. Of a folder this tells what is at its top only.
pub(in super::super) fn is_still(app: &App, found: &Metadata) -> bool {
    is_older(found, app.shop.clock.now(), app.config.ingest.still)
}

/// Whether nobody has written to anything below a folder for a while. Looks at as many entries as a
/// bag may have: one that has more is turned away in any case. What cannot be read is no sign of
/// life; the survey says what is wrong with it.
pub(super) fn is_still_below(app: &App, folder: &Path) -> bool {
    let (now, still) = (app.shop.clock.now(), app.config.ingest.still);
    let most = app.config.ingest.max_files;
    each_below(folder, most, &mut |found| is_older(found, now, still))
}

/// Whether a draft and all that is in it was not touched for this long.
pub(super) fn is_abandoned(app: &App, path: &Path, span: std::time::Duration) -> bool {
    let (now, most) = (app.shop.clock.now(), app.config.ingest.max_files);
    let older = |found: &Metadata| is_older(found, now, span);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => older(&found) && each_below(path, most, &mut { older }),
        Ok(found) => older(&found),
        Err(_) => false,
    }
}

/// Asks about everything below a folder, until the first no. What has gone meanwhile is one.
fn each_below(folder: &Path, most: u64, ask: &mut dyn FnMut(&Metadata) -> bool) -> bool {
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let mut folders = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Ok(entries) => entries,
            Err(error) if gone(&error) => return false,
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > most {
                return true;
            }
            match entry.metadata() {
                Ok(found) if !ask(&found) => return false,
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Err(error) if gone(&error) => return false,
                Ok(_) | Err(_) => {}
            }
        }
    }
    true
}

/// A date that lies ahead was given by a program that copies dates with files; when that happened,
/// the system says.
fn is_older(found: &Metadata, now: Timestamp, span: std::time::Duration) -> bool {
    let told = modified(found).filter(|told| *told <= now);
    let changed = told.or_else(|| moment(found.ctime(), found.ctime_nsec()));
    changed.is_none_or(|changed| changed.after(span) <= now)
}

fn moment(seconds: i64, nanoseconds: i64) -> Option<Timestamp> {
    let seconds = u64::try_from(seconds).ok()?;
    let millis = u64::try_from(nanoseconds).ok()? / 1_000_000;
    Some(Timestamp(seconds.checked_mul(1000)?.checked_add(millis)?))
}
