//! Reads everything that the hot replicas hold of an object, and mends what is not sound.
//!
//! Promise: every copy in every replica that is there was read from its medium and compared; what
//! was damaged is set aside and replaced, or told as lost: then the item fails. A replica that the
//! storage option asks for and that does not hold the object yet has every copy then. Interruptible:
//! every few megabytes.
//! Repeats: safe, a replica that this item has looked at is passed over.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{HeldState, ObjectRow, ReplicaId};

use super::loss;
use super::mending::{Mended, mend};
use super::pace::Pace;
use super::telling::Telling;
use crate::app::App;
use crate::checkup;
use crate::fault::{Failure, Fault, Kind};
use crate::vault::{Class, Examined, Inventory, ObjectId, Replica, Truth, VaultError};
use crate::work::{About, Done, Job, Policy, Pool, Stage};

/// One object at a time: what is read for safety must not keep others from reading.
const POLICY: Policy =
    Policy { workers: 1, buffer: 4, patience: Duration::from_secs(4 * 3600), ..Policy::DISK };

/// How long until an object is looked at again that changed under our eyes.
const AGAIN: Duration = Duration::from_secs(5);
/// How long until replicas that are all away are looked for again.
const AWAY: Duration = Duration::from_secs(300);

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

/// A replica that is there.
#[derive(Clone, Copy)]
pub(super) struct Present<'r> {
    pub(super) id: ReplicaId,
    pub(super) replica: &'r Replica,
    /// Whether it is known to hold copies of the object. One that is not is filled.
    pub(super) is_holder: bool,
}

