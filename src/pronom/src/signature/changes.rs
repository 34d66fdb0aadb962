//! What a newer signature set brings.

use std::collections::BTreeMap;

use serde::Serialize;

use super::set::{Format, SignatureSet};

/// The differences between two sets, by PUID.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub added: Vec<Named>,
    pub removed: Vec<Named>,
    /// Another name, version, MIME type, extension or priority, or other signatures.
    pub changed: Vec<Named>,
    pub same: usize,
}

/// A format as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    pub puid: String,
    pub name: String,
    pub version: Option<String>,
}

impl Changes {
    pub fn between(old: &SignatureSet, new: &SignatureSet) -> Changes {
        let (before, after) = (facts(old), facts(new));
        let mut changes = Changes::default();
        for (puid, (format, fact)) in &after {
            match before.get(puid) {
                None => changes.added.push(Named::of(format)),
                Some((_, old)) if old != fact => changes.changed.push(Named::of(format)),
                Some(_) => changes.same += 1,
            }
        }
        let gone = before.iter().filter(|(puid, _)| !after.contains_key(*puid));
        changes.removed = gone.map(|(_, (format, _))| Named::of(format)).collect();
        changes
    }
}

impl Named {
    /// The name with its version, as people say it.
    pub fn title(&self) -> String {
        titled(&self.name, self.version.as_deref())
    }

    pub(crate) fn of(format: &Format) -> Named {
        let Format { puid, name, version, .. } = format;
        Named { puid: puid.clone(), name: name.clone(), version: version.clone() }
    }
}

/// A name with its version, as people say it; some names say the version already.
pub fn titled(name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) if !name.split_whitespace().any(|word| word == version) => {
            format!("{name} {version}")
        }
        Some(_) | None => name.to_owned(),
    }
}

/// What a set says about each format, in words that do not depend on places in the set.
fn facts(set: &SignatureSet) -> BTreeMap<&str, (&Format, String)> {
    let mut facts = BTreeMap::new();
    for format in &set.formats {
        let named = |place: &u16| set.formats.get(usize::from(*place)).map(|it| it.puid.as_str());
        let over: Vec<_> = format.over.iter().filter_map(named).collect();
        let Format { name, version, mimes, extensions, .. } = format;
        let fact = format!("{name:?}{version:?}{mimes:?}{extensions:?}{over:?}");
        facts.insert(format.puid.as_str(), (format, fact));
    }
    let puid = |place: u16| set.formats.get(usize::from(place)).map(|it| it.puid.as_str());
    let mut add = |place: u16, fact: String| {
        if let Some((_, facts)) = puid(place).and_then(|puid| facts.get_mut(puid)) {
            facts.push_str(&fact);
        }
    };
    for signature in &set.signatures {
        add(signature.format, format!("{:?}", signature.sequences));
    }
    for signature in &set.containers {
        add(signature.format, format!("{:?}{:?}", signature.kind, signature.files));
    }
    facts
}
