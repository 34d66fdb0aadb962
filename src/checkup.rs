//! Asks that an object be looked at out of turn: by a person, or by whoever met a copy that is not
//! sound. Also what such a look needs: a replica that can be read, and an inventory that can be believed.

use std::hash::{BuildHasher, RandomState};

use ocfl::{Class, Inventory, Replica, VaultError};
use storage::registry::ObjectRow;
use storage::work::item::Subject;
use storage::work::queue::{NewItem, Pushed};

use crate::app::App;
use crate::fault::Fault;

/// Replicas that an object may be in.
const REPLICAS: u32 = 1000;

/// The flow that looks, and its stage. Names of topics are on disk, for ever.
pub(crate) const FLOW: &str = "fixity";
pub(crate) const TOPIC: &str = "fixity_check";
pub(crate) const ACTION: &str = "Fixity Check";

/// Who asks when nobody does: the sweep.
pub(crate) const HOUSE: &str = "strongroom";

/// The item that looks at an object; not in line before the one that is there already.
pub(crate) fn item(object: &ObjectRow, user: &str, why: &str) -> NewItem {
    NewItem {
        flow: FLOW.into(),
        topic: TOPIC.into(),
        subject: Subject {
            action: ACTION.into(),
            name: object.bag_name.clone(),
            institution: Some(object.institution_id),
            object: Some(object.id.0),
            object_identifier: Some(object.identifier.clone()),
            storage_option: Some(object.storage_option.clone()),
            user: user.into(),
            size_bytes: object.size,
            ..Subject::default()
        },
        unique: Some(format!("fixity/{}", object.identifier)),
        note: why.into(),
        ..NewItem::default()
    }
}

/// The replicas of an object, by name, when all of them are cold: no check reads what they hold, nor
/// is it there to fill another replica from. One that is not configured any more may be anything.
pub(crate) fn only_cold(app: &App, object: &ObjectRow) -> Result<Option<Vec<String>>, Fault> {
    let held = app.registry.copy_counts(object.id, REPLICAS)?;
    let is_cold = |name: &str| {
        let mut all = app.vaults.all().iter();
        all.any(|it| it.name() == name && it.settings().class == Class::Cold)
    };
    let names: Vec<String> = held.into_iter().map(|count| count.replica).collect();
    let all_cold = !names.is_empty() && names.iter().all(|name| is_cold(name));
    Ok(all_cold.then_some(names))
}

/// Why an object is not checked whose copies are all cold.
pub(crate) fn cold_sentence(object: &str, cold: &[String]) -> String {
    format!(
        "every copy of {object} is in cold storage ({}), which checks do not read; restore it to have \
         every byte compared",
        cold.join(", ")
    )
}

/// Asks for a look before all others.
pub(crate) fn ask(app: &App, object: &ObjectRow, user: &str, why: &str) -> Result<Pushed, Fault> {
    let urgent = NewItem { priority: 10, ..item(object, user, why) };
    Ok(app.shop.queue.push(urgent)?)
}

/// Whether a replica is configured that holds the object and can be read: copies in cold storage are not
/// read to compare them, or to fill another replica.
pub(crate) fn is_readable(app: &App, object: &ObjectRow) -> Result<bool, Fault> {
    let held = app.registry.copy_counts(object.id, REPLICAS)?;
    let option = app.vaults.option(&object.storage_option);
    let wanted = option.map_or(&[][..], |option| option.replicas.as_slice());
    // A registry that was made again may know of no copies at all.
    let is_holder = |replica: &Replica| match held.is_empty() {
        true => wanted.iter().any(|name| name == replica.name()),
        false => held.iter().any(|count| count.replica == replica.name()),
    };
    let mut replicas = app.vaults.all().iter();
    Ok(replicas.any(|replica| replica.settings().class == Class::Hot && is_holder(replica)))
}

/// Whether an inventory names what the registry knows of the object, with its digests, and nothing
/// more: one that names what was deleted is of a replica that missed it. Sixteen bytes a file are
/// kept meanwhile.
pub(crate) fn names_what_is_held(
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
