//! What is to be restored: an object or one of its files, in one version. An item says it in its
//! name among live items, so that the same wish twice is one item.

use storage::registry::{FileRow, HeldState, ObjectRow, Version};
use storage::work::item::{Subject, WorkItem};
use storage::work::queue::NewItem;

use super::RESTORE;
use crate::fault::{Failure, Fault, Kind};

/// What items are called in the described registry.
const OBJECT: &str = "Restore Object";
const FILE: &str = "Restore File";

const START: &str = "restore/";
/// Behind the number of a version that was not the newest when it was asked for.
const PAST: &str = ".past";

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// `institution/bag`
    pub object_identifier: String,
    /// The path of a file in the bag; none for the whole object.
    pub path: Option<String>,
    /// The version of the object; of a file, the one that brought its content.
    pub version: Version,
    /// Whether a newer one was there when it was asked for.
    pub is_past: bool,
}

/// Why something cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwished {
    /// No such version.
    #[error("there is no version {asked} of {of}; there is 1 to {newest}")]
    NoSuchVersion {
        /// Of what.
        of: String,
        /// What was asked for.
        asked: u32,
        /// The newest there is.
        newest: u32,
    },
    /// The object had no such file then.
    #[error("version {asked} of the object did not have {of} yet")]
    NotYet {
        /// The file.
        of: String,
        /// What was asked for.
        asked: u32,
    },
    /// Its bytes are gone.
    #[error("the bytes of {0} were deleted from every replica")]
    Deleted(String),
    /// Two people have agreed that it goes.
    #[error("something of {0} is being deleted, as two people have agreed")]
    Going(String),
}

impl Wish {
    /// A wish for an object as it is, or as it was.
    pub fn object(object: &ObjectRow, version: Option<u32>) -> Result<Wish, Unwished> {
        if object.state == HeldState::Deleted {
            return Err(Unwished::Deleted(object.identifier.clone()));
        }
        let newest = object.version.0;
        let asked = version.unwrap_or(newest);
        if asked == 0 || asked > newest {
            let of = object.identifier.clone();
            return Err(Unwished::NoSuchVersion { of, asked, newest });
        }
        Ok(Wish {
            object_identifier: object.identifier.clone(),
            path: None,
            version: Version(asked),
            is_past: asked < newest,
        })
    }

    /// A wish for a file as it is, or as it was in a version of its object. `versions` are those of
    /// the file, the newest first.
    pub fn file(versions: &[FileRow], version: Option<u32>) -> Result<Wish, Unwished> {
        let Some(newest) = versions.first() else {
            return Err(Unwished::Deleted("the file".into()));
        };
        let wanted = version.unwrap_or(u32::MAX);
        let Some(file) = versions.iter().find(|it| it.version.0 <= wanted) else {
            return Err(Unwished::NotYet { of: newest.identifier.clone(), asked: wanted });
        };
        if file.state == HeldState::Deleted {
            return Err(Unwished::Deleted(file.identifier.clone()));
        }
        Ok(Wish {
            object_identifier: file.object_identifier.clone(),
            path: Some(file.path.clone()),
            version: file.version,
            is_past: file.version != newest.version,
        })
    }

    /// The wish of an item.
    pub(super) fn of(item: &WorkItem) -> Result<Wish, Fault> {
        let read = || {
            let name = item.unique.as_deref()?.strip_prefix(START)?;
            let (what, version) = name.rsplit_once('@')?;
            let number = version.strip_suffix(PAST);
            let slash = what.match_indices('/').nth(1).map(|(at, _)| at);
            Some(Wish {
                object_identifier: what[..slash.unwrap_or(what.len())].to_owned(),
                path: slash.map(|at| what[at + 1..].to_owned()),
                version: Version(number.unwrap_or(version).parse().ok()?),
                is_past: number.is_some(),
            })
        };
        read().ok_or_else(|| {
            Fault::Failed(Failure {
                kind: Kind::Fatal,
                code: "no-wish",
                advice: "cancel the item and ask for the restoration again".into(),
                source: "the item does not say what is to be restored".into(),
            })
        })
    }

