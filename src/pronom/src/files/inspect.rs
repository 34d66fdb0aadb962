//! Inspecting what a walk found: in parallel, told in the order of the walk.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use byteio::read_at::FilePart;
use byteio::regular::{self, Links};
use rayon::prelude::*;
use serde::Serialize;

use super::walk::{Found, Walk, What, reason};
use crate::formats::Formats;
use crate::identification::Identification;
use crate::looking::look::Looking;

/// Files that are looked at before any of them is told: enough to keep all cores busy, and few
/// enough that they come as they are done.
const BATCH: usize = 256;

/// Something that was found and looked at.
#[derive(Debug)]
pub struct Looked<'s> {
    pub path: PathBuf,
    pub kind: Kind,
    /// Known for files that could be opened.
    pub size_bytes: Option<u64>,
    /// For what is no file it says only why there is no match.
    pub identification: Identification<'s>,
}

/// What was found at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    File,
    /// A file without a single byte.
    Empty,
    /// A folder that cannot be read; others are not told.
    Folder,
    /// A symbolic link; never followed.
    Link,
    /// A device, socket or pipe; never opened.
    Device,
    Unreadable,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Empty => "empty",
            Kind::Folder => "folder",
            Kind::Link => "link",
            Kind::Device => "device",
            Kind::Unreadable => "unreadable",
        }
    }
}

/// Why looking ended early.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    #[error("the threads for looking at files cannot be started")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    #[error("the result cannot be written")]
    Write(#[source] io::Error),
    #[error("what came over standard input cannot be read")]
    Read(#[source] io::Error),
}

/// Looks at everything at and below the paths, with all cores, and tells it batch by batch in the
/// order of the walk. Ends at once when telling fails.
pub fn look_at_all<'s>(
    formats: &'s Formats,
    paths: Vec<PathBuf>,
    looking: &Looking<'_>,
    tell: &mut dyn FnMut(&[Looked<'s>]) -> io::Result<()>,
) -> Result<(), LookError> {
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(LookError::Threads)?;
    let mut walk = Walk::new(paths);
    loop {
        let batch: Vec<Found> = walk.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        let look = |found| look(formats, found, looking);
        let looked: Vec<_> = pool.install(|| batch.into_par_iter().map(look).collect());
        tell(&looked).map_err(LookError::Write)?;
    }
}

/// Looks at an open file that has no name: what came over a stream and was kept.
pub fn look_at_stream<'s>(
    formats: &'s Formats,
    file: &File,
    path: &Path,
    looking: &Looking<'_>,
) -> io::Result<Looked<'s>> {
    look_at_open(formats, (file, &file.metadata()?), (path, ""), looking)
}

/// Looks at one thing.
fn look<'s>(formats: &'s Formats, found: Found, looking: &Looking<'_>) -> Looked<'s> {
    let Found { path, what } = found;
    match what {
        What::File => look_at_file(formats, &path, looking)
            .unwrap_or_else(|error| without(path, Kind::Unreadable, reason(&error))),
        What::Link => {
            let why = link_sentence(&path);
            without(path, Kind::Link, why)
        }
        What::Device(which) => without(path, Kind::Device, format!("{which}, not opened")),
        What::Folder(why) => without(path, Kind::Folder, why),
        What::Unreadable(why) => without(path, Kind::Unreadable, why),
    }
}

fn look_at_file<'s>(
    formats: &'s Formats,
    path: &Path,
    looking: &Looking<'_>,
) -> io::Result<Looked<'s>> {
    let (file, before) = regular::open(path, Links::Refuse)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut looked = look_at_open(formats, (&file, &before), (path, &name), looking)?;
    looked.identification.warnings.extend(change(&file, &before));
    Ok(looked)
}

