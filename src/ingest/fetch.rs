//! The deposit as a file or folder that can be read: where it was received, or fetched from a
//! bucket into the staging area of its item.
//!
//! What was fetched is named when all of it is on the medium; what an interrupted fetch left is
//! begun anew.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use byteio::durable;
use digests::{Algorithm, AlgorithmSet, Hasher};
use ocfl::InboxError;

use super::place::{deposit, etag, institution};
use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

/// Bytes asked for at once: a sign of life after each, and no request that lasts for hours.
const RANGE: u64 = 32 << 20;

/// How often a deposit is read whose bytes are not those of its entity tag.
const READINGS: usize = 3;

/// How a deposit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    There,
    Changed,
    Gone,
}

/// The deposit, if it is there and the one that the item was made for.
pub(super) fn still_there(job: &Job<'_, App>) -> Result<PathBuf, Fault> {
    let path = deposit(job.app, job.item);
    let found = if job.app.doorstep.is_bucket() {
        found(look_in_bucket(job).and_then(|found| match found {
            Found::There => fetch_once(job, &path).map(|()| found),
            Found::Changed | Found::Gone => Ok(found),
        }))?
    } else {
        look_in_folder(job, &path)?
    };
    let what = match found {
        Found::There => return Ok(path),
        Found::Changed => "the deposit was changed after it was taken",
        Found::Gone => "the deposit is no longer in the receiving area",
    };
    super::cleanup::clear(job)?;
    Err(Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "deposit-changed",
        advice: "cancel this item; what is in the receiving area is found by itself".into(),
        source: what.into(),
    }))
}

/// Whether the received bag is still the one that the item was made for. Fetches nothing.
pub(super) fn is_there(job: &Job<'_, App>) -> Result<bool, Fault> {
    let found = if job.app.doorstep.is_bucket() {
        found(look_in_bucket(job))?
    } else {
        look_in_folder(job, &deposit(job.app, job.item))?
    };
    Ok(found == Found::There)
}

fn look_in_folder(job: &Job<'_, App>, path: &Path) -> Result<Found, Fault> {
    match fs::symlink_metadata(path) {
        Ok(found) if job.item.subject.etag.as_deref() == Some(&etag(&found)) => Ok(Found::There),
        Ok(_) => Ok(Found::Changed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Gone),
        Err(error) => Err(FileFault::at("look at", path)(error)),
    }
}

/// What stopped us while we dealt with the bucket.
enum Stopped {
    Bucket(InboxError),
    Fault(Fault),
}

fn found(done: Result<Found, Stopped>) -> Result<Found, Fault> {
    match done {
        Ok(found) => Ok(found),
        Err(Stopped::Bucket(InboxError::Gone { .. })) => Ok(Found::Gone),
        Err(Stopped::Bucket(InboxError::Changed { .. })) => Ok(Found::Changed),
        Err(Stopped::Bucket(error)) => Err(error.into()),
        Err(Stopped::Fault(fault)) => Err(fault),
    }
}

fn look_in_bucket(job: &Job<'_, App>) -> Result<Found, Stopped> {
    let (area, subject) = (institution(job.item), &job.item.subject);
    let letter = job.app.doorstep.ask(|inbox| inbox.look(area, &subject.name));
    let letter = letter.map_err(Stopped::Bucket)?;
    let same = subject.etag.as_ref() == Some(&letter.etag);
    Ok(if same && subject.size_bytes == letter.size_bytes { Found::There } else { Found::Changed })
}

fn fetch_once(job: &Job<'_, App>, path: &Path) -> Result<(), Stopped> {
    let size = job.item.subject.size_bytes;
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == size) {
        return Ok(());
    }
    let Some(folder) = path.parent() else { return Ok(()) };
    durable::create_folder(folder).map_err(at("create", folder))?;
    check_room(job, folder, size)?;
    let draft = folder.join("draft");
    let told = job.item.subject.etag.as_deref().filter(|tag| is_md5(tag));
    let mut before = None;
    for _ in 0..READINGS {
        let md5 = fetch_into(job, &draft)?;
        let is_as_told = told.is_none_or(|told| md5.as_deref() == Some(told));
        // Some servers have tags of this form that are no digests: then two readings agree.
        if is_as_told || before == Some(md5.clone()) {
            return durable::rename(&draft, path).map_err(at("rename", &draft));
        }
        before = Some(md5);
    }
    Err(Stopped::Fault(Fault::Failed(Failure {
        kind: Kind::Transient { retry_after: None },
        code: "deposit-altered-on-the-way",
        advice: "it is fetched again; look at the network between this machine and the bucket"
            .into(),
        source: format!("{READINGS} readings of the deposit from its bucket had different bytes")
            .into(),
    })))
}

/// Reads the deposit into a file; its md5 by what arrived.
fn fetch_into(job: &Job<'_, App>, draft: &Path) -> Result<Option<String>, Stopped> {
    let mut file = File::create(draft).map_err(at("create", draft))?;
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Md5));
    let (area, subject) = (institution(job.item), &job.item.subject);
    let wanted = (area, subject.name.as_str(), subject.etag.as_deref().unwrap_or_default());
    let mut start = 0;
    while start < subject.size_bytes {
        job.checkpoint().map_err(Stopped::Fault)?;
        let end = start.saturating_add(RANGE).min(subject.size_bytes);
        let mut write = |piece: &[u8]| {
            hasher.update(piece);
            file.write_all(piece)
        };
        match job.app.doorstep.ask(|inbox| inbox.read(wanted, start..end, &mut write)) {
            Err(InboxError::Here(error)) => return Err(at("write", draft)(error)),
            other => other.map_err(Stopped::Bucket)?,
        }
        start = end;
    }
    durable::sync_file(&file).map_err(at("sync", draft))?;
    Ok(hasher.finish().hex(Algorithm::Md5))
}

/// Whether an entity tag can be the md5 of what it is about: one of an upload in parts has a dash.
fn is_md5(tag: &str) -> bool {
    tag.len() == 32 && tag.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Forgets what was fetched from a bucket, so that it is fetched anew when it is read again.
pub(super) fn forget(job: &Job<'_, App>) -> Result<(), Fault> {
    if !job.app.doorstep.is_bucket() {
        return Ok(());
    }
    let path = deposit(job.app, job.item);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileFault::at("remove", &path)(error))
        }
        _ => Ok(()),
    }
}

/// Refuses to fetch what would leave no room for anything else.
fn check_room(job: &Job<'_, App>, folder: &Path, size: u64) -> Result<(), Stopped> {
    let room = rustix::fs::statvfs(folder);
    let room = room.map_err(|error| at("look at", folder)(error.into()))?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    if free < size.saturating_add(job.app.config.work.room_floor_bytes) {
        return Err(at("fetch the deposit into", folder)(io::ErrorKind::StorageFull.into()));
    }
    Ok(())
}

fn at(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Stopped {
    let fault = FileFault::at(what, path);
    move |error| Stopped::Fault(fault(error))
}
