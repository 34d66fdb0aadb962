//! Digests of file versions, each as a row of its own: the described API lists them so.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

use super::identity::{FileId, HeldState, ObjectId, Version, hex};
use super::listing::file_named;
use super::object::Access;
use crate::clock::Timestamp;
use crate::registry::moment::{self, Fields};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Eq, Gt, GtEq, In, Lt, LtEq};
use crate::registry::query::{Column, Listing, Op, Owner, Page, Query, Word};
use crate::registry::{Error, Registry};

/// One digest of one version of a file, in the order of [`CHECKSUMS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecksumRow {
    /// Computed from file, version and algorithm.
    pub id: i64,
    /// `md5`, `sha1`, `sha256` or `sha512`.
    pub algorithm: String,
    /// In lower-case digits.
    pub digest: String,
    /// When the deposit that brought this content was recorded.
    #[serde(with = "moment")]
    pub datetime: Timestamp,
    /// The file.
    pub generic_file_id: FileId,
    /// The file's identifier.
    pub generic_file_identifier: String,
    /// Its object.
    pub intellectual_object_id: ObjectId,
    /// The owner.
    pub institution_id: i64,
    /// Who may see it: the object's.
    pub access: Access,
    /// The version of the object that brought this content.
    pub version: Version,
    /// Whether its bytes are there.
    pub state: HeldState,
}

const SAME: &[Op] = &[Eq];
const SPAN: &[Op] = &[Eq, Gt, GtEq, Lt, LtEq];

/// Every version has each of them.
const ALGORITHMS: [Word; 4] = [
    Word { word: "md5", condition: "algorithm = 'md5'", road: None },
    Word { word: "sha1", condition: "algorithm = 'sha1'", road: None },
    Word { word: "sha256", condition: "algorithm = 'sha256'", road: None },
    Word { word: "sha512", condition: "algorithm = 'sha512'", road: None },
];

const THERE: Word =
    Word { word: "A", condition: "deleted_at IS NULL AND +object_file_count > 0", road: None };
const DELETED: Word = Word {
    word: "D",
    condition: "deleted_at IS NOT NULL",
    road: Some(("held_checksums", &["institution_id", "generic_file_id"])),
};

/// The listing of digests, from object to object and there by path.
pub static CHECKSUMS: Listing = Listing {
    table: "checksums_by_object",
    view: "held_checksums",
    key: "id",
    columns: &[
        Column::new("id", Integer, SAME)
            .sortable()
            .within("generic_file_id")
            .along("held_checksums", &[])
            .found_by("(generic_file_id, id) IN (SELECT x >> 20, x FROM (SELECT ? AS x))"),
        Column::new("algorithm", Text, SAME).meaning(&ALGORITHMS),
        Column::new("digest", Text, SAME).along("held_checksums", &[]).found_by(
            "(generic_file_id, version, digest) IN (WITH asked (x) AS (SELECT unhex(?))
             SELECT s.file_id, s.version, x FROM asked
             JOIN digest_starts AS s ON s.start = substr(x, 1, 8))",
        ),
        Column::new("datetime", Time, SPAN).sortable().along(
            "checksums_by_deposit",
            &["datetime", "intellectual_object_id", "version", "generic_file_id"],
        ),
        Column::new("generic_file_id", Integer, &[Eq, In])
            .sortable()
            .along("held_checksums", &["generic_file_id"]),
        Column::new("generic_file_identifier", Text, SAME)
            .along("held_checksums", &["generic_file_id"])
            .found_by(concat!("generic_file_id = ", file_named!())),
        Column::new("intellectual_object_id", Integer, &[Eq, In])
            .sortable()
            .ordered(&["intellectual_object_id", "path"]),
        Column::new("institution_id", Integer, &[Eq, In]).sortable(),
        Column::new("access", Text, &[]),
        Column::new("version", Integer, &[]).sortable(),
        Column::new("state", Text, SAME).meaning(&[THERE, DELETED]).off_road(),
        // For the order only.
        Column::new("path", Text, &[]).sortable(),
    ],
    owner: Owner::HELD,
    default_sort: ("intellectual_object_id", false),
};

impl Registry {
    /// One page of digests, of all sealed versions.
    pub fn list_checksums(&self, query: &Query) -> Result<Page<ChecksumRow>, Error> {
        self.list(&CHECKSUMS, query, ChecksumRow::read)
    }

    /// The digest with this id.
    pub fn checksum(&self, id: i64) -> Result<Option<ChecksumRow>, Error> {
        let columns = CHECKSUMS.column_list();
        let sql = format!(
            "SELECT {columns} FROM held_checksums WHERE generic_file_id = ?1 >> 20 AND id = ?1"
        );
        self.one(&sql, [id], ChecksumRow::read)
    }
}

impl ChecksumRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<ChecksumRow> {
        let mut of = Fields::of(row);
        Ok(ChecksumRow {
            id: of.take()?,
            algorithm: of.take()?,
            digest: hex(&of.take::<Vec<u8>>()?),
            datetime: of.take()?,
            generic_file_id: of.take()?,
            generic_file_identifier: of.take()?,
            intellectual_object_id: of.take()?,
            institution_id: of.take()?,
            access: of.take()?,
            version: of.take()?,
            state: of.take()?,
        })
    }
}
