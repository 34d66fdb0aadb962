//! sled, and nothing but sled: the only file that opens it, writes it and makes it durable.
//!
//! Hazards this file answers (each one measured on 0.34.7):
//! - `flush` ends in `sync_file_range` on Linux, which promises neither file metadata nor the
//!   drive's cache: [`Engine::barrier`] adds `sync_data` through a handle of our own.
//! - a page of 128 KB or more (sixteen records share one) goes to a file of its own in `blobs/`,
//!   which sled never syncs: the barrier does.
//! - an interrupted snapshot (`snap.*.generating`) makes sled refuse to open although the older
//!   snapshot is good: it is removed first.
//! - `open` can panic on a damaged file: it runs under `catch_unwind`.
//! - an I/O error sticks until the database is opened again: see `Store::reopen`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sled::Transactional;
use sled::transaction::{ConflictableTransactionError, TransactionError};

use crate::durable;
use crate::error::Error;

/// Enough to keep queue pages hot; sled's memory follows the pages touched more than this figure.
const CACHE_BYTES: u64 = 64 << 20;

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
        let opened = catch_unwind(AssertUnwindSafe(|| Engine::open_trees(dir)));
        let (db, trees) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(error @ sled::Error::Corruption { .. })) => {
                return Err(Unopened::Damaged(error.to_string()));
            }
            Ok(Err(error @ sled::Error::ReportableBug(_))) => {
                return Err(Unopened::Damaged(error.to_string()));
            }
            Ok(Err(sled::Error::Io(error)))
                if error.kind() == std::io::ErrorKind::PermissionDenied =>
            {
                return Err(files("open", error));
            }
            Ok(Err(error)) => return Err(Unopened::Refused(error.into())),
            Err(panic) => return Err(Unopened::Damaged(panic_text(&*panic))),
        };
        let file = File::open(dir.join("db")).map_err(|error| files("open", error))?;
        let engine = Engine { db, trees, file, blobs: Blobs::of(dir) };
        engine.barrier().map_err(Unopened::Refused)?;
        durable::sync_folder(dir).map_err(|error| files("sync", error))?;
        Ok(engine)
    }

    fn open_trees(dir: &Path) -> sled::Result<(sled::Db, Vec<sled::Tree>)> {
        let db = sled::Config::new().path(dir).cache_capacity(CACHE_BYTES).open()?;
        let trees = TreeId::ALL.iter().map(|tree| db.open_tree(tree.name())).collect::<Result<_, _>>()?;
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

    /// Applies all writes as one transaction: after a crash either all are there or none.
    pub(super) fn apply(&self, writes: &Writes) -> Result<(), Error> {
        let mut batches: BTreeMap<TreeId, sled::Batch> = BTreeMap::new();
        for ((tree, key), value) in writes {
            let batch = batches.entry(*tree).or_default();
            match value {
                Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                None => batch.remove(key.as_slice()),
            }
        }
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

fn remove_interrupted_snapshots(dir: &Path) -> std::io::Result<()> {
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
