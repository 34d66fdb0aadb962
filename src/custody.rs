//! Who changes an object in the vault right now.
//!
//! One process works on a data directory, and one item at a time may change what is sealed of an
//! object: the one that seals a version, mends a copy, or deletes. Each of them holds the object
//! while it does, and never while it only reads.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::fault::Fault;

/// How often whoever waits shows a sign of life.
const BREATH: Duration = Duration::from_millis(200);

/// The objects that are held.
#[derive(Default)]
pub struct Custody {
    held: Mutex<HashSet<String>>,
    given_back: Condvar,
}

/// An object that nobody else changes until this is dropped.
pub struct Hold<'c> {
    custody: &'c Custody,
    object: String,
}

impl Custody {
    /// Waits until nobody holds the object. `checkpoint` is asked while it waits; its error ends
    /// the wait.
    pub fn hold(
        &self,
        object: &str,
        checkpoint: impl Fn() -> Result<(), Fault>,
    ) -> Result<Hold<'_>, Fault> {
        let mut held = self.lock();
        while !held.insert(object.to_owned()) {
            checkpoint()?;
            let woken = self.given_back.wait_timeout(held, BREATH);
            held = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Hold { custody: self, object: object.to_owned() })
    }

    // A set of names is whole whatever a panicking thread did.
    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.custody.lock().remove(&self.object);
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
}
