//! Files, each in one of its versions.

use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check_batch;
use super::identity::{DepositId, Digests, FileId, HeldState, ObjectId, Uuid, Version, unhex};
use super::listing::FILES;
use super::object::Access;
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::{Page, Query};
use crate::registry::{Error, Registry};

/// A file in one of its versions; the fields stand in the order of [`FILES`](super::FILES).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileRow {
    /// Given by the registry, the same for all versions.
    pub id: FileId,
    /// Its object.
    pub intellectual_object_id: ObjectId,
    /// The owner.
    pub institution_id: i64,
    /// Identifier of its object.
    pub object_identifier: String,
    /// Who may see it: the object's.
    pub access: Access,
    /// Where it is kept: the object's.
    pub storage_option: String,
    /// Its path in the bag.
    pub path: String,
    /// The object's identifier, a slash, and the path.
    pub identifier: String,
    /// The same for all versions and for ever.
    pub uuid: Uuid,
    /// The version of the object that first had it.
    pub first_version: Version,
    /// The version of the object that brought this content.
    pub version: Version,
    /// The deposit that did.
    pub deposit_id: DepositId,
    /// Whether its bytes are there.
    pub state: HeldState,
    /// Its bytes.
    pub size: u64,
    /// When the depositor last changed it.
    #[serde(rename = "mtime", with = "MaybeMoment")]
    pub modified_at: Option<Timestamp>,
    /// When its bytes were deleted.
    #[serde(with = "MaybeMoment")]
    pub deleted_at: Option<Timestamp>,
    /// Where in the vault's object its bytes are.
    pub content_path: String,
    /// PRONOM's identifier of the format; empty when unknown.
    pub puid: String,
    /// Name of the format.
    pub format_name: String,
    /// Version of the format.
    pub format_version: String,
    /// Media type.
    pub file_format: String,
    /// What the identification rests on.
    pub format_basis: String,
    /// What the archivist should know about it.
    pub format_warnings: Option<String>,
    /// Its digests.
    #[serde(flatten)]
    pub digests: Digests,
    /// When the deposit that first had the file was recorded.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When the deposit that brought this content was recorded.
    #[serde(with = "Moment")]
    pub updated_at: Timestamp,
    /// No copy of it was last looked at before this; none when there is no copy.
    #[serde(with = "MaybeMoment")]
    pub last_fixity_check: Option<Timestamp>,
}

/// Files of one format in an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatCount {
    /// PRONOM's identifier; empty when unknown.
    pub puid: String,
    /// Name of the format.
    pub name: String,
    /// Version of the format.
    pub version: String,
    /// How many files have it.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

/// The beginning of a digest, or all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestPart(Vec<u8>);

impl DigestPart {
    /// Reads 8 to 128 hexadecimal digits of either case; fewer would find files by chance.
    pub fn parse(digits: &str) -> Option<DigestPart> {
        unhex(digits).filter(|bytes| (4..=64).contains(&bytes.len())).map(DigestPart)
    }
}

/// Files that a walk has in memory.
const PAGE: u32 = 1000;

impl Registry {
    /// One page of files, each in its current version.
    pub fn list_files(&self, query: &Query) -> Result<Page<FileRow>, Error> {
        self.list(&FILES, query, FileRow::read)
    }

    /// The file with this id in its current version.
    pub fn file(&self, id: FileId) -> Result<Option<FileRow>, Error> {
        self.one(&select("held_files", "id = ?1"), [id], FileRow::read)
    }

    /// The file with this UUID in its current version.
    pub fn file_by_uuid(&self, uuid: Uuid) -> Result<Option<FileRow>, Error> {
        let which = "id = (SELECT id FROM files WHERE uuid = ?1)";
        self.one(&select("held_files", which), [uuid], FileRow::read)
    }

