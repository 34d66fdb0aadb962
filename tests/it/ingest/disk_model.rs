//! A plain model of what a disk keeps when the power is cut: whatever was flushed, and of the rest a
//! subset by chance. Flushes are told by `byteio::durable`; what was written between them is seen by
//! looking at the folders.
//!
//! A file that was not flushed may have its old bytes, its new ones, some of them, or zeros. A name
//! that was not flushed may be there or not. A rename is one step: the old name or the new one, as
//! journals of file systems have it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use byteio::durable::Flush;
use fastrand::Rng;

/// Tells one file or folder from all others.
type Inode = u64;
/// A folder, and a name in it.
type Link = (Inode, OsString);

/// Folders by their names, files by their bytes, and when each was changed.
#[derive(Clone, Default)]
struct Image {
    folders: BTreeMap<Inode, BTreeMap<OsString, Inode>>,
    files: BTreeMap<Inode, Vec<u8>>,
    changed: BTreeMap<Inode, SystemTime>,
}

impl Image {
    fn add(&mut self, path: &Path) -> Inode {
        let about = fs::symlink_metadata(path).unwrap();
        let inode = about.ino();
        self.changed.insert(inode, about.modified().unwrap());
        if !about.is_dir() {
            self.files.insert(inode, fs::read(path).unwrap());
            return inode;
        }
        let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
        let names = names.map(|entry| (entry.file_name(), self.add(&entry.path()))).collect();
        self.folders.insert(inode, names);
        inode
    }

    /// Every name of every file and folder.
    fn links(&self) -> BTreeMap<Inode, BTreeSet<Link>> {
        let mut links: BTreeMap<Inode, BTreeSet<Link>> = BTreeMap::new();
        for (folder, names) in &self.folders {
            for (name, inode) in names {
                links.entry(*inode).or_default().insert((*folder, name.clone()));
            }
        }
        links
    }
}

/// Some folders of a disk.
pub(super) struct Disk {
    roots: Vec<PathBuf>,
    /// Holds further names of the deposits, so that one that comes back is the same file.
    kept: PathBuf,
    durable: Image,
}

impl Disk {
    /// Everything that lies in the folders now is durable. `aside` is a folder on the same disk.
    pub(super) fn new(roots: Vec<PathBuf>, aside: &Path) -> Disk {
        let kept = aside.join("kept");
        fs::create_dir_all(&kept).unwrap();
        let mut disk = Disk { roots, kept, durable: Image::default() };
        disk.durable = disk.look();
        for root in disk.roots.clone() {
            disk.keep(&root);
        }
        disk
    }

