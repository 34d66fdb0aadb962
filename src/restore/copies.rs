//! From where the files of an object are read: the best copy first, and the next one when that is not
//! what it should be. Sound before doubtful, hot before cold, then as `restore_priority` says.

use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use bagit::make::Opener;
use ocfl::{Class, ObjectId, Replica};
use storage::registry::{CopyState, FileId, FileRow, HeldState, ObjectRow, ReplicaId, Version};

use crate::app::App;
use crate::config::ReplicaClass;
use crate::fault::{Failure, Fault, Kind};

/// Replicas of one object that are looked at.
const MOST: u32 = 1000;

/// A replica that holds copies of the object and can be read now.
pub(super) struct Shelf<'a> {
    pub(super) replica: &'a Replica,
    pub(super) id: ReplicaId,
}

/// All of them, the best first.
pub(super) struct Shelves<'a> {
    pub(super) object: ObjectId,
    shelves: Vec<Shelf<'a>>,
    /// Whether each of them has a sound copy of everything, as far as is known.
    all_sound: bool,
    /// Why another replica that holds copies cannot be read now.
    away: Option<Fault>,
}

impl<'a> Shelves<'a> {
    /// Looks which replicas can be read now.
    pub(super) fn of(app: &'a App, object: &ObjectRow) -> Result<Shelves<'a>, Fault> {
        let counts = app.registry.copy_counts(object.id, MOST)?;
        let rows = app.registry.replicas(MOST)?;
        let (mut shelves, mut away) = (Vec::new(), None);
        for count in &counts {
            let row = rows.iter().find(|row| row.replica.name == count.replica);
            match (row, app.vaults.reach(&count.replica)) {
                (Some(row), Some(Ok(replica))) => shelves.push(Shelf { replica, id: row.id }),
                (_, Some(Err(fault))) => away = Some(fault),
                // Not configured any more: nobody can say where it is.
                (_, None) | (None, Some(Ok(_))) => {}
            }
        }
        shelves.sort_by_key(|shelf| {
            let settings = shelf.replica.settings();
            (settings.class == Class::Cold, settings.restore_priority)
        });
        if shelves.is_empty() {
            return Err(away.unwrap_or_else(|| unheld(object)));
        }
        let whole = counts.iter().map(|count| count.copy_count).max();
        let is_sound = |count: &storage::registry::CopyCount| {
            count.unsound_count == 0 && Some(count.copy_count) == whole
        };
        let all_sound = counts.iter().all(is_sound);
        let object = ObjectId::new(object.identifier.clone());
        Ok(Shelves { object, shelves, all_sound, away })
    }

    /// A cold replica that may have what no other has.
    pub(super) fn cold(&self) -> Option<&str> {
        let cold = self.shelves.iter().find(|it| it.replica.settings().class == Class::Cold);
        cold.map(|shelf| shelf.replica.name())
    }

    pub(super) fn get(&self, at: usize) -> Option<&Shelf<'a>> {
        self.shelves.get(at)
    }

    /// Why a replica that may have what is missing cannot be read now.
    pub(super) fn take_away(&mut self) -> Option<Fault> {
        self.away.take()
    }

    /// A file, with the copies to read it from.
    pub(super) fn wanted(&self, app: &App, file: FileRow) -> Result<Wanted, Fault> {
        let all = 0..self.shelves.len();
        let ranked = if self.all_sound {
            all.collect()
        } else {
            let copies = app.registry.copies(file.id, file.version)?;
            let state = |at: &usize| {
                let copy = copies.iter().find(|copy| copy.replica_id == self.shelves[*at].id);
                copy.map(|copy| copy.state)
            };
            let mut ranked: Vec<usize> = all.filter(|at| state(at).is_some()).collect();
            // One that was not sound may have been mended since: it is tried last.
            ranked.sort_by_key(|at| state(at) != Some(CopyState::Sound));
            ranked
        };
        let usual = format!("v{}/content/{}", file.version, file.path);
        Ok(Wanted {
            id: file.id,
            version: file.version,
            size_bytes: file.size,
            modified: file.modified_at.map(|at| i64::try_from(at.0 / 1000).unwrap_or(i64::MAX)),
            content_path: Some(file.content_path).filter(|path| *path != usual),
            path: file.path,
            ranked,
            tried: AtomicUsize::new(0),
        })
    }
}

fn unheld(object: &ObjectRow) -> Fault {
    Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "no-replica",
        advice: "configure a replica that holds the object, then requeue the item".into(),
        source: format!("no replica that holds {} is configured", object.identifier).into(),
    })
}

/// One file that is to be restored, and which of its copies is read. Kept small: there can be
/// millions.
pub(super) struct Wanted {
    pub(super) id: FileId,
    pub(super) version: Version,
    pub(super) path: String,
    pub(super) size_bytes: u64,
    pub(super) modified: Option<i64>,
    /// Where its bytes lie in the vault's object, when that is not the usual place.
    content_path: Option<String>,
    /// Places among the shelves, the best first.
    ranked: Vec<usize>,
    /// How many of them were no good.
    tried: AtomicUsize,
}

impl Wanted {
    /// The shelf that is read from now.
    pub(super) fn shelf(&self) -> Option<usize> {
        self.ranked.get(self.tried.load(Ordering::Relaxed)).copied()
    }

    /// Goes on to the next copy; whether there is one.
    pub(super) fn next_copy(&self) -> bool {
        self.tried.fetch_add(1, Ordering::Relaxed) + 1 < self.ranked.len()
    }

    /// Where its bytes lie in the vault's object.
    pub(super) fn place(&self) -> String {
        let usual = || format!("v{}/content/{}", self.version, self.path);
        self.content_path.clone().unwrap_or_else(usual)
    }
}

/// Opens the copy that is read from now.
pub(super) struct Copy<'a> {
    pub(super) shelves: &'a Shelves<'a>,
    pub(super) wanted: &'a Wanted,
}

impl Opener for Copy<'_> {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        let shelf = self.wanted.shelf().and_then(|at| self.shelves.get(at));
        let shelf = shelf.ok_or_else(|| io::Error::other("no copy of it is left"))?;
        let copy = shelf.replica.read_copy(&self.shelves.object, &self.wanted.place());
        copy.map_err(io::Error::other)
    }
}

/// Whether only cold replicas hold the object, as far as is configured.
pub(crate) fn is_cold(app: &App, object: &ObjectRow) -> Result<bool, Fault> {
    let counts = app.registry.copy_counts(object.id, MOST)?;
    let held = counts.iter().filter_map(|count| app.config.replica(&count.replica));
    let mut classes = held.map(|replica| replica.class).peekable();
    Ok(classes.peek().is_some() && classes.all(|class| class == ReplicaClass::Cold))
}

/// Whether a file of a version is there to be restored.
pub(super) fn is_there(file: &FileRow) -> bool {
    file.state == HeldState::Active
}
