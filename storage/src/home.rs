//! The data directory: whose it is, which format it has, and who uses it now.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use byteio::durable;

use crate::error::Error;

/// Format of the whole directory; raised when an older Strongroom could no longer read it.
const FORMAT: u64 = 1;
const STAMP: &str = "STRONGROOM";
const LOCK: &str = "lock";

/// A data directory held by this process until dropped.
#[derive(Debug)]
pub struct Home {
    dir: PathBuf,
    fresh: bool,
    _lock: File,
}

impl Home {
    /// Opens or creates the directory and takes it for this process alone. Refuses, changing
    /// nothing, when it is someone else's, newer than this program, or in use.
    pub fn open(dir: &Path) -> Result<Home, Error> {
        let files = |what, path: &Path| {
            let path = path.to_owned();
            move |source| Error::Files { what, path, source }
        };
        let stamp = dir.join(STAMP);
        let fresh = match fs::read(&stamp) {
            Ok(text) => {
                check_stamp(dir, &String::from_utf8_lossy(&text))?;
                false
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            Err(error) => return Err(files("read", &stamp)(error)),
        };
        if fresh {
            create_private(dir).map_err(files("create", dir))?;
            refuse_foreign(dir)?;
        }
        let lock = take_lock(dir)?;
        Ok(Home { dir: dir.to_owned(), fresh, _lock: lock })
    }

    /// Whether nothing was ever completed here: no stamp yet.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Stamps the directory as ours, once everything in it is made. From then on what is missing
    /// in it was lost, and is not quietly made again.
    pub fn stamp(&mut self) -> Result<(), Error> {
        if !self.fresh {
            return Ok(());
        }
        let stamp = self.dir.join(STAMP);
        let text = format!("strongroom data, format {FORMAT}\n");
        durable::write(&stamp, text.as_bytes(), false).map_err(|source| Error::Files {
            what: "write",
            path: stamp,
            source,
        })?;
        self.fresh = false;
        Ok(())
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the work state lives.
    pub fn work(&self) -> PathBuf {
        self.dir.join("work")
    }

    /// Where the registry lives.
    pub fn registry(&self) -> PathBuf {
        self.dir.join("registry.sqlite")
    }

    /// The key by which pages of the journal are signed. It stays in this directory: no replica, export
    /// or snapshot has it.
    pub fn journal_key(&self) -> PathBuf {
        self.dir.join("journal.key")
    }

    /// Where snapshots of the registry are kept.
    pub fn snapshots(&self) -> PathBuf {
        self.dir.join("snapshots")
    }
}

/// Whether `dir` is a data directory of ours; one whose stamp was lost is known by its registry.
pub fn is_home(dir: &Path) -> bool {
    dir.join(STAMP).is_file() || dir.join("registry.sqlite").is_file()
}

/// Refuses a directory that is someone else's, or newer than this program. One that is not there
/// yet may become ours.
pub fn check(dir: &Path) -> Result<(), Error> {
    let files = |source| Error::Files { what: "read", path: dir.to_owned(), source };
    match fs::read(dir.join(STAMP)) {
        Ok(text) => check_stamp(dir, &String::from_utf8_lossy(&text)),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(files(error)),
        Err(_) if dir.try_exists().map_err(files)? => refuse_foreign(dir),
        Err(_) => Ok(()),
    }
}

fn check_stamp(dir: &Path, text: &str) -> Result<(), Error> {
    let found = text.trim_end().strip_prefix("strongroom data, format ");
    match found.and_then(|number| number.parse::<u64>().ok()) {
        Some(found) if found > FORMAT => {
            Err(Error::Newer { dir: dir.to_owned(), found, known: FORMAT })
        }
        Some(_) => Ok(()),
        None => Err(Error::Foreign { dir: dir.to_owned() }),
    }
}

/// A directory without our stamp must hold nothing but what we make ourselves: a first start may
/// have been cut short, or the stamp lost.
fn refuse_foreign(dir: &Path) -> Result<(), Error> {
    let files = |source| Error::Files { what: "read", path: dir.to_owned(), source };
    for entry in fs::read_dir(dir).map_err(files)? {
        let name = entry.map_err(files)?.file_name();
        // The stamp too: another process may be writing it just now, and the lock will say so.
        let ours = [LOCK, STAMP, "STRONGROOM.draft", "strongroom.toml", "lost+found"];
        let made = [
            "registry.sqlite",
            "work",
            "snapshots",
            "appliance.json",
            "second-factors.key",
            "formats",
            "receiving",
            "staging",
            "vault",
            "reports",
            "rejected-since",
            "journal.key",
        ];
        let name = name.to_string_lossy();
        if !ours.contains(&&*name) && !made.iter().any(|known| name.starts_with(known)) {
            return Err(Error::Foreign { dir: dir.to_owned() });
        }
    }
    Ok(())
}

/// Creates the directory for its owner only. One that is there already is left as it is: it may be
/// shared on purpose.
fn create_private(dir: &Path) -> std::io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let above = match dir.parent() {
        Some(above) if above != Path::new("") => above,
        _ => Path::new("."),
    };
    durable::create_folder(above)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && dir.is_dir() => {}
        other => other?,
    }
    durable::sync_folder(above)
}

fn take_lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join(LOCK);
    let files = |what| {
        let path = path.clone();
        move |source| Error::Files { what, path, source }
    };
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(files("open"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Only to say who it is; not knowing changes nothing.
            drop(Read::take(&file, 64).read_to_string(&mut holder));
            let holder = holder.trim();
            let holder =
                if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
            return Err(Error::InUse { dir: dir.to_owned(), holder });
        }
        Err(TryLockError::Error(error)) => return Err(files("lock")(error)),
    }
    let written = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(files("write"))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_and_the_refusal_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut home = Home::open(dir.path()).unwrap();
        home.stamp().unwrap();
        let refused = Home::open(dir.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        drop(home);
        Home::open(dir.path()).unwrap();
    }

    #[test]
    fn what_is_not_ours_or_newer_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        durable::write(&dir.path().join("thesis.doc"), b"x", false).unwrap();
        assert!(matches!(Home::open(dir.path()), Err(Error::Foreign { .. })));
        assert!(matches!(check(dir.path()), Err(Error::Foreign { .. })));
        assert!(check(&dir.path().join("not-yet")).is_ok());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

        let dir = tempfile::tempdir().unwrap();
        durable::write(&dir.path().join(STAMP), b"strongroom data, format 9\n", false).unwrap();
        let refused = Home::open(dir.path()).unwrap_err();
        assert!(matches!(refused, Error::Newer { found: 9, .. }), "{refused}");
        assert!(matches!(check(dir.path()), Err(Error::Newer { .. })));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
