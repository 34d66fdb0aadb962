//! Takes one object, or one file, out of every replica, and marks the registry.
//!
//! Promise: nothing is touched without a part of an approved request that names exactly this and whose
//! cooling-off period is over; when
//! the item ends, no replica that the registry knows holds a byte of it or names it. The order is:
//! the record of the deletion into every replica that is there, the bytes out of each, a look whether
//! they are gone, the registry. A replica that is away keeps the item waiting, and what is gone from
//! the others is noted. Interruptible: between any two files and inventories. Repeats: safe, what is
//! gone is found to be gone. A wish to cancel comes too late: what two people agreed on is brought to
//! its end.

use std::collections::HashSet;
use std::time::Duration;

use ocfl::{Expunging, Replica, VaultError};
use storage::clock::Timestamp;
use storage::registry::{DeletionId, DeletionPart, FileId, ObjectId, Registry};
use storage::work::item::WorkItem;

use super::hindrance::{in_the_way, retained_until};
use super::record::{Agreed, text};
use crate::app::App;
use crate::fault::{Failure, Fault};
use crate::work::{About, Admit, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// How long before another look at what is in the way.
const PAUSE: Duration = Duration::from_secs(60);

/// Longest wait for the end of a promised time.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What it may wait for besides replicas.
const COOLING_OFF: &str = "cooling-off";
const RETENTION: &str = "retention";
const OTHER_WORK: &str = "other-work";

/// Versions of one file; no file has had so many.
const VERSIONS_MAX: u32 = 10_000;

/// Replicas that an object may be in.
const REPLICAS_MAX: u32 = 1000;

pub(super) struct Delete;

impl Stage<App> for Delete {
    fn about(&self) -> About {
        About { topic: "delete_item", label: "Delete", env: Some("APT_DELETE") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn admit(&self, item: &WorkItem, app: &App) -> Result<Admit, Fault> {
        let Some(part) = part_of(item, &app.registry)?.filter(|part| part.approved) else {
            let why = "no approved deletion request names this; nothing was touched";
            return Ok(Admit::Drop(why.into()));
        };
        if part.done_at.is_some() {
            // Its own settlement was lost: it ends as it would have. Any other is a repetition.
            let is_own = part.item_id == i64::try_from(item.id.0).ok();
            let why = "this deletion was done by another item; nothing was touched";
            return Ok(if is_own { Admit::Run } else { Admit::Drop(why.into()) });
        }
        let now = app.shop.clock.now();
        if let Some(from) = part.erase_after.filter(|from| now < *from) {
            let wait = (COOLING_OFF, String::new());
            return Ok(Admit::Later { after: until(from, now), wait, why: cooling_off(from) });
        }
        let Some(object) = app.registry.object(part.object_id)? else {
            return Ok(Admit::Drop("there is no such object; nothing was touched".into()));
        };
        if let Some(until) = retained_until(app, &object, now) {
            let option = &object.storage_option;
            let why = format!("storage option {option} keeps it until {until}");
            let wait = (RETENTION, option.clone());
            return Ok(Admit::Later { after: self::until(until, now), wait, why });
        }
        Ok(match in_the_way(app, &object.identifier)? {
            None => Admit::Run,
            Some(row) => {
                let (id, action, stage) = (row.id, row.action, row.stage);
                let why = format!(
                    "item {id} ({action}, {stage}) works on the object and has to end first"
                );
                Admit::Later { after: PAUSE, wait: (OTHER_WORK, format!("item {id}")), why }
            }
        })
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let Some(part) = part_of(job.item, &job.app.registry)? else {
            return Err(Fault::Cancelled);
        };
        let now = job.app.shop.clock.now();
        if part.done_at.is_none() && !part.is_due(now) {
            let from = part.erase_after.unwrap_or(now);
            job.waits_for(COOLING_OFF, "");
            return Ok(Done::Snooze { after: until(from, now).max(PAUSE), why: cooling_off(from) });
        }
        if part.done_at.is_none() {
            let registry = &job.app.registry;
            let number = i64::try_from(job.item.id.0).unwrap_or(i64::MAX);
            registry.note_deletion_items(&[(part.id, number)])?;
            if let Some(waiting) = delete(job, part)? {
                return Ok(waiting);
            }
        }
        job.dossier().remove()?;
        Ok(Done::Finish)
    }
}

/// How long until a moment, and no longer than a day, so that a changed configuration is noticed.
fn until(moment: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(moment.0.saturating_sub(now.0)).min(DAY)
}

fn cooling_off(from: Timestamp) -> String {
    format!("nothing is erased before {from}: until then the deletion can be cancelled")
}

/// The part that an item is about, by everything that it says of itself.
fn part_of(item: &WorkItem, registry: &Registry) -> Result<Option<DeletionPart>, Fault> {
    let subject = &item.subject;
    let (Some(request), Some(object)) = (subject.deletion_request, subject.object) else {
        return Ok(None);
    };
    let about = (ObjectId(object), subject.file.map(FileId));
    Ok(registry.deletion_part_about(DeletionId(request), about)?)
}

/// Does it, or says what is waited for.
fn delete(job: &Job<'_, App>, part: DeletionPart) -> Result<Option<Done>, Fault> {
    let app = job.app;
    let agreed = agreed(app, part)?;
    let _hold = app.custody.hold(&agreed.object.identifier, || job.checkpoint())?;
    let gone: HashSet<String> = gone_from(app, &agreed.part)?;
    let mut away = Vec::new();
    let mut there = Vec::new();
    for name in replicas_of(app, &agreed)? {
        job.checkpoint()?;
        match present(reach(app, &name))? {
            // Also where it is gone: nothing must have come back before the registry says so.
            Ok(replica) => there.push(replica),
            Err(_) if gone.contains(&name) => {}
            Err(absence) => away.push(absence),
        }
    }
    let record = agreed.record(job, &there)?;
    let told = text(&record)?;
    for replica in &there {
        too_late_to_cancel(job)?;
        let put = replica.put_deletion(&agreed.vault_object(), &agreed.name(), &told);
        if let Err(absence) = present(put.map_err(Fault::from))? {
            away.push(absence);
        }
    }
    // No byte goes from where the record of it could not be put.
    there.retain(|replica| away.iter().all(|absence| absence.replica != replica.name()));
    for replica in there {
        if let Err(absence) = present(take_out(job, replica, &agreed))? {
            away.push(absence);
        }
    }
    if let Some(absence) = away.first() {
        app.vaults.waits(job.item.id, &absence.error());
        job.waits_for_repair(absence.failure.code, absence.replica.clone());
        return Ok(Some(Done::Snooze { after: PAUSE, why: absence.sentence(app, &agreed)? }));
    }
    app.vaults.goes_on(job.item.id);
    let now = app.shop.clock.now();
    let whole = agreed.file.is_none();
    match whole {
        true => app.registry.delete_object(agreed.part.id, &record.telling(), now)?,
        false => app.registry.delete_file(agreed.part.id, &record.telling(), now)?,
    };
    let (what, by, with) = (
        if whole { "object" } else { "file" },
        &record.requested_by.email,
        &record.approved_by.email,
    );
    job.note(format!("{what} deletion complete; asked for by {by}, approved by {with}"));
    Ok(None)
}

fn agreed(app: &App, part: DeletionPart) -> Result<Agreed, Fault> {
    let (registry, now) = (&app.registry, app.shop.clock.now());
    let missing = |what: String| storage::registry::Error::NotFound { what };
    let request = registry.deletion(part.request_id, now)?;
    let request =
        request.ok_or_else(|| missing(format!("deletion request {}", part.request_id)))?;
    let object = registry.object(part.object_id)?;
    let object = object.ok_or_else(|| missing(part.object_identifier.clone()))?;
    let file = match part.file_id {
        None => None,
        Some(id) => Some(registry.file(id)?.ok_or_else(|| missing(format!("file {id}")))?),
    };
    Ok(Agreed { request, part, object, file })
}

/// Every replica that may hold it: those that copies are known in, and those of its storage option,
/// because a registry that was made again may know of no copies.
fn replicas_of(app: &App, agreed: &Agreed) -> Result<Vec<String>, Fault> {
    let counts = app.registry.copy_counts(agreed.object.id, REPLICAS_MAX)?;
    let mut names: Vec<String> = counts.into_iter().map(|count| count.replica).collect();
    if let Some(option) = app.vaults.option(&agreed.object.storage_option) {
        names.extend(option.replicas.iter().cloned());
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The replica of this name. One that is not configured any more is away.
fn reach<'a>(app: &'a App, name: &str) -> Result<&'a Replica, Fault> {
    app.vaults.reach(name).unwrap_or_else(|| {
        let (replica, what) = (name.to_owned(), "it is not configured any more".to_owned());
        Err(VaultError::Away { replica, what, source: None }.into())
    })
}

fn gone_from(app: &App, part: &DeletionPart) -> Result<HashSet<String>, Fault> {
    Ok(app.registry.gone_copies(part.id)?.into_iter().map(|copy| copy.replica).collect())
}

/// Takes the bytes out of one replica, looks whether they are gone, and notes it.
fn take_out(job: &Job<'_, App>, replica: &Replica, agreed: &Agreed) -> Result<(), Fault> {
    let registry = &job.app.registry;
    let object = agreed.vault_object();
    let (mut paths, mut contents) = (HashSet::new(), Vec::new());
    if let Some(file) = &agreed.file {
        paths.insert(file.path.clone());
        let versions = registry.file_versions(file.id, VERSIONS_MAX)?;
        contents.extend(versions.into_iter().map(|version| version.content_path));
    }
    let files = Expunging::Files { paths: &paths, contents: &contents };
    let going = if agreed.file.is_some() { files } else { Expunging::Whole };
    replica.expunge(&object, &going, &mut || too_late_to_cancel(job))?;
    replica.require_expunged(&object, &going)?;
    registry.note_gone(agreed.part.id, replica.name(), job.app.shop.clock.now())?;
    Ok(())
}

/// The checkpoint of work that can be interrupted and not be given up.
fn too_late_to_cancel(job: &Job<'_, App>) -> Result<(), Fault> {
    match job.checkpoint() {
        Err(Fault::Cancelled) => Ok(()),
        other => other,
    }
}

/// A replica that has to come back, or to have room again.
struct Absence {
    replica: String,
    failure: Failure,
}

/// Tells an absence, which is waited for, from what ends the attempt.
fn present<T>(done: Result<T, Fault>) -> Result<Result<T, Absence>, Fault> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(Fault::Failed(failure)) => match failure.source.downcast_ref::<VaultError>() {
            Some(VaultError::Away { replica, .. } | VaultError::Full { replica, .. }) => {
                let replica = replica.clone();
                Ok(Err(Absence { replica, failure }))
            }
            _ => Err(Fault::Failed(failure)),
        },
        Err(other) => Err(other),
    }
}

impl Absence {
    /// For those who watch the replicas.
    fn error(&self) -> VaultError {
        let (replica, what) = (self.replica.clone(), self.failure.sentence());
        VaultError::Away { replica, what, source: None }
    }

    /// For those who look at the item: what is waited for, and what is gone already.
    fn sentence(&self, app: &App, agreed: &Agreed) -> Result<String, Fault> {
        let mut gone: Vec<String> = gone_from(app, &agreed.part)?.into_iter().collect();
        gone.sort_unstable();
        let (why, advice) = (self.failure.sentence(), &self.failure.advice);
        let stop = if why.ends_with(['.', '?']) { "" } else { "." };
        Ok(match gone.is_empty() {
            true => format!("{why}{stop} {advice}"),
            false => format!("{why}{stop} {advice} It is gone from {}.", gone.join(", ")),
        })
    }
}
