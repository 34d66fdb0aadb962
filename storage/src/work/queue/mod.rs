//! The queue: what is to be done, in which order, by whom.
//!
//! Promise: every change is one transaction over the item, its place and its topic's counters; a
//! stale lease can write nothing; an item is never in two places, because its place is derived
//! from its one record. After `kill -9` the next process finds what was leased and puts it back
//! where it stood.

mod bring_back;
mod claim;
mod control;
mod lost;
mod settle;
mod suspect;
mod topic;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use bring_back::Returned;
pub use claim::{Claim, Lease, Pulse};
pub use control::Pushed;
pub use settle::{Account, Charge, Settlement, WaitFor};
pub use suspect::{ALONE_MOST, HOLD_BACK};
pub use topic::{Topic, Topics};
pub use view::TopicView;

use self::suspect::Suspects;
use super::engine::TreeId;
use super::item::{Attempt, ItemId, Subject, WorkItem};
use super::place::{Expiries, Place, Places, Uniques, expiry, place, unique};
use super::store::Store;
use super::tx::{Range, Schema, Tx};
use crate::clock::{Clock, Timestamp};
use crate::error::Error;
use byteio::first_version;

/// Most items waiting in one topic; more are refused rather than filling the disk.
const DEPTH_LIMIT: u64 = 10_000_000;

/// Item number to item: the truth.
pub enum Items {}
impl Schema for Items {
    const TREE: TreeId = TreeId::Item;
    type Key = ItemId;
    type Value = WorkItem;
}

/// Attempts the registry does not have yet, by item and turn.
pub enum Histories {}
impl Schema for Histories {
    const TREE: TreeId = TreeId::History;
    type Key = (ItemId, u32);
    type Value = Attempt;
}

/// Counters of the queue itself.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Meta {
    /// Which run of the program this is.
    pub epoch: u64,
    /// The next item's number.
    pub next_item: u64,
}
first_version!(Meta);

/// The one record of [`Meta`].
pub enum Metas {}
impl Schema for Metas {
    const TREE: TreeId = TreeId::Meta;
    type Key = u8;
    type Value = Meta;
}
pub(super) const META: u8 = 0;

/// Something to be done.
#[derive(Clone, Debug, Default)]
pub struct NewItem {
    /// The flow.
    pub flow: String,
    /// The topic it starts at.
    pub topic: String,
    /// What it is about.
    pub subject: Subject,
    /// Higher goes first.
    pub priority: i32,
    /// A name that at most one live item may bear: pushing it again returns that item.
    pub unique: Option<String>,
    /// Not before this moment.
    pub due: Option<Timestamp>,
    /// Not worth doing after this moment.
    pub expires: Option<Timestamp>,
    /// A first message for people.
    pub note: String,
}

/// The queue of one data directory.
pub struct Queue {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    epoch: u64,
    tickets: AtomicU64,
    /// Rings for everyone who watches.
    bell: Bell,
    /// One per topic, for those who wait for its work alone.
    topic_bells: Mutex<BTreeMap<String, Arc<Bell>>>,
    dirty: Mutex<BTreeSet<ItemId>>,
    suspects: Mutex<Suspects>,
}

impl Queue {
    /// Opens the queue as a new run of the program: whatever an earlier run left leased is back
    /// in line, where it stood, when this returns.
    pub fn open(store: Arc<Store>, clock: Arc<dyn Clock>) -> Result<Queue, Error> {
        let epoch = store.commit(|tx| {
            let mut meta = tx.get::<Metas>(&META)?.unwrap_or(Meta { epoch: 0, next_item: 1 });
            meta.epoch += 1;
            tx.put::<Metas>(&META, &meta)?;
            Ok::<_, Error>(meta.epoch)
        })?;
        let queue = Queue {
            store,
            clock,
            epoch,
            tickets: AtomicU64::new(0),
            bell: Bell::default(),
            topic_bells: Mutex::default(),
            dirty: Mutex::default(),
            suspects: Mutex::default(),
        };
        queue.recover()?;
        queue.find_suspects()?;
        Ok(queue)
    }

    /// The store the queue lives in.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Which run of the program this is.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Rings whenever anything changed.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Rings whenever work of one topic may have become ready: those who wait for other topics
    /// are left asleep.
    pub fn bell_of(&self, topic: &str) -> Arc<Bell> {
        let mut bells = self.topic_bells.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(bells.entry(topic.to_owned()).or_default())
    }

    /// Wakes everyone who waits for anything.
    pub fn wake_all(&self) {
        let bells = self.topic_bells.lock().unwrap_or_else(PoisonError::into_inner);
        bells.values().for_each(|bell| bell.ring());
        self.bell.ring();
    }

    /// Numbers new items above `id`: after a lost work state, the registry knows the highest.
    pub fn number_above(&self, id: u64) -> Result<(), Error> {
        self.store.commit(|tx| {
            let mut meta = tx.get::<Metas>(&META)?.unwrap_or_default();
            if meta.next_item <= id {
                meta.next_item = id.saturating_add(1);
                tx.put::<Metas>(&META, &meta)?;
            }
            Ok(())
        })
    }

