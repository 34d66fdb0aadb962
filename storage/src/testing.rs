//! What tests of this crate and of those above it share: time by hand, and a look at the disk at
//! every durable point.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::clock::{Clock, Timestamp, millis};
use crate::work::Store;

/// A clock that moves when told to.
pub struct ManualClock {
    wall_ms: AtomicU64,
    steady_ms: AtomicU64,
}

impl ManualClock {
    /// Starts at a fixed moment, so that tests print the same text every day.
    pub fn start() -> Arc<ManualClock> {
        let wall_ms = AtomicU64::new(1_794_813_641_000);
        Arc::new(ManualClock { wall_ms, steady_ms: AtomicU64::new(0) })
    }

    /// Lets time pass on both clocks.
    pub fn advance(&self, span: Duration) {
        self.wall_ms.fetch_add(millis(span), Ordering::SeqCst);
        self.steady_ms.fetch_add(millis(span), Ordering::SeqCst);
    }

    /// Sets the wall clock, as a person or a time server does; the steady clock does not move.
    pub fn jump_to(&self, moment: Timestamp) {
        self.wall_ms.store(moment.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.wall_ms.load(Ordering::SeqCst))
    }
    fn steady(&self) -> Duration {
        Duration::from_millis(self.steady_ms.load(Ordering::SeqCst))
    }
}

/// Calls `look` right after every barrier of a commit, before anyone is told.
pub fn after_each_barrier(store: &Store, look: impl Fn() + Send + 'static) {
    *store.after_barrier.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(look));
}
