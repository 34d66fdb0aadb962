//! What lies where in the vault's object, by what the registry knows.

use rusqlite::{Row, params};

use super::identity::{FileId, ObjectId, Version};
use crate::registry::moment::Fields;
use crate::registry::{Error, Registry};

/// One version of a file that is not deleted, and where its bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldContent {
    /// The file.
    pub file_id: FileId,
    /// Its path in the bag.
    pub path: String,
    /// Its version.
    pub version: Version,
    /// Its place in the vault's object.
    pub content_path: String,
    /// Of its bytes.
    pub sha512: [u8; 64],
    /// The same, as far as buckets tell it.
    pub md5: [u8; 16],
    /// How many bytes.
    pub size_bytes: u64,
}

const SELECT: &str = "SELECT f.id, f.path, v.version,
        coalesce(v.content_path, 'v' || v.version || '/content/' || f.path), v.sha512, v.md5, v.size
    FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
        CROSS JOIN objects AS o ON o.id = f.object_id
    WHERE f.object_id = ?1 AND v.version <= o.version AND v.deleted_at IS NULL";

/// Rows read at a time.
const PAGE: u32 = 1000;

impl Registry {
    /// Gives every version of every file of an object that is not deleted to `each`, a page at a
    /// time.
    ///
    /// # Errors
    ///
    /// Whatever `each` fails with, which ends the walk.
    pub fn walk_contents<E: From<Error>>(
        &self,
        object: ObjectId,
        each: &mut dyn FnMut(HeldContent) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!(
            "{SELECT} AND (f.path, v.version) > (?2, ?3) ORDER BY f.path, v.version LIMIT {PAGE}"
        );
        let (mut path, mut version) = (String::new(), Version(0));
        loop {
            let page = self.rows(&sql, params![object, path, version], HeldContent::read)?;
            let Some(last) = page.last() else { return Ok(()) };
            path.clone_from(&last.path);
            version = last.version;
            for content in page {
                each(content)?;
            }
        }
    }

    /// The versions of files whose bytes lie at a place in the vault's object: one, or several that
    /// share them.
    pub fn contents_at(
        &self,
        object: ObjectId,
        content_path: &str,
    ) -> Result<Vec<HeldContent>, Error> {
        let own = content_path.strip_prefix('v').and_then(|rest| rest.split_once("/content/"));
        let (version, path) = own.unwrap_or_default();
        let sql = format!(
            "{SELECT} AND ((f.path = ?2 AND v.version = ?3 AND v.content_path IS NULL)
                 OR v.content_path = ?4) ORDER BY f.path, v.version"
        );
        let version: u32 = version.parse().unwrap_or(0);
        self.rows(&sql, params![object, path, version, content_path], HeldContent::read)
    }
}

impl HeldContent {
    fn read(row: &Row<'_>) -> rusqlite::Result<HeldContent> {
        let mut of = Fields::of(row);
        Ok(HeldContent {
            file_id: of.take()?,
            path: of.take()?,
            version: of.take()?,
            content_path: of.take()?,
            sha512: of.take()?,
            md5: of.take()?,
            size_bytes: of.count()?,
        })
    }
}
