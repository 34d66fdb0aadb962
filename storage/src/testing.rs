//! What tests of this crate and of those above it share: time by hand, and a look at the disk at
//! every durable point.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use std::{fs, io};

use crate::clock::{Clock, Timestamp, millis};
use crate::durable::Flush;
use crate::error::Error;
use crate::work::queue::Queue;
use crate::work::record::{Record, decode, encode};
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

type Look = Box<dyn Fn(&Flush<'_>, bool) + Send + Sync>;

static AT_EACH_FLUSH: RwLock<Option<Look>> = RwLock::new(None);

/// Calls `look` before and after every flush of a file of ours in this process; the second value
/// says whether the flush was made.
pub fn at_each_flush(look: impl Fn(&Flush<'_>, bool) + Send + Sync + 'static) {
    *AT_EACH_FLUSH.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(look));
}

pub(crate) fn tell_flush(flush: &Flush<'_>, is_made: bool) {
    if let Some(look) = &*AT_EACH_FLUSH.read().unwrap_or_else(PoisonError::into_inner) {
        look(flush, is_made);
    }
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

/// Compares what a record is written as with its golden bytes in a folder, and what these are read
/// as with the record. `STRONGROOM_WRITE_GOLDEN=1` writes a file that is missing, never one that is
/// there. Says what differs.
pub fn compare_golden<R: Record + Debug>(
    folder: &Path,
    name: &str,
    record: &R,
) -> Result<(), String> {
    let file = format!("{name}.v{}.bin", R::VERSION);
    let path = folder.join(&file);
    let bytes = encode(record).map_err(|error| format!("{file}: {error}"))?;
    let is_missing = !path.try_exists().map_err(|error| format!("{file}: {error}"))?;
    if is_missing && std::env::var_os("STRONGROOM_WRITE_GOLDEN").is_some() {
        crate::durable::write(&path, &bytes, false).map_err(|error| format!("{file}: {error}"))?;
    }
    let golden = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
    let read = decode::<R>(&golden).map_err(|error| format!("{file}: {error}"))?;
    let (read, meant) = (format!("{read:?}"), format!("{record:?}"));
    if read != meant {
        return Err(format!("{file} is read as\n{read}\nand not as\n{meant}"));
    }
    if bytes != golden {
        return Err(format!("{file}: the same value is written differently now"));
    }
    Ok(())
}
