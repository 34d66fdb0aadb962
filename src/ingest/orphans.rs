//! What is in the staging area for an item that has ended, or that is not there any more because the
//! work state that knew of it was lost. Staging is a cache: nothing is lost with it.

use std::fs;
use std::io;

use storage::work::item::ItemId;

use crate::app::{App, FileFault};
use crate::fault::Fault;

/// Removes the folders of items that have ended or are not in the work state; the number of them.
/// The folder of an item that has ended comes back when the power fails before its removal is flushed.
pub(crate) fn remove_orphans(app: &App) -> Result<u64, Fault> {
    let staging = app.config.staging();
    let folders = match fs::read_dir(&staging) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        other => other.map_err(FileFault::at("read", &staging))?,
    };
    let mut removed = 0;
    for folder in folders {
        let path = folder.map_err(FileFault::at("read", &staging))?.path();
        // Other names are not ours to remove.
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|it| it.parse().ok());
        let Some(id) = number.map(ItemId) else { continue };
        if app.shop.queue.item(id)?.is_none_or(|item| item.state.is_terminal()) {
            fs::remove_dir_all(&path).map_err(FileFault::at("remove", &path))?;
            removed += 1;
        }
    }
    Ok(removed)
}
