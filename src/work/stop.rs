//! The wish to stop, asked at every checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set once; never taken back.
#[derive(Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Asks everyone to stop at their next checkpoint.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
