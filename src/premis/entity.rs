//! The object as a whole.

use std::io;

use storage::registry::{HeldState, ObjectRow};

use super::xml::Xml;
use super::{Identifier, object_id};

pub(super) fn write(xml: &mut Xml<'_>, object: &ObjectRow) -> io::Result<()> {
    xml.object("intellectualEntity", |xml| {
        xml.identifier("objectIdentifier", &object_id(object), |_| Ok(()))?;
        if let Some(other) = object.alt_identifier.as_ref().filter(|it| !it.is_empty()) {
            let other = Identifier { domain: "alternate identifier", value: other.clone() };
            xml.identifier("objectIdentifier", &other, |_| Ok(()))?;
        }
        if !object.storage_option.is_empty() {
            xml.element("preservationLevel", |xml| {
                xml.text("preservationLevelType", "storage option")?;
                xml.text("preservationLevelValue", &object.storage_option)
            })?;
        }
        for (name, value) in facts(object) {
            fact(xml, name, &value)?;
        }
        xml.text("originalName", &object.bag_name)
    })
}

/// A fact that PREMIS has no element of its own for; nothing when there is nothing to say.
pub(super) fn fact(xml: &mut Xml<'_>, name: &str, value: &str) -> io::Result<()> {
    if value.is_empty() {
        return Ok(());
    }
    xml.element("significantProperties", |xml| {
        xml.text("significantPropertiesType", name)?;
        xml.text("significantPropertiesValue", value)
    })
}

fn facts(object: &ObjectRow) -> [(&'static str, String); 13] {
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    let state = match object.state {
        HeldState::Active => "held",
        HeldState::Deleted => "deleted",
    };
    [
        ("title", object.title.clone()),
        ("description", some(&object.description)),
        ("version", object.version.to_string()),
        ("state", state.to_owned()),
        ("access", object.access.to_string()),
        ("source organization", some(&object.source_organization)),
        ("bag group", some(&object.bag_group_identifier)),
        ("internal sender identifier", some(&object.internal_sender_identifier)),
        ("internal sender description", some(&object.internal_sender_description)),
        ("files", object.file_count.to_string()),
        ("bytes", object.size.to_string()),
        ("created", object.created_at.to_string()),
        ("changed", object.updated_at.to_string()),
    ]
}