    /// The file with this identifier, `institution/bag/path`, in its current version.
    pub fn file_by_identifier(&self, identifier: &str) -> Result<Option<FileRow>, Error> {
        let slash = identifier.match_indices('/').nth(1).map(|(at, _)| at);
        let Some((object, path)) = slash.map(|at| (&identifier[..at], &identifier[at + 1..]))
        else {
            return Ok(None);
        };
        let which = "id = (SELECT f.id FROM files AS f JOIN objects AS o ON o.id = f.object_id
            WHERE o.identifier = ?1 AND f.path = ?2)";
        self.one(&select("held_files", which), (object, path), FileRow::read)
    }

    /// The sealed versions of a file, the newest first.
    pub fn file_versions(&self, file: FileId, limit: u32) -> Result<Vec<FileRow>, Error> {
        let which = "id = ?1 AND version <= sealed_version ORDER BY version DESC LIMIT ?2";
        self.rows(&select("file_facts", which), (file, limit), FileRow::read)
    }

    /// Files whose content had a digest that starts so, by whichever algorithm and in whichever
    /// sealed version.
    pub fn files_by_digest(&self, part: &DigestPart, limit: u32) -> Result<Vec<FileRow>, Error> {
        let DigestPart(bytes) = part;
        let which = "(id, version) IN (SELECT s.file_id, s.version FROM digest_starts AS s
                WHERE s.start >= ?1 AND s.start <= ?2 LIMIT 8 * ?5)
            AND ?3 IN (substr(md5, 1, ?4), substr(sha1, 1, ?4), substr(sha256, 1, ?4),
                substr(sha512, 1, ?4))
            AND version <= sealed_version ORDER BY id, version LIMIT ?5";
        let (mut first, mut last) = ([0_u8; 8], [u8::MAX; 8]);
        let known = bytes.len().min(8);
        first[..known].copy_from_slice(&bytes[..known]);
        last[..known].copy_from_slice(&bytes[..known]);
        let values = params![first, last, bytes, bytes.len() as i64, limit];
        self.rows(&select("file_facts", which), values, FileRow::read)
    }

    /// Those of the paths that the object has, each in its current version.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many at a time.
    pub fn files_by_path(&self, object: ObjectId, paths: &[&str]) -> Result<Vec<FileRow>, Error> {
        check_batch("paths", paths.len())?;
        self.read(|conn| {
            let which = "intellectual_object_id = ?1 AND path = ?2";
            let mut find = conn.prepare_cached(&select("held_files", which))?;
            let mut found = Vec::new();
            for path in paths {
                found.extend(find.query_row(params![object, path], FileRow::read).optional()?);
            }
            Ok(found)
        })
    }

    /// The files of an object as they were in a version, by path, starting after `after`; deleted
    /// ones are among them. A version that is not sealed has none.
    pub fn files_at(
        &self,
        object: ObjectId,
        version: Version,
        after: &str,
        limit: u32,
    ) -> Result<Vec<FileRow>, Error> {
        let which = "intellectual_object_id = ?1 AND path > ?3 AND ?2 <= sealed_version
            AND version <= ?2 AND (superseded_by IS NULL OR superseded_by > ?2)
            ORDER BY path LIMIT ?4";
        self.rows(
            &select("file_facts", which),
            params![object, version, after, limit],
            FileRow::read,
        )
    }

    /// Gives every file of a version to `each`, by path, a page at a time: versions do not change,
    /// so that nobody has to wait for a long walk.
    ///
    /// # Errors
    ///
    /// Whatever `each` fails with, which ends the walk.
    pub fn walk_files<E: From<Error>>(
        &self,
        object: ObjectId,
        version: Version,
        each: &mut dyn FnMut(FileRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = String::new();
        loop {
            let page = self.files_at(object, version, &after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after.clone_from(&last.path);
            for file in page {
                each(file)?;
            }
        }
    }

    /// The formats of an object's files that are there, the most frequent first.
    pub fn format_counts(&self, object: ObjectId, limit: u32) -> Result<Vec<FormatCount>, Error> {
        let sql = "SELECT m.puid, m.name, m.version, sum(c.file_count) AS files, sum(c.size)
            FROM object_formats AS c JOIN formats AS m ON m.id = c.format_id
            WHERE c.object_id = ?1 AND c.file_count > 0
            GROUP BY m.puid, m.name, m.version ORDER BY files DESC, m.puid, m.name LIMIT ?2";
        self.rows(sql, (object, limit), |row| {
            let mut of = Fields::of(row);
            let (puid, name, version) = (of.take()?, of.take()?, of.take()?);
            Ok(FormatCount { puid, name, version, file_count: of.count()?, size: of.count()? })
        })
    }
}

pub(super) fn select(from: &str, which: &str) -> String {
    format!("SELECT {} FROM {from} WHERE {which}", FILES.column_list())
}

impl FileRow {
    /// Whether its format is known, and there is nothing to say about that.
    pub fn format_is_sure(&self) -> bool {
        !self.puid.is_empty() && self.format_warnings.is_none()
    }

    /// Whether it is of the payload, below `data/`.
    pub fn is_payload(&self) -> bool {
        self.path.starts_with("data/")
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<FileRow> {
        let mut of = Fields::of(row);
        let (id, intellectual_object_id, institution_id) = (of.take()?, of.take()?, of.take()?);
        let (object_identifier, access, storage_option): (String, _, _) =
            (of.take()?, of.take()?, of.take()?);
        let path: String = of.take()?;
        let identifier = format!("{object_identifier}/{path}");
        let (uuid, first_version, version) = (of.take()?, of.take()?, of.take()?);
        let (deposit_id, state, size) = (of.take()?, of.take()?, of.count()?);
        let (modified_at, deleted_at) = (of.maybe_millis()?, of.maybe_millis()?);
        let content: Option<String> = of.take()?;
        let content_path = content.unwrap_or_else(|| format!("v{version}/content/{path}"));
        Ok(FileRow {
            id,
            intellectual_object_id,
            institution_id,
            object_identifier,
            access,
            storage_option,
            path,
            identifier,
            uuid,
            first_version,
            version,
            deposit_id,
            state,
            size,
            modified_at,
            deleted_at,
            content_path,
            puid: of.take()?,
            format_name: of.take()?,
            format_version: of.take()?,
            file_format: of.take()?,
            format_basis: of.take()?,
            format_warnings: of.take()?,
            digests: Digests {
                md5: of.take()?,
                sha1: of.take()?,
                sha256: of.take()?,
                sha512: of.take()?,
            },
            created_at: of.take()?,
            updated_at: of.take()?,
            last_fixity_check: of.maybe_millis()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_digests() {
        assert_eq!(DigestPart::parse("ABcd0123").map(|it| it.0), Some(vec![0xab, 0xcd, 1, 0x23]));
        for bad in ["", "abcd01", "abcd012", "abcd012x", &"0".repeat(130)] {
            assert_eq!(DigestPart::parse(bad), None, "{bad}");
        }
    }
}
