//! Objects: what one bag, in all its versions, has become.

use rusqlite::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::{HeldState, ObjectId, Version, by_name};
use super::listing::OBJECTS;
use crate::clock::Timestamp;
use crate::registry::institution::InstitutionKind;
use crate::registry::moment::{Fields, Moment};
use crate::registry::query::{Page, Query};
use crate::registry::{Error, Registry};

/// Who may see an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Consortia,
    /// The institution's users.
    Institution,
    /// The institution's administrators.
    Restricted,
}

impl Access {
    /// All of them, the widest first.
    pub const ALL: [Access; 3] = [Access::Consortia, Access::Institution, Access::Restricted];

    /// The word in tags, in the table and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Access::Consortia => "consortia",
            Access::Institution => "institution",
            Access::Restricted => "restricted",
        }
    }
}

by_name!(Access);

/// What a deposit says about its object; each seal replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectFacts {
    /// Tag of the same name.
    pub title: String,
    /// Tag of the same name.
    pub description: Option<String>,
    /// The depositor's own identifier.
    pub alt_identifier: Option<String>,
    /// Who may see it.
    pub access: Access,
    /// The entity tag of the received file; empty when there is none.
    pub etag: String,
    /// The group of bags it belongs to.
    pub bag_group_identifier: Option<String>,
    /// Where it is kept.
    pub storage_option: String,
    /// The profile the bag was checked by.
    pub bagit_profile_identifier: String,
    /// Tag of the same name.
    pub source_organization: Option<String>,
    /// Tag of the same name.
    pub internal_sender_identifier: Option<String>,
    /// Tag of the same name.
    pub internal_sender_description: Option<String>,
}

/// An object as it is listed and shown; its fields stand in the order of
/// [`OBJECTS`](super::OBJECTS).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectRow {
    /// Given by the registry.
    pub id: ObjectId,
    /// The institution's identifier, a slash, and the bag's name.
    pub identifier: String,
    /// The owner.
    pub institution_id: i64,
    /// The name of the bag, without its extension.
    pub bag_name: String,
    /// Tag of the same name.
    pub title: String,
    /// Tag of the same name.
    pub description: Option<String>,
    /// The depositor's own identifier.
    pub alt_identifier: Option<String>,
    /// Who may see it.
    pub access: Access,
    /// Whether it is there.
    pub state: HeldState,
    /// The entity tag of the file received last.
    pub etag: String,
    /// The group of bags it belongs to.
    pub bag_group_identifier: Option<String>,
    /// Where it is kept.
    pub storage_option: String,
    /// The profile the bag was checked by.
    pub bagit_profile_identifier: String,
    /// Tag of the same name.
    pub source_organization: Option<String>,
    /// Tag of the same name.
    pub internal_sender_identifier: Option<String>,
    /// Tag of the same name.
    pub internal_sender_description: Option<String>,
    /// Its newest version.
    pub version: Version,
    /// Files that are there.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Those below `data/`.
    pub payload_file_count: u64,
    /// Their bytes.
    pub payload_size: u64,
    /// When its first deposit was recorded.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When it was last sealed, or something of it deleted.
    #[serde(with = "Moment")]
    pub updated_at: Timestamp,
    /// Name of the owner.
    pub institution_name: String,
    /// Identifier of the owner.
    pub institution_identifier: String,
    /// Whether the owner stands on its own.
    pub institution_type: InstitutionKind,
    /// The member that the owner is an account of.
    pub institution_parent_id: Option<i64>,
}

impl Registry {
    /// The object with this id, once a version of it is sealed.
    pub fn object(&self, id: ObjectId) -> Result<Option<ObjectRow>, Error> {
        self.one(&select("id = ?1"), [id], ObjectRow::read)
    }

    /// The object with this identifier, once a version of it is sealed.
    pub fn object_by_identifier(&self, identifier: &str) -> Result<Option<ObjectRow>, Error> {
        self.one(&select("identifier = ?1"), [identifier], ObjectRow::read)
    }

    /// One page of objects.
    pub fn list_objects(&self, query: &Query) -> Result<Page<ObjectRow>, Error> {
        self.list(&OBJECTS, query, ObjectRow::read)
    }
}

pub(super) fn select(which: &str) -> String {
    format!("SELECT {} FROM held_objects WHERE {which}", OBJECTS.column_list())
}

impl ObjectRow {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<ObjectRow> {
        let mut of = Fields::of(row);
        Ok(ObjectRow {
            id: of.take()?,
            identifier: of.take()?,
            institution_id: of.take()?,
            bag_name: of.take()?,
            title: of.take()?,
            description: of.take()?,
            alt_identifier: of.take()?,
            access: of.take()?,
            state: of.take()?,
            etag: of.take()?,
            bag_group_identifier: of.take()?,
            storage_option: of.take()?,
            bagit_profile_identifier: of.take()?,
            source_organization: of.take()?,
            internal_sender_identifier: of.take()?,
            internal_sender_description: of.take()?,
            version: of.take()?,
            file_count: of.count()?,
            size: of.count()?,
            payload_file_count: of.count()?,
            payload_size: of.count()?,
            created_at: of.take()?,
            updated_at: of.take()?,
            institution_name: of.take()?,
            institution_identifier: of.take()?,
            institution_type: of.take()?,
            institution_parent_id: of.take()?,
        })
    }
}
