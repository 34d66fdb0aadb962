//! How a folder keeps what was damaged or does not belong: under another name, never over something
//! else, and found even where its name is no text.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use byteio::durable;

use super::medium::names;

/// Where a key lies; a name that is no text is found by the text it was told as.
pub(super) fn resolve(root: &Path, key: &str) -> io::Result<Option<PathBuf>> {
    let whole = root.join(key);
    match fs::symlink_metadata(&whole) {
        Ok(_) => return Ok(Some(whole)),
        Err(error) if is_absent(&error) => {}
        Err(error) => return Err(error),
    }
    let mut place = root.to_owned();
    for part in key.split('/') {
        let told_as = |entry: &fs::DirEntry| entry.file_name().to_string_lossy() == part;
        let mut entries = match fs::read_dir(&place) {
            Err(error) if is_absent(&error) => return Ok(None),
            other => other?,
        };
        let found = entries.find(|entry| entry.as_ref().map_or(true, told_as));
        let Some(entry) = found else { return Ok(None) };
        place = entry?.path();
    }
    Ok(Some(place))
}

/// Gives what lies at a path another name, durably, and tells which. What stays has both names, but for
/// a folder: that cannot have two, and lies in the way of the file that is to come.
pub(super) fn keep(root: &Path, path: &Path, to: &str, stays: bool) -> io::Result<Option<String>> {
    let about = fs::symlink_metadata(path)?;
    for name in names(to) {
        let place = root.join(&name);
        let folder = place.parent().unwrap_or(root);
        durable::create_folder(folder)?;
        match fs::symlink_metadata(&place) {
            // Kept before, by an attempt that was interrupted.
            Ok(there) if (there.dev(), there.ino()) == (about.dev(), about.ino()) => {
                if !stays {
                    fs::remove_file(path)?;
                }
                return Ok(Some(name));
            }
            Ok(_) => continue,
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(error),
        }
        if stays && !about.is_dir() {
            link(path, &place)?;
            durable::sync_folder(folder)?;
        } else {
            durable::rename(path, &place)?;
        }
        return Ok(Some(name));
    }
    Err(io::Error::other("it was set aside too many times"))
}

/// A second name for the same bytes, or a copy on a file system that knows no links.
fn link(path: &Path, place: &Path) -> io::Result<()> {
    if fs::hard_link(path, place).is_ok() {
        return Ok(());
    }
    let copied = fs::copy(path, place).and_then(|_| durable::sync_file(&File::open(place)?));
    if copied.is_err() {
        // Half a copy keeps nothing.
        drop(fs::remove_file(place));
    }
    copied
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
