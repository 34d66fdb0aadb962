//! Holds the bag against what is here already.
//!
//! Promise: every file is new, changed or unchanged; the number of the version is drawn; an active
//! object keeps its storage option, and says so where the bag asks for another. Repeats: safe, it compares with the sealed version, which this
//! ingest does not change before it is recorded.

use std::time::Duration;

use ocfl::ObjectId;
use storage::registry::{DeletionPart, FileRow, HeldState, ObjectRow, Tag, Version};
use storage::work::item::{Finding, Severity};

use super::absent::absent;
use super::patience::patient;
use super::records::{BagRecord, Fate, bag, change_pages};
use super::returned;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

/// How long before another look at a deletion.
const PAUSE: Duration = Duration::from_secs(60);

pub(super) struct Reconcile;

impl Stage<App> for Reconcile {
    fn about(&self) -> About {
        About {
            topic: "ingest03_reingest_check",
            label: "Reingest Check",
            env: Some("REINGEST_MANAGER"),
        }
    }

    fn policy(&self) -> Policy {
        Policy::DISK
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, reconcile(job))
    }
}

/// Waits for the end of a deletion of the object that was approved.
fn deletion_first(job: &Job<'_, App>, object: &str, part: &DeletionPart) -> Done {
    let from = part.erase_after.map(|at| at.to_minute()).unwrap_or_default();
    let why = format!(
        "deletion request {} of this object was approved and has to end first, or to be cancelled; \
         it is erased from {from} on",
        part.request_id
    );
    // While it can be cancelled its end is known; after that it may itself wait for something.
    let cause = match part.is_due(job.app.shop.clock.now()) {
        true => "deletion-unfinished",
        false => "deletion-first",
    };
    job.waits_for(cause, object);
    Done::Snooze { after: PAUSE, why }
}

fn reconcile(job: &Job<'_, App>) -> Result<Done, Fault> {
    let mut record = bag(job)?;
    let held = job.app.registry.object_by_identifier(&record.object_identifier)?;
    if let Some(object) = &held
        && let Some(part) = job.app.registry.approved_deletion_of(object.id)?
    {
        return Ok(deletion_first(job, &record.object_identifier, &part));
    }
    let mut counts = Counts::default();
    // What an earlier attempt stored goes with its drafts, below.
    job.dossier().clear_done()?;
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let known = match &held {
            Some(object) => known(job.app, object, files)?,
            None => Vec::new(),
        };
        for (path, file) in files.iter_mut() {
            if file.fate == Fate::NotPreserved {
                continue;
            }
            let before = known.iter().find(|row| row.path == *path);
            let active = before.filter(|row| row.state == HeldState::Active);
            let same = |row: &FileRow| row.digests.sha512 == file.digests.sha512();
            file.fate = match before {
                _ if active.is_some_and(same) => Fate::Unchanged,
                Some(_) => Fate::Changed,
                None => Fate::New,
            };
            if file.fate != Fate::Unchanged
                && let Some(fate) = returned::fate(job.app, &record, (path, file), active)?
            {
                file.fate = fate;
            }
            // What is held already is read where it lies before the deposit goes.
            let held = before.filter(|_| file.fate == Fate::Unchanged);
            file.content_path = held.map(|row| row.content_path.clone());
            (file.stored, file.verified) = (false, false);
            counts.add(file.fate);
        }
        Ok(())
    })?;
    if let Some(object) = held.as_ref().filter(|object| object.state == HeldState::Active) {
        record.facts.storage_option.clone_from(&object.storage_option);
        overruled_option(&record).into_iter().for_each(|finding| job.finding(finding));
    }
    let missing = match held.as_ref().filter(|object| object.state == HeldState::Active) {
        Some(object) => absent(job, object.id, object.version)?.sentence(),
        None => None,
    };
    let sealed = held.map_or(0, |object| object.version.0);
    record.version = Some(Version(sealed + 1));
    record.saved_file_count = counts.new + counts.changed;
    // A draft that nobody finished must not be taken for ours.
    if record.saved_file_count > 0 {
        let object = ObjectId::new(record.object_identifier.clone());
        let _hold = job.app.custody.hold(&record.object_identifier, || job.checkpoint())?;
        for replica in job.app.vaults.replicas(&record.facts.storage_option)? {
            replica.reclaim(&object, sealed)?;
        }
    }
    job.dossier().put_whole(&record)?;
    let note = counts.sentence(sealed);
    job.note(missing.map_or_else(|| note.clone(), |missing| format!("{note}; {missing}")));
    Ok(Done::Advance)
}

/// What there is to say when a bag asks for another storage option than the one its object has: the
/// versions of an object are kept in one place.
fn overruled_option(record: &BagRecord) -> Option<Finding> {
    let (asked, kept) = (&record.asked_option, &record.facts.storage_option);
    let asks = |tag: &Tag| {
        let named =
            [("aptrust-info.txt", "Storage-Option"), ("bag-info.txt", "APTrust-Storage-Option")];
        let same = |(file, name): &(&str, &str)| {
            tag.file.eq_ignore_ascii_case(file) && tag.name.eq_ignore_ascii_case(name)
        };
        named.iter().any(same) && !tag.value.trim().is_empty()
    };
    let differs = asked != kept && record.tags.iter().any(asks);
    differs.then(|| Finding {
        code: "storage-option-kept".into(),
        severity: Severity::Warning,
        place: "Storage-Option".into(),
        sentence: format!(
            "The bag asks for the storage option {asked}. Its object is kept with the option {kept}, \
             which all versions share: this version is kept so too. To change it, have the object \
             deleted, and deposit it again."
        ),
    })
}

/// What is held under the paths of these files.
fn known(
    app: &App,
    object: &ObjectRow,
    files: &[(String, super::records::FileRecord)],
) -> Result<Vec<FileRow>, Fault> {
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    Ok(app.registry.files_by_path(object.id, &paths)?)
}

#[derive(Default)]
struct Counts {
    new: u64,
    changed: u64,
    unchanged: u64,
}

impl Counts {
    fn add(&mut self, fate: Fate) {
        match fate {
            Fate::New => self.new += 1,
            Fate::Changed => self.changed += 1,
            Fate::Unchanged => self.unchanged += 1,
            Fate::Open | Fate::NotPreserved => {}
        }
    }

    fn sentence(&self, sealed: u32) -> String {
        let Counts { new, changed, unchanged } = self;
        match (sealed, new + changed) {
            (0, _) => format!("a first deposit of {new} files"),
            (sealed, 0) => format!("the same as version {sealed}: nothing to store"),
            _ => format!("{new} new files, {changed} changed, {unchanged} unchanged"),
        }
    }
}
