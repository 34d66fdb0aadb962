//! Files that are there in full or not at all, after a crash as well.

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

/// Makes the names in a folder durable.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
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
    file.sync_all()
}

fn draft_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".draft");
    path.with_file_name(name)
}

fn parent(path: &Path) -> &Path {
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
