//! Asks that an object be looked at out of turn: by a person, or by whoever met a copy that is not
//! sound.

use storage::registry::ObjectRow;
use storage::work::item::Subject;
use storage::work::queue::{NewItem, Pushed};

use crate::app::App;
use crate::fault::Fault;
use crate::vault::Class;

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
