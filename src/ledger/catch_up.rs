//! Brings every replica to the same pages.
//!
//! A page is believed when it is signed by our key for its place. A replica that lacks one, or has only
//! its beginning because it was away while the page grew, gets it from another. What is not signed, or
//! does not agree, is never copied over another: it is moved to the quarantine and people are told.
//! The chain leads from the page that the registry has noted back to the first; pages after it that
//! continue it were written just before the program was killed, and are continued.

use std::collections::{BTreeMap, BTreeSet};

use ocfl::{PageId, Replica, Sha512};
use storage::registry::{Journal, JournalPhase, LedgerPage, Registry};

use super::alarm::Alarm;
use super::keep::Keeper;
use super::key::{hex, sha512};
use super::page::{self, Page};
use crate::fault::Fault;

/// A replica and the pages it has.
pub(super) type Listed<'r> = (&'r Replica, Vec<PageId>);

/// One page that was chosen among the copies in the replicas.
struct Link {
    page: LedgerPage,
    previous: Option<Sha512>,
    /// Whether it is, or begins with, the page that the registry has noted.
    extends_noted: bool,
}

impl Keeper {
    /// Gives replicas the pages they missed, and says which replicas are there.
    pub(super) fn catch_up<'r>(
        &mut self,
        registry: &Registry,
        replicas: &[&'r Replica],
    ) -> Result<Vec<&'r Replica>, Fault> {
        let journal = registry.journal()?.filter(|it| it.key_id == self.key.id());
        let is_known = |replica: &&Replica| {
            journal.as_ref().is_some_and(|journal| self.is_known(replica, journal))
        };
        let (known, unknown): (Vec<&Replica>, Vec<&Replica>) =
            replicas.iter().copied().partition(is_known);
        let came_back = self.list(&unknown);
        if came_back.is_empty() {
            // Pages are read again only for a replica that lacks some.
            return Ok(known);
        }
        let mut listed = self.list(&known);
        listed.extend(came_back);
        let Some(mut journal) = self.current(registry, &mut listed, replicas.len())? else {
            return Ok(Vec::new());
        };
        if let Some((links, mut is_broken)) = self.reconcile(&journal, &mut listed) {
            let everybody = listed.len() == replicas.len();
            self.highest = links.keys().next_back().copied().unwrap_or(0);
            match tip(&links, &journal.page) {
                Some(tip) if tip != journal.page => {
                    registry.note_journal_page(&tip)?;
                    journal.page = tip;
                }
                Some(_) => {}
                None => is_broken = true,
            }
            if is_broken && everybody {
                // Every replica is there and none has what was written: the registry has it all.
                journal = self.begin_anew(registry, &journal)?;
            }
            for (replica, _) in &listed {
                self.note_holding(replica, &journal, &journal.page);
            }
        }
        Ok(listed.into_iter().map(|(replica, _)| replica).collect())
    }

    /// Those of the replicas that are there, with the pages they have.
    fn list<'r>(&mut self, replicas: &[&'r Replica]) -> Vec<Listed<'r>> {
        let mut listed = Vec::new();
        for replica in replicas {
            match replica.present().and_then(|()| replica.journal_pages()) {
                Ok(pages) => listed.push((*replica, pages)),
                Err(error) => {
                    self.lost(replica, &error);
                }
            }
        }
        listed
    }

    fn is_known(&self, replica: &Replica, journal: &Journal) -> bool {
        let newest = PageId { series: journal.series, number: journal.page.number };
        self.holds.get(replica.name()) == Some(&(newest, journal.page.sha512))
    }

    fn begin_anew(&mut self, registry: &Registry, lost: &Journal) -> Result<Journal, Fault> {
        let series = lost.series.saturating_add(1);
        let what = format!(
            "Pages of series {} of the journal are in no replica as they were written. Everything in \
             them is still in the registry and is written to series {series}.",
            lost.series
        );
        let mark = lost.series.to_string();
        self.alarm(Alarm { replica: None, what, kept: None, mark });
        let begun = Journal::begun(series, &self.key.id(), JournalPhase::Copying, true);
        registry.begin_journal(&begun)?;
        self.highest = 0;
        Ok(begun)
    }

    pub(super) fn alarm(&mut self, alarm: Alarm) {
        let replica = alarm.replica.as_deref().unwrap_or("all");
        tracing::error!(replica, kept = alarm.kept, "{}", alarm.what);
        self.alarms.push(alarm);
    }

    /// Looks at every page of the series in every replica, the newest first. Says which are believed,
    /// and whether one that the registry has noted is believed nowhere. None when those that lack pages
    /// cannot be read or written after all: the others have them all, and are not read for nothing.
    fn reconcile(
        &mut self,
        journal: &Journal,
        listed: &mut Vec<Listed<'_>>,
    ) -> Option<(BTreeMap<u32, Link>, bool)> {
        let noted = &journal.page;
        let of_series = |pages: &[PageId]| -> Vec<u32> {
            pages.iter().filter(|it| it.series == journal.series).map(|it| it.number).collect()
        };
        let mut numbers: BTreeSet<u32> = (1..=noted.number).collect();
        numbers.extend(listed.iter().flat_map(|(_, pages)| of_series(pages)));
        let (mut links, mut is_broken) = (BTreeMap::new(), false);
        // What the page after says of this one.
        let mut wanted: Option<(u32, Sha512)> = None;
        for number in numbers.into_iter().rev() {
            if listed.iter().all(|(replica, _)| self.is_known(replica, journal)) {
                return None;
            }
            let id = PageId { series: journal.series, number };
            let wanted_here =
                wanted.filter(|(after, _)| *after == number.saturating_add(1)).map(|it| it.1);
            let copies = self.read_copies(id, listed);
            let chosen = self.choose(id, &copies, (wanted_here, noted));
            self.spread_page(id, &copies, chosen, listed);
            let Some(page) = chosen.and_then(|at| copies[at].as_deref()).and_then(page::read)
            else {
                is_broken |= number <= noted.number;
                wanted = None;
                continue;
            };
            is_broken |= wanted_here.is_some_and(|it| it != page.sha512);
            let previous = page.seal.as_ref().and_then(|seal| seal.previous_digest());
            wanted = previous.map(|it| (number, it));
            if number >= noted.number {
                let extends_noted =
                    number == noted.number && page.begins_with(noted.line_count, &noted.sha512);
                let page = LedgerPage { number, line_count: page.line_count, sha512: page.sha512 };
                links.insert(number, Link { page, previous, extends_noted });
            }
        }
        Some((links, is_broken))
    }

    /// The copies of a page, one for each replica that is listed. Replicas that cannot be read are
    /// listed no more.
    fn read_copies(&mut self, id: PageId, listed: &mut Vec<Listed<'_>>) -> Vec<Option<Vec<u8>>> {
        let mut copies = Vec::new();
        listed.retain(|(replica, pages)| {
            if pages.binary_search(&id).is_err() {
                copies.push(None);
                return true;
            }
            match replica.journal_page(id) {
                Ok(bytes) => {
                    copies.push(bytes);
                    true
                }
                Err(error) => self.lost(replica, &error),
            }
        });
        copies
    }

    /// The copy that is believed: signed, and the one that the page after or the registry knows; else
    /// the longest.
    fn choose(
        &self,
        id: PageId,
        copies: &[Option<Vec<u8>>],
        (wanted, noted): (Option<Sha512>, &LedgerPage),
    ) -> Option<usize> {
        let rank = |page: &Page<'_>| {
            let is_noted =
                id.number == noted.number && page.begins_with(noted.line_count, &noted.sha512);
            let whole = page.seal.as_ref().is_some_and(|seal| seal.whole);
            (wanted == Some(page.sha512), is_noted, page.line_count, whole)
        };
        let pages = copies.iter().enumerate().filter_map(|(at, copy)| {
            let page = copy.as_deref().and_then(page::read)?;
            page.is_signed(&self.key, id).then(|| (at, rank(&page)))
        });
        pages.max_by_key(|(_, rank)| *rank).map(|(at, _)| at)
    }

    /// Puts the chosen copy of a page where it is missing or only begun. What disagrees with it goes to
    /// the quarantine first.
    fn spread_page(
        &mut self,
        id: PageId,
        copies: &[Option<Vec<u8>>],
        chosen: Option<usize>,
        listed: &mut Vec<Listed<'_>>,
    ) {
        let good = chosen.and_then(|at| copies[at].as_deref());
        let mut copies = copies.iter();
        listed.retain(|(replica, _)| {
            let copy = copies.next().and_then(Option::as_deref);
            if copy == good {
                return true;
            }
            let done = self.replace(id, replica, copy, good);
            done.map_or_else(|error| self.lost(replica, &error), |()| true)
        });
    }

    /// Puts a page where this copy of it is, which goes to the quarantine first unless we signed it and it
    /// is the beginning.
    pub(super) fn replace(
        &mut self,
        id: PageId,
        replica: &Replica,
        copy: Option<&[u8]>,
        good: Option<&[u8]>,
    ) -> Result<(), ocfl::VaultError> {
        if let Some(bytes) = copy {
            let page = page::read(bytes);
            let is_signed = page.as_ref().is_some_and(|page| page.is_signed(&self.key, id));
            let is_begun = match (&page, good.and_then(page::read)) {
                (Some(page), Some(good)) => good.body.starts_with(page.body),
                _ => false,
            };
            if !(is_signed && is_begun) {
                self.quarantine(id, replica, bytes, !is_signed)?;
            }
        }
        match good {
            Some(bytes) => replica.put_journal_page(id, bytes),
            None => Ok(()),
        }
    }

    /// Moves a page to the quarantine of its replica. People are told, unless it was signed by us: then
    /// its lines are still to be written, and were.
    pub(super) fn quarantine(
        &mut self,
        id: PageId,
        replica: &Replica,
        bytes: &[u8],
        is_alarm: bool,
    ) -> Result<(), ocfl::VaultError> {
        let mark = hex(&sha512(&[bytes])[..8]);
        let kept = replica.quarantine_journal_page(id, &mark)?;
        let name = replica.name();
        if is_alarm {
            let what = format!(
                "In replica {name}, {id} is not what this appliance wrote: it was damaged, or somebody \
                 changed it."
            );
            self.alarm(Alarm { replica: Some(name.to_owned()), what, kept, mark });
        } else {
            tracing::warn!(replica = name, page = %id, kept, "a page of the journal went another way");
        }
        Ok(())
    }
}

/// The newest page that continues what the registry has noted; none if nothing does.
fn tip(links: &BTreeMap<u32, Link>, noted: &LedgerPage) -> Option<LedgerPage> {
    let mut tip = match noted.number {
        0 => *noted,
        number => links.get(&number).filter(|link| link.extends_noted)?.page,
    };
    while let Some(next) = links.get(&tip.number.saturating_add(1)) {
        if next.previous != (tip.number > 0).then_some(tip.sha512) {
            break;
        }
        tip = next.page;
    }
    Some(tip)
}
