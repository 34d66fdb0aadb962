//! Looking at the queue without touching it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::topic::{TOPIC_LIMIT, Topic, Topics};
use super::{Items, Queue};
use crate::error::Error;
use crate::work::item::WorkItem;
use crate::work::place::{DELAYED, LEASED, Place, Places, READY, Spot, Uniques};
use crate::work::tx::Range;

/// Distinct priorities looked at for the oldest item; more than any flow uses.
const PRIORITY_LIMIT: usize = 256;

/// A topic as people see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicView {
    /// Its name.
    pub topic: String,
    /// Gauges and counters.
    #[serde(flatten)]
    pub counts: Topic,
    /// How long the oldest item in line has been there.
    pub oldest_ms: Option<u64>,
}

impl Queue {
    /// One topic; an unused one is all zeros.
    pub fn topic(&self, name: &str) -> Result<TopicView, Error> {
        let counts = self.store.get::<Topics>(&name.to_owned())?.unwrap_or_default();
        let oldest_ms = if counts.ready > 0 { self.oldest_ms(name)? } else { None };
        Ok(TopicView { topic: name.to_owned(), counts, oldest_ms })
    }

    /// Every topic that ever held an item.
    pub fn topics(&self) -> Result<Vec<TopicView>, Error> {
        let topics = self.store.scan::<Topics>(Range::all(), TOPIC_LIMIT)?;
        topics.into_iter().map(|(name, _)| self.topic(&name)).collect()
    }

    /// The topics that are paused.
    pub fn paused_topics(&self) -> Result<BTreeSet<String>, Error> {
        let topics = self.store.scan::<Topics>(Range::all(), TOPIC_LIMIT)?;
        Ok(topics.into_iter().filter(|(_, topic)| topic.paused).map(|(name, _)| name).collect())
    }

    /// The head of each priority's line, and of these the one that has waited longest.
    fn oldest_ms(&self, topic: &str) -> Result<Option<u64>, Error> {
        let now = self.clock.now();
        let mut oldest = None;
        let mut range = Range::<Places>::prefix(&(topic.to_owned(), READY));
        for _ in 0..PRIORITY_LIMIT {
            let Some((head, id)) = self.store.scan(range, 1)?.pop() else { break };
            if let Some(item) = self.store.get::<Items>(&id)? {
                oldest = oldest.max(Some(now.0.saturating_sub(item.queued.0)));
            }
            let Spot::Ready { rank, .. } = head.spot else { break };
            let last = Place { topic: topic.to_owned(), spot: Spot::Ready { rank, seq: u64::MAX } };
            range = Range::prefix(&(topic.to_owned(), READY)).after(&last);
        }
        Ok(oldest)
    }

    /// The first items of a topic's line, then of those that wait for a moment, then those being
    /// worked on: `limit` of each at most.
    pub fn peek(&self, topic: &str, limit: usize) -> Result<Vec<WorkItem>, Error> {
        let mut found = Vec::new();
        for tag in [READY, DELAYED, LEASED] {
            let range = Range::<Places>::prefix(&(topic.to_owned(), tag));
            for (_, id) in self.store.scan(range, limit)? {
                found.extend(self.store.get::<Items>(&id)?);
            }
        }
        Ok(found)
    }

    /// The live item that bears a unique name.
    pub fn named(&self, unique: &str) -> Result<Option<WorkItem>, Error> {
        let Some(id) = self.store.get::<Uniques>(&unique.to_owned())? else { return Ok(None) };
        self.store.get::<Items>(&id)
    }

    /// When the next delayed item of a topic falls due.
    pub fn next_due(&self, topic: &str) -> Result<Option<crate::clock::Timestamp>, Error> {
        let range = Range::<Places>::prefix(&(topic.to_owned(), DELAYED));
        let head = self.store.scan(range, 1)?.pop();
        Ok(head.and_then(|(place, _)| match place.spot {
            Spot::Delayed { due, .. } => Some(due),
            Spot::Ready { .. } | Spot::Leased(_) | Spot::Parked(_) => None,
        }))
    }
}
