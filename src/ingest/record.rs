//! Seals the version in every replica and records it.
//!
//! Promise: readers of every replica and of the registry see the whole version, or the one before.
//! The order is vault, registry, then the record beside the object; each step may be repeated to the
//! same effect, because all that it writes was drawn before. Interruptible: between batches.

use std::collections::HashMap;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    DepositFacts, DepositId, NewCopy, NewDeposit, NewFileVersion, ReplicaId, Seal, Version,
};

use super::events::{Telling, uuid_of};
use super::patience::patient;
use super::records::{BagRecord, FileRecord, Walk, bag, change_pages};
use crate::app::App;
use crate::fault::Fault;
use crate::vault::{Draft, Entries, Entry, Note, ObjectId, Replica, Sealing};
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
        patient(record(job))
    }
}

fn record(job: &Job<'_, App>) -> Result<Done, Fault> {
    let record = bag(job)?;
    if record.saved_file_count == 0 {
        job.note("identical to what is held: no new version was made");
        return Ok(Done::Advance);
    }
    let version = record.version.unwrap_or(Version(1));
    let replicas = job.app.vaults.replicas(&record.facts.storage_option)?;
    seal(job, &record, version, &replicas)?;
    job.checkpoint()?;
    let deposit = register(job, &record, version, &replicas)?;
    let object = job.app.registry.deposit(deposit)?.map(|row| row.object_id);
    if let Some(object) = object {
        let names = replicas.iter().map(|replica| replica.name()).collect();
        let telling =
            Telling { bag: &record, object, deposit, version: version.0, replicas: names };
        job.app.registry.put_events(&telling.events())?;
        let mut subject = job.item.subject.clone();
        subject.object = Some(object.0);
        subject.object_identifier = Some(record.object_identifier.clone());
        job.learn(subject)?;
    }
    let seal = Seal {
        facts: record.facts.clone(),
        saved_file_count: record.saved_file_count,
        at: Timestamp(record.moments.recorded),
    };
    job.app.registry.seal(deposit, &seal)?;
    job.note(format!("recorded as version {} of {}", version.0, record.object_identifier));
    Ok(Done::Advance)
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

/// Writes everything about the deposit that readers will see once it is sealed.
fn register(
    job: &Job<'_, App>,
    record: &BagRecord,
    version: Version,
    replicas: &[&Replica],
) -> Result<DepositId, Fault> {
    let registry = &job.app.registry;
    let deposit = registry.begin_deposit(&NewDeposit {
        object_identifier: record.object_identifier.clone(),
        version,
        facts: facts(job, record),
    })?;
    let places = held_places(job, record, replicas)?;
    let copies = job.app.vaults.rows(replicas)?;
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let saved = files.iter().filter(|(_, file)| file.is_saved());
        let new: Vec<_> =
            saved.map(|file| file_version(record, version, file, (&places, &copies))).collect();
        registry.put_files(deposit, &new)?;
        Ok(())
    })?;
    Ok(deposit)
}

fn facts(job: &Job<'_, App>, record: &BagRecord) -> DepositFacts {
    let moment = |ms: u64| Some(Timestamp(ms)).filter(|_| ms > 0);
    let moments = record.moments;
    DepositFacts {
        item_id: i64::try_from(job.item.id.0).unwrap_or(i64::MAX),
        file_name: job.item.subject.name.clone(),
        etag: job.item.subject.etag.clone().unwrap_or_default(),
        size: job.item.subject.size_bytes,
        received_at: Some(job.item.created),
        validated_at: moment(moments.validated),
        identified_at: moment(moments.identified),
        stored_at: moment(moments.stored),
        verified_at: moment(moments.verified),
        recorded_at: Timestamp(moments.recorded),
        profile_identifier: record.facts.bagit_profile_identifier.clone(),
        manifest_algorithms: record.manifests.clone(),
        tags: record.tags.clone(),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        signature_version: record.signatures.clone(),
    }
}

/// Where the bytes lie of files that another file, or an earlier version, had already. Asked of the
/// first replica: all of them hold the same.
fn held_places(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&Replica],
) -> Result<HashMap<[u8; 64], String>, Fault> {
    let mut walk = Walk::new(job.dossier());
    let held = walk.by_ref().filter(|(_, file)| file.is_saved() && file.content_path.is_none());
    let mut places: HashMap<[u8; 64], String> =
        held.map(|(_, file)| (file.digests.sha512(), String::new())).collect();
    walk.finish()?;
    let object = ObjectId::new(record.object_identifier.clone());
    if let (false, Some(replica)) = (places.is_empty(), replicas.first())
        && let Some(inventory) = replica.inventory(&object)?
    {
        inventory.contents(&mut |path, sha512| {
            if let Some(place) = places.get_mut(sha512) {
                path.clone_into(place);
            }
            Ok(())
        })?;
    }
    Ok(places)
}

fn file_version(
    record: &BagRecord,
    version: Version,
    (path, file): &(String, FileRecord),
    (places, copies): (&HashMap<[u8; 64], String>, &[ReplicaId]),
) -> NewFileVersion {
    let usual = format!("v{}/content/{path}", version.0);
    let place = match &file.content_path {
        Some(place) => Some(place.clone()),
        None => places.get(&file.digests.sha512()).cloned(),
    };
    let moments = record.moments;
    let copy = |replica: &ReplicaId| NewCopy {
        replica: *replica,
        stored_at: Timestamp(moments.stored),
        verified_at: Timestamp(moments.verified),
    };
    let format = file.format.clone().unwrap_or_default();
    let seconds = file.modified_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    NewFileVersion {
        path: path.clone(),
        uuid: uuid_of(&["file", &record.object_identifier, path]),
        size: file.size_bytes,
        modified_at: seconds.map(|seconds| Timestamp(seconds.saturating_mul(1000))),
        digests: file.digests.for_registry(),
        format: format.for_registry(),
        format_warnings: Some(format.warnings.join("; ")).filter(|text| !text.is_empty()),
        content_path: place.filter(|place| *place != usual),
        copies: copies.iter().map(copy).collect(),
    }
}
