//! Copies, each with the place where it lies: the described API's storage records.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

use super::identity::{FileId, ObjectId, Version};
use super::object::Access;
use crate::registry::moment::Fields;
use crate::registry::query::Kind::{Bool, Integer, Text};
use crate::registry::query::Op::{Eq, In};
use crate::registry::query::{Column, Listing, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// Where one copy of a file lies, in the order of [`STORAGE_RECORDS`]. How a vault names the folder
/// of an object is the vault's to know; the other parts of the address are here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorageRecordRow {
    /// Computed from file, version and replica.
    pub id: i64,
    /// The file.
    pub generic_file_id: FileId,
    /// The version of the object that brought this content.
    pub version: Version,
    /// The replica's name.
    pub replica: String,
    /// The replica's address.
    pub replica_url: String,
    /// The identifier of the object.
    pub object_identifier: String,
    /// Where in the vault's object its bytes are.
    pub content_path: String,
    /// The object.
    pub intellectual_object_id: ObjectId,
    /// The owner.
    pub institution_id: i64,
    /// Who may see it: the object's.
    pub access: Access,
}

/// The listing of copies, from object to object and there by path.
pub static STORAGE_RECORDS: Listing = Listing {
    table: "copies_by_object",
    view: "held_copies",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq])
            .sortable()
            .within("generic_file_id")
            .along("held_copies", &[])
            .found_by("(generic_file_id, id) IN (SELECT x >> 26, x FROM (SELECT ? AS x))"),
        Column::new("generic_file_id", Integer, &[Eq, In])
            .sortable()
            .along("held_copies", &["generic_file_id"]),
        Column::new("version", Integer, &[]),
        Column::new("replica", Text, &[]),
        Column::new("replica_url", Text, &[]),
        Column::new("object_identifier", Text, &[]),
        Column::new("content_path", Text, &[]),
        Column::new("intellectual_object_id", Integer, &[])
            .sortable()
            .ordered(&["intellectual_object_id", "path"]),
        Column::new("institution_id", Integer, &[]),
        Column::new("access", Text, &[]),
        // For the order only.
        Column::new("path", Text, &[]).sortable(),
        // For the question only.
        Column::new("is_current", Bool, &[Eq]),
    ],
    owner: Owner::HELD,
    default_sort: ("intellectual_object_id", false),
};

impl Registry {
    /// One page of copies, of all sealed versions unless only the current ones are asked for.
    pub fn list_storage_records(&self, query: &Query) -> Result<Page<StorageRecordRow>, Error> {
        self.list(&STORAGE_RECORDS, query, StorageRecordRow::read)
    }

    /// The copy with this id.
    pub fn storage_record(&self, id: i64) -> Result<Option<StorageRecordRow>, Error> {
        let columns = STORAGE_RECORDS.column_list();
        let sql = format!(
            "SELECT {columns} FROM held_copies WHERE generic_file_id = ?1 >> 26 AND id = ?1"
        );
        self.one(&sql, [id], StorageRecordRow::read)
    }
}

impl StorageRecordRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<StorageRecordRow> {
        let mut of = Fields::of(row);
        Ok(StorageRecordRow {
            id: of.take()?,
            generic_file_id: of.take()?,
            version: of.take()?,
            replica: of.take()?,
            replica_url: of.take()?,
            object_identifier: of.take()?,
            content_path: of.take()?,
            intellectual_object_id: of.take()?,
            institution_id: of.take()?,
            access: of.take()?,
        })
    }
}
