//! A replica in a folder of a local or mounted file system.
//!
//! Written with `std::fs` and real syncs, because the local store of `object_store` never syncs:
//! after a power cut its renamed files may be empty. Many small files are made durable by one
//! `syncfs`, which is a hundred times cheaper than a sync each; it runs on a handle opened before
//! the first write, so that write-back errors of the batch are told to us and not lost.
//!
//! Single files are written under `parts/` in our corner of the root and renamed into place, so
//! that an object's own folder never holds a name that OCFL does not know, not even after a crash.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use byteio::durable;

use super::super::address::{CORNER, MARKER, ObjectId};
use super::super::error::VaultError;
use super::folder_aside::{keep, resolve};
use super::folder_batch::FolderBatch;
use super::folder_parts::{names_in, part_name, remove_old};
use super::medium::{Batch, Found, Lying, Medium, Surveyed, Upload};

/// One storage root in a folder.
pub(in super::super) struct Folder {
    name: String,
    root: PathBuf,
}

impl Folder {
    pub(in super::super) fn new(name: &str, root: &Path) -> Folder {
        Folder { name: name.to_owned(), root: root.to_owned() }
    }

    /// Whether a folder is absent or holds nothing but the allowed names.
    fn holds_only(&self, key: &str, allowed: &[&str]) -> Result<bool, VaultError> {
        let entries = match fs::read_dir(self.path(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            other => other.map_err(|error| self.blame(key, error))?,
        };
        for entry in entries {
            let name = entry.map_err(|error| self.blame(key, error))?.file_name();
            if !allowed.iter().any(|allowed| name == *allowed) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn path(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// Sorts a system error by what it means for the replica.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign list that grows")]
    pub(super) fn blame(&self, key: &str, error: io::Error) -> VaultError {
        let replica = self.name.clone();
        let what = if key.is_empty() { self.root.display().to_string() } else { key.to_owned() };
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => {
                VaultError::Full { replica, what, source: error.into() }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                VaultError::Denied { replica, what, source: error.into() }
            }
            io::ErrorKind::NotFound if self.is_mounted() => VaultError::NotFound { replica, what },
            io::ErrorKind::InvalidFilename
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory => VaultError::Refused {
                what: format!("replica `{replica}` cannot hold the name {what}"),
            },
            // Unknown trouble from outside: the disk may come back.
            _ => VaultError::Away { replica, what, source: Some(error.into()) },
        }
    }

    fn is_mounted(&self) -> bool {
        self.path(MARKER).is_file()
    }

    fn unmounted(&self) -> VaultError {
        let what = format!("{} is not mounted", self.root.display());
        VaultError::Away { replica: self.name.clone(), what, source: None }
    }

    /// Opens a file for writing; its folder is made only when that fails, because most files of a
    /// bag share their folders.
    pub(super) fn create(&self, key: &str) -> io::Result<File> {
        let path = self.path(key);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.is_mounted() => {
                fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
                options.open(&path)
            }
            other => other,
        }
    }

    fn put_part(&self, part: &Path, key: &str, upload: Upload<'_>) -> io::Result<()> {
        let mut file = File::create(part)?;
        io::copy(upload.source, &mut file)?;
        durable::sync_file(&file)?;
        let place = self.path(key);
        durable::create_folder(place.parent().unwrap_or(&self.root))?;
        durable::rename(part, &place)
    }

    /// Moves a tree out of the way first, so that a crash leaves it whole or gone.
    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        let parts = self.path(CORNER).join("parts");
        if path == parts {
            return fs::remove_dir_all(path);
        }
        durable::create_folder(&parts)?;
        let part = parts.join(part_name());
        durable::rename(path, &part)?;
        fs::remove_dir_all(part)
    }

    fn walk(&self, path: &Path, key: &str, found: Surveyed<'_>) -> Result<(), VaultError> {
        let blame = |error| self.blame(key, error);
        let about = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(blame)?,
        };
        if !about.is_dir() {
            let is_file = about.is_file();
            return found(key, if is_file { Lying::File(about.len()) } else { Lying::Other });
        }
        let mut is_empty = true;
        for entry in fs::read_dir(path).map_err(blame)? {
            is_empty = false;
            let entry = entry.map_err(blame)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match key {
                "" => self.walk(&entry.path(), &name, found)?,
                above => self.walk(&entry.path(), &format!("{above}/{name}"), found)?,
            }
        }
        if is_empty { found(key, Lying::EmptyFolder) } else { Ok(()) }
    }
}

