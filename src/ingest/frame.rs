//! What describes an object in cold storage: inventories, records, sidecars and the declaration. They
//! are asked for with every deposit of the object, because copies that nothing describes are no object;
//! those that are missing are written anew from the inventory of another replica, or of another place in
//! the same one. Where no replica has one, the deposit is kept for a person.
//!
//! Repeats: safe, what is there is not written again.

use ocfl::{Became, Class, Inventory, Mending, ObjectId, Replica, Truth};
use storage::registry::{EventType, NewEvent, ObjectRow, Outcome};

use super::records::BagRecord;
use crate::app::App;
use crate::checkup::names_what_is_held;
use crate::chronicle::{AGENT, uuid_of};
use crate::fault::{Failure, Fault, Kind};
use crate::replacement::folder_name;
use crate::work::Job;

/// The cold replicas that are known to hold the object of a deposit, and lack a file that describes it.
pub(super) fn lacking<'r>(
    job: &Job<'_, App>,
    record: &BagRecord,
    replicas: &[&'r Replica],
) -> Result<Vec<&'r Replica>, Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(Vec::new());
    };
    let held = registry.copy_counts(object.id, 1000)?;
    let id = ObjectId::new(object.identifier.clone());
    let mut lacking = Vec::new();
    for replica in replicas.iter().filter(|it| it.settings().class == Class::Cold) {
        let is_holder = held.iter().any(|count| count.replica == replica.name());
        if is_holder && !replica.has_frame(&id, object.version.0)? {
            lacking.push(*replica);
        }
    }
    Ok(lacking)
}

/// The inventory that replicas hold of an object. None to be found is for a person, before anything is
/// stored beside it.
pub(super) fn truth<'r>(
    job: &Job<'_, App>,
    object: &ObjectRow,
    replicas: &[&'r Replica],
) -> Result<Truth<'r>, Fault> {
    let id = ObjectId::new(object.identifier.clone());
    let mut replicas = replicas.to_vec();
    replicas.sort_by_key(|replica| replica.settings().class == Class::Cold);
    let mut confirm = |inventory: &Inventory| names_what_is_held(job.app, object, inventory);
    let found = Truth::find(&id, object.version.0, &replicas, &mut confirm)?;
    found.ok_or_else(|| {
        let names: Vec<&str> = replicas.iter().map(|replica| replica.name()).collect();
        lost(&names.join(", "), &format!("every inventory of {} is missing", object.identifier))
    })
}

/// Writes what describes an object anew in these replicas. Whoever calls holds the object in its
/// custody.
pub(super) fn write_anew(
    job: &Job<'_, App>,
    object: &ObjectRow,
    truth: &Truth<'_>,
    (replicas, sources): (&[&Replica], &[&Replica]),
) -> Result<(), Fault> {
    for replica in replicas {
        job.checkpoint()?;
        let flaws = replica.examine_frame(truth)?;
        let sources: Vec<&Replica> =
            sources.iter().copied().filter(|it| it.name() != replica.name()).collect();
        let moment = folder_name(job.item.created);
        let mending = Mending { truth, flaws: &flaws, sources: &sources, moment: &moment };
        for flaw in &flaws {
            let found = (EventType::FixityCheck, Outcome::Failure, "found");
            put_event(job, object, (replica, &flaw.path), found, &flaw.sentence())?;
        }
        let mut left = None;
        let checkpoint = |_: u64| job.checkpoint();
        replica.mend(mending, checkpoint, |flaw, became| {
            match became {
                Became::Mended { .. } => {
                    let repaired = (EventType::Repair, Outcome::Success, "repaired");
                    put_event(job, object, (replica, &flaw.path), repaired, "it was written anew")?;
                }
                Became::SetAside { .. } | Became::Removed => {}
                Became::Lost => {
                    left.get_or_insert_with(|| lost(replica.name(), &flaw.sentence()));
                }
                Became::Left(error) => {
                    left.get_or_insert_with(|| error.into());
                }
            }
            Ok::<(), Fault>(())
        })?;
        left.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// A file that describes an object is in no replica.
fn lost(replicas: &str, what: &str) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "inventory-lost",
        advice: format!(
            "The deposit is kept. Bring back in {replicas} the files that describe \
             the object (`inventory.json` and its sidecar, in its folder and in those of its versions, and \
             `logs`): from earlier versions that the bucket keeps, or from a backup. Then requeue the item."
        ),
        source: format!("no replica has what describes the object: {what}").into(),
    })
}

fn put_event(
    job: &Job<'_, App>,
    object: &ObjectRow,
    (replica, path): (&Replica, &str),
    (event_type, outcome, what): (EventType, Outcome, &str),
    information: &str,
) -> Result<(), Fault> {
    let item = format!("{} {}", job.item.id, job.item.created.0);
    let name = replica.name();
    job.app.registry.put_events(&[NewEvent {
        identifier: uuid_of(&["frame", &item, &object.identifier, name, what, path]),
        event_type,
        date_time: job.app.shop.clock.now(),
        detail: "check of what describes the object in cold storage".into(),
        outcome,
        outcome_detail: path.to_owned(),
        outcome_information: format!("in replica {name}: {information}"),
        object: AGENT.to_owned(),
        agent: AGENT.to_owned(),
        about: storage::registry::About::Object { object: object.id, deposit: None },
    }])?;
    Ok(())
}
