//! What people and sweeps do to the queue: push, requeue, cancel, pause, empty, expire.

use super::topic::{Topic, Topics};
use super::{DEPTH_LIMIT, Items, META, Meta, Metas, NewItem, Queue};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::work::item::{
    CancelRequest, ItemId, State, Strikes, Verdict, WorkItem, check_name, cut,
};
use crate::work::place::{DELAYED, Expiries, PARKED, Places, READY, Uniques, expiry};
use crate::work::tx::{Range, Tx};

/// Items changed by one transaction of a bulk action: bounds its memory and its hold on others.
const BATCH: usize = 500;
/// Longest unique name.
const UNIQUE_LIMIT: usize = 2048;

/// The item a push led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// Its number.
    pub id: ItemId,
    /// Whether this push made it; otherwise one of the same unique name was there already.
    pub new: bool,
}

impl Queue {
    /// Adds an item.
    pub fn push(&self, item: NewItem) -> Result<Pushed, Error> {
        Ok(self.push_all(vec![item])?[0])
    }

    /// Adds several items, all or none.
    pub fn push_all(&self, items: Vec<NewItem>) -> Result<Vec<Pushed>, Error> {
        items.iter().try_for_each(Queue::check_new)?;
        let now = self.clock.now();
        let topics: Vec<_> = items.iter().map(|item| item.topic.clone()).collect();
        let pushed = self.store.commit(|tx| {
            let mut meta = tx.get::<Metas>(&META)?.unwrap_or_default();
            let pushed: Result<Vec<_>, Error> =
                items.into_iter().map(|item| self.push_one(tx, item, &mut meta, now)).collect();
            tx.put::<Metas>(&META, &meta)?;
            pushed
        })?;
        let made = pushed.iter().zip(&topics).filter(|(pushed, _)| pushed.new);
        self.announce(made.map(|(pushed, topic)| (pushed.id, topic.as_str())));
        Ok(pushed)
    }

    fn push_one(
        &self,
        tx: &mut Tx<'_>,
        new: NewItem,
        meta: &mut Meta,
        now: Timestamp,
    ) -> Result<Pushed, Error> {
        if let Some(name) = &new.unique
            && let Some(id) = tx.get::<Uniques>(name)?
        {
            return Ok(Pushed { id, new: false });
        }
        let topic = tx.get::<Topics>(&new.topic)?.unwrap_or_default();
        if topic.ready + topic.delayed >= DEPTH_LIMIT {
            return Err(Error::TopicFull { topic: new.topic, limit: DEPTH_LIMIT });
        }
        let id = ItemId(meta.next_item);
        meta.next_item += 1;
        let mut item = self.fresh(id, new, now);
        self.enter(tx, &mut item, now)?;
        Ok(Pushed { id, new: true })
    }

    /// Refuses what an item may not be.
    pub(super) fn check_new(item: &NewItem) -> Result<(), Error> {
        check_name("the flow", &item.flow)?;
        check_name("the topic", &item.topic)?;
        item.subject.check()?;
        let over = |name: &String| name.len() > UNIQUE_LIMIT || name.contains('\0');
        if item.unique.as_ref().is_some_and(over) {
            let problem = format!("is longer than {UNIQUE_LIMIT} bytes or has a zero byte");
            return Err(Error::Malformed { what: "the unique name", problem });
        }
        Ok(())
    }

    /// An item with a clean slate.
    pub(super) fn fresh(&self, id: ItemId, new: NewItem, now: Timestamp) -> WorkItem {
        let state = match new.due {
            Some(due) if due > now => State::Delayed { due },
            Some(_) | None => State::Ready { seq: self.ticket() },
        };
        WorkItem {
            id,
            flow: new.flow,
            topic: new.topic,
            state,
            subject: new.subject,
            priority: new.priority,
            unique: new.unique,
            expires: new.expires,
            strikes: Strikes::default(),
            turns: 0,
            verdict: Verdict::Open,
            cancel: None,
            note: cut(new.note),
            outcome: String::new(),
            revision: 0,
            created: now,
            updated: now,
            queued: now,
            started: None,
            waiting: None,
        }
    }

