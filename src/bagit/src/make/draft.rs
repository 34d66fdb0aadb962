//! A place to work in, beside the target, that is gone unless the work succeeds.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use byteio::durable::{self, parent};

use super::plan::MakeError;

/// Leftovers of killed runs with the same process number are stepped over, up to here.
const TRIES: u32 = 100;

/// A hidden folder on the file system of the target. Dropping it removes it and all that is in it.
pub(super) struct Draft {
    folder: PathBuf,
}

impl Draft {
    /// Makes a folder beside `target`, which must not exist.
    pub(super) fn beside(target: &Path) -> Result<Draft, MakeError> {
        match fs::symlink_metadata(target) {
            Ok(_) => return Err(MakeError::Exists(target.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(MakeError::Write { path: target.to_owned(), source }),
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().take(50).collect();
        for number in 0..TRIES {
            let id = std::process::id();
            let folder = parent(target).join(format!(".{name}.draft-{id}-{number}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Draft { folder }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(MakeError::Write { path: folder, source }),
            }
        }
        Err(MakeError::Write {
            path: target.to_owned(),
            source: io::Error::other("too many drafts were left behind here: remove them"),
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives a file or folder of the draft, synced, its final name.
    pub(super) fn publish(self, work: &Path, target: &Path) -> Result<(), MakeError> {
        let failed = |source| MakeError::Write { path: target.to_owned(), source };
        sync(work).map_err(failed)?;
        rename_new(work, target).map_err(|source| {
            if source.kind() == io::ErrorKind::AlreadyExists {
                MakeError::Exists(target.to_owned())
            } else {
                failed(source)
            }
        })?;
        durable::sync_folder(parent(target)).map_err(failed)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // The draft is ours alone; what cannot be removed costs room and hides nothing.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Makes everything in a folder, or one file, durable.
fn sync(work: &Path) -> io::Result<()> {
    if work.is_dir() { durable::sync_tree(work) } else { durable::sync_file(&File::open(work)?) }
}

/// Renames, but never over something. The rename of `byteio::durable` replaces, as its callers
/// want; a bag must not.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some network file systems do not know the flag.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => rename_checked(from, to),
        other => Ok(other?),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_checked(from, to)
}

/// A file gets its second name first, which fails if there is one; a folder replaces at most an
/// empty folder that was made this very moment.
fn rename_checked(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        fs::hard_link(from, to)?;
        return fs::remove_file(from);
    }
    match fs::symlink_metadata(to) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => Ok(rustix::fs::rename(from, to)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_renamed_over_something() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name| dir.path().join(name);
        for rename in [rename_new, rename_checked] {
            File::create(at("file")).unwrap();
            File::create(at("taken")).unwrap();
            fs::create_dir(at("folder")).unwrap();
            for from in ["file", "folder"] {
                let refused = rename(&at(from), &at("taken")).unwrap_err();
                assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists, "{from}");
                rename(&at(from), &at("new")).unwrap();
                rename(&at("new"), &at(from)).unwrap();
            }
            fs::remove_dir(at("folder")).unwrap();
        }
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("bag.tar");
        let draft = Draft::beside(&target).unwrap();
        let other = Draft::beside(&target).unwrap();
        fs::create_dir_all(draft.folder().join("a/b")).unwrap();
        drop((draft, other));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