impl Medium for Folder {
    fn open(&self, key: &str) -> Result<Option<Box<dyn Read + Send + '_>>, VaultError> {
        let Some(file) = self.file(key)? else { return Ok(None) };
        drop_cache(&file);
        Ok(Some(Box::new(file)))
    }

    fn file(&self, key: &str) -> Result<Option<File>, VaultError> {
        match File::open(self.path(key)) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && (key == MARKER || self.is_mounted()) =>
            {
                Ok(None)
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            other => other.map(Some).map_err(|error| self.blame(key, error)),
        }
    }

    fn put(&self, key: &str, upload: Upload<'_>) -> Result<(), VaultError> {
        if key != MARKER && !self.is_mounted() {
            return Err(self.unmounted());
        }
        let parts = self.path(CORNER).join("parts");
        durable::create_folder(&parts).map_err(|error| self.blame(key, error))?;
        let part = parts.join(part_name());
        self.put_part(&part, key, upload).map_err(|error| {
            // The part is ours alone; what stays is swept when the replica is next prepared.
            drop(fs::remove_file(&part));
            self.blame(key, error)
        })
    }

    fn batch(&self) -> Result<Box<dyn Batch + '_>, VaultError> {
        let root = File::open(&self.root).map_err(|error| self.blame("", error))?;
        Ok(Box::new(FolderBatch::new(self, root)))
    }

    fn list(&self, key: &str, found: Found<'_>) -> Result<(), VaultError> {
        self.walk(&self.path(key), key, &mut |key, lying| match lying {
            Lying::File(size_bytes) => found(key, size_bytes),
            Lying::Other => found(key, 0),
            Lying::EmptyFolder => Ok(()),
        })
    }

    fn survey(&self, key: &str, found: Surveyed<'_>) -> Result<(), VaultError> {
        self.walk(&self.path(key), key, found)
    }

    fn size_of(&self, key: &str) -> Result<Option<u64>, VaultError> {
        match fs::metadata(self.path(key)) {
            Ok(about) => Ok(about.is_file().then_some(about.len())),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.is_mounted() => Ok(None),
            Err(error) => Err(self.blame(key, error)),
        }
    }

    fn set_aside(&self, from: &str, to: &str, stays: bool) -> Result<Option<String>, VaultError> {
        if !self.is_mounted() {
            return Err(self.unmounted());
        }
        resolve(&self.root, from)
            .and_then(|path| path.map_or(Ok(None), |path| keep(&self.root, &path, to, stays)))
            .map_err(|error| self.blame(from, error))
    }

    fn prune(&self, key: &str) -> Result<(), VaultError> {
        match prune(&self.path(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.is_mounted() => Ok(()),
            other => other.map(drop).map_err(|error| self.blame(key, error)),
        }
    }

    fn remove(&self, key: &str) -> Result<(), VaultError> {
        let path = self.path(key);
        let removed = match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => self.remove_tree(&path),
            Ok(_) => fs::remove_file(&path)
                .and_then(|()| durable::sync_folder(path.parent().unwrap_or(&self.root))),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(|error| self.blame(key, error)),
        }
    }

    fn clear(&self, key: &str) -> Result<(), VaultError> {
        self.remove(key)
    }

    fn draft_root(&self, object: &ObjectId) -> String {
        format!("{CORNER}/drafts/{}", object.hash())
    }

    fn install(&self, draft: &str, place: &str) -> Result<(), VaultError> {
        let (from, to) = (self.path(draft), self.path(place));
        let moved = prune(&from)
            .and_then(|_| File::open(&from))
            .and_then(|folder| durable::sync_file_system(&folder))
            .and_then(|()| durable::create_folder(to.parent().unwrap_or(&self.root)))
            .and_then(|()| durable::rename(&from, &to));
        moved.map_err(|error| self.blame(place, error))
    }

    fn abandon(&self, object: &ObjectId) -> Result<(), VaultError> {
        self.clear(&self.draft_root(object))?;
        // OCFL forbids empty folders, also those that an object which is gone lay in. One that
        // holds something is not removed by this.
        let root = self.path(&object.root());
        let mut is_removed = false;
        for folder in root.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            match fs::remove_dir(folder) {
                Ok(()) => is_removed = true,
                // Killed while the way to the object was being made: the rest of it is above.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) if is_removed => {
                    return durable::sync_folder(folder).map_err(|error| self.blame("", error));
                }
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn unfinished(&self) -> Result<BTreeSet<String>, VaultError> {
        let drafts = format!("{CORNER}/drafts");
        let names = names_in(&self.path(&drafts)).map_err(|error| self.blame(&drafts, error))?;
        Ok(names.into_iter().collect())
    }

    fn give_up(&self, hash: &str) -> Result<(), VaultError> {
        self.clear(&format!("{CORNER}/drafts/{hash}"))
    }

    fn remove_parts(&self) -> Result<u64, VaultError> {
        let parts = self.path(CORNER).join("parts");
        remove_old(&parts).map_err(|error| self.blame("parts", error))
    }

    fn is_vacant(&self) -> Result<bool, VaultError> {
        Ok(self.holds_only("", &["extensions", "lost+found"])?
            && self.holds_only("extensions", &["strongroom-replica"])?)
    }

    fn readers(&self) -> Option<&rayon::ThreadPool> {
        None
    }
}

/// Removes folders that hold no file, which OCFL forbids; tells whether this one is gone.
fn prune(folder: &Path) -> io::Result<bool> {
    let mut is_empty = true;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        is_empty &= entry.file_type()?.is_dir() && prune(&entry.path())?;
    }
    if is_empty {
        fs::remove_dir(folder)?;
    }
    Ok(is_empty)
}

/// Asks the system to forget what it keeps of a file, so that the medium is read. Only clean pages
/// are forgotten: what is not yet durable stays, and is no proof of anything before its sync.
#[cfg(target_os = "linux")]
fn drop_cache(file: &File) {
    // Advice may be ignored; the bytes are the same either way.
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).unwrap_or(());
}

#[cfg(not(target_os = "linux"))]
fn drop_cache(_: &File) {}
