//! Puts a bag into a receiving area, so that the sweep sees all of it or nothing.
//!
//! An archive gets a second name there, which costs nothing and cannot be seen half done; where that
//! is not possible it is copied under a name that begins with a dot, which the sweep passes over.
//! A folder is built under such a name, file by file, and renamed at the end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use byteio::durable;

use super::Failure;
use super::print::plain;
use crate::ingest::{SUFFIXES, bag_name, draft_of_command, etag};

/// A bag that may be put.
pub(super) struct Bag {
    /// As it was named on the command line.
    pub(super) asked: PathBuf,
    /// Where it is, through all links.
    pub(super) source: PathBuf,
    /// What it will be called in the receiving area.
    pub(super) name: String,
    folder: bool,
}

/// A bag that was put.
pub(super) struct Put {
    pub(super) path: PathBuf,
    /// What tells this deposit from others of the same name.
    pub(super) etag: String,
    /// Whether it shares its bytes with the bag it was made from.
    pub(super) linked: bool,
}

impl Bag {
    /// Looks at a path, and refuses what is no bag by its name or kind.
    pub(super) fn at(asked: &Path) -> Result<Bag, Failure> {
        let source = fs::canonicalize(asked).map_err(failed("find", asked))?;
        // A link is taken for what it leads to, under the name it has itself.
        let name = asked.file_name().or(source.file_name()).and_then(|name| name.to_str());
        let Some(name) = name.map(str::to_owned) else {
            return Err(no_bag(asked, "its name is not text"));
        };
        let about = fs::metadata(&source).map_err(failed("look at", asked))?;
        let archive = SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
        let fits = about.is_dir() || about.is_file() && archive;
        if !fits {
            let why = format!("a bag is a folder, or a file ending in {}", SUFFIXES.join(", "));
            return Err(no_bag(asked, &why));
        }
        if name.starts_with('.') || name.ends_with(".part") || bag_name(&name).is_empty() {
            return Err(no_bag(asked, "such a name is passed over in the receiving area"));
        }
        if about.is_dir() && !source.join("bagit.txt").is_file() {
            let why =
                "there is no bagit.txt in it; `strongroom bag create` makes a bag of a folder";
            return Err(no_bag(asked, why));
        }
        Ok(Bag { asked: asked.to_owned(), source, name, folder: about.is_dir() })
    }

    /// What tells the archive from others, when it is linked; a folder is always made anew.
    pub(super) fn linked_etag(&self) -> Result<Option<String>, Failure> {
        if self.folder {
            return Ok(None);
        }
        let about = fs::symlink_metadata(&self.source).map_err(failed("look at", &self.source))?;
        Ok(Some(etag(&about)))
    }

    /// Refuses a name that is there already: what waits under it is never replaced.
    pub(super) fn check_free(&self, area: &Path) -> Result<(), Failure> {
        let target = area.join(&self.name);
        match fs::symlink_metadata(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("look at", &target)(error)),
            Ok(_) => return Err(taken(&target)),
        }
        let inside = fs::canonicalize(area).is_ok_and(|area| area.starts_with(&self.source));
        if inside {
            return Err(no_bag(&self.asked, "the receiving area is inside of it"));
        }
        Ok(())
    }

    /// Puts it. With `anew` an archive is copied though it could be linked.
    pub(super) fn put(&self, area: &Path, anew: bool) -> Result<Put, Failure> {
        let target = area.join(&self.name);
        durable::create_folder(area).map_err(failed("create", area))?;
        if self.folder {
            return self.put_folder(area, target);
        }
        if !anew {
            let tag = self.linked_etag()?.unwrap_or_default();
            match fs::hard_link(&self.source, &target) {
                Ok(()) => {
                    durable::sync_folder(area).map_err(failed("sync", area))?;
                    return Ok(Put { path: target, etag: tag, linked: true });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(taken(&target));
                }
                // Another disk, another owner: a copy it is.
                Err(_) => {}
            }
        }
        let draft = self.draft(area);
        let put = self.put_copy(&draft, target);
        // It has another name now, or is of no use.
        fs::remove_file(&draft).ok();
        put
    }

    /// The copy is as old as itself, so that it is never taken for an earlier one.
    fn put_copy(&self, draft: &Path, target: PathBuf) -> Result<Put, Failure> {
        copy(&self.source, draft, false).map_err(failed("copy", &self.asked))?;
        let about = fs::symlink_metadata(draft).map_err(failed("look at", draft))?;
        match fs::hard_link(draft, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken(&target)),
            // Some file systems have no second names.
            Err(_) => durable::rename(draft, &target).map_err(failed("create", &target)),
            Ok(()) => {
                let area = target.parent().unwrap_or(&target);
                durable::sync_folder(area).map_err(failed("sync", area))
            }
        }?;
        Ok(Put { etag: etag(&about), path: target, linked: false })
    }

    fn put_folder(&self, area: &Path, target: PathBuf) -> Result<Put, Failure> {
        let draft = self.draft(area);
        let placed = self.place_folder(&draft).and_then(|linked| {
            let about = fs::symlink_metadata(&draft).map_err(failed("look at", &draft))?;
            self.check_free(area)?;
            durable::rename(&draft, &target).map_err(failed("create", &target))?;
            Ok(Put { etag: etag(&about), path: target, linked })
        });
        if placed.is_err() {
            // What is left of it is ours alone, and passed over by the sweep.
            fs::remove_dir_all(&draft).ok();
        }
        placed
    }

    /// Builds the folder; whether all files are linked.
    fn place_folder(&self, draft: &Path) -> Result<bool, Failure> {
        let mut linked = true;
        let mut folders = vec![PathBuf::new()];
        while let Some(inside) = folders.pop() {
            let (from, to) = (self.source.join(&inside), draft.join(&inside));
            fs::create_dir(&to).map_err(failed("create", &to))?;
            for entry in fs::read_dir(&from).map_err(failed("read", &from))? {
                let entry = entry.map_err(failed("read", &from))?;
                let (path, name) = (entry.path(), entry.file_name());
                let kind = entry.file_type().map_err(failed("look at", &path))?;
                if kind.is_dir() {
                    folders.push(inside.join(&name));
                } else if kind.is_file() {
                    let place = to.join(&name);
                    if fs::hard_link(&path, &place).is_err() {
                        copy(&path, &place, true).map_err(failed("copy", &path))?;
                        linked = false;
                    }
                } else {
                    return Err(no_bag(&path, "a bag has files and folders only"));
                }
            }
            durable::sync_folder(&to).map_err(failed("sync", &to))?;
        }
        Ok(linked)
    }

    fn draft(&self, area: &Path) -> PathBuf {
        area.join(draft_of_command(&self.name))
    }
}

/// Copies a file and syncs it; with `dated`, the copy says when the depositor last changed it.
fn copy(from: &Path, to: &Path, dated: bool) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mut target = File::create_new(to)?;
    io::copy(&mut source, &mut target)?;
    if dated {
        target.set_modified(source.metadata()?.modified()?)?;
    }
    durable::sync_file(&target)
}

fn failed(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Failure {
    let shown = plain(&path.display().to_string());
    move |error| Failure::Unable(format!("cannot {what} {shown}: {error}"))
}

fn no_bag(path: &Path, why: &str) -> Failure {
    Failure::Unable(format!("{} is not a bag: {why}", plain(&path.display().to_string())))
}

fn taken(target: &Path) -> Failure {
    let shown = plain(&target.display().to_string());
    Failure::Unable(format!(
        "{shown} is there already: wait until it is preserved; if it was turned away, remove it \
         first"
    ))
}
