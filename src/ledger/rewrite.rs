//! Writes every row to a new series, and removes older ones once the new one was read back from every
//! replica.
//!
//! This is done once for the pages of earlier programs, which may be full of repeated lines, and
//! whenever a series cannot be gone on with. A kill at any moment loses nothing: the registry knows how
//! far the copying is, older pages stay until the end, and a rebuild reads both.

use ocfl::{PageId, Replica, Sha512, VaultError};
use storage::registry::{Journal, JournalPhase, Registry};

use super::keep::Keeper;
use super::page;
use crate::fault::Fault;

/// Rows that are noted to be copied at a time.
const ROWS_COPIED: u32 = 5000;
/// Pages that are read back, or taken away, at a time.
const PAGES: usize = 50;

/// How far a replica's pages of a series were read back.
pub(super) struct ReadBack {
    series: u32,
    number: u32,
    sha512: Option<Sha512>,
    is_done: bool,
}

impl Keeper {
    /// Does the next piece of work and says whether there may be more. Call it after `keep`.
    pub fn rewrite(&mut self, registry: &Registry, replicas: &[&Replica]) -> Result<bool, Fault> {
        let Some(journal) = registry.journal()? else { return Ok(false) };
        if self.holds.is_empty() {
            return Ok(false);
        }
        match journal.phase {
            JournalPhase::Copying => {
                // When every row was written, older series are still to be removed.
                Ok(registry.copy_into_journal(ROWS_COPIED)? || journal.has_older)
            }
            JournalPhase::Whole if journal.has_older => {
                self.remove_older(registry, &journal, replicas)
            }
            JournalPhase::Whole | JournalPhase::Partial => Ok(false),
        }
    }

    /// Removes older series, if every replica is there and the whole of the new one was read back from
    /// each.
    fn remove_older(
        &mut self,
        registry: &Registry,
        journal: &Journal,
        replicas: &[&Replica],
    ) -> Result<bool, Fault> {
        let is_away = |replica: &&Replica| !self.holds.contains_key(replica.name());
        if replicas.iter().any(is_away) {
            return Ok(false);
        }
        if !replicas.iter().all(|replica| self.has_whole(replica, journal)) {
            let mut there = replicas.to_vec();
            self.write_whole(registry, journal, &mut there)?;
            let Some(journal) = registry.journal()? else { return Ok(false) };
            return Ok(replicas.iter().all(|replica| self.has_whole(replica, &journal)));
        }
        for replica in replicas {
            match self.read_back(replica, journal) {
                Ok(Some(true)) => {}
                Ok(Some(false)) => return Ok(true),
                Ok(None) => {
                    // It is looked at anew, page by page.
                    self.holds.remove(replica.name());
                    self.read_back.remove(replica.name());
                    return Ok(false);
                }
                Err(error) => {
                    self.lost(replica, &error);
                    return Ok(false);
                }
            }
        }
        match self.clear_older(journal, replicas) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "older pages of the journal could not be removed yet");
                return Ok(false);
            }
        }
        registry.older_series_removed()?;
        tracing::info!(series = journal.series, "the journal was written anew in every replica");
        Ok(false)
    }

    /// Whether the newest page in a replica says that the series is whole.
    fn has_whole(&self, replica: &Replica, journal: &Journal) -> bool {
        let id = PageId { series: journal.series, number: journal.page.number };
        let bytes = replica.journal_page(id).ok().flatten();
        let seal = bytes.as_deref().and_then(page::read).and_then(|page| page.seal);
        seal.is_some_and(|seal| seal.whole)
    }

    /// Reads pages of the series back from a replica: each must be signed and follow the one before,
    /// and the last be what the registry has noted. Says whether all were read; none if one is not as
    /// it should be.
    fn read_back(
        &mut self,
        replica: &Replica,
        journal: &Journal,
    ) -> Result<Option<bool>, VaultError> {
        let known = self.read_back.remove(replica.name());
        let mut at = known.filter(|it| it.series == journal.series).unwrap_or(ReadBack {
            series: journal.series,
            number: 0,
            sha512: None,
            is_done: false,
        });
        for _ in 0..PAGES {
            if at.is_done || self.stops() {
                break;
            }
            let id = PageId { series: at.series, number: at.number.saturating_add(1) };
            let bytes = replica.journal_page(id)?;
            let Some(page) = bytes.as_deref().and_then(page::read) else { return Ok(None) };
            let follows = page.seal.as_ref().is_some_and(|it| it.follows(at.sha512.as_ref()));
            if !follows || !page.is_signed(&self.key, id) {
                return Ok(None);
            }
            at = ReadBack { number: id.number, sha512: Some(page.sha512), ..at };
            if id.number == journal.page.number {
                if page.sha512 != journal.page.sha512 {
                    return Ok(None);
                }
                at.is_done = true;
            }
        }
        let is_done = at.is_done;
        self.read_back.insert(replica.name().to_owned(), at);
        Ok(Some(is_done))
    }

    /// Takes pages of older series away, some at a time; says whether there may be more. Pages of
    /// earlier programs on which the replicas agree are removed; what they disagree on, and series that
    /// could not be gone on with, go to the quarantine.
    fn clear_older(
        &mut self,
        journal: &Journal,
        replicas: &[&Replica],
    ) -> Result<bool, VaultError> {
        // Taken out, so that they are listed anew after an error.
        let mut older = std::mem::take(&mut self.older);
        if older.is_empty() {
            for replica in replicas {
                let pages = replica.journal_pages()?;
                older.extend(pages.into_iter().filter(|page| page.series < journal.series));
            }
        }
        let is_more = !older.is_empty();
        for _ in 0..PAGES {
            if self.stops() {
                break;
            }
            let Some(id) = older.pop_first() else { break };
            self.clear_page(id, replicas)?;
        }
        self.older = older;
        Ok(is_more)
    }

    fn clear_page(&mut self, id: PageId, replicas: &[&Replica]) -> Result<(), VaultError> {
        let mut copies = Vec::new();
        for replica in replicas {
            copies.push(replica.journal_page(id)?);
        }
        let bodies = copies.iter().flatten().filter_map(|bytes| page::read(bytes));
        let longest = bodies.map(|page| page.body).max_by_key(|body| body.len());
        let longest = longest.unwrap_or_default();
        for (replica, copy) in replicas.iter().zip(&copies) {
            let Some(bytes) = copy else { continue };
            let agrees = page::read(bytes).is_some_and(|page| longest.starts_with(page.body));
            if id.series == 0 && agrees {
                replica.remove_journal_page(id)?;
            } else {
                self.quarantine(id, replica, bytes, !agrees)?;
            }
        }
        Ok(())
    }
}
