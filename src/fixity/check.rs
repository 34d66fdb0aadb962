//! Reads everything that the hot replicas hold of an object, and mends what is not sound.
//!
//! Promise: every copy in every replica that is there was read from its medium and compared; what
//! was damaged is set aside and replaced, or told as lost: then the item fails. What a replica that is
//! away may have intact is not lost: the item waits for that replica. A replica that the storage option
//! asks for and that does not hold the object yet has every copy then. Interruptible: every few
//! megabytes.
//! Repeats: safe, a replica that this item has looked at is passed over.

use std::time::Duration;

use ocfl::{Class, Examined, Inventory, ObjectId, Replica, Truth};
use storage::clock::Timestamp;
use storage::registry::{HeldState, ObjectRow};

use super::cold;
use super::holders::{Holders, Present};
use super::loss;
use super::mending::{Mended, mend};
use super::pace::Pace;
use super::telling::Telling;
use crate::app::App;
use crate::checkup::{self, is_readable, names_what_is_held};
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Pool, Stage};

/// One object at a time: what is read for safety must not keep others from reading.
const POLICY: Policy =
    Policy { workers: 1, buffer: 4, patience: Duration::from_secs(4 * 3600), ..Policy::DISK };

/// How long until an object is looked at again that changed under our eyes.
const AGAIN: Duration = Duration::from_secs(5);
/// How long until replicas that are away are looked for again.
const AWAY: Duration = Duration::from_secs(300);
/// What an item waits for then.
const AWAY_CODE: &str = "replica-away";

pub(super) struct Check;

