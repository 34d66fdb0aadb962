//! Writes what changed to the newest page, in every hot replica that is there.

use std::collections::HashMap;

use storage::registry::{LedgerPage, Registry};

use super::page;
use crate::fault::Fault;
use crate::vault::{Replica, Sha512, VaultError};

/// Lines on a full page.
const LINES_FULL: u32 = 1000;
/// Rows told at a time.
const ROWS: u32 = 500;

/// After so many times every page of every replica is read again, to find damage: once a day.
const KEPT_TILL_READ_AGAIN: u64 = 17_280;

/// Keeps the ledger of one appliance.
#[derive(Default)]
pub struct Keeper {
    /// The newest page that each replica is known to have, with its digest.
    holds: HashMap<String, (u32, Sha512)>,
    /// The highest page that any replica has: a page is never written over by one it does not
    /// continue.
    highest: u32,
    kept_count: u64,
}

impl Keeper {
    /// Tells what is untold, and brings replicas that were away up to date. Says how many lines
    /// were told; none while no replica is there.
    pub fn keep(&mut self, registry: &Registry, replicas: &[&Replica]) -> Result<usize, Fault> {
        let mut there: Vec<&Replica> = replicas.to_vec();
        self.kept_count += 1;
        if self.kept_count.is_multiple_of(KEPT_TILL_READ_AGAIN) {
            self.holds.clear();
        }
        self.catch_up(registry, &mut there)?;
        let mut told = 0;
        while !there.is_empty() {
            let untold = registry.untold(ROWS)?;
            if untold.upto == 0 {
                break;
            }
            let mut body = untold.lines.join("\n");
            if !body.is_empty() {
                body.push('\n');
            }
            let (number, before) = self.continued(registry, &there)?;
            let body = before + &body;
            let (bytes, sha512) = page::write(&body);
            there.retain(|replica| match replica.put_ledger_page(number, &bytes) {
                Ok(()) => true,
                Err(error) => self.lost(replica, &error),
            });
            if there.is_empty() {
                break;
            }
            let line_count = u32::try_from(body.lines().count()).unwrap_or(u32::MAX);
            registry.told(untold.upto, &LedgerPage { number, line_count, sha512 })?;
            self.highest = self.highest.max(number);
            for replica in &there {
                self.holds.insert(replica.name().to_owned(), (number, sha512));
            }
            told += untold.lines.len();
        }
        Ok(told)
    }

    /// The page to write: the newest with what stands on it, or a new one.
    fn continued(&self, registry: &Registry, there: &[&Replica]) -> Result<(u32, String), Fault> {
        let fresh = self.highest.saturating_add(1);
        let Some(newest) = registry.ledger_page()? else { return Ok((fresh, String::new())) };
        if newest.line_count >= LINES_FULL || newest.number < self.highest {
            return Ok((fresh.max(newest.number.saturating_add(1)), String::new()));
        }
        for replica in there {
            let bytes = replica.ledger_page(newest.number)?;
            if let Some(page) = bytes.as_deref().and_then(page::read)
                && page.sha512 == newest.sha512
            {
                return Ok((newest.number, page.body.to_owned()));
            }
        }
        // Nobody who is there has it as it was: it is left as it is.
        Ok((newest.number.saturating_add(1), String::new()))
    }

    /// Gives replicas the pages they missed, and drops those that are not there.
    fn catch_up(&mut self, registry: &Registry, there: &mut Vec<&Replica>) -> Result<(), Fault> {
        let newest = registry.ledger_page()?.map(|page| (page.number, page.sha512));
        let is_known = |replica: &&Replica| {
            let held = self.holds.get(replica.name());
            held.is_some() && held.copied() == newest
        };
        if there.iter().all(is_known) {
            return Ok(());
        }
        let mut pages: Vec<(&Replica, Vec<u32>)> = Vec::new();
        for replica in std::mem::take(there) {
            match replica.present().and_then(|()| replica.ledger_pages()) {
                Ok(numbers) => pages.push((replica, numbers)),
                Err(error) => {
                    self.lost(replica, &error);
                }
            }
        }
        let all = pages.iter().flat_map(|(_, numbers)| numbers.iter().copied());
        self.highest = all.max().unwrap_or(0);
        for at in 0..pages.len() {
            let replica = pages[at].0;
            match self.copy_missed(replica, &pages) {
                Ok(()) => {
                    there.push(replica);
                    if let Some(newest) = newest {
                        self.holds.insert(replica.name().to_owned(), newest);
                    }
                }
                Err(error) => {
                    self.lost(replica, &error);
                }
            }
        }
        Ok(())
    }

    /// Copies what a replica lacks or has only in part: a page may have grown while it was away, or
    /// been damaged.
    fn copy_missed(
        &self,
        replica: &Replica,
        pages: &[(&Replica, Vec<u32>)],
    ) -> Result<(), VaultError> {
        for number in 1..=self.highest {
            let mine = replica.ledger_page(number)?;
            let lines = |bytes: &[u8]| page::read(bytes).map_or(0, |page| page.line_count);
            let held = mine.as_deref().map_or(0, lines);
            for (other, numbers) in pages {
                if other.name() == replica.name() || numbers.binary_search(&number).is_err() {
                    continue;
                }
                // Pages only grow: the longer one is the later one.
                let theirs = other.ledger_page(number)?;
                if let Some(bytes) = theirs.filter(|bytes| lines(bytes) > held) {
                    if mine.is_some() && held == 0 {
                        let name = replica.name();
                        tracing::warn!(replica = name, number, "a page of the ledger was damaged");
                    }
                    replica.put_ledger_page(number, &bytes)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Notes that a replica cannot be written to now; it is looked at anew when it is back.
    fn lost(&mut self, replica: &Replica, error: &VaultError) -> bool {
        self.holds.remove(replica.name());
        tracing::debug!(replica = replica.name(), %error, "the ledger waits for this replica");
        false
    }
}
