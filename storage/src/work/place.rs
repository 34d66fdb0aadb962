//! Where an item stands in its topic: keys derived from the item, never written on their own.

use super::engine::TreeId;
use super::item::{ItemId, State, WorkItem};
use super::key::Key;
use super::tx::Schema;
use crate::clock::Timestamp;

/// The places an item can stand at. Every live item stands at exactly one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The topic.
    pub topic: String,
    /// Where in it.
    pub spot: Spot,
}

/// Where in a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// In line: by priority, highest first, then in order of arrival.
    Ready {
        /// Priority, inverted so that the highest sorts first.
        rank: u32,
        /// Order of arrival.
        seq: u64,
    },
    /// Waiting, by the moment it is due.
    Delayed {
        /// The moment.
        due: Timestamp,
        /// The item.
        id: ItemId,
    },
    /// Being worked on.
    Leased(ItemId),
    /// Waiting for a person.
    Parked(ItemId),
}

pub(super) const READY: u8 = 0;
pub(super) const DELAYED: u8 = 1;
pub(super) const LEASED: u8 = 2;
pub(super) const PARKED: u8 = 3;

/// Where a live item stands; `None` once it has ended.
pub fn place(item: &WorkItem) -> Option<Place> {
    let spot = match &item.state {
        State::Ready { seq } => Spot::Ready { rank: rank(item.priority), seq: *seq },
        State::Delayed { due } => Spot::Delayed { due: *due, id: item.id },
        State::Leased(_) => Spot::Leased(item.id),
        State::Parked { .. } => Spot::Parked(item.id),
        State::Finished | State::Failed { .. } | State::Cancelled | State::Expired => return None,
    };
    Some(Place { topic: item.topic.clone(), spot })
}

/// Highest priority, lowest rank.
fn rank(priority: i32) -> u32 {
    !(priority.cast_unsigned() ^ (1 << 31))
}

impl Key for Place {
    fn put(&self, out: &mut Vec<u8>) {
        self.topic.put(out);
        match &self.spot {
            Spot::Ready { rank, seq } => (READY, *rank, *seq).put(out),
            Spot::Delayed { due, id } => (DELAYED, due.0, *id).put(out),
            Spot::Leased(id) => (LEASED, *id).put(out),
            Spot::Parked(id) => (PARKED, *id).put(out),
        }
    }

    fn take(input: &mut &[u8]) -> Option<Place> {
        let topic = String::take(input)?;
        let spot = match u8::take(input)? {
            READY => Spot::Ready { rank: u32::take(input)?, seq: u64::take(input)? },
            DELAYED => {
                Spot::Delayed { due: Timestamp(u64::take(input)?), id: ItemId::take(input)? }
            }
            LEASED => Spot::Leased(ItemId::take(input)?),
            PARKED => Spot::Parked(ItemId::take(input)?),
            _ => return None,
        };
        Some(Place { topic, spot })
    }
}

/// Place to item.
pub enum Places {}
impl Schema for Places {
    const TREE: TreeId = TreeId::Place;
    type Key = Place;
    type Value = ItemId;
}

/// End of life to item.
pub enum Expiries {}
impl Schema for Expiries {
    const TREE: TreeId = TreeId::Expiry;
    type Key = (u64, ItemId);
    type Value = ();
}

/// Unique name to item.
pub enum Uniques {}
impl Schema for Uniques {
    const TREE: TreeId = TreeId::Unique;
    type Key = String;
    type Value = ItemId;
}

/// The end-of-life entry of an item that is waiting; a leased one is let finish.
pub fn expiry(item: &WorkItem) -> Option<(u64, ItemId)> {
    match item.state {
        State::Ready { .. } | State::Delayed { .. } => item.expires.map(|at| (at.0, item.id)),
        State::Leased(_) | State::Parked { .. } => None,
        State::Finished | State::Failed { .. } | State::Cancelled | State::Expired => None,
    }
}

/// The unique name a live item holds.
pub fn unique(item: &WorkItem) -> Option<String> {
    item.unique.clone().filter(|_| !item.state.is_terminal())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spot() -> impl Strategy<Value = Spot> {
        prop_oneof![
            (any::<i32>(), any::<u64>()).prop_map(|(p, seq)| Spot::Ready { rank: rank(p), seq }),
            (any::<u64>(), any::<u64>())
                .prop_map(|(due, id)| Spot::Delayed { due: Timestamp(due), id: ItemId(id) }),
            any::<u64>().prop_map(|id| Spot::Leased(ItemId(id))),
            any::<u64>().prop_map(|id| Spot::Parked(ItemId(id))),
        ]
    }

    proptest! {
        #[test]
        fn bytes_sort_as_places_do(
            a in ("[a-z]{1,3}", spot()), b in ("[a-z]{1,3}", spot()),
        ) {
            let (a, b) = (Place { topic: a.0, spot: a.1 }, Place { topic: b.0, spot: b.1 });
            prop_assert_eq!(a.bytes().cmp(&b.bytes()), a.cmp(&b));
            prop_assert_eq!(Place::parse(&a.bytes()), Some(a));
        }
    }

    #[test]
    fn higher_priority_stands_further_in_front() {
        assert!(rank(5) < rank(0) && rank(0) < rank(-5));
        assert!(rank(i32::MAX) < rank(i32::MIN));
    }
}
