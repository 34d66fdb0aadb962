//! How the replicas were when last heard of, so that pages can say it without asking them.
//!
//! Stages tell what they meet; besides, every replica that was ever used is asked now and then, on a
//! thread of its own: one that is far away may take a minute to not answer.
//!
//! Reading and writing are kept apart. That a replica can be read says nothing about whether it takes
//! what is written: once work had to wait for it, it counts as away or full until a file could be
//! written there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use byteio::causes::chain;
use ocfl::{Class, Replica, VaultError};
use storage::clock::{Clock, Timestamp};
use storage::work::item::ItemId;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(60);
/// Items remembered that wait for one replica; more are not counted.
const WAITING: usize = 100_000;

/// Whether a replica can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was ever kept there.
    #[default]
    Unused,
    /// Used before, and not asked since the start.
    Unknown,
    There,
    /// It does not answer; why.
    Away(String),
    /// It has no room; why.
    Full(String),
    /// It answers, and cannot be used; why.
    Unusable(String),
}

/// One replica as last heard of.
#[derive(Clone, Debug)]
pub struct ReplicaStanding {
    pub name: String,
    pub place: String,
    pub class: Class,
    pub standing: Standing,
    /// Since when it is so.
    pub since: Option<Timestamp>,
    /// Free and total bytes, of a folder that was there.
    pub room: Option<(u64, u64)>,
    /// Items that wait for it.
    pub waiting: u64,
}

#[derive(Default)]
struct Heard {
    standing: Standing,
    since: Option<Timestamp>,
    room: Option<(u64, u64)>,
    waiting: BTreeSet<u64>,
    /// Work had to wait for it, and what failed was not done there since.
    write_failed: bool,
    /// Somebody who waited for it left without having done what failed.
    given_up: bool,
}

pub(super) struct Watch {
    clock: Arc<dyn Clock>,
    heard: Mutex<BTreeMap<String, Heard>>,
    /// The steady moment of the last look, in seconds plus one; zero before the first.
    looked: AtomicU64,
    looking: AtomicBool,
    /// Replicas whose storage roots were checked since the start.
    rooted: Mutex<BTreeSet<String>>,
}

