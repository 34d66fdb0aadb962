//! Whether the disk has room for more work.
//!
//! Below the floor the appliance stops taking work before any engine meets a full disk: everything
//! in progress keeps its records, and work goes on by itself when there is room again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;

/// The room on the disk of the data directory.
pub struct Room {
    dir: PathBuf,
    floor_bytes: u64,
    free_bytes: AtomicU64,
    total_bytes: AtomicU64,
    refused: AtomicBool,
}

/// A reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RoomReading {
    /// Free for us.
    pub free_bytes: u64,
    /// Of the whole file system.
    pub total_bytes: u64,
    /// Below this no work is taken.
    pub floor_bytes: u64,
    /// Whether work is taken.
    pub open: bool,
}

impl Room {
    /// Watches the file system of `dir`.
    pub fn new(dir: PathBuf, floor_bytes: u64) -> Room {
        let room = Room {
            dir,
            floor_bytes,
            free_bytes: AtomicU64::new(u64::MAX),
            total_bytes: AtomicU64::new(0),
            refused: AtomicBool::new(false),
        };
        room.look();
        room
    }

    /// Asks the file system; returns whether work may be taken.
    pub fn look(&self) -> bool {
        if let Ok(stat) = rustix::fs::statvfs(&self.dir) {
            let free = stat.f_bavail.saturating_mul(stat.f_frsize);
            self.free_bytes.store(free, Ordering::Relaxed);
            self.total_bytes.store(stat.f_blocks.saturating_mul(stat.f_frsize), Ordering::Relaxed);
        }
        let was_open = self.is_open();
        // Coming back needs a tenth more than leaving, so that it does not flicker at the edge.
        let needed =
            if was_open { self.floor_bytes } else { self.floor_bytes + self.floor_bytes / 10 };
        let open = self.free_bytes.load(Ordering::Relaxed) >= needed;
        self.refused.store(!open, Ordering::Relaxed);
        if was_open && !open {
            tracing::error!(
                free_bytes = self.reading().free_bytes,
                "the disk is almost full: no new work is taken"
            );
        } else if !was_open && open {
            tracing::info!("there is room on the disk again: work goes on");
        }
        open
    }

    /// Whether work may be taken, as of the last look.
    pub fn is_open(&self) -> bool {
        !self.refused.load(Ordering::Relaxed)
    }

    /// The last reading.
    pub fn reading(&self) -> RoomReading {
        RoomReading {
            free_bytes: self.free_bytes.load(Ordering::Relaxed),
            total_bytes: self.total_bytes.load(Ordering::Relaxed),
            floor_bytes: self.floor_bytes,
            open: self.is_open(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_above_what_is_free_closes_the_room() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Room::new(dir.path().into(), 1).is_open());
        let closed = Room::new(dir.path().into(), u64::MAX / 2);
        assert!(!closed.is_open());
        assert!(closed.reading().free_bytes > 0 && closed.reading().total_bytes > 0);
    }
}
