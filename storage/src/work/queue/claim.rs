//! Taking work, and keeping it while it lasts.

use std::time::Duration;

use super::suspect::{Suspects, Turn};
use super::topic::{Topic, Topics};
use super::{Items, Queue};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::work::item::{Hold, ItemId, State, WorkItem};
use crate::work::place::{DELAYED, Places, READY};
use crate::work::tx::{Range, Tx};

/// Delayed items put in line by one claim. A claim comes more often than that many fall due.
const PROMOTE_LIMIT: usize = 256;
/// Items that outlived their time put away by one claim.
const EXPIRE_LIMIT: usize = 256;

/// The right to work on one item. Not `Clone`, and consumed by settling: an attempt cannot be
/// settled twice in a program that compiles; its number refuses a holder that was overtaken.
#[derive(Debug)]
pub struct Lease {
    pub(super) item: ItemId,
    pub(super) number: u64,
}

impl Lease {
    /// The item it is on.
    pub fn item(&self) -> ItemId {
        self.item
    }
}

/// An item to work on, with the right to.
#[derive(Debug)]
pub struct Claim {
    /// The right.
    pub lease: Lease,
    /// The item, as claimed.
    pub item: WorkItem,
}

/// What a heartbeat brings back.
#[derive(Debug, PartialEq, Eq)]
pub struct Pulse {
    /// A person asked to cancel the item: stop at the next checkpoint.
    pub cancelled: bool,
}

impl Queue {
    /// Takes up to `most` items of a topic, in order. Each attempt is counted durably before
    /// this returns, so an item that kills the process cannot do so for ever. Takes none while an
    /// item that was under way at several deaths of the process is tried alone.
    pub fn claim(&self, topic: &str, most: usize, hold: Duration) -> Result<Vec<Claim>, Error> {
        let now = self.clock.now();
        let mut changed = Vec::new();
        let claims = self.store.commit(|tx| {
            let name = topic.to_owned();
            if tx.get::<Topics>(&name)?.is_none_or(|topic| topic.paused) {
                return Ok(Vec::new());
            }
            self.promote(tx, &name, now)?;
            let steady = self.clock.steady();
            let wanted = Wanted { most, expires: now.after(hold), now, steady };
            let mut suspects = self.suspects();
            loop {
                let suspect = match suspects.turn(tx, topic, steady)? {
                    Turn::Nobody => return Ok(Vec::new()),
                    Turn::Anyone => {
                        return self.take_ready(tx, &name, wanted, &mut suspects, &mut changed);
                    }
                    Turn::Suspect(suspect) => suspect,
                };
                changed.push(suspect.id);
                if suspect.expires.is_some_and(|at| at <= now) {
                    self.expire_one(tx, &suspect, now)?;
                    continue;
                }
                let claim = self.take_alone(tx, &suspect, wanted, &mut suspects)?;
                Topic::update(tx, &name, |topic| topic.claimed += 1)?;
                return Ok(vec![claim]);
            }
        })?;
        if !changed.is_empty() {
            // Nothing became ready: only the registry's copy is told.
            self.mark_changed(changed);
        }
        Ok(claims)
    }

    /// Puts delayed items that are due in line. Their registry row does not change.
    fn promote(&self, tx: &mut Tx<'_>, topic: &str, now: Timestamp) -> Result<(), Error> {
        let due = Range::<Places>::prefix(&(topic.to_owned(), DELAYED)).through(&(
            topic.to_owned(),
            DELAYED,
            now.0,
        ));
        for (at, id) in tx.scan(due, PROMOTE_LIMIT)? {
            let Some(old) = Queue::standing(tx, &at, id)? else { continue };
            let mut new = old.clone();
            new.state = State::Ready { seq: self.ticket() };
            new.queued = now;
            self.shift(tx, Some(&old), &mut new, now)?;
        }
        Ok(())
    }

