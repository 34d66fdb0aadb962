//! Files that are there in full or not at all, after a crash as well.
//!
//! Every flush of a file of ours is made here, so that a test can record them and cut the power
//! between any two.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path`: temporary name, sync, rename, sync the folder.
///
/// With `private` the file is readable by its owner only.
pub fn write(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    let draft = draft_name(path);
    let written = write_draft(&draft, bytes, private).and_then(|()| rename(&draft, path));
    if written.is_err() {
        // The draft is ours alone; failing to remove it costs a few bytes and hides nothing.
        drop(fs::remove_file(&draft));
    }
    written
}

/// Renames a file whose content is already synced, and syncs the folder.
#[expect(clippy::disallowed_methods, reason = "the one place that renames")]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(parent(to))
}

/// Makes the bytes of a file durable. Its name is durable when its folder is.
pub fn sync_file(file: &File) -> io::Result<()> {
    flushed(&Flush::File(file), || file.sync_all())
}

/// Makes the names in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    flushed(&Flush::Folder(folder), || File::open(folder)?.sync_all())
}

/// Makes everything durable that was written to the file system of this folder, names and bytes.
/// Errors of write-back are told for what was written since the handle was opened.
pub fn sync_file_system(folder: &File) -> io::Result<()> {
    flushed(&Flush::FileSystem(folder), || sync_everything(folder))
}

/// Makes one folder durable with everything in it, names and bytes.
pub fn sync_tree(folder: &Path) -> io::Result<()> {
    if cfg!(target_os = "linux") {
        return sync_file_system(&File::open(folder)?);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            sync_file(&File::open(entry.path())?)?;
        }
    }
    sync_folder(folder)
}

/// What is made durable.
#[derive(Clone, Copy, Debug)]
pub enum Flush<'f> {
    /// The bytes of a file.
    File(&'f File),
    /// The names in a folder.
    Folder(&'f Path),
    /// All of the file system that this is in.
    FileSystem(&'f File),
}

/// Makes a flush; a test may look before and after it.
fn flushed(flush: &Flush<'_>, make: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    #[cfg(feature = "testing")]
    crate::testing::tell_flush(flush, false);
    let made = make();
    #[cfg(feature = "testing")]
    if made.is_ok() {
        crate::testing::tell_flush(flush, true);
    }
    #[cfg(not(feature = "testing"))]
    let _ = flush;
    made
}

#[cfg(target_os = "linux")]
fn sync_everything(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// Other systems have no such call: whoever writes there syncs every file.
#[cfg(not(target_os = "linux"))]
fn sync_everything(folder: &File) -> io::Result<()> {
    folder.sync_all()
}

/// Creates a folder with its parents and makes each new name durable.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = parent(folder);
    create_folder(above)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        other => other?,
    }
    sync_folder(above)
}

fn write_draft(draft: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(draft)?;
    file.write_all(bytes)?;
    sync_file(&file)
}

fn draft_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".draft");
    path.with_file_name(name)
}

/// The folder that a path names something in.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_and_leaves_no_draft() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        create_folder(&deep).unwrap();
        create_folder(&deep).unwrap();
        let path = deep.join("note");
        write(&path, b"one", false).unwrap();
        write(&path, b"two", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&deep).unwrap().count(), 1);
        assert!(write(&dir.path().join("no/such/folder"), b"x", false).is_err());
    }
}
