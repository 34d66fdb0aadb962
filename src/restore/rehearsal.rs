//! Restores an object that nobody asked for, to see that it can be, and removes it again.
//!
//! Promise: when the stage has ended, the object was made into a bag from its copies and the bag was
//! judged, exactly as a restoration would, and nothing of it is left. How it went is an event of the
//! object. One that cannot be restored waits for a person. Interruptible: every few megabytes.
//! Repeats: safe, it begins anew.

use std::time::Duration;

use storage::registry::{About as EventAbout, HeldState, ObjectRow, Outcome};

use super::events::Telling;
use super::object::bag;
use super::patience::patient;
use super::place::Draft;
use super::wish::Wish;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy =
    Policy { workers: 1, buffer: 4, patience: Duration::from_secs(3600), ..Policy::DISK };

/// The topic, on disk and in figures: forever.
pub(crate) const TOPIC: &str = "restore_rehearsal";

pub(super) struct Rehearse;

impl Stage<App> for Rehearse {
    fn about(&self) -> About {
        About { topic: TOPIC, label: "Rehearsal", env: Some("RESTORE_REHEARSAL") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let identifier = job.item.subject.object_identifier.as_deref().unwrap_or_default();
        let held = job.app.registry.object_by_identifier(identifier)?;
        let Some(object) = held.filter(|object| object.state == HeldState::Active) else {
            job.note("the object is not held any more: there is nothing to rehearse");
            return Ok(Done::Finish);
        };
        patient(job, rehearse(job, &object))
    }
}

fn rehearse(job: &Job<'_, App>, object: &ObjectRow) -> Result<Done, Fault> {
    let wish = Wish {
        object_identifier: object.identifier.clone(),
        path: None,
        version: object.version,
        is_past: false,
    };
    let draft = Draft::at(job.app.config.staging().join(job.item.id.to_string()))?;
    let tried = bag(job, object, &wish, &draft);
    drop(draft);
    let (outcome, information) = match &tried {
        Ok(made) => (Outcome::Success, format!("a valid bag of {} files", made.file_count)),
        // What may pass by itself says nothing about the object.
        Err(Fault::Failed(Failure { kind: Kind::Fatal, source, .. })) => {
            (Outcome::Failure, source.to_string())
        }
        Err(_) => return tried.map(|_| Done::Finish),
    };
    let event = Telling {
        about: EventAbout::Object { object: object.id, deposit: None },
        outcome,
        detail: "rehearsal: restored the object to a scratch place and removed it again",
        outcome_detail: format!("version {}", object.version),
        information: information.clone(),
    };
    job.app.registry.put_events(&[event.event(job)])?;
    tried?;
    job.note(format!("{} came back as {information}", object.identifier));
    Ok(Done::Finish)
}
