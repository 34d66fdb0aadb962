//! The pages of the ledger, in our corner of the root: what happened to objects after their deposit,
//! and the work that was done, for a registry that is made again.

use std::io::Read;

use super::address::CORNER;
use super::error::VaultError;
use super::media::Upload;
use super::replica::Replica;

/// Longest page that is read: far more than is ever written.
const PAGE_LEN_MAX: u64 = 1 << 30;

impl Replica {
    /// The numbers of the pages here, in order.
    pub fn ledger_pages(&self) -> Result<Vec<u32>, VaultError> {
        let mut numbers = Vec::new();
        self.medium.list(&folder(), &mut |key, _| {
            let name = key.rsplit('/').next().unwrap_or(key);
            numbers.extend(name.strip_suffix(".jsonl").and_then(|name| name.parse::<u32>().ok()));
            Ok(())
        })?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// A page as it was written; `None` if it is not here.
    pub fn ledger_page(&self, number: u32) -> Result<Option<Vec<u8>>, VaultError> {
        let key = page_key(number);
        let Some(reader) = self.medium.open(&key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = reader.take(PAGE_LEN_MAX).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&key, error))?;
        Ok(Some(bytes))
    }

    /// Writes or replaces a page, whole and durable.
    pub fn put_ledger_page(&self, number: u32, bytes: &[u8]) -> Result<(), VaultError> {
        self.present()?;
        let upload = Upload { source: &mut &*bytes, size_bytes: bytes.len() as u64 };
        self.medium.put(&page_key(number), upload)
    }
}

fn folder() -> String {
    format!("{CORNER}/ledger")
}

fn page_key(number: u32) -> String {
    format!("{}/{number:08}.jsonl", folder())
}
