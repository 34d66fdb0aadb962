//! Everything at and below some paths, in a stable order, without following links.
//!
//! Memory stays flat: of a folder no more than a block of names is held at a time, and only the
//! folders that lead to the current one are open.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use byteio::regular::oddity;
use rustix::fs::{Dir, FileType, Mode, OFlags};

/// Names of one folder that are sorted together. A folder with more is told in blocks, each of
/// them in order.
const BLOCK: usize = 65_536;
/// Folders inside folders.
const DEPTH: usize = 1_024;

/// Something that was found, and has not been looked at yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    pub what: What,
}

/// What it seems to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    File,
    Link,
    /// A device, socket or pipe: which of them.
    Device(&'static str),
    /// A folder that cannot be read, and why. Folders that can be read are not told.
    Folder(String),
    /// A path that leads to nothing we can look at, and why.
    Unreadable(String),
}

/// The walk.
pub struct Walk {
    paths: std::vec::IntoIter<PathBuf>,
    levels: Vec<Level>,
    block: usize,
}

/// A folder on the way to the current one.
struct Level {
    path: PathBuf,
    /// What has not been read of it.
    rest: Option<Dir>,
    block: std::vec::IntoIter<(OsString, Kind)>,
}

/// What the folder says an entry is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Folder,
    Link,
    Device(&'static str),
    /// Some file systems do not say.
    Unsaid,
}

impl Walk {
    pub fn new(paths: Vec<PathBuf>) -> Walk {
        Walk { paths: paths.into_iter(), levels: Vec::new(), block: BLOCK }
    }

    /// Tells what was found, or goes into it if it is a folder.
    fn visit(&mut self, path: PathBuf, kind: Kind) -> Option<Found> {
        let kind = match kind {
            Kind::Unsaid => match kind_on_disk(&path) {
                Ok(kind) => kind,
                Err(error) => return Some(Found { path, what: What::Unreadable(reason(&error)) }),
            },
            Kind::File | Kind::Folder | Kind::Link | Kind::Device(_) => kind,
        };
        let what = match kind {
            Kind::File | Kind::Unsaid => What::File,
            Kind::Link => What::Link,
            Kind::Device(which) => What::Device(which),
            Kind::Folder => match self.enter(&path) {
                Ok(()) => return None,
                Err(why) => What::Folder(why),
            },
        };
        Some(Found { path, what })
    }

    fn enter(&mut self, path: &Path) -> Result<(), String> {
        if self.levels.len() >= DEPTH {
            return Err(format!("it lies more than {DEPTH} folders deep"));
        }
        // What was a folder a moment ago may be a link by now.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty()).and_then(Dir::new);
        let rest = opened.map_err(|error| reason(&error.into()))?;
        let block = Vec::new().into_iter();
        self.levels.push(Level { path: path.to_owned(), rest: Some(rest), block });
        Ok(())
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let Some(level) = self.levels.last_mut() else {
                let path = self.paths.next()?;
                match self.visit(path, Kind::Unsaid) {
                    None => continue,
                    found => return found,
                }
            };
            if let Some((name, kind)) = level.block.next() {
                let path = level.path.join(name);
                match self.visit(path, kind) {
                    None => continue,
                    found => return found,
                }
            }
            if level.rest.is_none() {
                self.levels.pop();
            } else if let Err(error) = level.read_block(self.block) {
                let what = What::Folder(reason(&error));
                return Some(Found { path: level.path.clone(), what });
            }
        }
    }
}

impl Level {
    /// Reads and sorts the next names. What was read before an error counts.
    fn read_block(&mut self, most: usize) -> io::Result<()> {
        let mut names = Vec::new();
        let mut outcome = Ok(());
        while let Some(rest) = &mut self.rest {
            match rest.read() {
                Some(Ok(entry)) => {
                    let name = entry.file_name().to_bytes();
                    if name != b"." && name != b".." {
                        let kind = kind_of(entry.file_type());
                        names.push((OsStr::from_bytes(name).to_owned(), kind));
                    }
                    if names.len() >= most {
                        break;
                    }
                }
                Some(Err(error)) => {
                    outcome = Err(error.into());
                    self.rest = None;
                }
                None => self.rest = None,
            }
        }
        names.sort_unstable();
        self.block = names.into_iter();
        outcome
    }
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Device("a pipe"),
        FileType::Socket => Kind::Device("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device("a device"),
        FileType::Unknown => Kind::Unsaid,
    }
}

fn kind_on_disk(path: &Path) -> io::Result<Kind> {
    let kind = fs::symlink_metadata(path)?.file_type();
    Ok(if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Device(oddity(kind))
    })
}

/// Why something cannot be looked at.
pub fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        "there is no such file".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "we may not read it".to_owned()
    } else if error.kind() == io::ErrorKind::UnexpectedEof {
        "it is shorter than its size says".to_owned()
    } else if error.kind() == io::ErrorKind::NotADirectory {
        "a part of its path is no folder".to_owned()
    } else {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            byteio::durable::write(&path, b"x", false).unwrap();
        }
        dir
    }

    fn told(dir: &Path, block: usize) -> Vec<String> {
        let mut walk = Walk::new(vec![dir.to_owned()]);
        walk.block = block;
        walk.map(|found| found.path.strip_prefix(dir).unwrap().display().to_string()).collect()
    }

    #[test]
    fn files_come_in_order_and_folders_in_their_place() {
        let dir = tree(&["b/2", "b/1", "a", "c", "b.txt", "b/d/e"]);
        fs::create_dir(dir.path().join("empty")).unwrap();
        assert_eq!(told(dir.path(), BLOCK), ["a", "b/1", "b/2", "b/d/e", "b.txt", "c"]);
    }

    #[test]
    fn a_folder_that_is_larger_than_a_block_is_told_whole() {
        let names: Vec<String> = (0..100).map(|at| format!("{at:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let dir = tree(&names);
        let mut found = told(dir.path(), 7);
        for block in found.chunks(7) {
            assert!(block.is_sorted());
        }
        found.sort();
        assert_eq!(found, names);
    }

    #[test]
    fn links_are_told_and_not_followed() {
        let dir = tree(&["a/file"]);
        symlink("..", dir.path().join("a/up")).unwrap();
        symlink("nowhere", dir.path().join("a/dangling")).unwrap();
        let links = Walk::new(vec![dir.path().to_owned(), dir.path().join("a/up")])
            .filter(|found| found.what == What::Link);
        assert_eq!(links.count(), 3);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_told() {
        let dir = tree(&["file"]);
        let paths = vec![dir.path().join("gone"), dir.path().join("file/below"), PathBuf::new()];
        let found: Vec<_> = Walk::new(paths).collect();
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|it| matches!(it.what, What::Unreadable(_))), "{found:?}");
    }

    #[test]
    fn depth_has_an_end() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("d/".repeat(DEPTH))).unwrap();
        let found: Vec<_> = Walk::new(vec![dir.path().to_owned()]).collect();
        let [Found { what: What::Folder(why), .. }] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(why.contains("1024 folders deep"), "{why}");
    }
}
