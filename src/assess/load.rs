//! Brings a delivery of reference data into use.
//!
//! Promise: all of its tables are in use, or none and the report says why. Interruptible: before and
//! after, not in between; the pool reads and packs it in one go. Repeats: safe, what was staged is staged
//! anew, and a version that is in use already is found by its name.

use std::path::Path;
use std::time::Duration;

use storage::work::item::{Finding, Severity as Weight, Subject};
use storage::work::queue::NewItem;

use super::REFERENCE;
use super::wanted::{LastLoad, Wanted};
use crate::app::App;
use crate::fault::{Classify, Fault};
use crate::geo::{GateReport, ReferenceError, Severity, SourceDrop, Strictness, VersionNote};
use crate::work::{About, Aftermath, Done, Job, Policy, Pool, Stage};

/// A national layer takes minutes, on a slow disk an hour, and gives no sign in between.
const POLICY: Policy = Policy {
    pool: Pool::Geo,
    workers: 1,
    buffer: 1,
    max_attempts: 2,
    // Whoever asked reads the report, mends the files and asks again: a load that waits for a person
    // would stand in the way of the next.
    on_fatal: Aftermath::Fail,
    on_exhausted: Aftermath::Fail,
    lease: Duration::from_secs(4 * 3600),
    patience: Duration::from_secs(4 * 3600),
    ..Policy::DISK
};

/// There is one load at a time.
const UNIQUE: &str = "reference";

/// A load that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadAsked {
    /// The item that does it.
    pub item: u64,
    /// False when another load is on its way: then nothing was changed.
    pub new: bool,
}

/// Asks for a load. There is one at a time.
pub fn ask_load(app: &App, wanted: &Wanted) -> Result<LoadAsked, Fault> {
    let item = NewItem {
        flow: REFERENCE.name.into(),
        topic: REFERENCE.stages[0].about().topic.into(),
        subject: Subject {
            action: REFERENCE.action.into(),
            name: "reference data".into(),
            user: wanted.by.clone(),
            ..Subject::default()
        },
        unique: Some(UNIQUE.into()),
        note: format!("asked for by {}", wanted.by),
        ..NewItem::default()
    };
    // Whoever is in line reads what is wanted when it runs; what it wants must not change under it.
    if let Some(there) = app.shop.queue.named(UNIQUE)? {
        return Ok(LoadAsked { item: there.id.0, new: false });
    }
    wanted.keep(app)?;
    let pushed = app.shop.queue.push(item)?;
    Ok(LoadAsked { item: pushed.id.0, new: pushed.new })
}

pub(super) struct Load;

impl Stage<App> for Load {
    fn about(&self) -> About {
        About { topic: "reference_load", label: "Load", env: Some("REFERENCE_LOAD") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let wanted = Wanted::read(job.app)?;
        job.checkpoint()?;
        let loaded = job.enter(Pool::Geo, || load(job.app, &wanted));
        let last = |trouble: Option<String>, report: &GateReport| LastLoad {
            data_version: wanted.data_version.clone(),
            number: None,
            folder: wanted.folder.clone(),
            by: wanted.by.clone(),
            at: job.app.shop.clock.now(),
            trouble,
            report: report.to_text(),
        };
        match loaded {
            Ok(note) => {
                let kept = last(None, &note.report);
                let version = note.data_version.clone();
                LastLoad { number: Some(note.number), data_version: version, ..kept }
                    .keep(job.app)?;
                job.note(format!("reference data {} is in use", note.data_version));
                Ok(Done::Finish)
            }
            Err(ReferenceError::SameVersion(version)) => {
                job.note(format!("reference data {version} is in use already"));
                Ok(Done::Finish)
            }
            Err(ReferenceError::Refused(report)) => {
                let refused = ReferenceError::Refused(report.clone());
                last(Some(refused.to_string()), &report).keep(job.app)?;
                findings(job, &report);
                Err(refused.into_fault())
            }
            Err(error) => {
                last(Some(crate::fault::chain(&error)), &GateReport::default()).keep(job.app)?;
                Err(error.into_fault())
            }
        }
    }
}

fn load(app: &App, wanted: &Wanted) -> Result<VersionNote, ReferenceError> {
    let drop = SourceDrop::in_folder(Path::new(&wanted.folder), &wanted.data_version)?;
    let strictness = if wanted.strict { Strictness::Strict } else { Strictness::CleanUp };
    app.atlas.library()?.load(&drop, strictness, wanted.force)
}

fn findings(job: &Job<'_, App>, report: &GateReport) {
    for line in &report.lines {
        job.finding(Finding {
            code: "quality-gate".into(),
            severity: match line.severity {
                Severity::Refusal => Weight::Error,
                Severity::CleanedUp => Weight::Warning,
            },
            place: line.table.to_string(),
            sentence: format!("{} ({} rows): {}", line.rule, line.count, line.examples.join(", ")),
        });
    }
}
