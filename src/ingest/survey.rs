//! Reads the bag once; one that lies in a bucket is fetched first.
//!
//! Promise: every file has its size and four digests in the dossier, tag files and manifests are
//! parsed, and all findings are known. Interruptible: every few megabytes. Repeats: safe, the bag is
//! read again and the same records are written.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bagit::code::Code;
use bagit::facts::Serialization;
use bagit::profile::{Deposit, PayloadWatch, Profile, Rules};
use bagit::{self, BagError, Class, FileReport, Limits, Options, Verdict, judge};
use byteio::durable;
use digests::AlgorithmSet;
use storage::registry::{Access, ObjectFacts, Tag};
use storage::work::item::{Finding, Severity, Subject};

use super::fetch::still_there;
use super::inflate::plain_tar;
use super::named_profile::named_profile;
use super::patience::patient;
use super::place::bag_name;
use super::records::{BagRecord, Fate, FileRecord, FourDigests, Moments, Packing};
use super::rules::rules;
use crate::app::{App, FileFault};
use crate::fault::{Classify, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Files written to the dossier in one go.
const BATCH: usize = 500;

pub(super) struct Survey;

impl Stage<App> for Survey {
    fn about(&self) -> About {
        About { topic: "ingest01_prefetch", label: "Receive", env: Some("INGEST_PRE_FETCH") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, survey(job))
    }
}

fn survey(job: &Job<'_, App>) -> Result<Done, Fault> {
    let path = still_there(job)?;
    // What is learned about the bag is true of what a power cut leaves of it.
    sync_deposit(&path).map_err(FileFault::at("sync", &path))?;
    // What an earlier attempt left behind may be of another reading.
    job.dossier().remove()?;
    let rules = rules(job.app)?;
    let verdict = read(job, &plain_tar(job, &path)?, &rules)?;
    // What was written to while it was read must not be blamed for what was read.
    still_there(job)?;
    let record = record(job, &verdict, &rules);
    let restricted = record.facts.access == Access::Restricted;
    job.app.registry.note_deposit_access(&record.object_identifier, restricted)?;
    job.learn(subject(job, &record))?;
    job.dossier().put_whole(&record)?;
    job.note(format!("read {} files once, with four digests each", verdict.files));
    Ok(Done::Advance)
}

/// Makes a deposit durable, which whoever dropped it there may not have done.
pub(super) fn sync_deposit(path: &Path) -> io::Result<()> {
    if std::fs::symlink_metadata(path)?.is_dir() {
        durable::sync_tree(path)?;
    } else {
        durable::sync_file(&File::open(path)?)?;
    }
    path.parent().map_or(Ok(()), durable::sync_folder)
}

/// Judges the bag and keeps what is told of every file.
fn read(job: &Job<'_, App>, path: &Path, rules: &Rules) -> Result<Verdict, Fault> {
    let steady = || job.app.shop.clock.steady();
    let told = AtomicU64::new(0);
    let stopped: Mutex<Option<Fault>> = Mutex::new(None);
    let progress = |done: u64, total: u64| {
        job.total(total);
        job.advance(done.saturating_sub(told.swap(done, Ordering::Relaxed)));
    };
    let stop = || match job.checkpoint() {
        Ok(()) => false,
        Err(fault) => {
            stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
            true
        }
    };
    // What cannot be made plain is read as it came, with a spool that needs no folder of the system.
    let scratch = job.app.config.staging();
    durable::create_folder(&scratch).map_err(FileFault::at("create", &scratch))?;
    let limits = Limits {
        entry_count: job.app.config.ingest.max_files,
        path_bytes: job.app.config.ingest.max_path_bytes,
        ..Limits::default()
    };
    let options = Options {
        limits: Some(&limits),
        algorithms: AlgorithmSet::FOUR,
        profile: Some(rules),
        steady: Some(&steady),
        progress: Some(&progress),
        stop: Some(&stop),
        scratch: Some(&scratch),
    };
    let payload = rules.one().and_then(Profile::payload_watch);
    let mut keeper = Keeper { job, payload, batch: Vec::new(), failed: None };
    let verdict = judge(path, &options, &mut keeper);
    if let Some(fault) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(fault);
    }
    let mut verdict = verdict?;
    keeper.put();
    verdict.also(keeper.payload.map(PayloadWatch::findings).unwrap_or_default());
    keeper.failed.map_or(Ok(verdict), Err)
}

/// Writes files to the dossier as they are told.
struct Keeper<'k, 'j> {
    job: &'k Job<'j, App>,
    /// Rules of a profile about names in the payload.
    payload: Option<PayloadWatch<'k>>,
    batch: Vec<(String, FileRecord)>,
    failed: Option<Fault>,
}

impl bagit::Survey for Keeper<'_, '_> {
    fn file(&mut self, file: &FileReport<'_>) {
        if let Some(payload) = &mut self.payload {
            payload.file(file);
        }
        let Some(digests) = FourDigests::of(file.digests) else { return };
        let preserved = match file.class {
            Class::Payload => true,
            Class::TagFile => file.path != "bagit.txt",
            Class::Manifest | Class::TagManifest | Class::Fetch => false,
        };
        let record = FileRecord {
            size_bytes: file.size_bytes,
            digests,
            payload: file.class == Class::Payload,
            position: file.tar_position,
            modified_seconds: file.modified,
            fate: if preserved { Fate::Open } else { Fate::NotPreserved },
            format: None,
            content_path: None,
            stored: false,
            verified: false,
        };
        self.batch.push((file.path.to_owned(), record));
        if self.batch.len() >= BATCH {
            self.put();
        }
    }
}