    /// Writes an item that is new to the queue.
    pub(super) fn enter(
        &self,
        tx: &mut Tx<'_>,
        item: &mut WorkItem,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.shift(tx, None, item, now)?;
        Topic::update(tx, &item.topic, |topic| topic.pushed += 1)
    }

    /// Puts a waiting or parked item in line at `topic`, with a clean slate.
    pub fn requeue(&self, id: ItemId, topic: &str, note: &str) -> Result<WorkItem, Error> {
        check_name("the topic", topic)?;
        let now = self.clock.now();
        let item = self.store.commit(|tx| {
            let old = Queue::live(tx, id)?;
            if matches!(old.state, State::Leased(_)) {
                let allowed = "it can be requeued when this attempt has ended";
                return Err(Error::WrongState { item: id, state: "being worked on", allowed });
            }
            let mut new = old.clone();
            new.topic = topic.to_owned();
            new.state = State::Ready { seq: self.ticket() };
            new.strikes = Strikes::default();
            // A clean-up that is tried again ends the item as was decided before it.
            if old.topic != topic {
                new.verdict = Verdict::Open;
            }
            new.cancel = None;
            new.waiting = None;
            new.queued = now;
            new.note = cut(note.to_owned());
            self.shift(tx, Some(&old), &mut new, now)?;
            Topic::update(tx, &new.topic, |topic| topic.pushed += 1)?;
            Ok(new)
        })?;
        self.announce([(id, item.topic.as_str())]);
        Ok(item)
    }

    /// Cancels an item: at once when it waits, at its next checkpoint when it is worked on. With
    /// a clean-up stage it passes through that and ends as cancelled there.
    pub fn cancel(&self, id: ItemId, why: &str, cleanup: Option<&str>) -> Result<WorkItem, Error> {
        let cancelled = self.cancel_while(id, why, cleanup, |_| true)?;
        cancelled.ok_or(Error::NoSuchItem(id))
    }

    /// Cancels an item if `still` holds of it as it stands at that moment; none if it does not.
    pub fn cancel_while(
        &self,
        id: ItemId,
        why: &str,
        cleanup: Option<&str>,
        still: impl FnOnce(&WorkItem) -> bool,
    ) -> Result<Option<WorkItem>, Error> {
        cleanup.map_or(Ok(()), |cleanup| check_name("the clean-up topic", cleanup))?;
        let now = self.clock.now();
        let item = self.store.commit(|tx| {
            let old = Queue::live(tx, id)?;
            if !still(&old) {
                return Ok(None);
            }
            self.cancel_one(tx, &old, why, cleanup, now).map(Some)
        })?;
        self.announce(item.iter().map(|item| (id, item.topic.as_str())));
        Ok(item)
    }

    fn cancel_one(
        &self,
        tx: &mut Tx<'_>,
        old: &WorkItem,
        why: &str,
        cleanup: Option<&str>,
        now: Timestamp,
    ) -> Result<WorkItem, Error> {
        let mut new = old.clone();
        new.note = cut(why.to_owned());
        if matches!(old.state, State::Leased(_)) {
            let cleanup = cleanup.map(str::to_owned);
            new.cancel = Some(CancelRequest { why: new.note.clone(), cleanup });
        } else {
            self.call_off(tx, old, &mut new, cleanup, now)?;
        }
        self.shift(tx, Some(old), &mut new, now)?;
        Ok(new)
    }

    /// Makes an item that nobody works on a cancelled one, or one on its way to clean-up.
    pub(super) fn call_off(
        &self,
        tx: &mut Tx<'_>,
        old: &WorkItem,
        new: &mut WorkItem,
        cleanup: Option<&str>,
        now: Timestamp,
    ) -> Result<(), Error> {
        new.cancel = None;
        new.waiting = None;
        if let Some(cleanup) = cleanup {
            new.topic = cleanup.to_owned();
            new.state = State::Ready { seq: self.ticket() };
            new.strikes = Strikes::default();
            new.verdict = Verdict::Cancelled;
            new.queued = now;
            Topic::update(tx, &new.topic, |topic| topic.pushed += 1)?;
        } else {
            new.state = State::Cancelled;
            new.outcome = "cancelled".into();
        }
        Topic::update(tx, &old.topic, |topic| topic.cancelled += 1)
    }