    fn keep(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let about = fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                self.keep(&path);
            } else {
                fs::hard_link(&path, self.kept.join(about.ino().to_string())).unwrap();
            }
        }
    }

    fn look(&self) -> Image {
        let mut image = Image::default();
        for root in &self.roots {
            image.add(root);
        }
        image
    }

    /// Whether a flush is of something in these folders.
    pub(super) fn concerns(&self, flush: &Flush<'_>) -> bool {
        let path = match flush {
            Flush::Folder(path) => path.to_path_buf(),
            Flush::File(file) => path_of(file),
            Flush::FileSystem(_) => return true,
        };
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Notes that a flush was made.
    pub(super) fn flushed(&mut self, flush: &Flush<'_>) {
        match flush {
            Flush::FileSystem(_) => self.durable = self.look(),
            Flush::File(file) => {
                let about = file.metadata().unwrap();
                let bytes = fs::read(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
                self.durable.files.insert(about.ino(), bytes);
                self.durable.changed.insert(about.ino(), about.modified().unwrap());
            }
            Flush::Folder(path) => {
                let about = fs::symlink_metadata(path).unwrap();
                let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
                let names = names.map(|it| (it.file_name(), it.metadata().unwrap().ino()));
                self.durable.folders.insert(about.ino(), names.collect());
                self.durable.changed.insert(about.ino(), about.modified().unwrap());
            }
        }
    }

    /// Cuts the power: changes the folders into what might be found after it.
    pub(super) fn cut(&self, random: &mut Rng) {
        let now = self.look();
        let names = self.names_after(&now, random);
        let pool = self.kept.with_file_name("pool");
        fs::create_dir_all(&pool).unwrap();
        for root in &self.roots {
            flatten(root, &pool);
        }
        let mut contents = BTreeMap::new();
        for root in &self.roots {
            let rebuilding = Rebuilding { disk: self, now: &now, names: &names, pool: &pool };
            rebuilding.fill(root, random, &mut contents);
        }
        fs::remove_dir_all(&pool).unwrap();
    }

    /// Which names are there after a cut.
    fn names_after(
        &self,
        now: &Image,
        random: &mut Rng,
    ) -> BTreeMap<Inode, BTreeMap<OsString, Inode>> {
        let (old, new) = (self.durable.links(), now.links());
        let none = BTreeSet::new();
        let mut names: BTreeMap<Inode, BTreeMap<OsString, Inode>> = BTreeMap::new();
        let inodes: BTreeSet<Inode> = old.keys().chain(new.keys()).copied().collect();
        for inode in inodes {
            let (old, new) = (old.get(&inode).unwrap_or(&none), new.get(&inode).unwrap_or(&none));
            let is_folder = now.folders.contains_key(&inode);
            let is_moved =
                old.difference(new).next().is_some() && new.difference(old).next().is_some();
            let chosen: BTreeSet<&Link> = if is_moved {
                if random.bool() { old.iter().collect() } else { new.iter().collect() }
            } else if is_folder && !new.is_empty() && !old.is_empty() {
                // Moved, and where it lies now is flushed: a folder has one name.
                new.iter().collect()
            } else {
                let stays =
                    |link: &&Link| (old.contains(link) && new.contains(link)) || random.bool();
                old.union(new).filter(stays).collect()
            };
            for (folder, name) in chosen {
                // Of two under one name the newer one has replaced the other.
                let there = names.entry(*folder).or_default().entry(name.clone()).or_insert(inode);
                if new.contains(&(*folder, name.clone())) {
                    *there = inode;
                }
            }
        }
        // A name that is replaced is never gone.
        for (folder, before) in &self.durable.folders {
            let Some(after) = now.folders.get(folder) else { continue };
            for (name, inode) in before {
                if after.contains_key(name) {
                    names.entry(*folder).or_default().entry(name.clone()).or_insert(*inode);
                }
            }
        }
        names
    }

    /// What a file may hold after a cut.
    fn bytes_after(&self, inode: Inode, now: &Image, random: &mut Rng) -> Vec<u8> {
        let (old, new) = (self.durable.files.get(&inode), now.files.get(&inode));
        match (old, new) {
            (Some(old), Some(new)) if old == new => new.clone(),
            (Some(old), None) => old.clone(),
            (None, None) => Vec::new(),
            (old, Some(new)) => match random.u8(..4) {
                0 => new.clone(),
                1 => old.cloned().unwrap_or_default(),
                2 => new[..random.usize(..=new.len())].to_vec(),
                _ => vec![0; new.len()],
            },
        }
    }
}

fn path_of(file: &File) -> PathBuf {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap()
}

/// Renames without a flush, which would be recorded.
#[expect(clippy::disallowed_methods, reason = "the model itself makes no flush")]
fn rename(from: &Path, to: &Path) {
    fs::rename(from, to).unwrap();
}

/// Moves everything below a folder into the pool, by inode; files with several names once.
fn flatten(folder: &Path, pool: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        let place = pool.join(about.ino().to_string());
        if about.is_dir() {
            flatten(&path, pool);
            rename(&path, &place);
        } else {
            drop(fs::hard_link(&path, &place));
            fs::remove_file(&path).unwrap();
        }
    }
}

struct Rebuilding<'r> {
    disk: &'r Disk,
    now: &'r Image,
    names: &'r BTreeMap<Inode, BTreeMap<OsString, Inode>>,
    pool: &'r Path,
}

impl Rebuilding<'_> {
    /// Fills a folder with what is found there after the cut.
    fn fill(&self, folder: &Path, random: &mut Rng, contents: &mut BTreeMap<Inode, PathBuf>) {
        let inode = fs::symlink_metadata(folder).unwrap().ino();
        self.fill_as(folder, inode, random, contents);
    }

    fn fill_as(
        &self,
        folder: &Path,
        inode: Inode,
        random: &mut Rng,
        contents: &mut BTreeMap<Inode, PathBuf>,
    ) {
        for (name, child) in self.names.get(&inode).into_iter().flatten() {
            let (place, from) = (folder.join(name), self.pool.join(child.to_string()));
            let (old, new) = (&self.disk.durable, self.now);
            if old.folders.contains_key(child) || new.folders.contains_key(child) {
                match from.is_dir() {
                    true => rename(&from, &place),
                    false => fs::create_dir(&place).unwrap(),
                }
                self.fill_as(&place, *child, random, contents);
            } else {
                self.put(*child, &place, random, contents);
            }
            let changed = new.changed.get(child).or_else(|| old.changed.get(child));
            if let Some(changed) = changed {
                File::open(&place).unwrap().set_modified(*changed).unwrap();
            }
        }
    }

    fn put(
        &self,
        inode: Inode,
        place: &Path,
        random: &mut Rng,
        contents: &mut BTreeMap<Inode, PathBuf>,
    ) {
        if let Some(first) = contents.get(&inode) {
            fs::hard_link(first, place).unwrap();
            return;
        }
        let bytes = self.disk.bytes_after(inode, self.now, random);
        let name = inode.to_string();
        let found = [self.pool.join(&name), self.disk.kept.join(&name)];
        if let Some(there) = found.iter().find(|it| it.is_file()) {
            fs::hard_link(there, place).unwrap();
        }
        if fs::read(place).ok().as_ref() != Some(&bytes) {
            File::create(place).unwrap().write_all(&bytes).unwrap();
        }
        contents.insert(inode, place.to_owned());
    }
}
