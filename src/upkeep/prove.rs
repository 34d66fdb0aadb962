//! Proves a draft snapshot by reading all of it, then lets the oldest go.
//!
//! Promise: the named snapshot opens and is whole; no more than the configured number are kept.
//! Repeats: safe, a snapshot that already has its name is proved again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::verify_snapshot;

use super::{PREFIX, SUFFIX, draft_path, snapshot_path};
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy =
    Policy { workers: 1, buffer: 1, patience: Duration::from_secs(1800), ..Policy::DISK };

pub(super) struct Prove;

impl Stage<App> for Prove {
    fn about(&self) -> About {
        About { topic: "upkeep02_prove", label: "Prove", env: Some("UPKEEP_PROVE") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let moment = job.dossier().whole::<u64>()?.map_or(job.item.created, Timestamp);
        let draft = draft_path(job.app, job.item.id);
        let named = snapshot_path(job.app, job.item.id, moment);
        let there = named.try_exists().map_err(FileFault::at("look at", &named))?;
        if there {
            verify_snapshot(&named)?;
        } else {
            verify_snapshot(&draft)?;
            byteio::durable::rename(&draft, &named).map_err(FileFault::at("rename", &draft))?;
        }
        job.checkpoint()?;
        let removed = prune(job.app, &named)?;
        job.note(format!("the snapshot is whole: {} ({removed} older removed)", named.display()));
        Ok(Done::Finish)
    }
}

/// Removes all but the newest snapshots. Names begin with a date, so name order is age order. One
/// more than twice the size of the newest stays: a registry does not shrink by half for a good
/// reason, and then the old copy is the one that is wanted.
fn prune(app: &App, newest: &Path) -> Result<usize, Fault> {
    let folder = app.home.snapshots();
    let size = |path: &Path| path.metadata().map(|file| file.len());
    let most = size(newest).map_err(FileFault::at("look at", newest))?.saturating_mul(2);
    let mut named: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(FileFault::at("read", &folder))? {
        let path = entry.map_err(FileFault::at("read", &folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            named.push(path);
        }
    }
    named.sort();
    let surplus = named.len().saturating_sub(app.config.upkeep.keep);
    let mut removed = 0;
    for path in &named[..surplus] {
        if size(path).map_err(FileFault::at("look at", path))? <= most {
            fs::remove_file(path).map_err(FileFault::at("remove", path))?;
            removed += 1;
        }
    }
    Ok(removed)
}