impl Watch {
    /// Watches replicas that were used before, each with the moment since when items wait for it, if
    /// they do: then writing has failed there, whatever a read says.
    pub(super) fn new(
        clock: Arc<dyn Clock>,
        used: impl Iterator<Item = (String, Option<Timestamp>)>,
    ) -> Watch {
        let unknown = |since: Option<Timestamp>| Heard {
            standing: Standing::Unknown,
            write_failed: since.is_some(),
            since,
            ..Heard::default()
        };
        Watch {
            clock,
            heard: Mutex::new(used.map(|(name, since)| (name, unknown(since))).collect()),
            looked: AtomicU64::new(0),
            looking: AtomicBool::new(false),
            rooted: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Heard>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A replica could be read.
    pub(super) fn is_there(&self, replica: &Replica) {
        let room = room(replica);
        let mut heard = self.lock();
        let heard = heard.entry(replica.name().to_owned()).or_default();
        heard.room = room;
        if !heard.write_failed {
            self.turn(heard, Standing::There);
        }
    }

    /// A file could be written to a replica.
    fn takes_writes(&self, replica: &Replica) {
        if let Some(heard) = self.lock().get_mut(replica.name()) {
            // A small file has room where a large one has not.
            let full = matches!(heard.standing, Standing::Full(_)) && !heard.waiting.is_empty();
            (heard.write_failed, heard.given_up) = (full, false);
        }
        self.is_there(replica);
    }

    /// Whether something was written to a replica since work had to wait for it.
    fn write_failed(&self, replica: &Replica) -> bool {
        self.lock().get(replica.name()).is_some_and(|heard| heard.write_failed)
    }

    /// A replica failed.
    pub(super) fn failed(&self, error: &VaultError) {
        let (name, standing) = match error {
            VaultError::Away { replica, .. } => (replica, Standing::Away(chain(error))),
            VaultError::Full { replica, .. } => (replica, Standing::Full(chain(error))),
            VaultError::Denied { replica, .. } | VaultError::Damaged { replica, .. } => {
                (replica, Standing::Unusable(chain(error)))
            }
            VaultError::NotFound { .. }
            | VaultError::Lacks { .. }
            | VaultError::Conflict { .. }
            | VaultError::Ahead { .. }
            | VaultError::Refused { .. }
            | VaultError::Source { .. }
            | VaultError::Changed { .. }
            | VaultError::Scratch { .. } => return,
        };
        let mut heard = self.lock();
        let heard = heard.entry(name.clone()).or_default();
        heard.room = None;
        self.turn(heard, standing);
    }

    fn turn(&self, heard: &mut Heard, standing: Standing) {
        let other = std::mem::discriminant(&heard.standing) != std::mem::discriminant(&standing);
        // Items waited for it before the start, and it is still so.
        let goes_on = heard.standing == Standing::Unknown && heard.write_failed;
        if other && !goes_on {
            heard.since = Some(self.clock.now());
        }
        heard.standing = standing;
    }

    /// An item begins to wait for a replica.
    pub(super) fn waits(&self, item: ItemId, error: &VaultError) {
        for heard in self.lock().values_mut() {
            heard.waiting.remove(&item.0);
        }
        self.failed(error);
        let (VaultError::Away { replica, .. } | VaultError::Full { replica, .. }) = error else {
            return;
        };
        let mut heard = self.lock();
        let heard = heard.entry(replica.clone()).or_default();
        heard.write_failed = true;
        if heard.waiting.len() < WAITING {
            heard.waiting.insert(item.0);
        }
    }

    /// An item waits for no replica any more: the stage that had failed was done. The replica is there
    /// when it was the last, and nobody has left before.
    pub(super) fn goes_on(&self, item: ItemId) {
        self.leaves(item, true);
    }

    /// An item waits for no replica any more, and what had failed was not done.
    pub(super) fn gives_up(&self, item: ItemId) {
        self.leaves(item, false);
    }

    fn leaves(&self, item: ItemId, done: bool) {
        for heard in self.lock().values_mut() {
            if !heard.waiting.remove(&item.0) {
                continue;
            }
            heard.given_up |= !done;
            if !heard.waiting.is_empty() {
                continue;
            }
            if heard.given_up {
                // Tried by a small file, soon.
                self.looked.store(0, Ordering::Relaxed);
            } else {
                heard.write_failed = false;
                self.turn(heard, Standing::There);
            }
        }
    }

    pub(super) fn standing(&self, replica: &Replica) -> ReplicaStanding {
        let heard = self.lock();
        let settings = replica.settings();
        let heard = heard.get(replica.name());
        ReplicaStanding {
            name: settings.name.clone(),
            place: settings.place.clone(),
            class: settings.class,
            standing: heard.map(|it| it.standing.clone()).unwrap_or_default(),
            since: heard.and_then(|it| it.since),
            room: heard.and_then(|it| it.room),
            waiting: heard.map_or(0, |it| it.waiting.len() as u64),
        }
    }

    /// Whether a look is due and nobody looks; whoever is told so looks.
    pub(super) fn is_due(&self) -> bool {
        let now = self.clock.steady().as_secs() + 1;
        let last = self.looked.load(Ordering::Relaxed);
        let due = last == 0 || now.saturating_sub(last) >= EVERY.as_secs();
        due && !self.looking.swap(true, Ordering::SeqCst)
    }

    /// Lets another look be made.
    pub(super) fn not_looked(&self) {
        self.looking.store(false, Ordering::SeqCst);
    }

    /// Asks every replica that was ever used.
    pub(super) fn look(&self, replicas: &[Replica]) {
        for replica in replicas {
            let used =
                self.lock().get(replica.name()).is_some_and(|it| it.standing != Standing::Unused);
            if !used {
                continue;
            }
            // A small file is written only where writing has failed.
            let writing = self.write_failed(replica);
            let present = replica.present().map(|()| self.check_root_once(replica));
            let tried = present.and_then(|()| match writing {
                true => replica.try_write(),
                false => Ok(()),
            });
            match tried {
                Ok(()) if writing => self.takes_writes(replica),
                Ok(()) => self.is_there(replica),
                Err(error) => self.failed(&error),
            }
        }
        self.looked.store(self.clock.steady().as_secs() + 1, Ordering::Relaxed);
        self.not_looked();
    }

    /// Checks and repairs the files that describe the storage root of a replica that is there, once
    /// after the start; later the sweeps of fixity do.
    fn check_root_once(&self, replica: &Replica) {
        let mut rooted = self.rooted.lock().unwrap_or_else(PoisonError::into_inner);
        if rooted.contains(replica.name()) {
            return;
        }
        let name = replica.name();
        match super::repair_root(replica) {
            Ok(_) => {
                rooted.insert(name.to_owned());
            }
            // Tried again at the next look.
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(replica = name, error, "the storage root cannot be checked");
            }
        }
    }
}

/// The room of a folder; a bucket does not say.
fn room(replica: &Replica) -> Option<(u64, u64)> {
    let url = &replica.settings().url;
    if url.contains("://") {
        return None;
    }
    let stat = rustix::fs::statvfs(Path::new(url)).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    Some((bytes(stat.f_bavail), bytes(stat.f_blocks)))
}
