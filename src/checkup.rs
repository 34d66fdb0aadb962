//! Asks that an object be looked at out of turn: by a person, or by whoever met a copy that is not
//! sound.

use storage::registry::ObjectRow;
use storage::work::item::Subject;
use storage::work::queue::{NewItem, Pushed};

use crate::app::App;
use crate::fault::Fault;

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

/// Asks for a look before all others.
pub(crate) fn ask(app: &App, object: &ObjectRow, user: &str, why: &str) -> Result<Pushed, Fault> {
    let urgent = NewItem { priority: 10, ..item(object, user, why) };
    Ok(app.shop.queue.push(urgent)?)
}
