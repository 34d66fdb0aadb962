//! Where signature sets are kept: the one in use, the one before it, and always the one that comes
//! with the program.
//!
//! Sets are files of their own in `formats/` of the data directory, replaced whole: a running
//! appliance may read them at any time, and after a crash at any moment there is a set to use.
//! What is stored and cannot be used is never silently passed over: [`Shelved::warning`] says so.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use byteio::durable;
use byteio::record::Undecodable;
use byteio::regular::{self, Links};
use pronom::signature::{About, Broken, Changes, SignatureSet};
use serde::Serialize;
use storage::home;

const FOLDER: &str = "formats";
const CURRENT: &str = "current.set";
const PREVIOUS: &str = "previous.set";
/// The set that a revert puts aside, until it is the previous one.
const ASIDE: &str = "aside.set";
const LOCK: &str = "lock";

/// Bytes of a stored set: twice what a record may have.
const SET_BYTES: u64 = 32 << 20;

/// The sets of one data directory.
pub struct Shelf {
    data: PathBuf,
    folder: PathBuf,
    built_in: fn() -> Result<SignatureSet, Broken>,
}

/// The set in use.
#[derive(Debug)]
pub struct Shelved {
    pub set: SignatureSet,
    pub origin: Origin,
    /// Why it is not the one that was put in use last.
    pub warning: Option<String>,
}

/// Where a set was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It comes with the program.
    BuiltIn,
    /// It was put in use here.
    Stored,
}

