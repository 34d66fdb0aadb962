//! Removes a deposit from its receiving area, for good.
//!
//! A folder is not removed in one step: it gets a name first that nobody takes for a deposit, so
//! that half of it is never ingested as a newer one.

use std::fs;
use std::io;
use std::path::Path;

use byteio::durable;
use ocfl::InboxError;
use storage::work::item::{ItemId, WorkItem};

use super::place::{deposit, etag, institution};
use crate::app::{App, FileFault};
use crate::fault::Fault;

/// What became of the deposit of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    Removed,
    /// It had gone before.
    Gone,
    /// Something else lies under its name, which is not ours to remove.
    Replaced,
}

const REMOVED: &str = ".removed-";

/// The item whose deposit was about to be removed under this name.
pub(super) fn item_of_removed(name: &str) -> Option<ItemId> {
    name.strip_prefix(REMOVED)?.parse().ok().map(ItemId)
}

/// Removes the deposit of an item, if it is still the one that the item was made for.
pub(super) fn remove_deposit(app: &App, item: &WorkItem) -> Result<Removal, Fault> {
    if app.doorstep.is_bucket() { from_bucket(app, item) } else { from_folder(app, item) }
}

fn from_bucket(app: &App, item: &WorkItem) -> Result<Removal, Fault> {
    let (area, name) = (institution(item), item.subject.name.as_str());
    let etag = item.subject.etag.as_deref().unwrap_or_default();
    match app.doorstep.ask(|inbox| inbox.remove(area, name, etag)) {
        Ok(()) => Ok(Removal::Removed),
        Err(InboxError::Gone { .. }) => Ok(Removal::Gone),
        Err(InboxError::Changed { .. }) => Ok(Removal::Replaced),
        Err(error) => Err(error.into()),
    }
}

fn from_folder(app: &App, item: &WorkItem) -> Result<Removal, Fault> {
    let path = deposit(app, item);
    let aside = path.with_file_name(format!("{REMOVED}{}", item.id));
    // Of an attempt that was interrupted.
    let left = remove(&aside, fs::remove_dir_all(&aside))?;
    let found = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(if left { Removal::Removed } else { Removal::Gone });
        }
        other => other.map_err(FileFault::at("look at", &path))?,
    };
    if item.subject.etag.as_deref() != Some(&etag(&found)) {
        return Ok(Removal::Replaced);
    }
    if found.is_dir() {
        durable::rename(&path, &aside).map_err(FileFault::at("rename", &path))?;
        remove(&aside, fs::remove_dir_all(&aside))?;
    } else {
        remove(&path, fs::remove_file(&path))?;
    }
    if let Some(area) = path.parent() {
        durable::sync_folder(area).map_err(FileFault::at("sync", area))?;
    }
    Ok(Removal::Removed)
}

/// Whether there was something to remove.
fn remove(path: &Path, removed: io::Result<()>) -> Result<bool, Fault> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true).map_err(FileFault::at("remove", path)),
    }
}
