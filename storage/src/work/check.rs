//! Proof that what is derived agrees with what it is derived from, and repair where it does not.
//!
//! Every suspicion is looked at again inside a commit before it is reported, so a running
//! appliance is never accused of being busy.

mod assignments;
mod leases;

use std::collections::BTreeMap;

use byteio::record::decode;
use serde::Serialize;

use super::dossier::Dossier;
use super::engine::TreeId;
use super::item::{ItemId, State, WorkItem};
use super::key::{Key, Tail};
use super::place::{Expiries, Place, Places, Uniques, expiry, place, unique};
use super::queue::{Histories, Items, META, Metas, Queue, Topic, Topics};
use super::schedule::{Paces, Schedules};
use super::store::Store;
use super::tx::{Range, Schema, Tx};
use crate::clock::Timestamp;
use crate::error::Error;

/// Entries looked at in one go.
const BATCH: usize = 1000;

/// Something that does not agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Disagreement {
    /// Stable, kebab-case.
    pub code: String,
    /// What was found, in a sentence.
    pub sentence: String,
    /// Whether it was mended just now.
    pub mended: bool,
}

/// Walks the whole work state; with `mend`, puts derived entries right.
pub fn check(queue: &Queue, now: Timestamp, mend: bool) -> Result<Vec<Disagreement>, Error> {
    let mut walk =
        Walk { store: queue.store(), epoch: queue.epoch(), now, mend, found: Vec::new() };
    walk.items()?;
    walk.entries::<Places>("stray-place", |item, key| place(item).as_ref() == Some(key))?;
    walk.entries::<Expiries>("stray-expiry", |item, key| expiry(item).as_ref() == Some(key))?;
    walk.entries::<Uniques>("stray-unique-name", |item, key| unique(item).as_ref() == Some(key))?;
    walk.gauges()?;
    walk.histories()?;
    walk.dossiers()?;
    walk.leases()?;
    walk.lease_keys()?;
    walk.assignments()?;
    walk.each::<Topics>(|_, _, _| Ok(()))?;
    walk.each::<Schedules>(|_, _, _| Ok(()))?;
    walk.each::<Paces>(|_, _, _| Ok(()))?;
    if walk.found.iter().any(|it| it.mended) {
        walk.store.barrier()?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    store: &'a Store,
    epoch: u64,
    now: Timestamp,
    mend: bool,
    found: Vec<Disagreement>,
}

/// A derived tree knows which item an entry is about.
trait Derived: Schema {
    fn item(key: &Self::Key, value: &Self::Value) -> ItemId;
}
impl Derived for Places {
    fn item(_: &Place, id: &ItemId) -> ItemId {
        *id
    }
}
impl Derived for Expiries {
    fn item(key: &(u64, ItemId), (): &()) -> ItemId {
        key.1
    }
}
impl Derived for Uniques {
    fn item(_: &String, id: &ItemId) -> ItemId {
        *id
    }
}

impl Walk<'_> {
    fn report(&mut self, code: &str, sentence: String, mended: bool) {
        self.found.push(Disagreement { code: code.into(), sentence, mended });
    }

    /// Visits every entry of a tree in batches, with flat memory. An unreadable record is a
    /// finding, and the walk goes on behind it; mending removes only what can be derived again.
    fn each<S: Schema>(
        &mut self,
        mut visit: impl FnMut(&mut Self, S::Key, S::Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut start = std::ops::Bound::Unbounded;
        loop {
            let span = (start.clone(), std::ops::Bound::Unbounded);
            let batch = self.store.scan_raw(S::TREE, span, BATCH)?;
            let Some((last, _)) = batch.last() else { return Ok(()) };
            start = std::ops::Bound::Excluded(last.to_vec());
            for (key, value) in &batch {
                let name = S::TREE.name();
                let sentence = match (S::Key::parse(key), decode::<S::Value>(value)) {
                    (Some(key), Ok(value)) => {
                        visit(self, key, value)?;
                        continue;
                    }
                    (None, _) => format!("a key of tree {name} is unreadable"),
                    (_, Err(error)) => format!("a record of tree {name}: {error}"),
                };
                let mend = self.mend && is_derived(S::TREE);
                if mend {
                    self.store.mark(S::TREE, std::iter::once((key.to_vec(), None)))?;
                }
                self.report("unreadable-record", sentence, mend);
            }
        }
    }

    fn items(&mut self) -> Result<(), Error> {
        let mut highest = 0;
        self.each::<Items>(|walk, id, item| {
            highest = highest.max(id.0);
            if item.id != id {
                walk.report("misfiled-item", format!("item {} is filed as {id}", item.id), false);
                return Ok(());
            }
            walk.derived::<Places>("missing-place", &item, place)?;
            walk.derived::<Expiries>("missing-expiry", &item, expiry)?;
            walk.derived::<Uniques>("missing-unique-name", &item, unique)?;
            walk.hold(&item);
            Ok(())
        })?;
        let next = self.store.get::<Metas>(&META)?.map_or(1, |meta| meta.next_item);
        if next <= highest {
            if self.mend {
                self.store.commit(|tx| {
                    let mut meta = tx.get::<Metas>(&META)?.unwrap_or_default();
                    meta.next_item = meta.next_item.max(highest + 1);
                    tx.put::<Metas>(&META, &meta)
                })?;
            }
            let sentence = format!("the next item would be {next}, but item {highest} is there");
            self.report("item-number-reused", sentence, self.mend);
        }
        Ok(())
    }

    /// Whether the entry derived from an item is there.
    fn derived<S: Derived>(
        &mut self,
        code: &str,
        item: &WorkItem,
        derive: impl Fn(&WorkItem) -> Option<S::Key>,
    ) -> Result<(), Error>
    where
        S::Value: ValueOf,
    {
        let Some(key) = derive(item) else { return Ok(()) };
        let right = S::Value::of(item.id);
        if readable(self.store.get::<S>(&key))?.as_ref() == Some(&right) {
            return Ok(());
        }
        let mend = self.mend;
        let missing = self.store.commit(|tx| {
            let Some(item) = tx.get::<Items>(&item.id)? else { return Ok(false) };
            let Some(key) = derive(&item) else { return Ok(false) };
            if readable(tx.get::<S>(&key))?.as_ref() == Some(&right) {
                return Ok(false);
            }
            if mend {
                tx.put::<S>(&key, &right)?;
            }
            Ok::<_, Error>(true)
        })?;
        if missing {
            let sentence = format!(
                "item {} is {} but not in tree {}",
                item.id,
                item.state.word(),
                S::TREE.name()
            );
            self.report(code, sentence, mend);
        }
        Ok(())
    }

    /// A lease of an earlier run, or one that ended: nobody works on it.
    fn hold(&mut self, item: &WorkItem) {
        let State::Leased(hold) = item.state else { return };
        if hold.epoch != self.epoch || hold.expires <= self.now {
            let sentence = format!(
                "item {} is leased until {} by run {} of the program; it is taken back at the \
                 next start or the next look at leases",
                item.id, hold.expires, hold.epoch
            );
            self.report("stale-lease", sentence, false);
        }
    }

    /// Whether each entry of a derived tree is what its item says. An item that cannot be read
    /// says nothing: its entry goes, so that those behind it in line are not held up.
    fn entries<S: Derived>(
        &mut self,
        code: &str,
        agrees: impl Fn(&WorkItem, &S::Key) -> bool,
    ) -> Result<(), Error> {
        self.each::<S>(|walk, key, value| {
            let id = S::item(&key, &value);
            if readable(walk.store.get::<Items>(&id))?.is_some_and(|item| agrees(&item, &key)) {
                return Ok(());
            }
            let mend = walk.mend;
            let stray = walk.store.commit(|tx| {
                let stray = tx.get::<S>(&key)?.is_some()
                    && !readable(tx.get::<Items>(&id))?.is_some_and(|item| agrees(&item, &key));
                if stray && mend {
                    tx.remove::<S>(&key);
                }
                Ok::<_, Error>(stray)
            })?;
            if stray {
                let sentence = format!("tree {} has item {id} where it is not", S::TREE.name());
                walk.report(code, sentence, mend);
            }
            Ok(())
        })
    }

    fn gauges(&mut self) -> Result<(), Error> {
        let mend = self.mend;
        let wrong = readable(self.store.commit(|tx| {
            let mut counted: BTreeMap<String, Topic> = BTreeMap::new();
            let mut range = Range::<Places>::all();
            loop {
                let batch = tx.scan(range, BATCH)?;
                let Some((last, _)) = batch.last() else { break };
                range = Range::all().after(last);
                for (place, _) in &batch {
                    *counted.entry(place.topic.clone()).or_default().gauge(&place.spot) += 1;
                }
            }
            recount(tx, counted, mend).map(Some)
        }))?;
        // Nothing can be counted among records that cannot be read; those are findings themselves.
        for sentence in wrong.unwrap_or_default() {
            self.report("wrong-count", sentence, mend);
        }
        Ok(())
    }

    fn histories(&mut self) -> Result<(), Error> {
        self.each::<Histories>(|walk, key, _| {
            if !matches!(walk.store.get::<Items>(&key.0), Ok(None)) {
                return Ok(());
            }
            let mend = walk.mend;
            let orphan = walk.store.commit(|tx| {
                let orphan = tx.get::<Histories>(&key)?.is_some();
                if orphan && mend {
                    tx.remove::<Histories>(&key);
                }
                Ok::<_, Error>(orphan)
            })?;
            if orphan {
                let sentence = format!("attempt {} of item {} belongs to no item", key.1, key.0);
                walk.report("orphan-attempt", sentence, mend);
            }
            Ok(())
        })
    }

    fn dossiers(&mut self) -> Result<(), Error> {
        let mut next = ItemId(0);
        loop {
            let span = (std::ops::Bound::Included(next.bytes()), std::ops::Bound::Unbounded);
            let Some((key, _)) = self.store.scan_raw(TreeId::Dossier, span, 1)?.pop() else {
                return Ok(());
            };
            let Some((id, Tail(_))) = <(ItemId, Tail)>::parse(&key) else {
                self.report(
                    "unreadable-record",
                    "a key of tree dossier is unreadable".into(),
                    false,
                );
                return Ok(());
            };
            let dossier = Dossier::of(self.store, id);
            // A dossier goes before its item does: what is there without one is nobody's.
            if matches!(self.store.get::<Items>(&id), Ok(None)) && !dossier.is_empty()? {
                if self.mend {
                    dossier.remove()?;
                }
                let sentence = format!("a dossier belongs to item {id}, which is gone");
                self.report("orphan-dossier", sentence, self.mend);
            }
            let Some(after) = id.0.checked_add(1) else { return Ok(()) };
            next = ItemId(after);
        }
    }
}

/// Whether everything in a tree can be made again from another.
fn is_derived(tree: TreeId) -> bool {
    matches!(tree, TreeId::Place | TreeId::Expiry | TreeId::Unique | TreeId::LeaseKey)
}

/// What was found, if it can be read: what cannot is a finding of its own.
fn readable<T>(found: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(Error::Unreadable { .. }) => Ok(None),
        other => other,
    }
}

