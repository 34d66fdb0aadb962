//! What the threads of one pass over many streams share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::algorithm::AlgorithmSet;
use super::source::Outcome;

/// One pass: what is wanted, whom to tell, and whether to go on.
pub(super) struct Pass<'p, K, E> {
    pub(super) wanted: AlgorithmSet,
    checkpoint: &'p (dyn Fn(u64) -> Result<(), E> + Sync),
    deliver: Mutex<&'p mut (dyn FnMut(K, Outcome) + Send)>,
    stopped: AtomicBool,
    reason: Mutex<Option<E>>,
}

impl<'p, K, E> Pass<'p, K, E> {
    pub(super) fn new(
        wanted: AlgorithmSet,
        checkpoint: &'p (dyn Fn(u64) -> Result<(), E> + Sync),
        deliver: &'p mut (dyn FnMut(K, Outcome) + Send),
    ) -> Self {
        let stopped = AtomicBool::new(false);
        Pass { wanted, checkpoint, deliver: Mutex::new(deliver), stopped, reason: Mutex::new(None) }
    }

    /// Reports bytes that were read, and asks whether to go on.
    pub(super) fn report(&self, bytes: u64) {
        if !self.stopped()
            && let Err(reason) = (self.checkpoint)(bytes)
        {
            lock(&self.reason).get_or_insert(reason);
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn deliver(&self, key: K, outcome: Outcome) {
        lock(&self.deliver)(key, outcome);
    }

    /// How the pass ended.
    pub(super) fn into_result(self) -> Result<(), E> {
        self.reason.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Runs `work` once on each thread of the pool, and returns when all are done.
pub(super) fn on_every_thread(work: impl Fn() + Sync) {
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| work());
        }
    });
}

/// Takes a lock. A caller's panic under it ends the pass anyway, so poison says nothing new.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock to read, like [`lock`].
pub(super) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock to write, like [`lock`].
pub(super) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
