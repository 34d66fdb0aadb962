//! A deposit that comes in over the wire, piece by piece.
//!
//! It is written under a name that the sweep passes over, synced, and given its own name when all of
//! it is there; then an item is made at once, because nobody will write to it any more. Whatever
//! happens before that removes the draft; what a process that died left behind goes at the next
//! start or sweep.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use byteio::durable;
use storage::registry::Institution;

use super::area::is_archive;
use super::institutions::institutions;
use super::place::{Area, SUFFIXES, area, bag_name};
use super::quota::{OverQuota, Quota};
use super::receiving::{Deposited, draft_of, is_turned_away, take};
use crate::app::App;
use crate::arrivals::{Announced, NotNow};
use crate::fault::Fault;

/// Longest name, so that a draft of it still fits what file systems allow.
const NAME_BYTES: usize = 200;
/// Bytes between two syncs: the sender learns of a disk that fails before all is sent, and the last
/// sync is short.
const SYNC_EVERY: u64 = 128 << 20;

/// Why a deposit was not received. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum Unwelcome {
    #[error("there is no institution {0:?} that may deposit")]
    NoInstitution(String),
    #[error("{name:?} is not a name for a deposit: {why}")]
    Name { name: String, why: String },
    #[error("deposits of this appliance are received in {0}")]
    Elsewhere(String),
    #[error("{0:?} is in the receiving area already")]
    Exists(String),
    #[error("{0:?} is being sent by somebody else at this moment")]
    BeingSent(String),
    #[error("too many deposits are being sent at this moment")]
    Crowded,
    #[error("a deposit may have {most} bytes at most (ingest.max_bag_gb)")]
    TooLarge { most: u64 },
    #[error(
        "the receiving area has {used} of the {most} bytes that it may have \
         (ingest.receiving_max_gb), and this does not fit"
    )]
    OverQuota { used: u64, most: u64 },
    #[error("there is no room for it: {free} bytes are free, {floor} of them are kept free")]
    NoRoom { free: u64, floor: u64 },
    #[error("nothing was sent: the file is empty")]
    Empty,
    #[error("the receiving area failed")]
    Files(#[source] io::Error),
    #[error("{0}")]
    Store(String),
}

/// A deposit on its way in.
pub struct Arrival {
    // Dropped in this order: the draft is gone before another may begin.
    draft: Draft,
    institution: Institution,
    name: String,
    area: PathBuf,
    most: u64,
    floor: u64,
    written: u64,
    synced: u64,
    quota: Option<Quota>,
    /// Bytes that it may have without asking again.
    reserved: u64,
    announced: Announced,
}

struct Draft {
    path: PathBuf,
    file: File,
}

/// What became of a deposit that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The item that was made for it.
    pub item: Option<u64>,
    /// The item of an earlier deposit of the same object, which comes to its end first.
    pub behind: Option<u64>,
    /// Bytes received.
    pub size_bytes: u64,
}

impl Arrival {
    /// Looks whether a deposit would be taken, as far as that is known before it is sent.
    pub fn check(
        app: &App,
        institution: &str,
        name: &str,
        size: Option<u64>,
    ) -> Result<(), Unwelcome> {
        let institution = find(app, institution)?;
        check_name(name)?;
        let area = folder(app, &institution)?;
        durable::create_folder(&area).map_err(Unwelcome::Files)?;
        if !is_free(app, &institution, &area, name)? {
            return Err(Unwelcome::Exists(name.to_owned()));
        }
        if app.arrivals.holds(&institution.identifier, name) {
            return Err(Unwelcome::BeingSent(name.to_owned()));
        }
        let most = app.config.ingest.max_bag_bytes;
        match size {
            Some(0) => return Err(Unwelcome::Empty),
            Some(size) if size > most => return Err(Unwelcome::TooLarge { most }),
            Some(_) | None => {}
        }
        if let Some(quota) = Quota::of(app, &institution.identifier, &area) {
            quota.check(name, size.unwrap_or(1))?;
        }
        check_room(&area, size.unwrap_or(0), app.config.work.room_floor_bytes)
    }

