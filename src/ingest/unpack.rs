//! Makes every file readable on its own, and keeps it from vanishing.
//!
//! Promise: the staging area holds a hard link to the tar, or every file of a folder or zip; a
//! depositor who removes or replaces the deposit changes nothing here. Bytes changed in place are
//! noticed when they are copied, by their digests. No byte is copied where a link serves. Files and
//! names are on the medium when the item moves on. The staging area is a cache: `restage` sends an
//! item back here when something of it is missing or different.
//! Interruptible: after every file. Repeats: safe, what is there is linked or written again.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use byteio::little_endian::u16_at;
use byteio::read_at::{FilePart, Range, ReadAt};
use byteio::zip_directory::{Entries, Entry, find};
use flate2::read::DeflateDecoder;

use super::fetch::still_there;
use super::inflate::plain_tar;
use super::patience::patient;
use super::place::{staged_files, staged_tar, staging};
use super::records::{BagRecord, FileRecord, Packing, bag, change_pages};
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Where items go that must be unpacked again.
pub(super) const TOPIC: &str = "ingest04_staging";

pub(super) struct Unpack;

impl Stage<App> for Unpack {
    fn about(&self) -> About {
        About { topic: TOPIC, label: "Copy To Staging", env: Some("INGEST_STAGING_UPLOADER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, unpack(job))
    }
}

fn unpack(job: &Job<'_, App>) -> Result<Done, Fault> {
    let record = bag(job)?;
    if record.saved_file_count == 0 {
        job.note("nothing to stage");
        return Ok(Done::Advance);
    }
    stage(job, &record, &FileRecord::is_saved)?;
    job.note("every file can be read on its own");
    Ok(Done::Advance)
}

/// Which files are to be staged.
pub(super) type Wanted<'w> = &'w dyn Fn(&FileRecord) -> bool;

/// Stages those of the files that are wanted; of a tar, all.
pub(super) fn stage(
    job: &Job<'_, App>,
    record: &BagRecord,
    wanted: Wanted<'_>,
) -> Result<(), Fault> {
    let deposit = still_there(job)?;
    let folder = staging(job.app, job.item.id);
    byteio::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
    match record.packing {
        Packing::Tar => {
            let tar = plain_tar(job, &deposit)?;
            link(&tar, &staged_tar(job.app, job.item.id))?;
        }
        Packing::Files if deposit.is_dir() => link_folder(job, &deposit, wanted)?,
        Packing::Files => unzip(job, &deposit, record, wanted)?,
    }
    job.checkpoint()?;
    byteio::durable::sync_tree(&folder).map_err(FileFault::at("sync", &folder))?;
    Ok(())
}

/// Links a file into staging; across file systems it is copied.
fn link(from: &Path, to: &Path) -> Result<(), Fault> {
    match fs::remove_file(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other.map_err(FileFault::at("remove", to))?,
    }
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => fs::copy(from, to).map(drop),
        other => other,
    }
    .map_err(FileFault::at("link", from))
}

fn link_folder(job: &Job<'_, App>, deposit: &Path, wanted: Wanted<'_>) -> Result<(), Fault> {
    let files = staged_files(job.app, job.item.id);
    change_pages(job.dossier(), |page| {
        for (path, file) in page.iter() {
            job.checkpoint()?;
            if wanted(file) {
                let to = files.join(path);
                let folder = to.parent().unwrap_or(&files);
                byteio::durable::create_folder(folder).map_err(FileFault::at("create", folder))?;
                link(&deposit.join(path), &to)?;
            }
        }
        Ok(())
    })
}

/// Unpacks the files of a zip that are wanted.
fn unzip(
    job: &Job<'_, App>,
    deposit: &Path,
    record: &BagRecord,
    wanted: Wanted<'_>,
) -> Result<(), Fault> {
    let failed = |error| FileFault::at("read", deposit)(error);
    let zip = FilePart::whole(File::open(deposit).map_err(failed)?).map_err(failed)?;
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let place = find(&zip).map_err(failed)?.ok_or_else(|| failed(damaged()))?;
    let top = format!("{}/", record.top_folder);
    let mut entries = Entries::new(&zip, &place);
    while let Some(entry) = entries.next_entry().map_err(failed)? {
        job.checkpoint()?;
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let Some(path) = name.strip_prefix(&top) else { continue };
        let file: Option<FileRecord> = job.dossier().file(path.as_bytes())?;
        if file.is_some_and(|file| wanted(&file)) {
            let to = staged_files(job.app, job.item.id).join(path);
            write_entry(&zip, &entry, &to)?;
        }
    }
    Ok(())
}

/// Writes one entry of a zip. Its digests are compared when it is copied on.
fn write_entry(zip: &FilePart<File>, entry: &Entry, to: &Path) -> Result<(), Fault> {
    const HEADER_BYTES: usize = 30;
    const STORED: u16 = 0;
    let failed = |error| FileFault::at("unpack", to)(error);
    let mut header = [0; HEADER_BYTES];
    zip.fill_at(&mut header, entry.header_at).map_err(failed)?;
    let lengths = u16_at(&header, 26).zip(u16_at(&header, 28)).unwrap_or_default();
    let skipped = HEADER_BYTES as u64 + u64::from(lengths.0) + u64::from(lengths.1);
    let start = entry.header_at.saturating_add(skipped);
    let packed = Range::new(zip, start, entry.packed_bytes);
    let mut reader: Box<dyn Read + '_> = match entry.method {
        STORED => Box::new(packed),
        _ => Box::new(DeflateDecoder::new(packed)),
    };
    if let Some(folder) = to.parent() {
        byteio::durable::create_folder(folder).map_err(FileFault::at("create", folder))?;
    }
    let mut out = File::create(to).map_err(failed)?;
    // One byte more than promised shows that it goes on.
    let most = entry.size_bytes.saturating_add(1);
    io::copy(&mut reader.by_ref().take(most), &mut out).map_err(failed)?;
    Ok(())
}