fn look_at_open<'s>(
    formats: &'s Formats,
    (file, before): (&File, &Metadata),
    (path, name): (&Path, &str),
    looking: &Looking<'_>,
) -> io::Result<Looked<'s>> {
    let source = FilePart::new(file, 0, before.len());
    let mut identification = formats.identify(&source, name, looking)?;
    // What the system makes up when it is read has no length before.
    if before.len() == 0 && file.read_at(&mut [0; 1], 0)? > 0 {
        return Err(io::Error::other("it has no length and yet content: it is no stored file"));
    }
    let kind = if before.len() == 0 { Kind::Empty } else { Kind::File };
    if kind == Kind::Empty && identification.matches.is_empty() {
        identification.unknown = Some("it is empty".to_owned());
    }
    let (path, size_bytes) = (path.to_owned(), Some(before.len()));
    Ok(Looked { path, kind, size_bytes, identification })
}

/// What happened to a file since it was opened, if anything.
fn change(file: &File, before: &Metadata) -> Option<String> {
    let now = match file.metadata() {
        Ok(now) => now,
        Err(error) => return Some(format!("it cannot be looked at again: {}", reason(&error))),
    };
    if now.nlink() == 0 {
        return Some("it was removed while it was looked at".to_owned());
    }
    let mark = |it: &Metadata| (it.len(), it.mtime(), it.mtime_nsec());
    (mark(&now) != mark(before))
        .then(|| "it changed while it was looked at: look at it again".to_owned())
}

fn link_sentence(path: &Path) -> String {
    match fs::read_link(path) {
        Ok(target) => format!("a symbolic link to {}, not followed", target.display()),
        Err(error) => format!("a symbolic link, not followed ({})", reason(&error)),
    }
}

fn without<'s>(path: PathBuf, kind: Kind, why: String) -> Looked<'s> {
    let identification = Identification { unknown: Some(why), ..Identification::default() };
    Looked { path, kind, size_bytes: None, identification }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_that_changes_or_goes_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        byteio::durable::write(&path, b"one", false).unwrap();
        let (file, before) = regular::open(&path, Links::Refuse).unwrap();
        assert_eq!(change(&file, &before), None);
        File::options().append(true).open(&path).unwrap().write_all(b"more").unwrap();
        assert!(change(&file, &before).unwrap().contains("changed"));
        let (file, before) = regular::open(&path, Links::Refuse).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(change(&file, &before).unwrap().contains("removed"));
    }

    #[test]
    fn what_is_gone_when_its_turn_comes_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let formats = Formats::built_in().unwrap();
        let path = dir.path().join("gone");
        let looked = look(&formats, Found { path, what: What::File }, &Looking::default());
        assert_eq!((looked.kind, looked.size_bytes), (Kind::Unreadable, None));
        assert_eq!(looked.identification.unknown.unwrap(), "there is no such file");
        // Found as a file, and a link by now.
        let path = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let looked = look(&formats, Found { path, what: What::File }, &Looking::default());
        assert_eq!(looked.kind, Kind::Unreadable);
    }

    #[test]
    fn batches_keep_the_order_and_end_when_telling_fails() {
        let dir = tempfile::tempdir().unwrap();
        for at in 0..=BATCH * 2 {
            File::create(dir.path().join(format!("{at:05}"))).unwrap();
        }
        let formats = Formats::built_in().unwrap();
        let paths = vec![dir.path().to_owned()];
        let mut seen = Vec::new();
        look_at_all(&formats, paths.clone(), &Looking::default(), &mut |batch| {
            assert!(batch.len() <= BATCH);
            seen.extend(batch.iter().map(|it| it.path.clone()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen.len(), BATCH * 2 + 1);
        assert!(seen.is_sorted());
        let mut batches = 0;
        let ended = look_at_all(&formats, paths, &Looking::default(), &mut |_| {
            batches += 1;
            Err(io::ErrorKind::BrokenPipe.into())
        });
        assert!(matches!(ended, Err(LookError::Write(_))) && batches == 1);
    }
}
