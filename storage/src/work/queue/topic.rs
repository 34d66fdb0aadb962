//! What is kept per topic: whether it is paused, how many stand where, what has passed.

use byteio::first_version;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::work::engine::TreeId;
use crate::work::item::ItemId;
use crate::work::place::{LEASED, Place, Places, Spot};
use crate::work::tx::{Range, Schema, Tx};

/// Gauges and counters of one topic, exact after any crash: they change with the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// No claims are given out.
    pub paused: bool,
    /// In line now.
    pub ready: u64,
    /// Waiting for a moment now.
    pub delayed: u64,
    /// Being worked on now.
    pub leased: u64,
    /// Waiting for a person now.
    pub parked: u64,
    /// Ever put in line from outside or from the stage before.
    pub pushed: u64,
    /// Ever claimed.
    pub claimed: u64,
    /// Ever passed on or finished.
    pub done: u64,
    /// Ever put back for another attempt.
    pub retried: u64,
    /// Ever parked.
    pub parkings: u64,
    /// Ever failed for good.
    pub failed: u64,
    /// Ever cancelled.
    pub cancelled: u64,
    /// Ever expired.
    pub expired: u64,
}
first_version!(Topic);

/// Topic name to topic.
pub enum Topics {}
impl Schema for Topics {
    const TREE: TreeId = TreeId::Topic;
    type Key = String;
    type Value = Topic;
}

/// More topics than any appliance has; bounds the walk over all of them.
pub(crate) const TOPIC_LIMIT: usize = 1000;

impl Topic {
    /// Changes one topic's record.
    pub(super) fn update(
        tx: &mut Tx<'_>,
        name: &String,
        change: impl FnOnce(&mut Topic),
    ) -> Result<(), Error> {
        let mut topic = tx.get::<Topics>(name)?.unwrap_or_default();
        change(&mut topic);
        tx.put::<Topics>(name, &topic)
    }

    /// Counts an item in at a place.
    pub(super) fn enter(tx: &mut Tx<'_>, place: &Place) -> Result<(), Error> {
        Topic::update(tx, &place.topic, |topic| *topic.gauge(&place.spot) += 1)
    }

    /// Counts an item out.
    pub(super) fn leave(tx: &mut Tx<'_>, place: &Place) -> Result<(), Error> {
        Topic::update(tx, &place.topic, |topic| {
            let gauge = topic.gauge(&place.spot);
            *gauge = gauge.saturating_sub(1);
        })
    }

    /// The gauge that counts a spot.
    pub(crate) fn gauge(&mut self, spot: &Spot) -> &mut u64 {
        match spot {
            Spot::Ready { .. } => &mut self.ready,
            Spot::Delayed { .. } => &mut self.delayed,
            Spot::Leased(_) => &mut self.leased,
            Spot::Parked(_) => &mut self.parked,
        }
    }

    /// Every topic that ever held an item.
    pub(super) fn names(tx: &Tx<'_>) -> Result<Vec<String>, Error> {
        let topics = tx.scan::<Topics>(Range::all(), TOPIC_LIMIT)?;
        Ok(topics.into_iter().map(|(name, _)| name).collect())
    }

    /// The items being worked on in a topic.
    pub(super) fn leased(tx: &Tx<'_>, topic: &str) -> Result<Vec<(Place, ItemId)>, Error> {
        tx.scan(Range::<Places>::prefix(&(topic.to_owned(), LEASED)), usize::MAX)
    }
}
