//! Deposits that come in over the wire at this moment, by institution and name.
//!
//! One name is received by one sender at a time. What is announced here is left alone by the sweep;
//! a draft that nobody announced is what a process left behind that died.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Uploads at the same time: each holds a connection, and now and then a thread that writes. One
/// institution leaves room for the others.
const MOST: usize = 16;
const MOST_OF_ONE: usize = 8;

type Name = (String, String);

/// The list of what is being received.
#[derive(Clone, Default)]
pub struct Arrivals {
    names: Arc<Mutex<BTreeSet<Name>>>,
}

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
        if names.contains(&name) {
            return Err(NotNow::Taken);
        }
        let own = names.iter().filter(|(owner, _)| owner == institution).count();
        if names.len() >= MOST || own >= MOST_OF_ONE {
            return Err(NotNow::Crowded);
        }
        names.insert(name.clone());
        Ok(Announced { names: self.clone(), name })
    }

    /// Whether a name is being received.
    pub fn holds(&self, institution: &str, name: &str) -> bool {
        self.lock().contains(&(institution.to_owned(), name.to_owned()))
    }

    /// Does `act` unless the name is being received; nobody can begin to while it is done.
    pub fn unless_held<T>(
        &self,
        institution: &str,
        name: &str,
        act: impl FnOnce() -> T,
    ) -> Option<T> {
        let names = self.lock();
        let held = names.contains(&(institution.to_owned(), name.to_owned()));
        (!held).then(act)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Name>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
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
}
