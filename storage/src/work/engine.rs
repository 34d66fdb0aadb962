//! sled, and nothing but sled: the only file that opens it, writes it and makes it durable.
//!
//! Hazards this file answers (each one measured on 0.34.7):
//! - `flush` ends in `sync_file_range` on Linux, which promises neither file metadata nor the
//!   drive's cache: [`Engine::barrier`] adds `sync_data` through a handle of our own.
//! - a page of 128 KB or more (sixteen records share one) goes to a file of its own in `blobs/`,
//!   which sled never syncs: the barrier does.
//! - an interrupted snapshot (`snap.*.generating`) makes sled refuse to open although the older
//!   snapshot is good: it is removed first.
//! - `open` can panic on a damaged file, and damage shows only when a page is first read: every
//!   page is read once, under `catch_unwind`, before anyone relies on what is there.
//! - recovery takes any damage in the log for its end and drops what follows, confirmed or not,
//!   without a word: a [`Seal`] outside the log tells.
//! - its threads let go of the file a little later than it is dropped: `open` tries again.
//! - an I/O error sticks until the database is opened again: see `Store::reopen`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use byteio::durable;
use sled::Transactional;
use sled::transaction::{ConflictableTransactionError, TransactionError};

use crate::error::Error;

/// Enough to keep queue pages hot; sled's memory follows the pages touched more than this figure.
const CACHE_BYTES: u64 = 32 << 20;

/// How often, and how far apart, a database that was closed a moment ago is given time to let go of
/// its file. Whoever opens it has the data directory, so that nobody else can have it open.
const LOCK_TRIES: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Writes by tree, then key; `None` removes.
pub(super) type Writes = BTreeMap<(TreeId, Vec<u8>), Option<Vec<u8>>>;

/// A range of keys within one tree.
pub(super) type Span = (Bound<Vec<u8>>, Bound<Vec<u8>>);