/// Why a set was not put in use. The one in use stays.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    #[error("{new} is older than what is in use: {in_use}")]
    Older { new: String, in_use: String },
    #[error("{0} is in use already")]
    Same(String),
    #[error("there is no other set to go back to")]
    NoPrevious,
    #[error("the previous set {0}")]
    PreviousUseless(String),
    #[error("the previous set, {previous}, is older than the one that comes with this program")]
    PreviousOlder { previous: String },
    #[error("cannot {what} {path}")]
    Files {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("sets cannot be kept there")]
    Place(#[source] storage::Error),
    #[error("the set cannot be stored")]
    Store(#[source] Broken),
    #[error("the set that comes with this program cannot be used")]
    BuiltIn(#[source] Broken),
}

/// A stored set, as far as there is one.
enum Kept {
    Set(Box<SignatureSet>),
    None,
    /// Why it is of no use.
    Useless(String),
}

impl Shelf {
    /// The shelf of a data directory, which need not be there: nothing is made before a set is put.
    pub fn at(data: &Path) -> Shelf {
        let built_in = SignatureSet::built_in;
        Shelf { data: data.to_owned(), folder: data.join(FOLDER), built_in }
    }

    /// Changes whenever another set is put in use; none where none was.
    pub fn stamp(&self) -> Option<std::time::SystemTime> {
        self.path(CURRENT).metadata().and_then(|file| file.modified()).ok()
    }

    /// Where sets are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The set to use: the stored one, unless the program brings a newer one or it is of no use.
    pub fn in_use(&self) -> Result<Shelved, ShelfError> {
        let own = (self.built_in)().map_err(ShelfError::BuiltIn)?;
        let why = match self.read(CURRENT) {
            Kept::Set(set) => return Ok(choose(*set, own, None)),
            Kept::None if matches!(self.read(PREVIOUS), Kept::None) => {
                return Ok(Shelved { set: own, origin: Origin::BuiltIn, warning: None });
            }
            Kept::None => "is gone".to_owned(),
            Kept::Useless(why) => why,
        };
        let path = self.path(CURRENT).display().to_string();
        let trouble = format!(
            "the signature set in {path} {why} (`strongroom formats update` with its files brings \
             it back)"
        );
        Ok(match self.read(PREVIOUS) {
            Kept::Set(set) => {
                let warning =
                    format!("{trouble}; the one before it is used: {}", label(&set.about));
                choose(*set, own, Some(warning))
            }
            Kept::None | Kept::Useless(_) => {
                let label = label(&own.about);
                let warning = Some(format!("{trouble}; the one of this program is used: {label}"));
                Shelved { set: own, origin: Origin::BuiltIn, warning }
            }
        })
    }

    /// What [`revert`](Shelf::revert) would go back to from `in_use`.
    pub fn previous(&self, in_use: &SignatureSet) -> Option<SignatureSet> {
        // A set put aside is the previous one wherever a change was cut short after the set in use
        // was replaced; before that it is the set in use.
        [ASIDE, PREVIOUS].into_iter().find_map(|name| match self.read(name) {
            Kept::Set(set) if !alike(&set.about, &in_use.about) => Some(*set),
            Kept::Set(_) | Kept::None | Kept::Useless(_) => None,
        })
    }

    /// Puts a set in use and keeps the one in use until now as the previous one.
    pub fn put(&self, new: &SignatureSet) -> Result<Changes, ShelfError> {
        let _lock = self.open()?;
        let Shelved { set: old, warning, .. } = self.in_use()?;
        let same = alike(&new.about, &old.about);
        // The same set once more mends a damaged file.
        if same && warning.is_none() {
            return Err(ShelfError::Same(label(&new.about)));
        }
        if is_older(&new.about, &old.about) {
            let (new, in_use) = (label(&new.about), label(&old.about));
            return Err(ShelfError::Older { new, in_use });
        }
        let changes = Changes::between(&old, new);
        if same {
            self.write(CURRENT, new)?;
        } else {
            self.exchange(&old, new)?;
        }
        Ok(changes)
    }

    /// Puts a set in use and makes the one in use the previous one. At every moment each of the two
    /// is in a whole file, and the previous one until now stays until there is a new one.
    fn exchange(&self, old: &SignatureSet, new: &SignatureSet) -> Result<(), ShelfError> {
        self.write(ASIDE, old)?;
        self.write(CURRENT, new)?;
        let (aside, previous) = (self.path(ASIDE), self.path(PREVIOUS));
        durable::rename(&aside, &previous).map_err(files("rename", &aside))
    }

    /// Exchanges the set in use and the previous one.
    pub fn revert(&self) -> Result<(SignatureSet, Changes), ShelfError> {
        // Where nothing was ever put nothing is made either.
        if !self.folder.try_exists().map_err(files("read", &self.folder))? {
            return Err(ShelfError::NoPrevious);
        }
        let _lock = self.open()?;
        let old = self.in_use()?.set;
        let back = self.previous(&old).ok_or_else(|| match self.read(PREVIOUS) {
            Kept::Useless(why) => ShelfError::PreviousUseless(why),
            Kept::Set(_) | Kept::None => ShelfError::NoPrevious,
        })?;
        let own = (self.built_in)().map_err(ShelfError::BuiltIn)?;
        if gives_way(&back.about, &own.about) {
            return Err(ShelfError::PreviousOlder { previous: label(&back.about) });
        }
        self.exchange(&old, &back)?;
        let changes = Changes::between(&old, &back);
        Ok((back, changes))
    }

    /// Puts the set that comes with the program in use again, whatever was put in use since.
    pub fn reset(&self) -> Result<(SignatureSet, Changes), ShelfError> {
        let own = (self.built_in)().map_err(ShelfError::BuiltIn)?;
        if !self.folder.try_exists().map_err(files("read", &self.folder))? {
            return Err(ShelfError::Same(label(&own.about)));
        }
        let _lock = self.open()?;
        let Shelved { set: old, warning, .. } = self.in_use()?;
        if alike(&old.about, &own.about) && warning.is_none() {
            return Err(ShelfError::Same(label(&own.about)));
        }
        self.exchange(&old, &own)?;
        let changes = Changes::between(&old, &own);
        Ok((own, changes))
    }

    /// What is wrong with what is stored, for those who look for damage.
    pub fn flaws(&self) -> Vec<String> {
        let kept = [CURRENT, PREVIOUS].map(|name| (self.path(name), self.read(name)));
        let told = kept.into_iter().filter_map(|(path, kept)| match kept {
            Kept::Useless(why) => Some(format!("the signature set in {} {why}", path.display())),
            Kept::Set(_) | Kept::None => None,
        });
        told.collect()
    }

    /// Makes the folder and takes it, so that two commands do not write the same file. Readers
    /// need no lock.
    fn open(&self) -> Result<File, ShelfError> {
        home::check(&self.data).map_err(ShelfError::Place)?;
        durable::create_folder(&self.folder).map_err(files("create", &self.folder))?;
        let path = self.path(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(files("open", &path))?;
        file.lock().map_err(files("lock", &path))?;
        Ok(file)
    }

    fn write(&self, name: &str, set: &SignatureSet) -> Result<(), ShelfError> {
        let path = self.path(name);
        let bytes = set.to_bytes().map_err(ShelfError::Store)?;
        durable::write(&path, &bytes, false).map_err(files("write", &path))
    }

    fn read(&self, name: &str) -> Kept {
        let mut bytes = Vec::new();
        let read = regular::open(&self.path(name), Links::Follow)
            .and_then(|(file, _)| file.take(SET_BYTES).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Kept::None,
            Err(error) => return Kept::Useless(format!("cannot be read ({error})")),
            Ok(_) => {}
        }
        match SignatureSet::from_bytes(&bytes) {
            Ok(set) => Kept::Set(Box::new(set)),
            Err(Broken::Stored(Undecodable::Newer { .. })) => {
                Kept::Useless("was stored by a newer Strongroom".to_owned())
            }
            Err(_) => Kept::Useless("is damaged".to_owned()),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// A set by the numbers people know it by.
pub fn label(about: &About) -> String {
    let date = about.droid_created.get(..10).unwrap_or(&about.droid_created);
    let About { droid_version, container_version, .. } = about;
    format!("DROID {droid_version} of {date}, containers {container_version}")
}

/// The stored set, or the program's own if that is newer, or the same read by a newer program.
fn choose(stored: SignatureSet, own: SignatureSet, warning: Option<String>) -> Shelved {
    if alike(&stored.about, &own.about) {
        return Shelved { set: own, origin: Origin::BuiltIn, warning };
    }
    if !gives_way(&stored.about, &own.about) {
        return Shelved { set: stored, origin: Origin::Stored, warning };
    }
    let (older, newer) = (label(&stored.about), label(&own.about));
    let warning = warning.unwrap_or_else(|| {
        format!("the stored signature set ({older}) is older than the one of this program")
    });
    let warning = Some(format!("{warning}; in its place that of this program is used: {newer}"));
    Shelved { set: own, origin: Origin::BuiltIn, warning }
}

/// Whether both were made of the same files.
fn alike(one: &About, other: &About) -> bool {
    (&one.droid_sha256, &one.container_sha256) == (&other.droid_sha256, &other.container_sha256)
}

/// Whether anything in a set is older than in the other.
fn is_older(one: &About, other: &About) -> bool {
    let versions = |it: &About| (it.droid_version, it.container_version);
    one.droid_version < other.droid_version
        || one.container_version < other.container_version
        || versions(one) == versions(other) && one.droid_created < other.droid_created
}

/// Whether a set is older, and in nothing newer.
fn gives_way(one: &About, other: &About) -> bool {
    is_older(one, other) && !is_older(other, one)
}

fn files(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ShelfError {
    let path = path.to_owned();
    move |source| ShelfError::Files { what, path, source }
}

#[cfg(test)]
mod tests;
