//! The shape in which the record of a bag is stored. It has fields of its own, so that a change to
//! what the registry or an item keeps does not change what is on disk: the compiler asks for it here,
//! and the golden bytes show it. A change of this shape is the next version of the record.

use serde::{Deserialize, Serialize};
use storage::registry::{self, Version};
use storage::work::item;

use super::{BagRecord, Moments, Packing};

/// A [`BagRecord`] as it is stored.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredBag {
    object_identifier: String,
    facts: StoredFacts,
    asked_option: String,
    tags: Vec<StoredTag>,
    manifests: Vec<String>,
    top_folder: String,
    packing: Packing,
    findings: Vec<StoredFinding>,
    file_count: u64,
    size_bytes: u64,
    version: Option<u32>,
    saved_file_count: u64,
    signatures: String,
    moments: Moments,
}

#[derive(Serialize, Deserialize)]
struct StoredFacts {
    title: String,
    description: Option<String>,
    alt_identifier: Option<String>,
    access: StoredAccess,
    etag: String,
    bag_group_identifier: Option<String>,
    storage_option: String,
    bagit_profile_identifier: String,
    source_organization: Option<String>,
    internal_sender_identifier: Option<String>,
    internal_sender_description: Option<String>,
}

/// Stored as its name.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
enum StoredAccess {
    Consortia,
    Institution,
    Restricted,
}

#[derive(Serialize, Deserialize)]
struct StoredTag {
    file: String,
    name: String,
    value: String,
}

#[derive(Serialize, Deserialize)]
struct StoredFinding {
    code: String,
    severity: StoredSeverity,
    place: String,
    sentence: String,
}

#[derive(Serialize, Deserialize)]
enum StoredSeverity {
    Error,
    Warning,
}

impl From<BagRecord> for StoredBag {
    fn from(bag: BagRecord) -> StoredBag {
        StoredBag {
            object_identifier: bag.object_identifier,
            facts: bag.facts.into(),
            asked_option: bag.asked_option,
            tags: bag.tags.into_iter().map(StoredTag::from).collect(),
            manifests: bag.manifests,
            top_folder: bag.top_folder,
            packing: bag.packing,
            findings: bag.findings.into_iter().map(StoredFinding::from).collect(),
            file_count: bag.file_count,
            size_bytes: bag.size_bytes,
            version: bag.version.map(|Version(number)| number),
            saved_file_count: bag.saved_file_count,
            signatures: bag.signatures,
            moments: bag.moments,
        }
    }
}

impl From<StoredBag> for BagRecord {
    fn from(bag: StoredBag) -> BagRecord {
        BagRecord {
            object_identifier: bag.object_identifier,
            facts: bag.facts.into(),
            asked_option: bag.asked_option,
            tags: bag.tags.into_iter().map(registry::Tag::from).collect(),
            manifests: bag.manifests,
            top_folder: bag.top_folder,
            packing: bag.packing,
            findings: bag.findings.into_iter().map(item::Finding::from).collect(),
            file_count: bag.file_count,
            size_bytes: bag.size_bytes,
            version: bag.version.map(Version),
            saved_file_count: bag.saved_file_count,
            signatures: bag.signatures,
            moments: bag.moments,
        }
    }
}

impl From<registry::ObjectFacts> for StoredFacts {
    fn from(facts: registry::ObjectFacts) -> StoredFacts {
        StoredFacts {
            title: facts.title,
            description: facts.description,
            alt_identifier: facts.alt_identifier,
            access: match facts.access {
                registry::Access::Consortia => StoredAccess::Consortia,
                registry::Access::Institution => StoredAccess::Institution,
                registry::Access::Restricted => StoredAccess::Restricted,
            },
            etag: facts.etag,
            bag_group_identifier: facts.bag_group_identifier,
            storage_option: facts.storage_option,
            bagit_profile_identifier: facts.bagit_profile_identifier,
            source_organization: facts.source_organization,
            internal_sender_identifier: facts.internal_sender_identifier,
            internal_sender_description: facts.internal_sender_description,
        }
    }
}

impl From<StoredFacts> for registry::ObjectFacts {
    fn from(facts: StoredFacts) -> registry::ObjectFacts {
        registry::ObjectFacts {
            title: facts.title,
            description: facts.description,
            alt_identifier: facts.alt_identifier,
            access: match facts.access {
                StoredAccess::Consortia => registry::Access::Consortia,
                StoredAccess::Institution => registry::Access::Institution,
                StoredAccess::Restricted => registry::Access::Restricted,
            },
            etag: facts.etag,
            bag_group_identifier: facts.bag_group_identifier,
            storage_option: facts.storage_option,
            bagit_profile_identifier: facts.bagit_profile_identifier,
            source_organization: facts.source_organization,
            internal_sender_identifier: facts.internal_sender_identifier,
            internal_sender_description: facts.internal_sender_description,
        }
    }
}

impl StoredAccess {
    fn name(self) -> &'static str {
        match self {
            StoredAccess::Consortia => "consortia",
            StoredAccess::Institution => "institution",
            StoredAccess::Restricted => "restricted",
        }
    }
}

impl From<StoredAccess> for String {
    fn from(access: StoredAccess) -> String {
        access.name().to_owned()
    }
}

impl TryFrom<String> for StoredAccess {
    type Error = String;

    fn try_from(name: String) -> Result<StoredAccess, String> {
        [StoredAccess::Consortia, StoredAccess::Institution, StoredAccess::Restricted]
            .into_iter()
            .find(|access| access.name() == name)
            .ok_or_else(|| format!("there is no access {name:?}"))
    }
}

impl From<registry::Tag> for StoredTag {
    fn from(tag: registry::Tag) -> StoredTag {
        StoredTag { file: tag.file, name: tag.name, value: tag.value }
    }
}

impl From<StoredTag> for registry::Tag {
    fn from(tag: StoredTag) -> registry::Tag {
        registry::Tag { file: tag.file, name: tag.name, value: tag.value }
    }
}

impl From<item::Finding> for StoredFinding {
    fn from(finding: item::Finding) -> StoredFinding {
        StoredFinding {
            code: finding.code,
            severity: match finding.severity {
                item::Severity::Error => StoredSeverity::Error,
                item::Severity::Warning => StoredSeverity::Warning,
            },
            place: finding.place,
            sentence: finding.sentence,
        }
    }
}

impl From<StoredFinding> for item::Finding {
    fn from(finding: StoredFinding) -> item::Finding {
        item::Finding {
            code: finding.code,
            severity: match finding.severity {
                StoredSeverity::Error => item::Severity::Error,
                StoredSeverity::Warning => item::Severity::Warning,
            },
            place: finding.place,
            sentence: finding.sentence,
        }
    }
}
