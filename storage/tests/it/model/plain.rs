//! The queue as a plain map: what it is to do, without how.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use storage::clock::Timestamp;
use storage::work::item::{ItemId, State, Strikes, Verdict, WorkItem};
use storage::work::queue::{
    ALONE_MOST, Charge, HOLD_BACK, NewItem, Pushed, Settlement, Topic, TopicView,
};

/// Where an item stands; places in line and leases are numbered by the map itself.
#[derive(Clone, Debug)]
enum Spot {
    Ready(u64),
    Delayed(Timestamp),
    Leased { number: u64, expires: Timestamp, seq: u64 },
    Parked,
    Ended(&'static str),
}

#[derive(Clone, Debug)]
struct Entry {
    spot: Spot,
    /// The clean-up topic asked for with a cancel.
    wish: Option<Option<String>>,
    unique: Option<String>,
    expires: Option<Timestamp>,
    priority: i32,
    thing: Thing,
}

/// What is compared with the real item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thing {
    id: ItemId,
    topic: String,
    word: &'static str,
    moment: Option<Timestamp>,
    strikes: Strikes,
    turns: u32,
    verdict: Verdict,
    wished: bool,
    queued: Timestamp,
    revision: u64,
}

impl Thing {
    pub(super) fn of(item: &WorkItem) -> Thing {
        let mut moment = crate::room::due(item);
        if let State::Leased(hold) = item.state {
            moment = Some(hold.expires);
        }
        Thing {
            id: item.id,
            topic: item.topic.clone(),
            word: item.state.word(),
            moment,
            strikes: item.strikes,
            turns: item.turns,
            verdict: item.verdict.clone(),
            wished: item.cancel.is_some(),
            queued: item.queued,
            revision: item.revision,
        }
    }
}

#[derive(Default)]
pub(super) struct Plain {
    entries: BTreeMap<ItemId, Entry>,
    topics: BTreeMap<String, Topic>,
    tickets: u64,
    pub(super) next_item: u64,
    /// Suspects in line; true when others were held back long enough for it.
    suspects: BTreeMap<ItemId, bool>,
    held_since: Option<Duration>,
    /// The suspect that is under way, its lease, and since when.
    alone: Option<(ItemId, u64, Duration)>,
}

impl Plain {
    pub(super) fn things(&self) -> Vec<Thing> {
        let thing = |entry: &Entry| {
            let (word, moment) = match entry.spot {
                Spot::Ready(_) => ("ready", None),
                Spot::Delayed(due) => ("delayed", Some(due)),
                Spot::Leased { expires, .. } => ("leased", Some(expires)),
                Spot::Parked => ("parked", None),
                Spot::Ended(word) => (word, None),
            };
            Thing { word, moment, wished: entry.wish.is_some(), ..entry.thing.clone() }
        };
        self.entries.values().map(thing).collect()
    }

    pub(super) fn topics(&self, now: Timestamp) -> Vec<TopicView> {
        let view = |(name, counts): (&String, &Topic)| {
            let mut counts = *counts;
            let mut heads: BTreeMap<i32, (u64, u64)> = BTreeMap::new();
            for entry in self.entries.values().filter(|entry| entry.thing.topic == *name) {
                match entry.spot {
                    Spot::Ready(seq) => {
                        counts.ready += 1;
                        let age = now.0.saturating_sub(entry.thing.queued.0);
                        let head = heads.entry(entry.priority).or_insert((seq, age));
                        *head = (*head).min((seq, age));
                    }
                    Spot::Delayed(_) => counts.delayed += 1,
                    Spot::Leased { .. } => counts.leased += 1,
                    Spot::Parked => counts.parked += 1,
                    Spot::Ended(_) => {}
                }
            }
            let oldest_ms = heads.values().map(|head| head.1).max();
            TopicView { topic: name.clone(), counts, oldest_ms }
        };
        self.topics.iter().map(view).collect()
    }

