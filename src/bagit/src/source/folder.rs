//! A bag that is a folder.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use byteio::regular::{self, Links};

use super::intake::Intake;
use crate::code::Code;
use crate::error::BagError;
use crate::ledger::{Held, PathId};
use crate::names::rules;

/// The folder of a bag.
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Folder {
        Folder { root: root.to_owned() }
    }

    /// Finds all files, without following links.
    pub(crate) fn walk(&self, intake: &mut Intake<'_>) -> Result<(), BagError> {
        // Folders to be read, by their path inside the bag, with their depth.
        let mut waiting: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            intake.pause()?;
            let on_disk = self.on_disk(&folder);
            let entries = match fs::read_dir(&on_disk) {
                Ok(entries) => entries,
                Err(source) if folder.is_empty() => {
                    return Err(BagError::Open { path: on_disk, source });
                }
                Err(error) => {
                    unreadable(intake, &folder, &error);
                    continue;
                }
            };
            for entry in entries {
                if !intake.open {
                    return Ok(());
                }
                let found = entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?)));
                let (name, metadata) = match found {
                    Ok(found) => found,
                    Err(error) => {
                        unreadable(intake, &folder, &error);
                        continue;
                    }
                };
                let mut path = folder.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.append(&mut name.into_vec());
                if !metadata.is_dir() {
                    take(intake, &path, &metadata);
                } else if depth >= intake.limits.depth || waiting.len() >= 1_000_000 {
                    let text = String::from_utf8_lossy(&path).into_owned();
                    let code = Code::PathTooDeep;
                    intake.findings.add(code, rules::shown(&text), || rules::sentence(code, &text));
                } else {
                    intake.folder(&path);
                    waiting.push((path, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// Opens a file of the bag. A link or a pipe that took its place since it was found is neither
    /// followed nor waited for. If the file is not, at the end of reading, what it was when it was
    /// found, its number is put among the changed ones.
    pub(crate) fn open<'f>(
        &self,
        id: PathId,
        path: &[u8],
        held: &Held,
        changed: &'f Mutex<Vec<PathId>>,
    ) -> io::Result<impl Read + Send + use<'f>> {
        let (file, _) = regular::open(&self.on_disk(path), Links::Refuse)?;
        Ok(Watched { file, id, held: *held, changed })
    }

    fn on_disk(&self, path: &[u8]) -> PathBuf {
        self.root.join(std::ffi::OsStr::from_bytes(path))
    }
}

/// A file that is looked at again when it has been read.
struct Watched<'f> {
    file: File,
    id: PathId,
    held: Held,
    changed: &'f Mutex<Vec<PathId>>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let same = self.file.metadata().is_ok_and(|now| {
            now.len() == self.held.size_bytes && modified_ns(&now) == self.held.modified_ns
        });
        if !same && let Ok(mut changed) = self.changed.lock() {
            changed.push(self.id);
        }
    }
}

fn take(intake: &mut Intake<'_>, path: &[u8], metadata: &Metadata) {
    if metadata.is_symlink() {
        intake.odd(Code::LinkInBag, path);
    } else if metadata.is_file() {
        let modified_ns = modified_ns(metadata);
        intake.file(path, Held { size_bytes: metadata.len(), position: 0, modified_ns });
    } else {
        intake.odd(Code::DeviceInBag, path);
    }
}

fn unreadable(intake: &mut Intake<'_>, folder: &[u8], error: &io::Error) {
    let place = rules::shown(&String::from_utf8_lossy(folder));
    intake.findings.add(Code::FileUnreadable, place.clone(), || {
        format!("The folder `{place}` cannot be read: {error}. Give us the right to read it.")
    });
}

fn modified_ns(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_the_place_of_a_file_is_neither_followed_nor_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        File::create(dir.path().join("file")).unwrap();
        let folder = Folder::new(dir.path());
        let held = Held { size_bytes: 0, position: 0, modified_ns: Held::NO_TIME };
        let changed = Mutex::new(Vec::new());
        let opens = |path: &[u8]| folder.open(0, path, &held, &changed).is_ok();
        assert_eq!([b"link", b"pipe", b"file"].map(|path| opens(path)), [false, false, true]);
    }
}
