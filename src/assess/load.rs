//! Brings a delivery of reference data into use.
//!
//! Promise: all of its tables are in use, or none and the report says why. Interruptible: between any
//! two blocks of rows, with nothing left behind. Repeats: safe, what was staged is staged anew, and a
//! version that is in use already is found by its name and content.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nutrients::{
    GateReport, LoadProgress, ReferenceError, Severity, SourceDrop, Strictness, VersionNote,
};
use storage::work::item::{Finding, Severity as Weight, State, Subject, WorkItem};
use storage::work::queue::NewItem;

use super::REFERENCE;
use super::wanted::{LastLoad, Wanted};
use crate::app::App;
use crate::fault::{Classify, Fault};
use crate::work::{About, Done, Job, Policy, Pool, Stage};

/// One at a time. What the gate refuses is parked with its report, as refused deposits are: whoever
/// asked mends the files and requeues it, or asks for another load, which takes its place.
const POLICY: Policy =
    Policy { pool: Pool::Geo, workers: 1, buffer: 1, max_attempts: 2, ..Policy::DISK };

/// What a slow disk reads, judges and packs in a second, rather too little.
const BYTES_A_SECOND: u64 = 1 << 20;

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
        let why = format!("another load was asked for by {}", wanted.by);
        // One that waits for a person would do what is wanted now: it gives way.
        let parked = app.shop.queue.cancel_while(there.id, &why, None, is_parked)?;
        if parked.is_none() {
            return Ok(LoadAsked { item: there.id.0, new: false });
        }
    }
    wanted.keep(app)?;
    let pushed = app.shop.queue.push(item)?;
    Ok(LoadAsked { item: pushed.id.0, new: pushed.new })
}

/// Whether a load was refused and waits for somebody.
pub fn is_parked(item: &WorkItem) -> bool {
    matches!(item.state, State::Parked { .. })
}

pub(super) struct Load;

impl Stage<App> for Load {
    fn about(&self) -> About {
        About { topic: "reference_load", label: "Load", env: Some("REFERENCE_LOAD") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn expected(&self, _: &WorkItem, app: &App) -> Option<Duration> {
        let wanted = Wanted::read(app).ok()?;
        let files = fs::read_dir(&wanted.folder).ok()?.take(1000);
        let bytes: u64 = files.filter_map(|it| Some(it.ok()?.metadata().ok()?.len())).sum();
        Some(Duration::from_secs(60 + bytes / BYTES_A_SECOND))
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let wanted = Wanted::read(job.app)?;
        job.checkpoint()?;
        let loaded = load(job, &wanted)?;
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
                job.note(format!(
                    "reference data {version} is in use already, with the same content; nothing was \
                     loaded"
                ));
                LastLoad { data_version: version, ..last(None, &GateReport::default()) }
                    .keep(job.app)?;
                Ok(Done::Finish)
            }
            Err(ReferenceError::Refused(report)) => {
                let refused = ReferenceError::Refused(report.clone());
                last(Some(refused.to_string()), &report).keep(job.app)?;
                findings(job, &report);
                Err(refused.into_fault())
            }
            Err(error) => {
                last(Some(byteio::causes::chain(&error)), &GateReport::default()).keep(job.app)?;
                Err(error.into_fault())
            }
        }
    }
}

/// Loads on the threads that are there for it, with a sign of life between blocks of rows.
fn load(job: &Job<'_, App>, wanted: &Wanted) -> Result<Result<VersionNote, ReferenceError>, Fault> {
    let stopped: Mutex<Option<Fault>> = Mutex::new(None);
    let pulse = |progress: LoadProgress| {
        job.advance(progress.rows);
        match job.checkpoint() {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                ControlFlow::Break(())
            }
        }
    };
    let loaded = job.enter(Pool::Geo, || {
        let drop = SourceDrop::in_folder(Path::new(&wanted.folder), &wanted.data_version)?;
        let strictness = if wanted.strict { Strictness::Strict } else { Strictness::CleanUp };
        job.app.atlas.library()?.load_watched(&drop, strictness, wanted.force, &pulse)
    });
    // Whoever stopped it says why; the load itself only knows that it was.
    match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(fault) => Err(fault),
        None => Ok(loaded),
    }
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
