//! Copies the registry while it is in use.
//!
//! Promise: a draft snapshot is complete on disk. Interruptible: after every megabyte. Repeats:
//! safe, a draft left behind is removed first.

use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use super::draft_path;
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy =
    Policy { workers: 1, buffer: 1, patience: Duration::from_secs(1800), ..Policy::DISK };

pub(super) struct Snapshot;

impl Stage<App> for Snapshot {
    fn about(&self) -> About {
        About { topic: "upkeep01_snapshot", label: "Snapshot", env: Some("UPKEEP_SNAPSHOT") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let draft = draft_path(job.app, job.item.id);
        let folder = job.app.home.snapshots();
        byteio::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
        match fs::remove_file(&draft) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => other.map_err(FileFault::at("remove", &draft))?,
        }
        let mut stopped = Ok(());
        let mut told = 0;
        let done = job.app.registry.snapshot(&draft, &mut |remaining, total| {
            job.total(total);
            let done = total.saturating_sub(remaining);
            job.advance(done.saturating_sub(told));
            told = done;
            stopped = job.checkpoint();
            stopped.is_ok()
        })?;
        stopped?;
        if !done {
            return Err(Fault::Interrupted);
        }
        // Synced with the settlement; a copy made again has a moment of its own.
        job.dossier().put_whole(&job.item.started.unwrap_or(job.item.created).0)?;
        job.note("the registry is copied");
        Ok(Done::Advance)
    }
}
