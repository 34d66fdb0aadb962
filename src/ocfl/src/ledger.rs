//! The pages of the journal of the registry, in our corner of the root: what happened to objects after
//! their deposit, and the work that was done, for a registry that is rebuilt.
//!
//! Pages are numbered within a series. Series zero is the pages of earlier programs, which lie in a
//! folder of their own.

use std::fmt;
use std::io::Read;

use super::address::CORNER;
use super::error::VaultError;
use super::media::Upload;
use super::replica::Replica;

/// Longest page that is read: far more than is ever written.
const PAGE_LEN_MAX: u64 = 1 << 30;
/// Pages that are listed: more would be somebody else's doing.
const PAGES_MAX: usize = 10_000_000;

/// Which page of which series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// Zero for the pages of earlier programs.
    pub series: u32,
    /// Counted from one.
    pub number: u32,
}

impl fmt::Display for PageId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.series {
            0 => write!(out, "page {} of the ledger", self.number),
            series => write!(out, "page {} of series {series} of the journal", self.number),
        }
    }
}

impl Replica {
    /// The pages here, in order.
    pub fn journal_pages(&self) -> Result<Vec<PageId>, VaultError> {
        let mut pages = Vec::new();
        for folder in [old_folder(), folder()] {
            self.medium.list(&folder, &mut |key, _| {
                pages.extend(page_of(key));
                if pages.len() > PAGES_MAX {
                    let what = format!("more than {PAGES_MAX} pages of the journal");
                    return Err(VaultError::Refused { what });
                }
                Ok(())
            })?;
        }
        pages.sort_unstable();
        Ok(pages)
    }

    /// A page as it was written; `None` if it is not here.
    pub fn journal_page(&self, page: PageId) -> Result<Option<Vec<u8>>, VaultError> {
        let key = page_key(page);
        let Some(reader) = self.medium.open(&key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = reader.take(PAGE_LEN_MAX).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&key, error))?;
        Ok(Some(bytes))
    }

    /// Writes or replaces a page, whole and durable.
    pub fn put_journal_page(&self, page: PageId, bytes: &[u8]) -> Result<(), VaultError> {
        self.present()?;
        let upload = Upload { source: &mut &*bytes, size_bytes: bytes.len() as u64 };
        self.medium.put(&page_key(page), upload)
    }

    /// Moves a page to the quarantine beside the journal, under a name with this mark in it. Tells the
    /// name; `None` if the page is not here.
    pub fn quarantine_journal_page(
        &self,
        page: PageId,
        mark: &str,
    ) -> Result<Option<String>, VaultError> {
        self.present()?;
        let PageId { series, number } = page;
        let to = format!("{CORNER}/set-aside/journal/{series:08}-{number:08}-{mark}.jsonl");
        self.medium.set_aside(&page_key(page), &to, false)
    }

    /// Removes a page; one that is not here is fine.
    pub fn remove_journal_page(&self, page: PageId) -> Result<(), VaultError> {
        self.present()?;
        self.medium.remove(&page_key(page))
    }
}

fn old_folder() -> String {
    format!("{CORNER}/ledger")
}

fn folder() -> String {
    format!("{CORNER}/journal")
}

fn page_key(page: PageId) -> String {
    let PageId { series, number } = page;
    match series {
        0 => format!("{}/{number:08}.jsonl", old_folder()),
        series => format!("{}/{series:08}/{number:08}.jsonl", folder()),
    }
}

/// The page that a key names, spelled as we spell it.
fn page_of(key: &str) -> Option<PageId> {
    let (rest, name) = key.rsplit_once('/')?;
    let number = name.strip_suffix(".jsonl")?.parse().ok()?;
    let series = match rest.strip_prefix(&folder()) {
        Some(series) => series.strip_prefix('/')?.parse().ok()?,
        None => 0,
    };
    let page = PageId { series, number };
    (number > 0 && page_key(page) == key).then_some(page)
}