    /// A number that rises for ever: the run of the program above, a counter below. 2^24 runs of
    /// 2^40 tickets each.
    fn ticket(&self) -> u64 {
        (self.epoch << 40) | self.tickets.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes an item's new state and everything derived from it. The only writer of places.
    fn shift(
        &self,
        tx: &mut Tx<'_>,
        old: Option<&WorkItem>,
        new: &mut WorkItem,
        now: Timestamp,
    ) -> Result<(), Error> {
        new.revision += 1;
        new.updated = now;
        if let Some(old) = old {
            if let Some(place) = place(old) {
                Topic::leave(tx, &place)?;
                tx.remove::<Places>(&place);
            }
            if let Some(key) = expiry(old) {
                tx.remove::<Expiries>(&key);
            }
            if let Some(key) = unique(old) {
                tx.remove::<Uniques>(&key);
            }
        }
        if let Some(place) = place(new) {
            Topic::enter(tx, &place)?;
            tx.put::<Places>(&place, &new.id)?;
        }
        if let Some(key) = expiry(new) {
            tx.put::<Expiries>(&key, &())?;
        }
        if let Some(key) = unique(new) {
            tx.put::<Uniques>(&key, &new.id)?;
        }
        tx.put::<Items>(&new.id, new)
    }

    /// The item that stands at a place. `None` when there is none, it stands elsewhere, or it
    /// cannot be read: such an entry is for the doctor, and must not stop the rest of the line.
    fn standing(tx: &Tx<'_>, at: &Place, id: ItemId) -> Result<Option<WorkItem>, Error> {
        match tx.get::<Items>(&id) {
            Ok(item) => Ok(item.filter(|item| place(item).as_ref() == Some(at))),
            Err(Error::Unreadable { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn live(tx: &Tx<'_>, id: ItemId) -> Result<WorkItem, Error> {
        match tx.get::<Items>(&id)? {
            Some(item) if !item.state.is_terminal() => Ok(item),
            Some(_) | None => Err(Error::NoSuchItem(id)),
        }
    }

    /// Tells the registry's copy that items changed, and wakes those who wait for their topics.
    fn announce<'t>(&self, changed: impl IntoIterator<Item = (ItemId, &'t str)>) {
        let mut topics = BTreeSet::new();
        let mut dirty = self.dirty();
        for (id, topic) in changed {
            dirty.insert(id);
            topics.insert(topic);
        }
        drop(dirty);
        topics.into_iter().for_each(|topic| self.bell_of(topic).ring());
        self.bell.ring();
    }

    /// Takes up to `limit` items that changed since they were last taken.
    pub fn take_changed(&self, limit: usize) -> Vec<ItemId> {
        let mut dirty = self.dirty();
        let taken: Vec<_> = dirty.iter().take(limit).copied().collect();
        for id in &taken {
            dirty.remove(id);
        }
        taken
    }

    /// Gives back items that could not be copied, or that a start found to differ.
    pub fn mark_changed(&self, changed: impl IntoIterator<Item = ItemId>) {
        self.dirty().extend(changed);
    }

    /// How many items wait to be copied to the registry.
    pub fn changed_count(&self) -> usize {
        self.dirty().len()
    }

    fn dirty(&self) -> MutexGuard<'_, BTreeSet<ItemId>> {
        self.dirty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A live item, or one that has ended and is not copied yet.
    pub fn item(&self, id: ItemId) -> Result<Option<WorkItem>, Error> {
        self.store.get::<Items>(&id)
    }

    /// Items by number, from behind `after` on.
    pub fn items(&self, after: Option<ItemId>, limit: usize) -> Result<Vec<WorkItem>, Error> {
        let mut range = Range::<Items>::all();
        if let Some(after) = after {
            range = range.after(&after);
        }
        Ok(self.store.scan(range, limit)?.into_iter().map(|(_, item)| item).collect())
    }

    /// Attempts of an item that the registry may not have yet.
    pub fn history(&self, id: ItemId, limit: usize) -> Result<Vec<(u32, Attempt)>, Error> {
        let found = self.store.scan::<Histories>(Range::prefix(&id), limit)?;
        Ok(found.into_iter().map(|((_, turn), attempt)| (turn, attempt)).collect())
    }

    /// Forgets what the registry now holds durably: told attempts, and ended items unchanged
    /// since `revision`, with their dossiers.
    pub fn forget(&self, copied: &[(ItemId, u64, Vec<u32>)]) -> Result<(), Error> {
        for (id, revision, turns) in copied {
            let ended = self
                .store
                .get::<Items>(id)?
                .is_some_and(|item| item.state.is_terminal() && item.revision == *revision);
            if ended {
                super::dossier::Dossier::of(&self.store, *id).remove()?;
            }
            self.store.commit_soon(|tx| {
                for turn in turns {
                    tx.remove::<Histories>(&(*id, *turn));
                }
                if ended {
                    tx.remove::<Items>(id);
                }
                Ok::<_, Error>(())
            })?;
        }
        Ok(())
    }
}

/// Wakes those who wait for work. Look at the count before looking for work, then wait with it:
/// a ring in between is not lost.
#[derive(Default)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Bell {
    /// How often it has rung.
    pub fn count(&self) -> u64 {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes everyone.
    pub fn ring(&self) {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rung.notify_all();
    }

    /// Waits for a ring after the `seen`-th, but not longer than `most`.
    pub fn wait(&self, seen: u64, most: Duration) {
        let rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.rung.wait_timeout_while(rings, most, |rings| *rings == seen));
    }
}