fn check(job: &Job<'_, App>, object: &ObjectRow) -> Result<Done, Fault> {
    let (there, mut away) = holders(job, object)?;
    if let Some(cold) = checkup::only_cold(job.app, object)? {
        job.note(checkup::cold_sentence(&object.identifier, &cold));
        return Ok(Done::Finish);
    }
    if !there.iter().any(|it| it.is_holder) {
        let why = format!("no replica that holds it is there ({})", away.join(", "));
        job.waits_for_repair("replica-away", away.join(", "));
        return Ok(Done::Snooze { after: AWAY, why });
    }
    let id = ObjectId::new(object.identifier.clone());
    let replicas: Vec<&Replica> = there.iter().map(|it| it.replica).collect();
    let mut confirm = |inventory: &Inventory| names_what_is_held(job.app, object, inventory);
    let Some(truth) = Truth::find(&id, object.version.0, &replicas, &mut confirm)? else {
        return nothing_to_believe(job, object);
    };
    let pace = Pace::new(job);
    job.total(object.size.saturating_mul(there.len() as u64));
    let mut sum = Mended::default();
    for present in &there {
        if job.app.registry.object_check(object.id, present.id)? >= Some(job.item.created) {
            continue;
        }
        let began = job.app.shop.clock.now();
        let examined = match examine(job, &pace, present.replica, &truth) {
            Ok(examined) => examined,
            Err(fault) if is_absence(&fault) => {
                away.push(present.replica.name().to_owned());
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let Some(mended) = settle(job, object, (&truth, &there), *present, (&examined, began))?
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
    job.note(sum.sentence(&away));
    Ok(loss::reason(job.app, object, &sum)?.map_or(Done::Finish, Done::Fail))
}

/// Tells what was found, mends it, and tells that. None if the object is not what it was when it was
/// read: then what was found may be wrong.
fn settle(
    job: &Job<'_, App>,
    object: &ObjectRow,
    (truth, there): (&Truth<'_>, &[Present<'_>]),
    present: Present<'_>,
    (examined, began): (&Examined, Timestamp),
) -> Result<Option<Mended>, Fault> {
    let telling = Telling { job, object, present, at: began };
    if examined.flaws.is_empty() {
        telling.sound_again(&[])?;
        telling.all_held(&[])?;
        telling.all_sound()?;
        return Ok(Some(Mended::default()));
    }
    let custody = &job.app.custody;
    let _hold = custody.hold(&object.identifier, || job.checkpoint())?;
    if !is_still_so(job, object, truth, there)? {
        return Ok(None);
    }
    let mended = mend(job, &telling, (truth, there), &examined.flaws)?;
    Ok(Some(mended))
}

/// The replicas of the object: the hot ones that hold something of it or are asked for by its storage
/// option, and cold ones that are asked for and hold nothing of it. Those that are there, the best
/// first, and the names of the others.
fn holders<'j>(
    job: &Job<'j, App>,
    object: &ObjectRow,
) -> Result<(Vec<Present<'j>>, Vec<String>), Fault> {
    let registry = &job.app.registry;
    let held = registry.copy_counts(object.id, 1000)?;
    let option = job.app.vaults.option(&object.storage_option);
    let wanted = option.map_or(&[][..], |option| option.replicas.as_slice());
    // A registry that was made again may know of no copies at all.
    let is_known = |name: &str| held.iter().any(|count| count.replica == name);
    let is_asked = |replica: &&Replica| {
        let (name, is_cold) = (replica.name(), replica.settings().class == Class::Cold);
        let is_wanted = wanted.iter().any(|it| it == name);
        if is_cold {
            is_wanted && !held.is_empty() && !is_known(name)
        } else {
            is_wanted || is_known(name)
        }
    };
    let mut replicas: Vec<&Replica> = job.app.vaults.all().iter().filter(is_asked).collect();
    replicas.sort_by_key(|replica| {
        (replica.settings().class == Class::Cold, replica.settings().restore_priority)
    });
    let is_there = |replica: &&Replica| matches!(job.app.vaults.reach(replica.name()), Some(Ok(_)));
    let (there, away): (Vec<&Replica>, Vec<&Replica>) = replicas.into_iter().partition(is_there);
    // Asked for now: one that is new has just become known.
    let rows = registry.replicas(1000)?;
    let there = there.into_iter().filter_map(|replica| {
        let row = rows.iter().find(|row| row.replica.name == replica.name())?;
        let is_holder = held.is_empty() || is_known(replica.name());
        Some(Present { id: row.id, replica, is_holder })
    });
    let away = away.into_iter().map(|replica| replica.name().to_owned());
    Ok((there.collect(), away.collect()))
}

fn examine(
    job: &Job<'_, App>,
    pace: &Pace<'_>,
    replica: &Replica,
    truth: &Truth<'_>,
) -> Result<Examined, Fault> {
    job.enter(Pool::Cpu, || replica.examine(truth, |bytes| pace.spend(bytes)))
}

/// Whether an inventory names what the registry knows of the object, with its digests, and nothing
/// more: one that names what was deleted is of a replica that missed it. Sixteen bytes a file are
/// kept meanwhile.
fn names_what_is_held(
    app: &App,
    object: &ObjectRow,
    inventory: &Inventory,
) -> Result<bool, VaultError> {
    let hashing = RandomState::new();
    let (mut named, mut held) = (Vec::new(), Vec::new());
    inventory.contents(&mut |path, sha512| {
        named.push(hashing.hash_one((path, sha512)));
        Ok(())
    })?;
    let walked = app.registry.walk_contents(object.id, &mut |content| {
        held.push(hashing.hash_one((content.content_path.as_str(), &content.sha512)));
        Ok::<_, storage::registry::Error>(())
    });
    walked.map_err(|error| VaultError::Scratch {
        what: "asking the registry what is held".into(),
        source: std::io::Error::other(error),
    })?;
    named.sort_unstable();
    held.sort_unstable();
    // Files with the same bytes share a place.
    held.dedup();
    Ok(named == held)
}

/// Whether the object is still the one that was read: no version came, nothing was deleted.
fn is_still_so(
    job: &Job<'_, App>,
    object: &ObjectRow,
    truth: &Truth<'_>,
    there: &[Present<'_>],
) -> Result<bool, Fault> {
    if is_being_deleted(job, object)? {
        return Ok(false);
    }
    let now = job.app.registry.object(object.id)?;
    let Some(now) = now.filter(|now| now.version == object.version && now.state == object.state)
    else {
        return Ok(false);
    };
    let replicas: Vec<&Replica> = there.iter().map(|it| it.replica).collect();
    let mut confirm = |inventory: &Inventory| names_what_is_held(job.app, &now, inventory);
    let again = Truth::find(truth.object(), now.version.0, &replicas, &mut confirm)?;
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
    matches!(fault, Fault::Failed(failure) if failure.code == "replica-away")
}

/// No replica has an inventory that can be believed: what lies there cannot even be named.
fn nothing_to_believe(job: &Job<'_, App>, object: &ObjectRow) -> Result<Done, Fault> {
    if is_being_deleted(job, object)? {
        return Ok(Done::Finish);
    }
    let now = job.app.registry.object(object.id)?;
    if now.is_none_or(|now| now.version != object.version) {
        job.waits_for("changed-while-read", object.identifier.clone());
        return Ok(Done::Snooze { after: AGAIN, why: "it changed while it was read".into() });
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
