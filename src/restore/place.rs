//! Where restored things go: `<area>/<institution>/<bag>.tar`, and `<area>/<institution>/<bag>/<path>`
//! for one file. What is not the newest has its version in the name.
//!
//! What is being made lies in a hidden folder of the same area, so that a rename is all it takes to
//! show it. One that nobody finished is removed by the next attempt, or with its item.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use byteio::durable;
use storage::work::item::ItemId;

use super::wish::Wish;
use crate::app::{App, FileFault};
use crate::config::Config;
use crate::fault::{Failure, Fault, Kind};

const DRAFT: (&str, &str) = (".item-", ".draft");

/// What a restored thing is called.
pub(super) fn name(wish: &Wish) -> String {
    match &wish.path {
        Some(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
        None => format!("{}.tar", folder_name(wish)),
    }
}

/// The name of the bag, with its version if it is a past one.
fn folder_name(wish: &Wish) -> String {
    let (_, bag) = wish.owner();
    match wish.is_past {
        true => format!("{bag}.v{}", wish.version),
        false => bag.to_owned(),
    }
}

/// Where a restored thing goes.
pub(super) fn target(config: &Config, wish: &Wish) -> Result<PathBuf, Fault> {
    let area = area(config, wish);
    let target = match &wish.path {
        Some(path) => area.join(folder_name(wish)).join(path),
        None => area.join(name(wish)),
    };
    // Names come from deposits. Ingest lets no such path in; a registry may have been tampered with.
    let odd = |part: &str| part.is_empty() || part == "." || part == "..";
    let (institution, bag) = wish.owner();
    let mut parts = wish.path.iter().flat_map(|path| path.split('/')).chain([institution, bag]);
    if parts.any(odd) || !target.starts_with(&area) {
        return Err(Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "no-place",
            advice: "report this with the item's page".into(),
            source: format!("{} has no place in a folder", wish.identifier()).into(),
        }));
    }
    Ok(target)
}

fn area(config: &Config, wish: &Wish) -> PathBuf {
    config.restoration_folder().join(wish.owner().0)
}

/// A folder for what is being made. Dropping it removes it and all that is in it.
pub(super) struct Draft {
    pub(super) folder: PathBuf,
}

impl Draft {
    /// Begins in the area of the wish, without what an earlier attempt left.
    pub(super) fn begin(app: &App, item: ItemId, wish: &Wish) -> Result<Draft, Fault> {
        let (start, end) = DRAFT;
        let folder = area(&app.config, wish).join(format!("{start}{item}{end}"));
        Draft::at(folder)
    }

    pub(super) fn at(folder: PathBuf) -> Result<Draft, Fault> {
        remove(&folder)?;
        durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
        Ok(Draft { folder })
    }

    /// Gives what was made its name, in place of what may stand there from before.
    pub(super) fn publish(&self, made: &Path, target: &Path) -> Result<(), Fault> {
        if let Some(folder) = target.parent() {
            durable::create_folder(folder).map_err(FileFault::at("create", folder))?;
        }
        durable::rename(made, target).map_err(FileFault::at("publish", target))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed now goes with the next attempt, or with the sweep.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn remove(folder: &Path) -> Result<(), Fault> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(FileFault::at("remove", folder)),
    }
}

/// Removes the drafts of items that are not in progress any more, in every area.
pub(super) fn remove_orphans(app: &App) -> Result<u64, Fault> {
    let root = app.config.restoration_folder();
    let mut removed = 0;
    for area in entries(&root)? {
        for path in entries(&area)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let number = name.strip_prefix(DRAFT.0).and_then(|name| name.strip_suffix(DRAFT.1));
            let Some(id) = number.and_then(|number| number.parse().ok()) else { continue };
            let item = app.shop.queue.item(ItemId(id))?;
            if item.is_none_or(|item| item.state.is_terminal()) {
                remove(&path)?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// What is in a folder; nothing if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let found = match fs::read_dir(folder) {
        Err(error)
            if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) =>
        {
            return Ok(Vec::new());
        }
        other => other.map_err(FileFault::at("read", folder))?,
    };
    let path = |entry: io::Result<fs::DirEntry>| entry.map(|entry| entry.path());
    found.map(path).collect::<io::Result<_>>().map_err(FileFault::at("read", folder))
}