    fn topic(&mut self, name: &str) -> &mut Topic {
        self.topics.entry(name.to_owned()).or_default()
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// Numbers of those that match, in order of `key`.
    fn sorted<K: Ord>(&self, key: impl Fn(&Entry) -> Option<K>) -> Vec<ItemId> {
        let mut found: Vec<_> =
            self.entries.iter().filter_map(|(id, entry)| Some((key(entry)?, *id))).collect();
        found.sort();
        found.into_iter().map(|it| it.1).collect()
    }

    fn change(&mut self, id: ItemId, change: impl FnOnce(&mut Entry)) {
        let entry = self.entries.get_mut(&id).unwrap();
        change(entry);
        entry.thing.revision += 1;
        if let Spot::Ended(_) = entry.spot {
            (entry.wish, entry.unique) = (None, None);
        }
    }

    fn live(&self, id: ItemId) -> Option<&Entry> {
        self.entries.get(&id).filter(|entry| !matches!(entry.spot, Spot::Ended(_)))
    }

    pub(super) fn push(&mut self, new: &NewItem, now: Timestamp) -> Pushed {
        let same = |entry: &&Entry| new.unique.is_some() && entry.unique == new.unique;
        if let Some(entry) = self.entries.values().find(same) {
            return Pushed { id: entry.thing.id, new: false };
        }
        self.next_item += 1;
        let id = ItemId(self.next_item);
        let spot = match new.due {
            Some(due) if due > now => Spot::Delayed(due),
            _ => Spot::Ready(self.ticket()),
        };
        let thing = Thing {
            id,
            topic: new.topic.clone(),
            word: "",
            moment: None,
            strikes: Strikes::default(),
            turns: 0,
            verdict: Verdict::Open,
            wished: false,
            queued: now,
            revision: 1,
        };
        let (unique, expires, priority) = (new.unique.clone(), new.expires, new.priority);
        self.entries.insert(id, Entry { spot, wish: None, unique, expires, priority, thing });
        self.topic(&new.topic).pushed += 1;
        Pushed { id, new: true }
    }

    pub(super) fn claim(
        &mut self,
        topic: &str,
        most: usize,
        (now, steady): (Timestamp, Duration),
        hold: Duration,
    ) -> Vec<(ItemId, u64)> {
        if self.topics.get(topic).is_none_or(|topic| topic.paused) {
            return Vec::new();
        }
        for id in self.sorted(|entry| {
            let Spot::Delayed(due) = entry.spot else { return None };
            (due <= now && entry.thing.topic == topic).then_some(due)
        }) {
            let seq = self.ticket();
            self.change(id, |entry| (entry.spot, entry.thing.queued) = (Spot::Ready(seq), now));
        }
        let mut claimed = Vec::new();
        let line = match self.turn(topic, now, steady) {
            None => return Vec::new(),
            Some(Some(suspect)) => vec![suspect],
            Some(None) => self.sorted(|entry| {
                let Spot::Ready(seq) = entry.spot else { return None };
                (entry.thing.topic == topic).then_some((Reverse(entry.priority), seq))
            }),
        };
        for id in line {
            if claimed.len() == most {
                break;
            }
            let entry = &self.entries[&id];
            let Spot::Ready(seq) = entry.spot else { unreachable!() };
            if entry.expires.is_some_and(|at| at <= now) {
                self.end_by_time(id, topic);
                continue;
            }
            let suspect = entry.thing.strikes.is_suspect();
            if suspect {
                let waited = self.suspects.get(&id) == Some(&true);
                if !claimed.is_empty() {
                    break;
                }
                if !waited && self.leased() > 0 {
                    self.suspects.insert(id, false);
                    break;
                }
            }
            let number = self.ticket();
            self.change(id, |entry| {
                entry.spot = Spot::Leased { number, expires: now.after(hold), seq };
                entry.thing.strikes.attempts += 1;
                entry.thing.turns += 1;
            });
            claimed.push((id, number));
            if suspect {
                self.suspects.remove(&id);
                (self.held_since, self.alone) = (None, Some((id, number, steady)));
                break;
            }
        }
        self.topic(topic).claimed += claimed.len() as u64;
        claimed
    }

    fn end_by_time(&mut self, id: ItemId, topic: &str) {
        self.change(id, |entry| entry.spot = Spot::Ended("expired"));
        self.topic(topic).expired += 1;
    }

    fn leased(&self) -> usize {
        self.entries.values().filter(|entry| matches!(entry.spot, Spot::Leased { .. })).count()
    }

    /// Who may be claimed: nobody, the first in line, or this suspect.
    fn turn(&mut self, topic: &str, now: Timestamp, steady: Duration) -> Option<Option<ItemId>> {
        if let Some((id, number, since)) = self.alone {
            if self.held(id, number) && steady - since < ALONE_MOST {
                return None;
            }
            self.alone = None;
        }
        loop {
            let entries = &self.entries;
            self.suspects.retain(|id, _| {
                entries.get(id).is_some_and(|entry| {
                    entry.thing.strikes.is_suspect() && matches!(entry.spot, Spot::Ready(_))
                })
            });
            let topic_of = |id: &ItemId| self.entries[id].thing.topic.clone();
            let open = |id: &ItemId| !self.topics.get(&topic_of(id)).is_some_and(|it| it.paused);
            let waiting = |(id, waited): &(&ItemId, &bool)| !**waited && open(id);
            let Some(first) = self.suspects.iter().find(waiting).map(|it| *it.0) else {
                self.held_since = None;
                return Some(None);
            };
            if topic_of(&first) == topic && self.leased() == 0 {
                if self.entries[&first].expires.is_some_and(|at| at <= now) {
                    self.end_by_time(first, topic);
                    continue;
                }
                return Some(Some(first));
            }
            let since = *self.held_since.get_or_insert(steady);
            if steady - since < HOLD_BACK {
                return None;
            }
            self.held_since = None;
            self.suspects.values_mut().for_each(|waited| *waited = true);
            return Some(None);
        }
    }

    fn held(&self, id: ItemId, with: u64) -> bool {
        self.entries.get(&id).is_some_and(
            |entry| matches!(entry.spot, Spot::Leased { number, .. } if number == with),
        )
    }

    pub(super) fn beat(&mut self, id: ItemId, with: u64, until: Timestamp) -> Option<bool> {
        if !self.held(id, with) {
            return None;
        }
        let entry = self.entries.get_mut(&id)?;
        if let Spot::Leased { expires, .. } = &mut entry.spot {
            *expires = until.max(*expires);
        }
        Some(entry.wish.is_some())
    }

    pub(super) fn settle(
        &mut self,
        id: ItemId,
        with: u64,
        how: &Settlement,
        now: Timestamp,
    ) -> bool {
        if !self.held(id, with) {
            return false;
        }
        let wish = self.entries[&id].wish.clone();
        let how = match (how, wish) {
            (
                Settlement::Advance { .. }
                | Settlement::SendBack { .. }
                | Settlement::Retry { .. }
                | Settlement::Park { .. },
                Some(wish),
            ) => match wish {
                Some(to) => Settlement::Divert { to, verdict: Verdict::Cancelled },
                None => Settlement::Cancel,
            },
            _ => how.clone(),
        };
        let from = self.entries[&id].thing.topic.clone();
        let verdict = self.entries[&id].thing.verdict.clone();
        match &how {
            Settlement::Advance { to } => {
                self.enter(id, to, now);
                self.topic(&from).done += 1;
            }
            Settlement::SendBack { to } => {
                self.enter(id, to, now);
                self.topic(&from).retried += 1;
            }
            Settlement::Divert { to, verdict } => {
                self.enter(id, to, now);
                self.entries.get_mut(&id).unwrap().thing.verdict = verdict.clone();
                match verdict {
                    Verdict::Failed(_) => self.topic(&from).failed += 1,
                    Verdict::Open | Verdict::Cancelled => self.topic(&from).cancelled += 1,
                }
            }
            Settlement::Retry { at, charge } => {
                self.retry(id, *at, *charge, now);
                self.topic(&from).retried += 1;
            }
            Settlement::Park { .. } => {
                self.change(id, |entry| entry.spot = Spot::Parked);
                self.topic(&from).parkings += 1;
            }
            Settlement::Finish | Settlement::Fail { .. } | Settlement::Cancel => {
                let word = match (&how, verdict) {
                    (Settlement::Finish, Verdict::Open) => "finished",
                    (Settlement::Cancel, _) | (Settlement::Finish, Verdict::Cancelled) => {
                        "cancelled"
                    }
                    _ => "failed",
                };
                self.change(id, |entry| entry.spot = Spot::Ended(word));
                let topic = self.topic(&from);
                *match word {
                    "finished" => &mut topic.done,
                    "cancelled" => &mut topic.cancelled,
                    _ => &mut topic.failed,
                } += 1;
            }
        }
        true
    }

    fn retry(&mut self, id: ItemId, at: Timestamp, charge: Charge, now: Timestamp) {
        self.change(id, |entry| {
            let Spot::Leased { seq, .. } = entry.spot else { unreachable!() };
            entry.spot = if at <= now { Spot::Ready(seq) } else { Spot::Delayed(at) };
            match charge {
                Charge::Attempt => {}
                Charge::Free => entry.thing.strikes.attempts -= 1,
                Charge::Panic => entry.thing.strikes.panics += 1,
            }
            let interrupted = charge == Charge::Free && at <= now;
            if entry.thing.strikes.is_suspect() && !interrupted {
                (entry.thing.strikes.crashes, entry.thing.strikes.alone) = (0, 0);
            }
        });
    }

    /// Joins the end of a line with a clean slate.
    fn enter(&mut self, id: ItemId, topic: &str, now: Timestamp) {
        let seq = self.ticket();
        self.change(id, |entry| {
            entry.spot = Spot::Ready(seq);
            entry.wish = None;
            entry.thing.topic = topic.to_owned();
            entry.thing.strikes = Strikes::default();
            entry.thing.queued = now;
        });
        self.topic(topic).pushed += 1;
    }

    pub(super) fn requeue(&mut self, id: ItemId, topic: &str, now: Timestamp) -> bool {
        if self.live(id).is_none_or(|entry| matches!(entry.spot, Spot::Leased { .. })) {
            return false;
        }
        let moves = self.entries[&id].thing.topic != topic;
        self.enter(id, topic, now);
        if moves {
            self.entries.get_mut(&id).unwrap().thing.verdict = Verdict::Open;
        }
        true
    }

    pub(super) fn cancel(&mut self, id: ItemId, cleanup: Option<&str>, now: Timestamp) -> bool {
        let Some(entry) = self.live(id) else { return false };
        if let Spot::Leased { .. } = entry.spot {
            self.change(id, |entry| entry.wish = Some(cleanup.map(str::to_owned)));
            return true;
        }
        let from = entry.thing.topic.clone();
        match cleanup {
            Some(to) => {
                self.enter(id, to, now);
                self.entries.get_mut(&id).unwrap().thing.verdict = Verdict::Cancelled;
            }
            None => self.change(id, |entry| entry.spot = Spot::Ended("cancelled")),
        }
        self.topic(&from).cancelled += 1;
        true
    }

    pub(super) fn empty(&mut self, topic: &str, cleanup: Option<&str>, now: Timestamp) -> u64 {
        let cleanup = cleanup.filter(|cleanup| *cleanup != topic);
        let waiting = self.sorted(|entry| match entry.spot {
            _ if entry.thing.topic != topic => None,
            Spot::Ready(seq) => Some((0, u64::MAX - entry.priority.abs_diff(i32::MIN) as u64, seq)),
            Spot::Delayed(due) => Some((1, due.0, 0)),
            Spot::Leased { .. } | Spot::Parked | Spot::Ended(_) => None,
        });
        waiting.iter().filter(|id| self.cancel(**id, cleanup, now)).count() as u64
    }

    pub(super) fn pause(&mut self, topic: &str, paused: bool) {
        self.topic(topic).paused = paused;
    }

    pub(super) fn reap(&mut self, now: Timestamp) -> usize {
        let hung = self.sorted(|entry| {
            let Spot::Leased { expires, .. } = entry.spot else { return None };
            (expires <= now).then(|| entry.thing.topic.clone())
        });
        for id in &hung {
            let topic = self.entries[id].thing.topic.clone();
            self.topic(&topic).retried += 1;
            self.take_back(*id, now);
        }
        hung.len()
    }

    pub(super) fn restart(&mut self, now: Timestamp) {
        let lost = self.sorted(|entry| {
            matches!(entry.spot, Spot::Leased { .. }).then(|| entry.thing.topic.clone())
        });
        let is_alone = lost.len() == 1;
        for id in lost {
            let strikes = &mut self.entries.get_mut(&id).unwrap().thing.strikes;
            strikes.alone += u16::from(is_alone && strikes.is_suspect());
            strikes.attempts -= 1;
            strikes.crashes += 1;
            self.take_back(id, now);
        }
        let suspect = |entry: &&Entry| {
            entry.thing.strikes.is_suspect() && matches!(entry.spot, Spot::Ready(_))
        };
        let found = self.entries.values().filter(suspect).map(|entry| (entry.thing.id, false));
        self.suspects = found.collect();
        (self.held_since, self.alone) = (None, None);
    }

    /// Nobody works on it any more: back to its place in line, or off as was wished.
    fn take_back(&mut self, id: ItemId, now: Timestamp) {
        let entry = self.entries.get_mut(&id).unwrap();
        let Spot::Leased { seq, .. } = entry.spot else { unreachable!() };
        let wish = entry.wish.take();
        entry.spot = Spot::Ready(seq);
        match wish {
            Some(cleanup) => assert!(self.cancel(id, cleanup.as_deref(), now)),
            None => self.change(id, |_| {}),
        }
    }

    pub(super) fn expire(&mut self, limit: usize, now: Timestamp) -> usize {
        let mut over = self.sorted(|entry| match entry.spot {
            Spot::Ready(_) | Spot::Delayed(_) => entry.expires.filter(|at| *at <= now),
            Spot::Leased { .. } | Spot::Parked | Spot::Ended(_) => None,
        });
        over.truncate(limit);
        for id in &over {
            let topic = self.entries[id].thing.topic.clone();
            self.end_by_time(*id, &topic);
        }
        over.len()
    }

    /// Removes and returns those that have ended.
    pub(super) fn take_ended(&mut self) -> Vec<(ItemId, u64)> {
        let ended = self.sorted(|entry| matches!(entry.spot, Spot::Ended(_)).then_some(()));
        let take = |id| self.entries.remove(&id).map(|entry| (id, entry.thing.revision));
        ended.into_iter().filter_map(take).collect()
    }
}
