//! Writes what changed to the newest page, in every hot replica that is there.

use std::collections::{BTreeSet, HashMap};

use ocfl::{PageId, Replica, Sha512, VaultError};
use storage::registry::{Journal, JournalPhase, LedgerPage, Registry};

use super::alarm::Alarm;
use super::key::Key;
use super::page;
use super::rewrite::ReadBack;
use crate::fault::Fault;

/// Rows written at a time.
const ROWS: u32 = 500;

/// After so many times every page of every replica is read again, to find damage: once a day.
const KEPT_TILL_READ_AGAIN: u64 = 17_280;

/// Keeps the journal of one appliance.
pub struct Keeper {
    pub(super) key: Key,
    /// The newest page that each replica is known to have, with its digest.
    pub(super) holds: HashMap<String, (PageId, Sha512)>,
    /// The highest page of the series that any replica has: a page is never written over by one it
    /// does not continue.
    pub(super) highest: u32,
    /// How far each replica's pages were read back, before older ones are removed.
    pub(super) read_back: HashMap<String, ReadBack>,
    /// Pages of older series that are still to be taken away, as they were listed.
    pub(super) older: BTreeSet<PageId>,
    /// Whether nobody had the newest page as it was written: all pages are to be looked at anew.
    is_in_doubt: bool,
    /// What people have to be told.
    pub(super) alarms: Vec<Alarm>,
    kept_count: u64,
    stops: Box<dyn Fn() -> bool + Send>,
}

/// The page that lines are added to.
struct Begun {
    number: u32,
    body: String,
    previous: Option<Sha512>,
    /// The replica in which it was just read and found as it was written.
    read_in: Option<String>,
}

impl Keeper {
    /// A keeper that signs with this key.
    pub fn new(key: Key) -> Keeper {
        let (holds, read_back, alarms) = (HashMap::new(), HashMap::new(), Vec::new());
        let (older, stops) = (BTreeSet::new(), Box::new(|| false));
        Keeper {
            key,
            holds,
            highest: 0,
            read_back,
            older,
            is_in_doubt: false,
            alarms,
            kept_count: 0,
            stops,
        }
    }

    /// The same, and it asks this between any two pages that it rewrites: whoever stops the program does
    /// not wait for more than one.
    pub fn stopped_by(self, stops: impl Fn() -> bool + Send + 'static) -> Keeper {
        Keeper { stops: Box::new(stops), ..self }
    }

    pub(super) fn stops(&self) -> bool {
        (self.stops)()
    }

    /// What was found since it was last asked for, and people have to be told.
    pub fn take_alarms(&mut self) -> Vec<Alarm> {
        std::mem::take(&mut self.alarms)
    }

    /// Writes what is not written yet, and brings replicas that were away up to date. Says how many
    /// lines were written; none while no replica is there.
    pub fn keep(&mut self, registry: &Registry, replicas: &[&Replica]) -> Result<usize, Fault> {
        self.kept_count += 1;
        let is_in_doubt = std::mem::take(&mut self.is_in_doubt);
        if is_in_doubt || self.kept_count.is_multiple_of(KEPT_TILL_READ_AGAIN) {
            self.holds.clear();
        }
        let mut there = self.catch_up(registry, replicas)?;
        let mut written = 0;
        while !there.is_empty() {
            let untold = registry.untold(ROWS)?;
            let Some(journal) = registry.journal()? else { break };
            if untold.upto == 0 {
                break;
            }
            let count = untold.lines.len();
            let newest = match count {
                0 => journal.page,
                _ => {
                    let begun = self.continued(&journal, &mut there);
                    let Some(newest) = self.append(&journal, begun, untold.lines, &mut there)
                    else {
                        break;
                    };
                    newest
                }
            };
            registry.told(untold.upto, &newest)?;
            for replica in &there {
                self.note_holding(replica, &journal, &newest);
            }
            written += count;
        }
        Ok(written)
    }

