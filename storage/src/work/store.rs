//! The work state: typed reads, atomic commits, one durable point shared by all who wait for it.
//!
//! Promise: when `commit` returns, its writes are on the medium, all of them, and so is every
//! mark made before. When its closure fails, none are, now or after a restart; when the medium
//! fails, they are there after the next opening whole or not at all.
//!
//! How many commits share one sync: a commit runs its closure against the committed state plus
//! everything staged before it, adds its writes to the *pending* set and waits. Whoever finds no
//! leader becomes it: applies the pending set as one sled transaction, syncs once, wakes those of
//! its set, and one of the next set to lead that. Nobody else is woken, and who is woken need not
//! take the lock again: with many waiting, that costs more than the disk does.
//! A sled transaction costs about 60 µs however little is in it, so sharing it matters as much as
//! sharing the sync. Closures are serialised, hence may scan and never run twice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::thread::Thread;

use super::engine::{Engine, Span, TreeId, Unopened, Writes};
use super::tx::Tx;
use crate::error::Error;

/// The work state of one data directory.
pub struct Store {
    dir: PathBuf,
    engine: RwLock<Option<Engine>>,
    ledger: Mutex<Ledger>,
    /// The same as in the ledger, for those who ask and must not wait for a commit: health.
    ailing: AtomicBool,
    /// Tells [`Store::reopen`] that nobody leads.
    idle: Condvar,
    #[cfg(feature = "testing")]
    pub(crate) after_barrier: Mutex<Option<Box<dyn Fn() + Send>>>,
}

/// What is staged, what is being applied, and what becomes of those who wait.
#[derive(Default)]
struct Ledger {
    pending: Writes,
    /// Whether anyone in the pending set waits for the medium.
    pending_durable: bool,
    applying: Arc<Writes>,
    /// What will become of the pending set; everyone who staged something in it holds a copy, so
    /// that a failure reaches them even when the engine was reopened before they woke.
    fate: Fate,
    /// Who sleeps until that fate is known.
    waiting: Vec<Thread>,
    leading: bool,
    ailing: Option<Ailment>,
}

/// What became of a set of commits, once that is known.
type Fate = Arc<OnceLock<Result<(), Ailment>>>;

#[derive(Clone, Copy)]
struct Ailment {
    full: bool,
}

impl Ailment {
    fn error(self) -> Error {
        if self.full { Error::Full } else { Error::Ailing }
    }
}

/// An opened store, and where a damaged predecessor was put.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The damaged folder, set aside and never deleted, with the reason.
    pub set_aside: Option<(PathBuf, String)>,
}

impl Store {
    /// Opens or creates the work state in `dir`; a damaged one is refused.
    pub fn open_sound(dir: &Path) -> Result<Store, Error> {
        match Engine::open(dir) {
            Ok(engine) => Ok(Store::over(dir, engine)),
            Err(Unopened::Refused(error)) => Err(error),
            Err(Unopened::Damaged(why)) => Err(Error::Damaged { dir: dir.to_owned(), why }),
        }
    }

    /// Opens or creates the work state in `dir`. A damaged one is renamed to `aside`, with the
    /// reason in it, and an empty one takes its place: what was in progress is found again by the
    /// sweeps.
    pub fn open(dir: &Path, aside: &Path) -> Result<Opened, Error> {
        match Store::open_sound(dir) {
            Ok(store) => Ok(Opened { store, set_aside: None }),
            Err(Error::Damaged { why, .. }) => {
                Store::set_aside(dir, aside, &why)?;
                let store = Store::open_sound(dir)?;
                Ok(Opened { store, set_aside: Some((aside.to_owned(), why)) })
            }
            Err(error) => Err(error),
        }
    }

    /// Puts a work state that nobody has open out of the way, and says in it why.
    pub fn set_aside(dir: &Path, aside: &Path, why: &str) -> Result<(), Error> {
        let files = |source| Error::Files { what: "set aside", path: dir.into(), source };
        byteio::durable::rename(dir, aside).map_err(files)?;
        let reason = format!("Set aside because it was damaged: {why}\n");
        byteio::durable::write(&aside.join("REASON"), reason.as_bytes(), false).map_err(files)
    }

    fn over(dir: &Path, engine: Engine) -> Store {
        Store {
            dir: dir.to_owned(),
            engine: RwLock::new(Some(engine)),
            ledger: Mutex::default(),
            ailing: AtomicBool::new(false),
            idle: Condvar::new(),
            #[cfg(feature = "testing")]
            after_barrier: Mutex::new(None),
        }
    }

    /// Runs `change` and returns when its writes are durable; an error leaves no trace.
    pub fn commit<T, E: From<Error>>(
        &self,
        change: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.commit_with(true, change)
    }

    /// Like [`Store::commit`], without waiting for the medium: the next barrier covers it. For
    /// what may be forgotten in a crash, such as a heartbeat.
    pub fn commit_soon<T, E: From<Error>>(
        &self,
        change: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.commit_with(false, change)
    }

    fn commit_with<T, E: From<Error>>(
        &self,
        durable: bool,
        change: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut ledger = self.ledger();
        if let Some(ailment) = ledger.ailing {
            return Err(ailment.error().into());
        }
        let guard = self.engine();
        let engine = guard.as_ref().ok_or(Error::Ailing)?;
        let mut tx = Tx::new(engine, &ledger.applying, &ledger.pending);
        let value = change(&mut tx)?;
        let writes = tx.into_writes();
        drop(guard);
        if writes.is_empty() {
            return Ok(value);
        }
        ledger.pending.extend(writes);
        ledger.pending_durable |= durable;
        self.see_through(ledger)?;
        Ok(value)
    }