    fn take_ready(
        &self,
        tx: &mut Tx<'_>,
        topic: &String,
        wanted: Wanted,
        suspects: &mut Suspects,
        changed: &mut Vec<ItemId>,
    ) -> Result<Vec<Claim>, Error> {
        let mut claims = Vec::new();
        let mut expired = 0;
        let line = || Range::<Places>::prefix(&(topic.clone(), READY));
        let mut rest = line();
        'line: while claims.len() < wanted.most && expired < EXPIRE_LIMIT {
            let found = tx.scan(rest, wanted.most - claims.len())?;
            let Some((last, _)) = found.last() else { break };
            rest = line().after(last);
            for (at, id) in found {
                let Some(old) = Queue::standing(tx, &at, id)? else { continue };
                if old.expires.is_some_and(|at| at <= wanted.now) {
                    changed.push(id);
                    self.expire_one(tx, &old, wanted.now)?;
                    expired += 1;
                } else if old.strikes.is_suspect() {
                    // Tried alone: now, or when what is under way has ended.
                    if claims.is_empty() && suspects.may_begin(tx, id)? {
                        changed.push(id);
                        claims.push(self.take_alone(tx, &old, wanted, suspects)?);
                    }
                    break 'line;
                } else {
                    changed.push(id);
                    claims.push(self.take_one(tx, &old, wanted)?);
                }
            }
        }
        let taken = claims.len() as u64;
        if taken > 0 {
            Topic::update(tx, topic, |topic| topic.claimed += taken)?;
        }
        Ok(claims)
    }

    fn take_alone(
        &self,
        tx: &mut Tx<'_>,
        old: &WorkItem,
        wanted: Wanted,
        suspects: &mut Suspects,
    ) -> Result<Claim, Error> {
        let claim = self.take_one(tx, old, wanted)?;
        suspects.claimed(old.id, claim.lease.number, wanted.steady);
        Ok(claim)
    }

    fn take_one(&self, tx: &mut Tx<'_>, old: &WorkItem, wanted: Wanted) -> Result<Claim, Error> {
        let State::Ready { seq } = old.state else {
            return Err(Error::WrongState {
                item: old.id,
                state: old.state.word(),
                allowed: "its place in line disagrees: run `strongroom doctor`",
            });
        };
        let number = self.ticket();
        let mut new = old.clone();
        new.state =
            State::Leased(Hold { lease: number, epoch: self.epoch, expires: wanted.expires, seq });
        new.strikes.attempts = new.strikes.attempts.saturating_add(1);
        new.turns = new.turns.saturating_add(1);
        new.started = Some(wanted.now);
        self.shift(tx, Some(old), &mut new, wanted.now)?;
        Ok(Claim { lease: Lease { item: new.id, number }, item: new })
    }

    /// Extends a lease to `hold` from now, and learns whether to stop.
    pub fn beat(&self, lease: &Lease, hold: Duration) -> Result<Pulse, Error> {
        let expires = self.clock.now().after(hold);
        self.store.commit_soon(|tx| {
            let mut item = Queue::leased(tx, lease)?;
            if let State::Leased(held) = &mut item.state {
                held.expires = held.expires.max(expires);
            }
            // Neither place nor revision changes: a heartbeat is no news to anyone.
            tx.put::<Items>(&item.id, &item)?;
            Ok(Pulse { cancelled: item.cancel.is_some() })
        })
    }

    /// The item under `lease`, or a refusal when the lease is no longer the one in force.
    pub(super) fn leased(tx: &Tx<'_>, lease: &Lease) -> Result<WorkItem, Error> {
        let item = tx.get::<Items>(&lease.item)?.ok_or(Error::LeaseLost(lease.item))?;
        match item.state {
            State::Leased(hold) if hold.lease == lease.number => Ok(item),
            State::Leased(_)
            | State::Ready { .. }
            | State::Delayed { .. }
            | State::Parked { .. }
            | State::Finished
            | State::Failed { .. }
            | State::Cancelled
            | State::Expired => Err(Error::LeaseLost(lease.item)),
        }
    }
}

#[derive(Clone, Copy)]
struct Wanted {
    most: usize,
    expires: Timestamp,
    now: Timestamp,
    steady: Duration,
}