/// What a derived tree stores about an item.
trait ValueOf: PartialEq {
    fn of(id: ItemId) -> Self;
}
impl ValueOf for ItemId {
    fn of(id: ItemId) -> ItemId {
        id
    }
}
impl ValueOf for () {
    fn of(_: ItemId) {}
}

/// Compares each topic's gauges with what was counted; returns what was wrong.
fn recount(
    tx: &mut Tx<'_>,
    mut counted: BTreeMap<String, Topic>,
    mend: bool,
) -> Result<Vec<String>, Error> {
    let mut wrong = Vec::new();
    for (name, mut topic) in tx.scan::<Topics>(Range::all(), BATCH)? {
        let real = counted.remove(&name).unwrap_or_default();
        let says = (topic.ready, topic.delayed, topic.leased, topic.parked);
        let is = (real.ready, real.delayed, real.leased, real.parked);
        if says != is {
            wrong.push(format!(
                "topic {name} says {says:?} items are ready, delayed, leased and parked; they are {is:?}"
            ));
            if mend {
                (topic.ready, topic.delayed, topic.leased, topic.parked) = is;
                tx.put::<Topics>(&name, &topic)?;
            }
        }
    }
    for (name, topic) in counted {
        wrong.push(format!("topic {name} has items but no record"));
        if mend {
            tx.put::<Topics>(&name, &topic)?;
        }
    }
    Ok(wrong)
}