    /// The identifier of what is asked for.
    pub(super) fn identifier(&self) -> String {
        match &self.path {
            Some(path) => format!("{}/{path}", self.object_identifier),
            None => self.object_identifier.clone(),
        }
    }

    /// The identifier of the institution, and the name of the bag.
    pub(super) fn owner(&self) -> (&str, &str) {
        self.object_identifier.split_once('/').unwrap_or_default()
    }

    /// What is asked for, in words.
    pub(super) fn words(&self) -> String {
        let (kind, identifier) =
            (if self.path.is_some() { "File" } else { "Object" }, self.identifier());
        match self.is_past {
            true => format!("{kind} {identifier} (version {})", self.version),
            false => format!("{kind} {identifier}"),
        }
    }

    /// What its item is called once everything can be read.
    pub(super) fn action(&self) -> &'static str {
        if self.path.is_some() { FILE } else { OBJECT }
    }

    /// The name that at most one live item bears.
    pub(super) fn unique(&self) -> String {
        let past = if self.is_past { PAST } else { "" };
        format!("{START}{}@{}{past}", self.identifier(), self.version)
    }

    /// The item that grants it, for whoever asks.
    pub(crate) fn item(&self, object: &ObjectRow, asks: Asks<'_>) -> NewItem {
        let (topic, action) = match &self.path {
            _ if asks.is_cold => ("restore_glacier", "Glacier Restore"),
            Some(_) => ("restore_file", FILE),
            None => ("restore_object", OBJECT),
        };
        NewItem {
            flow: RESTORE.name.into(),
            topic: topic.into(),
            subject: Subject {
                action: action.into(),
                name: super::place::name(self),
                institution: Some(object.institution_id),
                object: Some(object.id.0),
                file: asks.file.map(|file| file.id.0),
                object_identifier: Some(self.object_identifier.clone()),
                file_identifier: self.path.as_ref().map(|_| self.identifier()),
                user: asks.user.to_owned(),
                size_bytes: asks.file.map_or(object.size, |file| file.size),
                storage_option: Some(object.storage_option.clone()),
                alt_identifier: object.alt_identifier.clone(),
                bag_group_identifier: object.bag_group_identifier.clone(),
                bagit_profile_identifier: Some(object.bagit_profile_identifier.clone()),
                source_organization: object.source_organization.clone(),
                internal_sender_identifier: object.internal_sender_identifier.clone(),
                ..Subject::default()
            },
            unique: Some(self.unique()),
            note: format!("asked for by {}", asks.user),
            ..NewItem::default()
        }
    }
}

/// Who asks, and for which file.
#[derive(Clone, Copy)]
pub(crate) struct Asks<'a> {
    pub(crate) user: &'a str,
    pub(crate) file: Option<&'a FileRow>,
    /// Whether only cold replicas have it.
    pub(crate) is_cold: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_says_what_was_wished_for() {
        for (identifier, path) in [
            ("a.edu/letters", None),
            ("a.edu/let@ters@2", Some("data/odd@3/x@y")),
            ("a.edu/b", Some("data/plain.txt")),
        ] {
            for is_past in [true, false] {
                let wish = Wish {
                    object_identifier: identifier.into(),
                    path: path.map(str::to_owned),
                    version: Version(12),
                    is_past,
                };
                let mut item = sample();
                item.unique = Some(wish.unique());
                assert_eq!(Wish::of(&item).unwrap(), wish);
            }
        }
        for bad in [None, Some("restore/a"), Some("fixity/a@1"), Some("restore/a@x")] {
            let mut item = sample();
            item.unique = bad.map(str::to_owned);
            assert!(Wish::of(&item).is_err(), "{bad:?}");
        }
    }

    fn sample() -> WorkItem {
        let json = serde_json::json!({
            "id": 1, "flow": "restore", "topic": "restore_object", "state": "Finished",
            "subject": {}, "priority": 0, "unique": null, "expires": null,
            "strikes": {"attempts": 0, "panics": 0, "crashes": 0}, "turns": 0, "verdict": "Open",
            "cancel": null, "note": "", "outcome": "", "revision": 0, "created": 0, "updated": 0,
            "queued": 0, "started": null,
        });
        serde_json::from_value(json).unwrap()
    }
}