    /// Adds lines to a page, and to pages after it when it is full; none when no replica took them all.
    /// What is there is read before it is written over: somebody may have changed it since it was written.
    fn append(
        &mut self,
        journal: &Journal,
        begun: Begun,
        lines: Vec<String>,
        there: &mut Vec<&Replica>,
    ) -> Option<LedgerPage> {
        let Begun { mut number, body, mut previous, mut read_in } = begun;
        let whole = journal.phase == JournalPhase::Whole;
        let mut newest = None;
        for body in page::spread(body, lines) {
            let id = PageId { series: journal.series, number };
            let (bytes, sha512) = page::write(&self.key, (id, previous.as_ref(), whole), &body);
            let read = read_in.take();
            there.retain(|replica| {
                let done = match read.as_deref() == Some(replica.name()) {
                    true => replica.put_journal_page(id, &bytes),
                    false => replica
                        .journal_page(id)
                        .and_then(|copy| self.replace(id, replica, copy.as_deref(), Some(&bytes))),
                };
                done.map_or_else(|error| self.lost(replica, &error), |()| true)
            });
            if there.is_empty() {
                return None;
            }
            self.highest = self.highest.max(number);
            let line_count = u32::try_from(body.lines().count()).unwrap_or(u32::MAX);
            newest = Some(LedgerPage { number, line_count, sha512 });
            previous = Some(sha512);
            number = number.saturating_add(1);
        }
        newest
    }

    /// The page to write: the newest with what stands on it, or a new one. Replicas that cannot be read
    /// are left out of `there`.
    fn continued(&mut self, journal: &Journal, there: &mut Vec<&Replica>) -> Begun {
        let newest = journal.page;
        let number = self.highest.max(newest.number).saturating_add(1);
        let previous = (newest.number > 0).then_some(newest.sha512);
        let fresh = Begun { number, body: String::new(), previous, read_in: None };
        if newest.number == 0 || newest.number < self.highest {
            return fresh;
        }
        let id = PageId { series: journal.series, number: newest.number };
        let mut begun = None;
        there.retain(|replica| {
            if begun.is_some() {
                return true;
            }
            let read = replica.journal_page(id).and_then(|bytes| match bytes {
                Some(bytes) => self.begun(&bytes, (id, *replica), &newest),
                None => Ok(None),
            });
            match read {
                Ok(found) => {
                    begun = found;
                    true
                }
                Err(error) => self.lost(replica, &error),
            }
        });
        // Where nobody who is there has it as it was, another is begun, and all are looked at anew.
        self.is_in_doubt |= begun.is_none();
        begun.filter(|begun| !page::is_full(&begun.body)).unwrap_or(fresh)
    }

    /// The newest page with what stands on it; none if these are not its bytes. What was not signed by
    /// us goes to the quarantine.
    fn begun(
        &mut self,
        bytes: &[u8],
        (id, replica): (PageId, &Replica),
        newest: &LedgerPage,
    ) -> Result<Option<Begun>, VaultError> {
        let Some(page) = page::read(bytes).filter(|page| page.is_signed(&self.key, id)) else {
            self.quarantine(id, replica, bytes, true)?;
            return Ok(None);
        };
        if page.sha512 != newest.sha512 {
            return Ok(None);
        }
        let previous = page.seal.as_ref().and_then(|seal| seal.previous_digest());
        let read_in = Some(replica.name().to_owned());
        Ok(Some(Begun { number: id.number, body: page.body.to_owned(), previous, read_in }))
    }

    /// Writes the newest page once more, with the word that the series is whole.
    pub(super) fn write_whole(
        &mut self,
        registry: &Registry,
        journal: &Journal,
        there: &mut Vec<&Replica>,
    ) -> Result<(), Fault> {
        let begun = self.continued(journal, there);
        let Some(newest) = self.append(journal, begun, Vec::new(), there) else { return Ok(()) };
        registry.note_journal_page(&newest)?;
        for replica in there {
            self.note_holding(replica, journal, &newest);
        }
        Ok(())
    }

    pub(super) fn note_holding(&mut self, replica: &Replica, journal: &Journal, page: &LedgerPage) {
        let id = PageId { series: journal.series, number: page.number };
        self.holds.insert(replica.name().to_owned(), (id, page.sha512));
    }

    /// Notes that a replica cannot be written to now; it is looked at anew when it is back.
    pub(super) fn lost(&mut self, replica: &Replica, error: &VaultError) -> bool {
        self.holds.remove(replica.name());
        tracing::debug!(replica = replica.name(), %error, "the journal waits for this replica");
        false
    }
}