    /// Returns when what was just staged is settled, leading if nobody does.
    fn see_through(&self, mut ledger: MutexGuard<'_, Ledger>) -> Result<(), Error> {
        let fate = Arc::clone(&ledger.fate);
        if ledger.leading {
            ledger.waiting.push(std::thread::current());
            drop(ledger);
        } else {
            self.lead(ledger);
        }
        loop {
            if let Some(outcome) = fate.get() {
                return outcome.map_err(Ailment::error);
            }
            // Woken without a fate, or by chance: then somebody has to lead.
            let ledger = self.ledger();
            if !ledger.leading && fate.get().is_none() {
                self.lead(ledger);
                continue;
            }
            drop(ledger);
            std::thread::park();
        }
    }

    /// Applies the pending set on behalf of everyone who waits for it.
    fn lead(&self, mut ledger: MutexGuard<'_, Ledger>) {
        let fate = std::mem::take(&mut ledger.fate);
        let mut waiting = std::mem::take(&mut ledger.waiting);
        let writes = Arc::new(std::mem::take(&mut ledger.pending));
        let durable = std::mem::take(&mut ledger.pending_durable);
        ledger.applying = Arc::clone(&writes);
        ledger.leading = true;
        drop(ledger);

        // A panic of the engine must not leave the others waiting for a leader that is gone.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.apply(&writes, durable)))
            .unwrap_or(Err(Error::Ailing))
            .map_err(|error| {
                let full = error.is_full();
                tracing::error!(
                    full,
                    error = &error as &dyn std::error::Error,
                    "the work state could not be written"
                );
                Ailment { full }
            });

        let mut ledger = self.ledger();
        ledger.leading = false;
        ledger.applying = Arc::default();
        if let Err(ailment) = outcome {
            // What was staged meanwhile may rest on what was just lost: it goes too.
            ledger.pending.clear();
            ledger.pending_durable = false;
            std::mem::take(&mut ledger.fate).get_or_init(|| outcome);
            waiting.append(&mut ledger.waiting);
            ledger.ailing = Some(ailment);
            self.ailing.store(true, Ordering::Release);
        }
        fate.get_or_init(|| outcome);
        waiting.extend(ledger.waiting.first().cloned());
        drop(ledger);
        self.idle.notify_all();
        waiting.iter().for_each(Thread::unpark);
    }

    fn apply(&self, writes: &Writes, durable: bool) -> Result<(), Error> {
        let guard = self.engine();
        let engine = guard.as_ref().ok_or(Error::Ailing)?;
        engine.commit(writes, durable, || {
            #[cfg(feature = "testing")]
            self.tell_barrier();
        })
    }

    /// Makes every mark made so far durable.
    pub fn barrier(&self) -> Result<(), Error> {
        self.engine().as_ref().ok_or(Error::Ailing)?.barrier()
    }

    /// Whether the engine failed and waits for [`Store::reopen`].
    pub fn is_ailing(&self) -> bool {
        self.ailing.load(Ordering::Acquire)
    }

    /// Opens the engine again after a failure. What was acknowledged is there; what failed is not,
    /// or is there whole when the failure came after the write.
    pub fn reopen(&self) -> Result<(), Error> {
        let mut ledger = self.ledger();
        while ledger.leading {
            ledger = self.idle.wait(ledger).unwrap_or_else(PoisonError::into_inner);
        }
        let mut slot = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        // sled locks its file: the old one must be gone before a new one opens.
        drop(slot.take());
        match Engine::open(&self.dir) {
            Ok(engine) => {
                *slot = Some(engine);
                ledger.ailing = None;
                self.ailing.store(false, Ordering::Release);
                Ok(())
            }
            Err(Unopened::Refused(Error::InUse { .. }) | Unopened::Damaged(_)) => {
                Err(Error::Ailing)
            }
            Err(Unopened::Refused(error)) => Err(error),
        }
    }

    /// Bytes the work state takes on disk.
    pub fn size_on_disk(&self) -> Result<u64, Error> {
        self.engine().as_ref().ok_or(Error::Ailing)?.size_on_disk()
    }

    /// The folder of the work state.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Engine) -> Result<T, Error>,
    ) -> Result<T, Error> {
        read(self.engine().as_ref().ok_or(Error::Ailing)?)
    }

    /// Writes marks: to one tree, atomically, not waiting for the medium.
    pub(super) fn mark(
        &self,
        tree: TreeId,
        writes: impl Iterator<Item = (Vec<u8>, Option<Vec<u8>>)>,
    ) -> Result<(), Error> {
        let mut batch = sled::Batch::default();
        for (key, value) in writes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        self.read(|engine| engine.apply_soon(tree, batch))
    }

    /// Up to `limit` raw entries of a span, as committed.
    pub(super) fn scan_raw(
        &self,
        tree: TreeId,
        span: Span,
        limit: usize,
    ) -> Result<Vec<(sled::IVec, sled::IVec)>, Error> {
        self.read(|engine| {
            engine.range(tree, span).take(limit).map(|entry| entry.map_err(Error::from)).collect()
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine(&self) -> RwLockReadGuard<'_, Option<Engine>> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "testing")]
    fn tell_barrier(&self) {
        if let Some(tell) = &*self.after_barrier.lock().unwrap_or_else(PoisonError::into_inner) {
            tell();
        }
    }
}