    /// Stops or resumes giving out work of a topic; survives a restart.
    pub fn pause(&self, topic: &str, paused: bool) -> Result<(), Error> {
        check_name("the topic", topic)?;
        self.store
            .commit(|tx| Topic::update(tx, &topic.to_owned(), |topic| topic.paused = paused))?;
        self.bell_of(topic).ring();
        self.bell.ring();
        Ok(())
    }

    /// Cancels everything that waits in a topic, due or not. What is leased or parked stays.
    pub fn empty(&self, topic: &str, why: &str, cleanup: Option<&str>) -> Result<u64, Error> {
        cleanup.map_or(Ok(()), |cleanup| check_name("the clean-up topic", cleanup))?;
        let mut emptied = 0;
        // An item diverted to the clean-up stage of the very topic would be met again for ever.
        let cleanup = cleanup.filter(|cleanup| *cleanup != topic);
        loop {
            let now = self.clock.now();
            let batch = self.store.commit(|tx| {
                let mut batch = Vec::new();
                for tag in [READY, DELAYED] {
                    let range = Range::<Places>::prefix(&(topic.to_owned(), tag));
                    for (at, id) in tx.scan(range, BATCH)? {
                        let Some(old) = Queue::standing(tx, &at, id)? else { continue };
                        self.cancel_one(tx, &old, why, cleanup, now)?;
                        batch.push(id);
                    }
                }
                Ok::<_, Error>(batch)
            })?;
            if batch.is_empty() {
                return Ok(emptied);
            }
            emptied += batch.len() as u64;
            self.announce(batch.into_iter().map(|id| (id, cleanup.unwrap_or(topic))));
        }
    }

    /// Puts away waiting items that outlived their time, `limit` at most.
    pub fn expire(&self, limit: usize) -> Result<usize, Error> {
        let now = self.clock.now();
        let expired = self.store.commit(|tx| {
            let mut expired = Vec::new();
            for (key, ()) in tx.scan(Range::<Expiries>::all().through(&now.0), limit)? {
                match Queue::live(tx, key.1) {
                    Ok(old) if expiry(&old) == Some(key) => {
                        self.expire_one(tx, &old, now)?;
                        expired.push(key.1);
                    }
                    // A stray entry is for the doctor.
                    Ok(_) | Err(Error::NoSuchItem(_) | Error::Unreadable { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok::<_, Error>(expired)
        })?;
        let count = expired.len();
        self.mark_changed(expired);
        Ok(count)
    }

    pub(super) fn expire_one(
        &self,
        tx: &mut Tx<'_>,
        old: &WorkItem,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut new = old.clone();
        new.state = State::Expired;
        new.waiting = None;
        new.outcome = "expired".into();
        new.note = "it was not begun before its time ran out".into();
        self.shift(tx, Some(old), &mut new, now)?;
        Topic::update(tx, &old.topic, |topic| topic.expired += 1)
    }

    /// Parked items of a topic, from behind `after` on.
    pub fn parked(
        &self,
        topic: &str,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<WorkItem>, Error> {
        let from = after.map_or(0, |id| id.0.saturating_add(1));
        let mut found = Vec::new();
        let mut range = Range::<Places>::prefix(&(topic.to_owned(), PARKED));
        if from > 0 {
            let spot = crate::work::place::Spot::Parked(ItemId(from - 1));
            range = range.after(&crate::work::place::Place { topic: topic.to_owned(), spot });
        }
        for (_, id) in self.store.scan(range, limit)? {
            found.extend(self.store.get::<Items>(&id)?);
        }
        Ok(found)
    }
}
