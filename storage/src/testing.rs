//! What tests of this crate and of those above it share: time by hand, and a look at the disk at
//! every durable point.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use std::{fs, io};

use crate::clock::{Clock, Timestamp, millis};
use crate::error::Error;
use crate::work::queue::Queue;
use crate::work::{Store, check};

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

/// What does not agree in the work state, as sentences. A lease whose time is over is no
/// disagreement: it waits to be reaped.
pub fn disagreements(queue: &Queue, now: Timestamp) -> Result<Vec<String>, Error> {
    let found = check::check(queue, now, false)?.into_iter();
    let real = found.filter(|it| it.code != "stale-lease");
    Ok(real.map(|it| format!("{}: {}", it.code, it.sentence)).collect())
}

/// Copies a folder with everything in it, as a snapshot of the disk would.
pub fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