    /// Begins to receive.
    pub fn begin(
        app: &App,
        institution: &str,
        name: &str,
        size: Option<u64>,
    ) -> Result<Arrival, Unwelcome> {
        Arrival::check(app, institution, name, size)?;
        let institution = find(app, institution)?;
        let announced = app.arrivals.announce(&institution.identifier, name);
        let announced = announced.map_err(|why| match why {
            NotNow::Taken => Unwelcome::BeingSent(name.to_owned()),
            NotNow::Crowded => Unwelcome::Crowded,
        })?;
        let area = folder(app, &institution)?;
        let quota = Quota::of(app, &institution.identifier, &area);
        let reserved = size.unwrap_or(0);
        if let Some(quota) = &quota {
            quota.reserve(&announced, name, reserved)?;
        }
        let path = area.join(draft_of(name));
        // One that is there already was left behind: the name is ours alone.
        let file = File::create(&path).map_err(Unwelcome::Files)?;
        Ok(Arrival {
            draft: Draft { path, file },
            institution,
            name: name.to_owned(),
            area,
            most: app.config.ingest.max_bag_bytes,
            floor: app.config.work.room_floor_bytes,
            written: 0,
            synced: 0,
            quota,
            reserved,
            announced,
        })
    }

    /// Whose it is, and the object that it will be, or be a version of.
    pub fn object(&self) -> (i64, String) {
        let owner = &self.institution;
        (owner.id, format!("{}/{}", owner.identifier, bag_name(&self.name)))
    }

    /// Writes the next piece.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Unwelcome> {
        let size = bytes.len() as u64;
        if self.written.saturating_add(size) > self.most {
            return Err(Unwelcome::TooLarge { most: self.most });
        }
        self.reserve(self.written + size)?;
        check_room(&self.area, size, self.floor)?;
        self.draft.file.write_all(bytes).map_err(|error| self.failed(error))?;
        self.written += size;
        if self.written - self.synced >= SYNC_EVERY {
            durable::sync_file(&self.draft.file).map_err(|error| self.failed(error))?;
            self.synced = self.written;
        }
        Ok(())
    }

    /// Asks for more room where it has become larger than was announced, a step ahead if there is room
    /// for that: the area is measured for each question.
    fn reserve(&mut self, bytes: u64) -> Result<(), Unwelcome> {
        let Some(quota) = self.quota.as_ref().filter(|_| bytes > self.reserved) else {
            return Ok(());
        };
        let ahead = bytes.saturating_add(SYNC_EVERY);
        self.reserved = match quota.reserve(&self.announced, &self.name, ahead) {
            Ok(()) => ahead,
            Err(_) => {
                quota.reserve(&self.announced, &self.name, bytes)?;
                bytes
            }
        };
        Ok(())
    }

    /// Gives it its name and makes an item of it, for who sent it.
    pub fn complete(self, app: &App, by: &str) -> Result<Arrived, Unwelcome> {
        if self.written == 0 {
            return Err(Unwelcome::Empty);
        }
        durable::sync_file(&self.draft.file).map_err(|error| self.failed(error))?;
        let target = self.area.join(&self.name);
        // A second name cannot replace what came there by another way meanwhile.
        match fs::hard_link(&self.draft.path, &target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_free(app, &self.institution, &self.area, &self.name)? {
                    return Err(Unwelcome::Exists(self.name.clone()));
                }
                durable::rename(&self.draft.path, &target)
            }
            // Some file systems have no second names.
            Err(_) => durable::rename(&self.draft.path, &target),
            Ok(()) => durable::sync_folder(&self.area),
        }
        .map_err(Unwelcome::Files)?;
        let found = fs::symlink_metadata(&target).map_err(Unwelcome::Files)?;
        let mut arrived = Arrived { item: None, behind: None, size_bytes: self.written };
        let deposited = Deposited::file(&self.name, &found);
        match take(app, &self.institution, &deposited, by).map(|taken| taken.pushed) {
            Ok(pushed) if pushed.new => arrived.item = Some(pushed.id.0),
            Ok(pushed) => arrived.behind = Some(pushed.id.0),
            // It is there and whole: the sweep will try again.
            Err(fault) => {
                tracing::warn!(
                    name = self.name,
                    why = unanswered(&fault),
                    "an upload waits for the sweep"
                );
            }
        }
        tracing::info!(
            name = self.name,
            size_bytes = self.written,
            etag = deposited.etag,
            "received {}",
            self.name
        );
        Ok(arrived)
    }

    fn failed(&self, error: io::Error) -> Unwelcome {
        if error.kind() == io::ErrorKind::StorageFull {
            return Unwelcome::NoRoom { free: 0, floor: self.floor };
        }
        Unwelcome::Files(error)
    }
}