impl Stage<App> for Check {
    fn about(&self) -> About {
        About { topic: checkup::TOPIC, label: "Fixity Check", env: Some("APT_FIXITY") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let identifier = job.item.subject.object_identifier.clone().unwrap_or_default();
        let held = job.app.registry.object_by_identifier(&identifier)?;
        let Some(object) = held.filter(|object| object.state == HeldState::Active) else {
            job.note("it is not held any more: there is nothing to check");
            return Ok(Done::Finish);
        };
        if is_being_deleted(job, &object)? {
            return Ok(Done::Finish);
        }
        if job.item.subject.user == checkup::HOUSE
            && let Some(until) = job.app.config.fixity.quiet_until(job.app.shop.clock.now())
        {
            let after = until.since(job.app.shop.clock.now());
            job.waits_for("quiet-hours", "");
            return Ok(Done::Snooze { after, why: "it is a quiet hour: checks wait".into() });
        }
        check(job, &object)
    }
}

fn check(job: &Job<'_, App>, object: &ObjectRow) -> Result<Done, Fault> {
    let mut holders = Holders::of(job.app, object)?;
    if !holders.there.iter().any(|it| it.is_holder) {
        if !is_readable(job.app, object)? {
            return Ok(Done::Fail(cold::reason(job.app, object)?));
        }
        let why = format!("no replica that holds it is there ({})", holders.away.join(", "));
        return Ok(wait_for(job, holders.away.join(", "), why));
    }
    if let Some(wait) = waits_still(job) {
        return Ok(wait);
    }
    let id = ObjectId::new(object.identifier.clone());
    let mut confirm = |inventory: &Inventory| names_what_is_held(job.app, object, inventory);
    let Some(truth) = Truth::find(&id, object.version.0, &holders.replicas(), &mut confirm)? else {
        return nothing_to_believe(job, object, &holders);
    };
    let pace = Pace::new(job);
    job.total(object.size.saturating_mul(holders.there.len() as u64));
    let mut sum = Mended::default();
    for present in holders.there.clone() {
        if job.app.registry.object_check(object.id, present.id)? >= Some(job.item.created) {
            continue;
        }
        let began = job.app.shop.clock.now();
        let examined = match examine(job, (object, &pace), present.replica, &truth) {
            Ok(examined) => examined,
            Err(fault) if is_absence(&fault) => {
                holders.away.push(present.replica.name().to_owned());
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let Some(mended) = settle(job, object, (&truth, &holders), present, (&examined, began))?
        else {
            job.waits_for("changed-while-read", object.identifier.clone());
            return Ok(Done::Snooze { after: AGAIN, why: "it changed while it was read".into() });
        };
        sum.add(mended);
        sum.read_files += examined.file_count;
    }
    if let Some(error) = sum.left.take() {
        return Err(error.into());
    }
    let said = sum.sentence(&holders.away);
    job.note(said.clone());
    if !sum.awaited.is_empty() {
        let names: Vec<&str> = sum.awaited.iter().map(String::as_str).collect();
        let names = names.join(", ");
        let why = format!("{said}; what {names} may have intact is repaired when it is back");
        return Ok(wait_for(job, names, why));
    }
    Ok(loss::reason(job.app, object, &sum)?.map_or(Done::Finish, Done::Fail))
}

/// Waits for replicas that are away.
fn wait_for(job: &Job<'_, App>, names: String, why: String) -> Done {
    job.waits_for_repair(AWAY_CODE, names);
    Done::Snooze { after: AWAY, why }
}

/// The same wait once more, while every replica that the item waits for is still away: nothing else is
/// read again before that.
fn waits_still(job: &Job<'_, App>) -> Option<Done> {
    let wait = job.item.waiting.as_ref().filter(|wait| wait.cause == AWAY_CODE)?;
    let is_there = |name: &str| matches!(job.app.vaults.reach(name), Some(Ok(_)));
    if wait.what.split(", ").any(is_there) {
        return None;
    }
    Some(wait_for(job, wait.what.clone(), job.item.note.clone()))
}

/// Tells what was found, mends it, and tells that. None if the object is not what it was when it was
/// read: then what was found may be wrong.
fn settle(
    job: &Job<'_, App>,
    object: &ObjectRow,
    (truth, holders): (&Truth<'_>, &Holders<'_>),
    present: Present<'_>,
    (examined, began): (&Examined, Timestamp),
) -> Result<Option<Mended>, Fault> {
    let telling = Telling { job, object, present, at: began };
    if examined.flaws.is_empty() && present.replica.settings().class == Class::Cold {
        telling.held_in_cold()?;
        return Ok(Some(Mended::default()));
    }
    if examined.flaws.is_empty() {
        telling.sound_again(&[])?;
        telling.all_held(&[])?;
        telling.all_sound()?;
        return Ok(Some(Mended::default()));
    }
    let custody = &job.app.custody;
    let _hold = custody.hold(&object.identifier, || job.checkpoint())?;
    if !is_still_so(job, object, truth, holders)? {
        return Ok(None);
    }
    let mended = mend(job, &telling, (truth, holders), &examined.flaws)?;
    Ok(Some(mended))
}

fn examine(
    job: &Job<'_, App>,
    (object, pace): (&ObjectRow, &Pace<'_>),
    replica: &Replica,
    truth: &Truth<'_>,
) -> Result<Examined, Fault> {
    if replica.settings().class == Class::Cold {
        return cold::examine(job, object, replica, truth);
    }
    job.enter(Pool::Cpu, || replica.examine(truth, |bytes| pace.spend(bytes)))
}

/// Whether the object is still the one that was read: no version came, nothing was deleted.
fn is_still_so(
    job: &Job<'_, App>,
    object: &ObjectRow,
    truth: &Truth<'_>,
    holders: &Holders<'_>,
) -> Result<bool, Fault> {
    if is_being_deleted(job, object)? {
        return Ok(false);
    }
    let now = job.app.registry.object(object.id)?;
    let Some(now) = now.filter(|now| now.version == object.version && now.state == object.state)
    else {
        return Ok(false);
    };
    let mut confirm = |inventory: &Inventory| names_what_is_held(job.app, &now, inventory);
    let again = Truth::find(truth.object(), now.version.0, &holders.replicas(), &mut confirm)?;
    Ok(again.is_some_and(|again| again.inventory().sha512() == truth.inventory().sha512()))
}

/// Whether two people agreed to delete it, or some of it, and it is not gone from everywhere: what is
/// missing in one replica must not be brought back from another.
fn is_being_deleted(job: &Job<'_, App>, object: &ObjectRow) -> Result<bool, Fault> {
    let now = job.app.shop.clock.now();
    let part = job.app.registry.approved_deletion_of(object.id)?.filter(|part| part.is_due(now));
    if let Some(part) = &part {
        let request = part.request_id;
        job.note(format!("it is being deleted by request {request}: there is nothing to check"));
    }
    Ok(part.is_some())
}

fn is_absence(fault: &Fault) -> bool {
    matches!(fault, Fault::Failed(failure) if failure.code == AWAY_CODE)
}

/// No replica has an inventory that can be believed: what lies there cannot even be named.
fn nothing_to_believe(
    job: &Job<'_, App>,
    object: &ObjectRow,
    holders: &Holders<'_>,
) -> Result<Done, Fault> {
    if is_being_deleted(job, object)? {
        return Ok(Done::Finish);
    }
    let now = job.app.registry.object(object.id)?;
    if now.is_none_or(|now| now.version != object.version) {
        job.waits_for("changed-while-read", object.identifier.clone());
        return Ok(Done::Snooze { after: AGAIN, why: "it changed while it was read".into() });
    }
    if !holders.unasked.is_empty() {
        let names: Vec<&str> = holders.unasked.iter().map(String::as_str).collect();
        let names = names.join(", ");
        let why = format!("no replica that is there has an intact inventory; {names} may have one");
        return Ok(wait_for(job, names, why));
    }
    Err(Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "inventory-lost",
        advice: crate::alerts::lost_frame_advice(&web::object_path(
            &object.identifier,
            object.id.0,
        )),
        source: format!(
            "no replica has an inventory of {} that can be believed",
            object.identifier
        )
        .into(),
    }))
}
