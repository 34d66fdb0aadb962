//! Digests and copies of files, each as a row of its own, as clients of the described registry ask
//! for them.

use serde::{Deserialize, Serialize};
use storage::registry::{
    CHECKSUMS, ChecksumRow, Counting, Page, STORAGE_RECORDS, StorageRecordRow,
};

use super::held::{Held, not_held, parse};
use super::{Desk, DeskError};

/// A page of digests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChecksumList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The digests.
    pub checksums: Vec<ChecksumRow>,
}

/// A page of copies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StorageRecordList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The copies.
    pub storage_records: Vec<StorageRecordRow>,
}

impl Desk<'_> {
    /// Digests by filter.
    pub fn checksums(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<ChecksumList, DeskError> {
        let query = parse(&CHECKSUMS, pairs, counting)?.seen_by(self.sight_of(pairs)?);
        let page = self.app.registry.list_checksums(&query)?;
        let (count, count_is_exact) = counted(&page);
        let next_cursor = page.next_cursor;
        Ok(ChecksumList { count, count_is_exact, next_cursor, checksums: page.rows })
    }

    /// One digest, by its number.
    pub fn checksum(&self, id: i64) -> Result<ChecksumRow, DeskError> {
        let found = self.app.registry.checksum(id)?;
        let seen = found.filter(|it| self.sees(it.institution_id, it.access));
        seen.ok_or_else(|| not_held(Held::Checksum, &id.to_string()))
    }

    /// Copies by filter.
    pub fn storage_records(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<StorageRecordList, DeskError> {
        let query = parse(&STORAGE_RECORDS, pairs, counting)?.seen_by(self.sight());
        let page = self.app.registry.list_storage_records(&query)?;
        let (count, count_is_exact) = counted(&page);
        let next_cursor = page.next_cursor;
        Ok(StorageRecordList { count, count_is_exact, next_cursor, storage_records: page.rows })
    }

    /// One copy, by its number.
    pub fn storage_record(&self, id: i64) -> Result<StorageRecordRow, DeskError> {
        let found = self.app.registry.storage_record(id)?;
        let seen = found.filter(|it| self.sees(it.institution_id, it.access));
        seen.ok_or_else(|| not_held(Held::StorageRecord, &id.to_string()))
    }
}

fn counted<T>(page: &Page<T>) -> (u64, bool) {
    page.count.map_or((page.rows.len() as u64, false), |it| (it.value, it.exact))
}