macro_rules! trees {
    ($($(#[$doc:meta])* $id:ident = $name:literal),* $(,)?) => {
        /// The trees of the work room. Their names are on disk and never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TreeId { $($(#[$doc])* $id),* }
        impl TreeId {
            /// Every tree, in the order of the enum.
            pub const ALL: &'static [TreeId] = &[$(TreeId::$id),*];
            /// The name on disk.
            pub fn name(self) -> &'static str {
                match self { $(TreeId::$id => $name),* }
            }
        }
    };
}
trees! {
    /// Counters of the room itself.
    Meta = "meta",
    /// The truth about every live item.
    Item = "item",
    /// Where each item stands in its topic; derived from `item`.
    Place = "place",
    /// When items with a time to live end; derived from `item`.
    Expiry = "expiry",
    /// Which live item holds a unique name; derived from `item`.
    Unique = "unique",
    /// Per topic: paused or not, gauges and counters.
    Topic = "topic",
    /// Attempts not yet copied to the registry.
    History = "history",
    /// Interim state of items.
    Dossier = "dossier",
    /// Leases over sets of keys.
    Lease = "lease",
    /// Which lease holds a key; derived from `lease`.
    LeaseKey = "lease-key",
    /// What is given to researchers, with a lease each.
    Assignment = "assignment",
    /// When sweeps ran and run next.
    Schedule = "schedule",
    /// How long stages take, learned.
    Pace = "pace",
}

/// An open sled database with its trees.
pub(super) struct Engine {
    db: sled::Db,
    trees: Vec<sled::Tree>,
    file: File,
    blobs: Blobs,
    seal: Seal,
}

/// Why a database did not open.
pub(super) enum Unopened {
    /// Damaged beyond what sled repairs: the folder can be set aside.
    Damaged(String),
    /// A reason outside the database.
    Refused(Error),
}

impl Engine {
    /// Opens or creates the database in `dir`.
    pub(super) fn open(dir: &Path) -> Result<Engine, Unopened> {
        let files =
            |what, source| Unopened::Refused(Error::Files { what, path: dir.into(), source });
        durable::create_folder(dir).map_err(|error| files("create", error))?;
        remove_interrupted_snapshots(dir).map_err(|error| files("read", error))?;
        let open = || catch_unwind(AssertUnwindSafe(|| Engine::open_trees(dir)));
        let is_locked =
            |opened: &_| matches!(opened, Ok(Err(sled::Error::Io(error))) if is_lock(error));
        let (mut opened, mut tries) = (open(), 1);
        while is_locked(&opened) && tries < LOCK_TRIES {
            std::thread::park_timeout(LOCK_PAUSE);
            (opened, tries) = (open(), tries + 1);
        }
        let (db, trees) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) if is_damage(&error) => {
                return Err(Unopened::Damaged(error.to_string()));
            }
            Ok(Err(sled::Error::Io(error))) if is_lock(&error) => {
                let in_use = Error::InUse { dir: dir.into(), holder: String::new() };
                return Err(Unopened::Refused(in_use));
            }
            Ok(Err(sled::Error::Io(error))) => return Err(files("open", error)),
            Ok(Err(error)) => return Err(Unopened::Refused(error.into())),
            Err(panic) => return Err(Unopened::Damaged(panic_text(&*panic))),
        };
        let file = File::open(dir.join("db")).map_err(|error| files("open", error))?;
        let there = stored_count(&trees[TreeId::Meta as usize]).map_err(Unopened::Refused)?;
        let seal = Seal::open(dir, there).map_err(|error| files("open", error))?;
        if let Some(missing) = seal.missing {
            let why = format!("the last {missing} confirmed commits are missing");
            return Err(Unopened::Damaged(why));
        }
        let engine = Engine { db, trees, file, blobs: Blobs::of(dir), seal };
        engine.barrier().map_err(Unopened::Refused)?;
        durable::sync_folder(dir).map_err(|error| files("sync", error))?;
        Ok(engine)
    }

    fn open_trees(dir: &Path) -> sled::Result<(sled::Db, Vec<sled::Tree>)> {
        let db = sled::Config::new().path(dir).cache_capacity(CACHE_BYTES).open()?;
        let trees =
            TreeId::ALL.iter().map(|id| db.open_tree(id.name())).collect::<Result<Vec<_>, _>>()?;
        for entry in trees.iter().flat_map(sled::Tree::iter) {
            entry?;
        }
        Ok((db, trees))
    }

    fn tree(&self, id: TreeId) -> &sled::Tree {
        &self.trees[id as usize]
    }

    pub(super) fn get(&self, tree: TreeId, key: &[u8]) -> Result<Option<sled::IVec>, Error> {
        Ok(self.tree(tree).get(key)?)
    }

    pub(super) fn range(&self, tree: TreeId, span: Span) -> sled::Iter {
        self.tree(tree).range(span)
    }

    /// Applies all writes as one transaction and, if `durable`, returns when they are on the
    /// medium. One caller at a time.
    pub(super) fn commit(
        &self,
        writes: &Writes,
        durable: bool,
        after_barrier: impl FnOnce(),
    ) -> Result<(), Error> {
        let mut batches = batches(writes);
        if !durable {
            return self.apply(&batches);
        }
        let count = self.seal.count.load(Ordering::Relaxed) + 1;
        batches.entry(TreeId::Meta).or_default().insert(SEALED, &count.to_be_bytes());
        self.apply(&batches)?;
        self.barrier()?;
        after_barrier();
        self.seal.set(count);
        Ok(())
    }

    /// After a crash either all are there or none.
    fn apply(&self, batches: &BTreeMap<TreeId, sled::Batch>) -> Result<(), Error> {
        let trees: Vec<&sled::Tree> = batches.keys().map(|&id| self.tree(id)).collect();
        let outcome = trees.as_slice().transaction(|views| {
            for (view, batch) in views.iter().zip(batches.values()) {
                view.apply_batch(batch)?;
            }
            Ok::<(), ConflictableTransactionError<()>>(())
        });
        match outcome {
            Ok(()) => Ok(()),
            Err(TransactionError::Storage(error)) => Err(error.into()),
            Err(TransactionError::Abort(())) => Err(Error::Ailing),
        }
    }

    /// Writes to one tree without waiting for the disk; the next barrier covers them.
    pub(super) fn apply_soon(&self, tree: TreeId, batch: sled::Batch) -> Result<(), Error> {
        Ok(self.tree(tree).apply_batch(batch)?)
    }

    /// Returns when everything applied before is on the medium.
    pub(super) fn barrier(&self) -> Result<(), Error> {
        self.db.flush()?;
        let synced = self.blobs.sync().and_then(|()| self.file.sync_data());
        synced.map_err(|error| sled::Error::from(error).into())
    }

    pub(super) fn size_on_disk(&self) -> Result<u64, Error> {
        Ok(self.db.size_on_disk()?)
    }
}

