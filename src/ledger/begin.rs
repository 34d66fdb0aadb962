//! Which series is written: the noted one, or a new one.

use ocfl::{PageId, Replica, VaultError};
use storage::registry::{Journal, JournalPhase, Registry};

use super::alarm::Alarm;
use super::catch_up::Listed;
use super::keep::Keeper;
use super::page;
use crate::fault::Fault;

impl Keeper {
    /// The series to write, begun if there is none; none while no replica is left that can be read.
    /// `count` is the number of all replicas, with those that are away.
    pub(super) fn current(
        &mut self,
        registry: &Registry,
        listed: &mut Vec<Listed<'_>>,
        count: usize,
    ) -> Result<Option<Journal>, Fault> {
        let noted = registry.journal()?;
        let newest_series = noted.as_ref().map_or(0, |noted| noted.series);
        // The newest series that we signed; what else claims to be newer than ours is not believed.
        let mut signed = newest_series;
        listed.retain_mut(|(replica, pages)| {
            let newer: Vec<PageId> =
                pages.iter().copied().filter(|page| page.series > newest_series).collect();
            pages.retain(|page| page.series <= newest_series);
            for id in newer {
                match self.judge_newer(replica, id, noted.is_some()) {
                    Ok(true) => signed = signed.max(id.series),
                    Ok(false) => {}
                    Err(error) => return self.lost(replica, &error),
                }
            }
            true
        });
        if listed.is_empty() {
            return Ok(None);
        }
        let everybody = listed.len() == count;
        let begun = match noted {
            Some(noted) if signed == newest_series && noted.key_id == self.key.id() => {
                if noted.phase != JournalPhase::Partial || !everybody {
                    return Ok(Some(noted));
                }
                if listed.iter().flat_map(|(_, pages)| pages).any(|it| it.series < noted.series) {
                    self.unknown_pages(noted.series.saturating_sub(1));
                    return Ok(Some(noted));
                }
                // No replica has anything that the registry does not know.
                Journal { phase: JournalPhase::Copying, ..noted }
            }
            Some(_) if signed == newest_series => {
                tracing::warn!("the key of the journal is a new one: the journal is written anew");
                self.series_after(signed, JournalPhase::Copying)
            }
            None if signed == 0 && listed.iter().all(|(_, pages)| pages.is_empty()) => {
                match registry.ledger_page()? {
                    // What an earlier program wrote is in a replica that is away, or in none.
                    Some(_) => self.series_after(0, JournalPhase::Copying),
                    None if everybody => {
                        Journal::begun(1, &self.key.id(), JournalPhase::Whole, false)
                    }
                    // A replica that is away may have pages that this registry does not know.
                    None => self.series_after(0, JournalPhase::Partial),
                }
            }
            None if signed == 0 && !is_behind(registry, listed)? => {
                self.series_after(0, JournalPhase::Copying)
            }
            _ => {
                self.unknown_pages(signed);
                self.series_after(signed, JournalPhase::Partial)
            }
        };
        registry.begin_journal(&begun)?;
        Ok(Some(begun))
    }

    /// Tells people of pages up to this series that the registry does not know.
    fn unknown_pages(&mut self, series: u32) {
        let what =
            "The replicas have pages of the journal that the registry does not know: it is a \
            new or an older one. What they tell is kept, and what happens from now on is written \
            besides. If the registry was lost, stop Strongroom, move registry.sqlite away and run \
            `strongroom rebuild`."
                .to_owned();
        let mark = format!("behind-{series}");
        self.alarm(Alarm { replica: None, what, kept: None, mark });
    }

    fn series_after(&self, series: u32, phase: JournalPhase) -> Journal {
        Journal::begun(series.saturating_add(1), &self.key.id(), phase, true)
    }

    /// Whether a page of a series that the registry does not know was signed by us. One that was not is
    /// moved to the quarantine; where the registry knows nothing of a journal it is left alone, because
    /// a rebuild may still need it.
    fn judge_newer(
        &mut self,
        replica: &Replica,
        id: PageId,
        is_noted: bool,
    ) -> Result<bool, VaultError> {
        let Some(bytes) = replica.journal_page(id)? else { return Ok(false) };
        let is_signed = page::read(&bytes).is_some_and(|page| page.is_signed(&self.key, id));
        if !is_signed && is_noted {
            self.quarantine(id, replica, &bytes, true)?;
        }
        Ok(is_signed || !is_noted)
    }
}

/// Whether the replicas have pages of an earlier program that the registry does not know. One page more
/// may have been written just before a kill.
fn is_behind(registry: &Registry, listed: &[Listed<'_>]) -> Result<bool, Fault> {
    let known = registry.ledger_page()?.map_or(0, |page| page.number);
    let highest = listed.iter().flat_map(|(_, pages)| pages).map(|page| page.number).max();
    Ok(known == 0 || highest.unwrap_or(0) > known.saturating_add(1))
}