impl Keeper<'_, '_> {
    fn put(&mut self) {
        let files = self.batch.iter().map(|(path, record)| (path.as_bytes(), record));
        if let Err(error) = self.job.dossier().put_files(files) {
            self.failed.get_or_insert(error.into());
        }
        self.batch.clear();
    }
}

/// The storage option that a bag asks for, as this archive spells it; one that it does not have stays
/// as it is written, and is a finding.
fn asked_option(app: &App, asked: Option<String>) -> String {
    let Some(asked) = asked else { return app.config.ingest.default_option.clone() };
    let own = app.vaults.options().find(|option| option.name.eq_ignore_ascii_case(&asked));
    own.map_or(asked, |option| option.name.clone())
}

fn record(job: &Job<'_, App>, verdict: &Verdict, rules: &Rules) -> BagRecord {
    let facts = &verdict.facts;
    let (deposit, mut more) = Deposit::read(rules.profile(facts), facts);
    // The rules of the profile that a bag names say these already; and which storage options there
    // are is for this archive to say, when the bag is judged.
    more.retain(|finding| {
        !verdict.findings.contains(finding) && finding.code != Code::StorageOptionUnknown
    });
    let institution = job.item.subject.bucket.as_deref().unwrap_or_default();
    let asked_option = asked_option(job.app, deposit.asked_option);
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let tag = |tag: &bagit::facts::Tag| Tag {
        file: tag.file.clone(),
        name: tag.name.clone(),
        value: tag.value.clone(),
    };
    BagRecord {
        object_identifier: format!("{institution}/{}", bag_name(&job.item.subject.name)),
        facts: ObjectFacts {
            title: deposit.title,
            description: some(deposit.description),
            alt_identifier: deposit.alt_identifier,
            access: deposit.access.map_or(Access::Institution, access),
            etag: job.item.subject.etag.clone().unwrap_or_default(),
            bag_group_identifier: deposit.bag_group,
            storage_option: asked_option.clone(),
            // What it was judged by; what it names is among its tags, and is recorded of the object.
            bagit_profile_identifier: rules.name(facts),
            source_organization: deposit.source_organization,
            internal_sender_identifier: deposit.internal_sender_identifier,
            internal_sender_description: deposit.internal_sender_description,
        },
        asked_option,
        tags: facts.tags.iter().map(tag).collect(),
        manifests: facts.manifests.clone(),
        top_folder: facts.top_folder.clone().unwrap_or_default(),
        packing: match facts.serialization {
            Serialization::Tar | Serialization::TarGz => Packing::Tar,
            Serialization::Folder | Serialization::Zip => Packing::Files,
        },
        findings: verdict.findings.iter().chain(&more).map(finding).collect(),
        file_count: verdict.files,
        size_bytes: verdict.bytes,
        version: None,
        saved_file_count: 0,
        signatures: String::new(),
        moments: Moments { surveyed: job.app.shop.clock.now().0, ..Moments::default() },
    }
}

fn access(access: bagit::profile::Access) -> Access {
    match access {
        bagit::profile::Access::Consortia => Access::Consortia,
        bagit::profile::Access::Institution => Access::Institution,
        bagit::profile::Access::Restricted => Access::Restricted,
    }
}

fn finding(finding: &bagit::finding::Finding) -> Finding {
    Finding {
        code: finding.code.name().to_owned(),
        severity: match finding.severity {
            bagit::finding::Severity::Error => Severity::Error,
            bagit::finding::Severity::Warning => Severity::Warning,
        },
        place: finding.place.clone(),
        sentence: finding.sentence.clone(),
    }
}

/// What is now known about the subject, in the words of lists.
fn subject(job: &Job<'_, App>, record: &BagRecord) -> Subject {
    Subject {
        object_identifier: Some(record.object_identifier.clone()),
        storage_option: Some(record.facts.storage_option.clone()),
        alt_identifier: record.facts.alt_identifier.clone(),
        bag_group_identifier: record.facts.bag_group_identifier.clone(),
        bagit_profile_identifier: Some(named_profile(record)),
        source_organization: record.facts.source_organization.clone(),
        internal_sender_identifier: record.facts.internal_sender_identifier.clone(),
        ..job.item.subject.clone()
    }
}

impl Classify for BagError {
    fn kind(&self) -> Kind {
        match self {
            BagError::Open { .. } | BagError::Read { .. } | BagError::Scratch { .. } => {
                Kind::Transient { retry_after: None }
            }
            BagError::NotABag { .. } | BagError::Stopped => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            BagError::Open { .. } | BagError::Read { .. } => "deposit-unreadable",
            BagError::NotABag { .. } => "not-a-bag",
            BagError::Scratch { .. } => "scratch",
            BagError::Stopped => "stopped",
        }
    }

    fn advice(&self) -> String {
        match self {
            BagError::Open { .. } | BagError::Read { .. } => {
                "look at the deposit in the receiving area, then requeue the item"
            }
            BagError::NotABag { .. } => "remove the deposit and send it as a bag",
            BagError::Scratch { .. } => "make room for temporary files, then requeue the item",
            BagError::Stopped => "requeue the item",
        }
        .into()
    }
}
