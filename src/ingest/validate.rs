//! Judges what the survey found.
//!
//! Promise: a bag that goes on breaks no rule of BagIt, of its profile, or of this house; one that
//! does not has all its findings with the item, and in a report that can be sent to the depositor.
//! Repeats: safe, it reads and judges only; what it rejects is fetched anew.

use storage::work::item::{Finding, Severity};

use super::fetch::{forget, still_there};
use super::receiving::stay;
use super::records::{BagRecord, bag};
use super::report;
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{About, Aftermath, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { on_rejected: Aftermath::Park, ..Policy::DISK };

pub(super) struct Validate;

impl Stage<App> for Validate {
    fn about(&self) -> About {
        About { topic: "ingest02_bag_validation", label: "Validate", env: Some("INGEST_VALIDATOR") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        // What was learned of a deposit that was replaced since must not be held against the new one.
        still_there(job)?;
        let mut record: BagRecord = bag(job)?;
        let mut findings = record.findings.clone();
        findings.extend(unknown_option(job.app, &record));
        findings.extend(too_large(job.app, &record));
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            write_report(job, &record, &findings)?;
            // It may have been altered on its way: whoever requeues the item has it read again.
            forget(job)?;
            return Err(Fault::Rejected(findings));
        }
        findings.into_iter().for_each(|finding| job.finding(finding));
        record.moments.validated = job.app.shop.clock.now().0;
        job.dossier().put_whole(&record)?;
        job.note("the bag is valid");
        Ok(Done::Advance)
    }
}

/// An option that nobody configured is never quietly taken for another.
fn unknown_option(app: &App, record: &BagRecord) -> Option<Finding> {
    let asked = &record.asked_option;
    if app.vaults.option(asked).is_some() {
        return None;
    }
    let known: Vec<&str> = app.vaults.options().map(|option| option.name.as_str()).collect();
    Some(Finding {
        code: "storage-option-unavailable".into(),
        severity: Severity::Error,
        place: "Storage-Option".into(),
        sentence: format!(
            "The bag asks for the storage option {asked}, which this archive does not offer. \
             Ask for one of: {}.",
            known.join(", ")
        ),
    })
}

fn too_large(app: &App, record: &BagRecord) -> Option<Finding> {
    let most = app.config.ingest.max_bag_bytes;
    (record.size_bytes > most).then(|| Finding {
        code: "bag-too-large".into(),
        severity: Severity::Error,
        place: String::new(),
        sentence: format!(
            "The bag holds {} bytes; this archive takes at most {most}. Send it in parts.",
            record.size_bytes
        ),
    })
}

/// A text that can be sent to the depositor, for those who look into the data directory.
fn write_report(job: &Job<'_, App>, record: &BagRecord, findings: &[Finding]) -> Result<(), Fault> {
    let folder = job.app.home.dir().join("reports");
    let path = folder.join(format!("item-{}.txt", job.item.id));
    let about = report::About {
        item: job.item.id.0,
        name: &job.item.subject.name,
        size_bytes: job.item.subject.size_bytes,
        institution: job.item.subject.bucket.as_deref().unwrap_or_default(),
        received: job.item.created,
        object: &record.object_identifier,
        profile: &record.facts.bagit_profile_identifier,
        stay: stay(job.app, job.app.shop.clock.now()),
        unshown_count: 0,
    };
    let text = report(&about, findings.iter().map(line));
    byteio::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
    byteio::durable::write(&path, text.as_bytes(), false).map_err(FileFault::at("write", &path))
}

fn line(finding: &Finding) -> report::Line<'_> {
    report::Line {
        is_error: finding.severity == Severity::Error,
        code: &finding.code,
        place: &finding.place,
        sentence: &finding.sentence,
    }
}
