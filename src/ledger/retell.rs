//! Reads the ledger of a replica into a registry that is made again.

use serde_json::Value;
use storage::registry::{self, LedgerPage, Registry, Retold};

use super::page;
use crate::vault::{Replica, VaultError};

/// Why the ledger could not be read into the registry.
#[derive(Debug, thiserror::Error)]
pub enum RetellError {
    #[error(transparent)]
    Registry(#[from] registry::Error),
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// Tells every page to the registry, in order. Pages that are damaged or missing are left out and
/// told to `damaged`.
pub(crate) fn retell(
    source: &Replica,
    registry: &Registry,
    damaged: &mut dyn FnMut(String),
) -> Result<Retold, RetellError> {
    let numbers = source.ledger_pages()?;
    let highest = numbers.last().copied().unwrap_or(0);
    for gone in (1..=highest).filter(|number| numbers.binary_search(number).is_err()) {
        damaged(format!("page {gone} of the ledger is missing"));
    }
    let mut newest = None;
    if let Some(bytes) = source.ledger_page(highest)?
        && let Some(page) = page::read(&bytes)
    {
        let (line_count, sha512) = (page.line_count, page.sha512);
        newest = Some(LedgerPage { number: highest, line_count, sha512 });
    }
    let mut pages = numbers.into_iter();
    let mut lines: std::vec::IntoIter<(String, Value)> = Vec::new().into_iter();
    registry.retell(newest, &mut || {
        loop {
            if let Some(line) = lines.next() {
                return Ok(Some(line));
            }
            let Some(number) = pages.next() else { return Ok(None) };
            match source.ledger_page(number)?.as_deref().and_then(lines_of) {
                Some(read) => lines = read.into_iter(),
                None => damaged(format!("page {number} of the ledger is damaged")),
            }
        }
    })
}

/// The table and the row of every line; none if the page is not as it was written.
fn lines_of(bytes: &[u8]) -> Option<Vec<(String, Value)>> {
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        Some((line["table"].as_str()?.to_owned(), line["row"].take()))
    };
    page::read(bytes)?.body.lines().map(line).collect()
}