impl From<OverQuota> for Unwelcome {
    fn from(over: OverQuota) -> Unwelcome {
        match over {
            OverQuota::Full { used, most } => Unwelcome::OverQuota { used, most },
            OverQuota::Files(error) => Unwelcome::Files(error),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Renamed already, or of no use; if this fails too, the next sweep removes it.
        fs::remove_file(&self.path).ok();
    }
}

/// Whether a deposit may have this name: nothing lies there, or a file that was turned away, in whose
/// place the mended one comes.
fn is_free(
    app: &App,
    institution: &Institution,
    area: &Path,
    name: &str,
) -> Result<bool, Unwelcome> {
    match fs::symlink_metadata(area.join(name)) {
        Ok(found) if found.is_file() => {
            is_turned_away(app, institution, &Deposited::file(name, &found))
                .map_err(|fault| Unwelcome::Store(unanswered(&fault)))
        }
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Unwelcome::Files(error)),
    }
}

fn find(app: &App, identifier: &str) -> Result<Institution, Unwelcome> {
    let known = institutions(app).map_err(|fault| Unwelcome::Store(unanswered(&fault)))?;
    let found = known.into_iter().find(|institution| institution.identifier == identifier);
    found.ok_or_else(|| Unwelcome::NoInstitution(cut(identifier)))
}

/// The folder to write to; what is received in a bucket is put there by other means.
fn folder(app: &App, institution: &Institution) -> Result<PathBuf, Unwelcome> {
    match area(&app.config, &institution.identifier) {
        Area::Folder(folder) => Ok(folder),
        Area::Bucket(url) => Err(Unwelcome::Elsewhere(url)),
    }
}

/// A name must be one file of an area, seen by everybody, and taken by the sweep.
fn check_name(name: &str) -> Result<(), Unwelcome> {
    why_no_name(name).map_or(Ok(()), |why| Err(Unwelcome::Name { name: cut(name), why }))
}

/// Why a file of this name cannot be a deposit.
pub(super) fn why_no_name(name: &str) -> Option<String> {
    Some(if name.is_empty() {
        "no file was chosen".into()
    } else if name.len() > NAME_BYTES {
        format!("it may have {NAME_BYTES} bytes at most")
    } else if name.contains(['/', '\\']) {
        "it names a folder".into()
    } else if name.chars().any(char::is_control) {
        "it has a control character".into()
    } else if name.starts_with('.') {
        "names that begin with a dot are passed over".into()
    } else if !is_archive(name) {
        format!("send a file that ends in {}", SUFFIXES.join(", "))
    } else if bag_name(name).is_empty() {
        "there is nothing before the ending".into()
    } else {
        return None;
    })
}

/// What is asked for can be as long as an address; a sentence cannot.
fn cut(text: &str) -> String {
    text.chars().take(100).collect()
}

fn check_room(area: &Path, size: u64, floor: u64) -> Result<(), Unwelcome> {
    let room = rustix::fs::statvfs(area).map_err(|error| Unwelcome::Files(error.into()))?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    if free < floor.saturating_add(size) {
        return Err(Unwelcome::NoRoom { free, floor });
    }
    Ok(())
}

fn unanswered(fault: &Fault) -> String {
    fault.sentence_or("the stores did not answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_the_sweep_takes_are_received() {
        for good in ["letters.tar", "a b.tar.gz", "x.tgz", "ü.zip", "a.part.tar"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        let long = format!("{}.tar", "x".repeat(NAME_BYTES));
        for bad in [
            "",
            ".",
            "..",
            "../a.tar",
            "a/b.tar",
            "/a.tar",
            "a\\b.tar",
            ".a.tar",
            "a\n.tar",
            "a\0.tar",
            "a.tar.part",
            "a.txt",
            "a.TAR",
            ".tar",
            "tar",
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
