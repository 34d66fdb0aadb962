//! Deposits that come in over the wire at this moment, by institution and name.
//!
//! One name is received by one sender at a time. What is announced here is left alone by the sweep;
//! a draft that nobody announced is what a process left behind that died.
//!
//! Also what the quota of an institution needs to know: how many bytes uploads under way will take, how
//! large folders are, and which deposits wait because there is no room for them.

mod folders;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use folders::FolderSizes;

/// Uploads at the same time: each holds a connection, and now and then a thread that writes. One
/// institution leaves room for the others.
const MOST: usize = 16;
const MOST_OF_ONE: usize = 8;

type Name = (String, String);

/// The list of what is being received.
#[derive(Clone, Default)]
pub struct Arrivals {
    /// With the bytes that are reserved for each.
    names: Arc<Mutex<BTreeMap<Name, u64>>>,
    /// Names of deposits that wait for room, by institution.
    waiting: Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>,
    /// How large folders in receiving areas are.
    pub folders: Arc<FolderSizes>,
}

/// Bytes reserved for the uploads of one institution, by name.
pub type Reserved = BTreeMap<String, u64>;

/// A name that is ours to receive, until it is dropped.
pub struct Announced {
    names: Arrivals,
    name: Name,
}

/// Why a name could not be announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotNow {
    /// Another sender is at it.
    Taken,
    /// Too many are received already.
    Crowded,
}

impl Arrivals {
    /// Takes a name for one sender.
    pub fn announce(&self, institution: &str, name: &str) -> Result<Announced, NotNow> {
        let mut names = self.lock();
        let name = (institution.to_owned(), name.to_owned());
        if names.contains_key(&name) {
            return Err(NotNow::Taken);
        }
        let own = names.keys().filter(|(owner, _)| owner == institution).count();
        if names.len() >= MOST || own >= MOST_OF_ONE {
            return Err(NotNow::Crowded);
        }
        names.insert(name.clone(), 0);
        Ok(Announced { names: self.clone(), name })
    }

    /// Whether a name is being received.
    pub fn holds(&self, institution: &str, name: &str) -> bool {
        self.lock().contains_key(&(institution.to_owned(), name.to_owned()))
    }

    /// Does `act` unless the name is being received; nobody can begin to while it is done.
    pub fn unless_held<T>(
        &self,
        institution: &str,
        name: &str,
        act: impl FnOnce() -> T,
    ) -> Option<T> {
        let names = self.lock();
        let held = names.contains_key(&(institution.to_owned(), name.to_owned()));
        (!held).then(act)
    }

    /// What is reserved for the uploads of an institution.
    pub fn reserved(&self, institution: &str) -> Reserved {
        let names = self.lock();
        let own = names.iter().filter(|((owner, _), _)| owner == institution);
        own.map(|((_, name), bytes)| (name.clone(), *bytes)).collect()
    }

    /// Notes which deposits of an institution wait for room; whether that is news.
    pub fn note_waiting(&self, institution: &str, names: BTreeSet<String>) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if names.is_empty() {
            return waiting.remove(institution).is_some();
        }
        waiting.insert(institution.to_owned(), names.clone()).as_ref() != Some(&names)
    }

    /// Whether a deposit waited for room when the area was last looked at.
    pub fn waits_for_room(&self, institution: &str, name: &str) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.get(institution).is_some_and(|names| names.contains(name))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Name, u64>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Announced {
    /// Reserves bytes for this upload if, with all other uploads of its institution, no more than
    /// `most` are reserved then. `seen` are uploads that were under way before the area was measured:
    /// one that has ended since counts as well, because it may not have been measured. Otherwise how
    /// many bytes the others have.
    pub fn reserve(&self, bytes: u64, most: u64, seen: &Reserved) -> Result<(), u64> {
        let (institution, own) = &self.name;
        let mut names = self.names.lock();
        let mut others = seen.clone();
        let now = names.iter().filter(|((owner, _), _)| owner == institution);
        others.extend(now.map(|((_, name), bytes)| (name.clone(), *bytes)));
        others.remove(own);
        let others = others.values().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        if others.saturating_add(bytes) > most {
            return Err(others);
        }
        names.insert(self.name.clone(), bytes);
        Ok(())
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.names.lock().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_sender_and_is_free_again_afterwards() {
        let arrivals = Arrivals::default();
        let first = arrivals.announce("a", "x.tar").map(drop);
        assert_eq!(first.err(), None);
        let many = |whose: &str| -> Vec<_> {
            (0..MOST_OF_ONE).map(|n| arrivals.announce(whose, &format!("{n}.tar"))).collect()
        };
        let held = many("a");
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(arrivals.announce("a", "0.tar").err(), Some(NotNow::Taken));
        assert_eq!(arrivals.announce("a", "x.tar").err(), Some(NotNow::Crowded));
        let others = many("b");
        assert!(others.iter().all(Result::is_ok), "one leaves room for the others");
        assert_eq!(arrivals.announce("c", "0.tar").err(), Some(NotNow::Crowded));
        assert!(arrivals.holds("a", "0.tar") && !arrivals.holds("c", "0.tar"));
        assert_eq!(arrivals.unless_held("a", "0.tar", || 1), None);
        drop(held);
        assert_eq!(arrivals.unless_held("a", "0.tar", || 1), Some(1));
    }

    #[test]
    fn what_is_reserved_is_bounded_for_all_uploads_of_an_institution_together() {
        let arrivals = Arrivals::default();
        let announce = |owner: &str, name: &str| arrivals.announce(owner, name).ok().unwrap();
        let (one, two, other) = (announce("a", "1"), announce("a", "2"), announce("b", "1"));
        let none = Reserved::new();
        assert_eq!(one.reserve(6, 10, &none), Ok(()));
        assert_eq!(two.reserve(5, 10, &none), Err(6));
        assert_eq!(two.reserve(4, 10, &none), Ok(()));
        assert_eq!(other.reserve(10, 10, &none), Ok(()));
        // An upload that grows is counted once.
        assert_eq!(one.reserve(6, 10, &none), Ok(()));
        assert_eq!(one.reserve(7, 10, &none), Err(4));
        // One that ended while the area was measured still counts.
        let seen = arrivals.reserved("a");
        assert_eq!(seen.values().sum::<u64>(), 10);
        drop(two);
        assert_eq!(one.reserve(7, 10, &seen), Err(4));
        assert_eq!(one.reserve(7, 10, &none), Ok(()));
    }
}
