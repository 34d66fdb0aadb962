//! Who changes an object in the vault right now.
//!
//! One process works on a data directory, and one item at a time may change what is sealed of an
//! object: the one that seals a version, mends a copy, or deletes. Each of them holds the object
//! while it does, and never while it only reads. An object is held by the name of its drafts, so that
//! whoever finds a draft in a replica can ask for its object.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ocfl::{DraftName, ObjectId};

use crate::fault::Fault;

/// How often whoever waits shows a sign of life.
const BREATH: Duration = Duration::from_millis(200);

/// The objects that are held.
#[derive(Default)]
pub struct Custody {
    held: Mutex<HashMap<DraftName, Purpose>>,
    given_back: Condvar,
}

/// What an object is held for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Change,
    /// Drafts that nobody works on are removed.
    Removal,
}

/// An object that nobody else changes until this is dropped.
pub struct Hold<'c> {
    custody: &'c Custody,
    draft: DraftName,
}

impl Custody {
    /// Waits until nobody holds the object. `checkpoint` is asked while it waits; its error ends
    /// the wait.
    pub fn hold(
        &self,
        object: &str,
        checkpoint: impl Fn() -> Result<(), Fault>,
    ) -> Result<Hold<'_>, Fault> {
        let draft = name_of(object);
        let mut held = self.wait_while(checkpoint, |held| held.contains_key(&draft))?;
        held.insert(draft.clone(), Purpose::Change);
        Ok(Hold { custody: self, draft })
    }

    /// Holds the object of a draft that is to be removed; none if somebody else holds it.
    pub fn hold_for_removal(&self, draft: &DraftName) -> Option<Hold<'_>> {
        let mut held = self.lock();
        if held.contains_key(draft) {
            return None;
        }
        held.insert(draft.clone(), Purpose::Removal);
        Some(Hold { custody: self, draft: draft.clone() })
    }

    /// Waits while drafts of the object are removed. An item calls this before it begins a draft without
    /// holding the object, when the queue knows what it works on: whoever removes drafts from then on
    /// finds the item there.
    pub fn wait_for_removal(
        &self,
        object: &str,
        checkpoint: impl Fn() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let draft = name_of(object);
        self.wait_while(checkpoint, |held| held.get(&draft) == Some(&Purpose::Removal)).map(drop)
    }

    fn wait_while(
        &self,
        checkpoint: impl Fn() -> Result<(), Fault>,
        is_held: impl Fn(&HashMap<DraftName, Purpose>) -> bool,
    ) -> Result<MutexGuard<'_, HashMap<DraftName, Purpose>>, Fault> {
        let mut held = self.lock();
        while is_held(&held) {
            checkpoint()?;
            let woken = self.given_back.wait_timeout(held, BREATH);
            held = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(held)
    }

    // A map of names is whole whatever a panicking thread did.
    fn lock(&self) -> MutexGuard<'_, HashMap<DraftName, Purpose>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name_of(object: &str) -> DraftName {
    DraftName::of(&ObjectId::new(object))
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.custody.lock().remove(&self.draft);
        self.custody.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_at_a_time_holds_an_object_and_others_do_not_wait() {
        let (custody, inside) = (Custody::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let hold = custody.hold("a", || Ok(())).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(hold);
                });
            }
        });
        let _a = custody.hold("a", || Ok(())).unwrap();
        let _b = custody.hold("b", || Ok(())).unwrap();
        let waiting = custody.hold("a", || Err(Fault::Interrupted));
        assert!(matches!(waiting, Err(Fault::Interrupted)), "who waits can be stopped");
    }

    #[test]
    fn drafts_of_an_object_that_is_held_are_not_removed_and_no_draft_is_begun_while_they_are() {
        let custody = Custody::default();
        let interrupted = || Err(Fault::Interrupted);
        let repair = custody.hold("a", || Ok(())).unwrap();
        assert!(custody.hold_for_removal(&name_of("a")).is_none());
        custody.wait_for_removal("a", interrupted).unwrap();
        drop(repair);
        let removal = custody.hold_for_removal(&name_of("a")).unwrap();
        assert!(custody.hold_for_removal(&name_of("a")).is_none());
        for waiting in
            [custody.hold("a", interrupted).map(drop), custody.wait_for_removal("a", interrupted)]
        {
            assert!(matches!(waiting, Err(Fault::Interrupted)));
        }
        custody.wait_for_removal("b", interrupted).unwrap();
        drop(removal);
        custody.wait_for_removal("a", interrupted).unwrap();
    }
}
