//! The two things a bag can be made as: what stands where before the bytes come.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::gather::Item;
use super::plan::{Content, MakeError, Payload, Placing, Plan, Times};
use super::tar::{self, Kind};
use super::tee::{Reader, Sink, Tee, Trouble};

/// Where the bag is being made.
pub(super) enum Place {
    Folder { root: PathBuf, placing: Placing },
    Tar { file: Arc<File>, path: PathBuf, top: String, end: u64, folders: HashSet<String> },
}

impl Place {
    /// An empty folder for a bag.
    pub(super) fn folder(root: PathBuf, placing: Placing) -> Result<Place, MakeError> {
        make_folder(&root).map_err(failed(&root))?;
        Ok(Place::Folder { root, placing })
    }

    /// An empty tar for a bag.
    pub(super) fn tar(path: PathBuf, top: &str) -> Result<Place, MakeError> {
        let file = File::create_new(&path).map_err(failed(&path))?;
        let (file, top) = (Arc::new(file), top.to_owned());
        Ok(Place::Tar { file, path, top, end: 0, folders: HashSet::new() })
    }

    /// The path of the bag itself.
    pub(super) fn path(&self) -> &Path {
        match self {
            Place::Folder { root, .. } => root,
            Place::Tar { path, .. } => path,
        }
    }

    /// Makes the folders, or writes the headers, that files need. Lengths are known before bytes
    /// are read, so in a tar every file has its place and many can be written at once.
    pub(super) fn prepare(
        &mut self,
        plan: &Plan<'_>,
        items: &mut [Item<'_>],
    ) -> Result<(), MakeError> {
        for item in items {
            if let Some((folder, _)) = item.path.rsplit_once('/') {
                self.make_folders(plan, folder)?;
            } else {
                self.make_folders(plan, "")?;
            }
            if let Place::Tar { file, path, top, end, .. } = self {
                let name = format!("{top}/{}", item.path);
                let header = tar::header(Kind::File, &name, item.size_bytes, time(plan, item));
                file.write_all_at(&header, *end).map_err(failed(path))?;
                item.offset = *end + header.len() as u64;
                *end = item.offset + tar::padded(item.size_bytes);
            }
        }
        // Padding is never written: what lies between the ends of files and the next header is
        // zero because nothing was there before.
        if let Place::Tar { file, path, end, .. } = self {
            file.set_len(*end).map_err(failed(path))?;
        }
        Ok(())
    }

    /// Makes a folder of the bag with those above it, each once.
    pub(super) fn make_folders(&mut self, plan: &Plan<'_>, folder: &str) -> Result<(), MakeError> {
        match self {
            Place::Folder { root, .. } => {
                let path = root.join(folder);
                if !path.is_dir() {
                    if let Some((above, _)) = folder.rsplit_once('/') {
                        self.make_folders(plan, above)?;
                    }
                    make_folder(&path).map_err(failed(&path))?;
                }
                Ok(())
            }
            Place::Tar { file, path, top, end, folders } => {
                let name = if folder.is_empty() { top.clone() } else { format!("{top}/{folder}") };
                for (at, _) in name.match_indices('/').chain([(name.len(), "")]) {
                    if folders.insert(name[..at].to_owned()) {
                        let folder = format!("{}/", &name[..at]);
                        let header = tar::header(Kind::Folder, &folder, 0, midnight(plan));
                        file.write_all_at(&header, *end).map_err(failed(path))?;
                        *end += header.len() as u64;
                    }
                }
                Ok(())
            }
        }
    }

    /// Makes way for an item to be written again. In a tar it covers what stands there.
    pub(super) fn clear(&self, item: &Item<'_>) -> Result<(), MakeError> {
        let Place::Folder { root, .. } = self else { return Ok(()) };
        let path = root.join(&item.path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(failed(&path)),
        }
    }

    /// Ends a tar. A folder needs no end.
    pub(super) fn finish(&mut self) -> Result<(), MakeError> {
        match self {
            Place::Folder { .. } => Ok(()),
            Place::Tar { file, path, end, .. } => {
                file.write_all_at(&tar::END, *end).map_err(failed(path))
            }
        }
    }

    /// Opens an item, with its place in the bag on the other side.
    pub(super) fn open<'p>(&self, plan: &Plan<'_>, item: &Item<'p>) -> io::Result<Tee<'p>> {
        let (source, path) = match item.content {
            Some(Content::File(path)) => (open_file(path)?, Some(path.clone())),
            Some(Content::Bytes(bytes)) => (Reader::Other(Box::new(bytes.as_slice())), None),
            Some(Content::Open(opener)) => (Reader::Other(opener.open()?), None),
            None => {
                let Payload::Folder(folder) = &plan.payload else {
                    return Err(io::Error::other("only files of a folder have no content"));
                };
                let path = folder.join(item.path.strip_prefix("data/").unwrap_or(&item.path));
                (open_file(&path)?, Some(path))
            }
        };
        let sink = match (self, &source, path) {
            (Place::Tar { file, path, .. }, ..) => {
                Sink::Tar { file: Arc::clone(file), path: path.clone(), offset: item.offset }
            }
            (
                Place::Folder { root, placing: Placing::HardLink },
                Reader::File(_, about),
                Some(path),
            ) => {
                let target = root.join(&item.path);
                fs::hard_link(&path, &target).map_err(Trouble::write(&target))?;
                let linked = fs::symlink_metadata(&target)?;
                if (linked.dev(), linked.ino()) != (about.dev(), about.ino()) {
                    return Err(io::Error::other(Trouble::Changed));
                }
                Sink::Linked
            }
            (Place::Folder { root, .. }, ..) => {
                let path = root.join(&item.path);
                let file = File::create_new(&path)
                    .and_then(|file| {
                        // Not left to the umask of whoever runs this.
                        file.set_permissions(Permissions::from_mode(0o644))?;
                        Ok(file)
                    })
                    .map_err(Trouble::write(&path))?;
                Sink::File { file, path, modified: time(plan, item) }
            }
        };
        Ok(Tee { source, sink, left: item.size_bytes })
    }
}

/// Opens a regular file and nothing else. A link or pipe that took its place since it was found is
/// neither followed nor waited for.
fn open_file<'a>(path: &Path) -> io::Result<Reader<'a>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other(Trouble::Changed));
    }
    Ok(Reader::File(file, Box::new(about)))
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o755).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

fn time(plan: &Plan<'_>, item: &Item<'_>) -> i64 {
    match plan.times {
        Times::Fixed => midnight(plan),
        Times::Kept => item.modified.unwrap_or_else(|| midnight(plan)),
    }
}

/// The bagging date as seconds since 1970.
fn midnight(plan: &Plan<'_>) -> i64 {
    plan.date.to_zoned(jiff::tz::TimeZone::UTC).map_or(0, |time| time.timestamp().as_second())
}

fn failed(path: &Path) -> impl Fn(io::Error) -> MakeError + use<> {
    let path = path.to_owned();
    move |source| MakeError::Write { path: path.clone(), source }
}
