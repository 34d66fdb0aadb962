//! The wish to stop, asked at every checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Set once; never taken back. It has two degrees: first only what may be put back ends, at the end of
/// the grace everything does.
#[derive(Default)]
pub struct Stop {
    asked: AtomicBool,
    insisted: AtomicBool,
    lock: Mutex<()>,
    told: Condvar,
}

impl Stop {
    /// Asks everyone to stop at their next checkpoint.
    pub fn ask(&self) {
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.asked.store(true, Ordering::SeqCst);
        self.told.notify_all();
    }

    /// Ends also what was let finish: the grace is nearly over.
    pub fn insist(&self) {
        self.insisted.store(true, Ordering::SeqCst);
    }

    /// Whether even what was let finish has to stop.
    pub fn insisted(&self) -> bool {
        self.insisted.load(Ordering::SeqCst)
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Rests for `span`, or until asked to stop; returns whether that was so.
    pub fn rest(&self, span: Duration) -> bool {
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.told.wait_timeout_while(held, span, |()| !self.asked()));
        self.asked()
    }
}
