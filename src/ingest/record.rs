//! Seals the version in every replica, writes its chronicle beside it, and tells the registry.
//!
//! Promise: readers of every replica and of the registry see the whole version, or the one before;
//! and whatever the registry knows of it lies in every replica as well. The order is vault, then
//! registry; each step may be repeated to the same effect, because all that it writes was drawn
//! before. Interruptible: between batches. A wish to cancel that comes after the first chronicle was
//! written comes too late: the version is recorded, and that is brought to its end.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

use ocfl::{Draft, Entries, Entry, Note, ObjectId, Replica, Sealing};
use storage::registry::Version;

use super::account::Account;
use super::patience::patient;
use super::place::staging;
use super::records::{BagRecord, FileRecord, Walk, bag};
use super::reliance::filled_first;
use super::restage::{forget_returns, verify_again};
use super::verify;
use crate::app::{App, FileFault};
use crate::chronicle::{self, Written};
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy =
    Policy { max_attempts: 5, patience: Duration::from_secs(1800), ..Policy::DISK };

pub(super) struct Record;

impl Stage<App> for Record {
    fn about(&self) -> About {
        About { topic: "ingest08_record", label: "Record", env: Some("INGEST_RECORDER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let recorded = record(job).or_else(|fault| Err(filled_first(job, fault)?));
        patient(job, recorded.or_else(|fault| verify_again(job, fault)))
    }
}

pub(super) fn record(job: &Job<'_, App>) -> Result<Done, Fault> {
    let record = bag(job)?;
    if record.saved_file_count == 0 {
        job.note("identical to what is held: no new version was made");
        return Ok(Done::Advance);
    }
    let version = record.version.unwrap_or(Version(1));
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    // Nobody may mend or delete in an object while a version is being shown in it.
    let _hold = job.app.custody.hold(&record.object_identifier, || job.checkpoint())?;
    seal(job, &record, version, &replicas)?;
    job.checkpoint()?;
    let folder = staging(job.app, job.item.id);
    byteio::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
    let path = folder.join("chronicle.jsonl");
    let written = Account { job, record: &record, version, replicas: &replicas }.write(&path)?;
    let object = ObjectId::new(record.object_identifier.clone());
    for replica in &replicas {
        too_late_to_cancel(job)?;
        let mut file = open(&path)?;
        let Written { size_bytes, sha512 } = &written;
        replica.put_chronicle(&object, version.0, &mut file, (*size_bytes, sha512))?;
    }
    let told = chronicle::tell(BufReader::new(open(&path)?), &job.app.registry, || {
        too_late_to_cancel(job)
    })?;
    let mut subject = job.item.subject.clone();
    subject.object = Some(told.id.0);
    subject.object_identifier = Some(record.object_identifier.clone());
    job.learn(subject)?;
    forget_returns(job, verify::TOPIC)?;
    job.note(format!("recorded as version {} of {}", version.0, record.object_identifier));
    Ok(Done::Advance)
}

fn open(path: &Path) -> Result<File, Fault> {
    File::open(path).map_err(FileFault::at("open", path))
}

/// The checkpoint of work that can be interrupted and not be given up.
fn too_late_to_cancel(job: &Job<'_, App>) -> Result<(), Fault> {
    match job.checkpoint() {
        Err(Fault::Cancelled) => Ok(()),
        other => other,
    }
}

/// Shows the version to readers of every replica.
fn seal(
    job: &Job<'_, App>,
    record: &BagRecord,
    version: Version,
    replicas: &[&Replica],
) -> Result<(), Fault> {
    let object = ObjectId::new(record.object_identifier.clone());
    let mut walk = Walk::new(job.dossier());
    let saved = walk.by_ref().filter(|(_, file)| file.is_saved());
    let entries = Entries::collect(saved.filter_map(|(path, file)| entry(path, &file)))?;
    walk.finish()?;
    let note = Note {
        // When the deposit was taken: the same for this item however often it begins anew.
        created: job.item.created.to_string(),
        message: format!("Ingest of {}", job.item.subject.name),
        user: "Strongroom".to_owned(),
        user_address: "urn:strongroom".to_owned(),
    };
    let draft = Draft { object: &object, version: version.0 };
    for replica in replicas {
        job.checkpoint()?;
        replica.seal(&Sealing { draft, note: &note, entries: &entries })?;
    }
    Ok(())
}

fn entry(logical: String, file: &FileRecord) -> Option<Entry> {
    Some(Entry { logical, size_bytes: file.size_bytes, digests: file.digests.for_vault()? })
}