fn batches(writes: &Writes) -> BTreeMap<TreeId, sled::Batch> {
    let mut batches: BTreeMap<TreeId, sled::Batch> = BTreeMap::new();
    for ((tree, key), value) in writes {
        let batch = batches.entry(*tree).or_default();
        match value {
            Some(value) => batch.insert(key.as_slice(), value.as_slice()),
            None => batch.remove(key.as_slice()),
        }
    }
    batches
}

/// Where tree `meta` keeps the number of durable commits, as eight big-endian bytes.
const SEALED: &[u8] = &[1];

fn stored_count(meta: &sled::Tree) -> Result<u64, Error> {
    let bytes = meta.get(SEALED)?;
    Ok(bytes
        .and_then(|bytes| Some(u64::from_be_bytes(bytes.as_ref().try_into().ok()?)))
        .unwrap_or(0))
}

/// The number of durable commits, noted beside the log once it is true. The note is never synced:
/// after a power cut it may be too low, which accuses nobody, but never too high.
struct Seal {
    file: File,
    count: AtomicU64,
    /// How many commits the note knows of and the database does not.
    missing: Option<u64>,
}

impl Seal {
    fn open(dir: &Path, there: u64) -> io::Result<Seal> {
        let mut options = File::options();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(dir.join("seal"))?;
        let mut note = [0; 16];
        // Too short is what a fresh one is.
        let noted = file.read_exact(&mut note).ok().and_then(|()| {
            let (count, inverse) = note.split_first_chunk::<8>()?;
            let count = u64::from_be_bytes(*count);
            (inverse == (!count).to_be_bytes()).then_some(count)
        });
        let missing =
            noted.and_then(|noted| noted.checked_sub(there)).filter(|&missing| missing > 0);
        Ok(Seal { file, count: AtomicU64::new(there), missing })
    }

    fn set(&self, count: u64) {
        self.count.store(count, Ordering::Relaxed);
        let note = [count.to_be_bytes(), (!count).to_be_bytes()].concat();
        let mut file = &self.file;
        // A note that cannot be written stays too low: it detects less and changes nothing else.
        drop(file.rewind().and_then(|()| file.write_all(&note)));
    }
}

/// The files of large pages: written once under a new name, never changed.
struct Blobs {
    dir: PathBuf,
    synced: Mutex<BTreeSet<OsString>>,
}

impl Blobs {
    fn of(dir: &Path) -> Blobs {
        Blobs { dir: dir.join("blobs"), synced: Mutex::default() }
    }

    /// Syncs those that came since the last call, and their names. With none there, as is usual,
    /// it costs one look at an empty folder.
    fn sync(&self) -> io::Result<()> {
        let mut there = BTreeSet::new();
        for entry in fs::read_dir(&self.dir)? {
            there.insert(entry?.file_name());
        }
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        let mut any = false;
        for name in there.difference(&synced) {
            match File::open(self.dir.join(name)) {
                Ok(file) => file.sync_data()?,
                // Replaced since it was listed: a page that nothing needs any more.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            any = true;
        }
        *synced = there;
        if any { durable::sync_folder(&self.dir) } else { Ok(()) }
    }
}

/// sled says only in words that someone else has the file.
fn is_lock(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Other && error.to_string().contains("could not acquire lock")
}

/// Whether an error met while opening is about the bytes in the folder, rather than about getting
/// at them. Our own stamp has vouched for the format, so an unsupported one is a damaged one.
fn is_damage(error: &sled::Error) -> bool {
    use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    match error {
        sled::Error::Corruption { .. }
        | sled::Error::ReportableBug(_)
        | sled::Error::Unsupported(_)
        | sled::Error::CollectionNotFound(_) => true,
        // The folder is there: what is not found is a page that went to a file of its own.
        sled::Error::Io(error) => matches!(error.kind(), InvalidData | NotFound | UnexpectedEof),
    }
}

fn remove_interrupted_snapshots(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
