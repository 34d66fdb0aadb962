//! Items that were under way at several deaths of the process are tried alone.
//!
//! Of all items that were under way when the process died, one at most is the cause. So an item that
//! was under way at [`Strikes::SUSPECT`] deaths at the same stage is claimed when nothing else is
//! leased, and while it is leased nothing else is claimed. After a start nothing is leased, so that
//! suspects are the first to be claimed, one after the other. A suspect that ends its attempt is an
//! item like any other; a suspect that does not is parked after [`Strikes::ALONE`] deaths during which
//! nothing else was leased, or after [`Strikes::MOST`] of any kind.
//!
//! Nobody waits for ever. Claims are held back for [`HOLD_BACK`] at most while work that is under way
//! ends; then the suspect is claimed beside the work that is left, which has lived for that long. A
//! suspect that has run for [`ALONE_MOST`] lets others in, and still counts as one.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::topic::{TOPIC_LIMIT, Topic, Topics};
use super::{Items, Queue};
use crate::error::Error;
use crate::work::item::{ItemId, State, Strikes, WorkItem};
use crate::work::place::{Places, READY};
use crate::work::tx::{Range, Tx};

/// How long new claims are held back until the work that is under way has ended.
pub const HOLD_BACK: Duration = Duration::from_secs(600);
/// How long a suspect keeps others from being claimed.
pub const ALONE_MOST: Duration = Duration::from_secs(1800);
/// Items at the head of each line that a start looks at. What was under way stands at the head.
const HEADS: usize = 1024;

impl Strikes {
    /// Deaths of the process at one stage after which an item is tried alone.
    pub const SUSPECT: u16 = 3;
    /// Deaths of the process that a suspect was alone at, after which it is not tried again.
    pub const ALONE: u16 = 3;
    /// Deaths of the process at one stage after which an item is not tried again, whatever else was
    /// under way: a program that starts and dies for ever does nothing else.
    pub const MOST: u16 = 20;

    /// Whether the item is not to be tried again.
    pub fn is_condemned(self) -> bool {
        self.alone >= Strikes::ALONE || self.crashes >= Strikes::MOST
    }

    /// Whether the item is to be tried alone.
    pub fn is_suspect(self) -> bool {
        self.crashes >= Strikes::SUSPECT && !self.is_condemned()
    }
}

/// Suspects in line, and the one that is under way.
#[derive(Default)]
pub(super) struct Suspects {
    /// In line; true when others were held back long enough for it.
    waiting: BTreeMap<ItemId, bool>,
    /// Since when claims are held back.
    held_since: Option<Duration>,
    alone: Option<Alone>,
}

/// A suspect that is under way.
struct Alone {
    id: ItemId,
    lease: u64,
    since: Duration,
}

/// Whose turn it is in a topic.
pub(super) enum Turn {
    /// Whoever is first in line.
    Anyone,
    /// This suspect.
    Suspect(Box<WorkItem>),
    /// Nobody for now.
    Nobody,
}

impl Suspects {
    /// Whether claims may be held back.
    pub(super) fn is_active(&self) -> bool {
        self.alone.is_some() || !self.waiting.is_empty()
    }

    /// Notes that a suspect was claimed.
    pub(super) fn claimed(&mut self, id: ItemId, lease: u64, now: Duration) {
        self.waiting.remove(&id);
        self.held_since = None;
        self.alone = Some(Alone { id, lease, since: now });
    }

    /// Whether a suspect that is first in line may be claimed now; if not, others are held back.
    pub(super) fn may_begin(&mut self, tx: &Tx<'_>, id: ItemId) -> Result<bool, Error> {
        let waited = self.waiting.get(&id).copied().unwrap_or(false);
        if waited || leased(tx)? == 0 {
            return Ok(true);
        }
        self.waiting.insert(id, false);
        Ok(false)
    }

    /// Whose turn it is in `topic`, which is not paused.
    pub(super) fn turn(&mut self, tx: &Tx<'_>, topic: &str, now: Duration) -> Result<Turn, Error> {
        if !self.is_active() {
            return Ok(Turn::Anyone);
        }
        if let Some(alone) = &self.alone {
            let held = tx.get::<Items>(&alone.id)?.is_some_and(
                |item| matches!(item.state, State::Leased(hold) if hold.lease == alone.lease),
            );
            if held && now.saturating_sub(alone.since) < ALONE_MOST {
                return Ok(Turn::Nobody);
            }
            self.alone = None;
        }
        let Some(first) = self.first(tx)? else {
            self.held_since = None;
            return Ok(Turn::Anyone);
        };
        if first.topic == topic && leased(tx)? == 0 {
            return Ok(Turn::Suspect(Box::new(first)));
        }
        let since = *self.held_since.get_or_insert(now);
        if now.saturating_sub(since) < HOLD_BACK {
            return Ok(Turn::Nobody);
        }
        self.held_since = None;
        self.waiting.values_mut().for_each(|waited| *waited = true);
        Ok(Turn::Anyone)
    }

    /// The first suspect that others are held back for; those that are none any more are forgotten.
    fn first(&mut self, tx: &Tx<'_>) -> Result<Option<WorkItem>, Error> {
        let mut first = None;
        let mut gone = Vec::new();
        for (&id, &waited) in &self.waiting {
            let item = tx.get::<Items>(&id)?;
            let suspect = |item: &WorkItem| {
                item.strikes.is_suspect() && matches!(item.state, State::Ready { .. })
            };
            let Some(item) = item.filter(suspect) else {
                gone.push(id);
                continue;
            };
            let paused = tx.get::<Topics>(&item.topic)?.is_some_and(|topic| topic.paused);
            if first.is_none() && !waited && !paused {
                first = Some(item);
            }
        }
        for id in gone {
            self.waiting.remove(&id);
        }
        Ok(first)
    }
}

/// Items that are being worked on, in all topics.
fn leased(tx: &Tx<'_>) -> Result<u64, Error> {
    let topics = tx.scan::<Topics>(Range::all(), TOPIC_LIMIT)?;
    Ok(topics.into_iter().map(|(_, topic)| topic.leased).sum())
}

impl Queue {
    pub(super) fn suspects(&self) -> MutexGuard<'_, Suspects> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the suspects that stand in line after a start.
    pub(super) fn find_suspects(&self) -> Result<(), Error> {
        let found = self.store.commit(|tx| {
            let mut found = Vec::new();
            for topic in Topic::names(tx)? {
                let heads = match tx.scan(Range::<Places>::prefix(&(topic, READY)), HEADS) {
                    Ok(heads) => heads,
                    // For the doctor. A suspect in this line is found when its turn comes.
                    Err(Error::Unreadable { .. }) => continue,
                    Err(error) => return Err(error),
                };
                for (at, id) in heads {
                    let item = Queue::standing(tx, &at, id)?;
                    found.extend(item.filter(|item| item.strikes.is_suspect()).map(|it| it.id));
                }
            }
            Ok::<_, Error>(found)
        })?;
        self.suspects().waiting.extend(found.into_iter().map(|id| (id, false)));
        Ok(())
    }

    /// Wakes everybody when what has just ended may have held them back.
    pub(super) fn let_others_in(&self) {
        if self.suspects().is_active() {
            self.wake_all();
        }
    }
}
