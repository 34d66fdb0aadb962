//! What processes that died left in the receiving areas: drafts of uploads, drafts of `strongroom
//! ingest`, and folders whose removal was begun.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use storage::work::item::ItemId;

use super::super::removal::item_of_removed;
use super::still::is_abandoned;
use crate::app::App;

const UPLOAD: (&str, &str) = (".upload-", ".part");
/// How the name of a draft begins that `strongroom ingest` makes.
const COMMAND: &str = ".ingest-";
/// A draft of a command stays this long: its process may run on another machine.
const A_DAY: Duration = Duration::from_secs(24 * 3600);

/// What an upload is called until all of it is there.
pub(in super::super) fn draft_of(name: &str) -> String {
    format!("{}{name}{}", UPLOAD.0, UPLOAD.1)
}

/// What the draft of an upload will be called.
pub(crate) fn name_of_draft(draft: &str) -> Option<&str> {
    draft.strip_prefix(UPLOAD.0)?.strip_suffix(UPLOAD.1)
}

/// What `strongroom ingest` calls a bag until all of it is there.
pub(crate) fn draft_of_command(name: &str) -> String {
    format!("{COMMAND}{}-{name}", std::process::id())
}

/// Whether something has the name of a draft that `strongroom ingest` makes.
pub(in super::super) fn is_draft_of_command(name: &str) -> bool {
    name.starts_with(COMMAND)
}

/// Removes what is left over in the areas; the number of them.
pub(crate) fn remove_leftovers(app: &App) -> io::Result<u64> {
    let mut removed = 0;
    let Some(folder) = app.config.receiving_folder() else { return Ok(0) };
    let areas = match fs::read_dir(folder) {
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

/// Removes something that nobody works on any more, if that is what it is.
pub(super) fn remove_leftover(app: &App, path: &Path) -> io::Result<bool> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(false) };
    let removed = if let Some(upload) = name_of_draft(name) {
        let area = path.parent().and_then(Path::file_name).and_then(|area| area.to_str());
        let Some(area) = area else { return Ok(false) };
        app.arrivals.unless_held(area, upload, || fs::remove_file(path))
    } else if let Some(process) = process_of(name) {
        let left = !is_running(process) && is_abandoned(app, path, A_DAY);
        left.then(|| remove_all(path))
    } else if let Some(item) = item_of_removed(name) {
        // An item that is still there removes it by itself.
        (!is_live(app, item)).then(|| remove_all(path))
    } else {
        None
    };
    match removed {
        None => Ok(false),
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Some(Err(error)) => Err(error),
        Some(Ok(())) => {
            tracing::info!(path = %path.display(), "removed what a process that ended left");
            Ok(true)
        }
    }
}

fn process_of(name: &str) -> Option<Pid> {
    let (number, _) = name.strip_prefix(COMMAND)?.split_once('-')?;
    Pid::from_raw(number.parse().ok().filter(|number| *number > 0)?)
}

fn is_running(process: Pid) -> bool {
    test_kill_process(process) != Err(rustix::io::Errno::SRCH)
}

/// Whether the work state has the item; one that cannot be read counts as there.
fn is_live(app: &App, item: ItemId) -> bool {
    let found = app.shop.queue.item(item);
    found.map_or(true, |item| item.is_some_and(|item| !item.state.is_terminal()))
}

fn remove_all(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
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

    #[test]
    fn a_draft_of_a_command_says_whose_it_is() {
        let ours = draft_of_command("a-1.tar");
        assert!(is_draft_of_command(&ours) && is_running(process_of(&ours).unwrap()), "{ours}");
        for bad in [".ingest-0-a", ".ingest--1-a", ".ingest-a", ".ingest-12", "12-a", ".ingest-x-a"]
        {
            assert_eq!(process_of(bad), None, "{bad}");
        }
    }
}
