//! The signs of life of a thread outside of the stages, in the same numbers: health looks at it as at
//! the worker of a stage.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use storage::work::item::ItemId;

use super::board::{Slot, StageReading, Status};

/// The numbers of one thread. Only it writes them; whoever reads them waits for nothing.
pub struct Beacon {
    topic: &'static str,
    label: &'static str,
    is_lit: AtomicBool,
    ready: AtomicBool,
    status: AtomicI32,
    slot: Slot,
}

impl Beacon {
    /// A thread that does not run. Health does not look for it until it does.
    pub fn dark(topic: &'static str, label: &'static str) -> Beacon {
        Beacon {
            topic,
            label,
            is_lit: AtomicBool::new(false),
            ready: AtomicBool::new(false),
            status: AtomicI32::new(Status::Stopped as i32),
            slot: Slot::default(),
        }
    }

    /// The thread begins.
    pub fn light(&self, now: Duration) {
        self.slot.beat(now);
        self.set(Status::Running);
        self.is_lit.store(true, Ordering::Relaxed);
    }

    /// The thread has ended, well or not: what it ended as stays to be seen.
    pub fn set(&self, status: Status) {
        self.status.store(status as i32, Ordering::Relaxed);
    }

    /// A sign of life.
    pub fn beat(&self, now: Duration) {
        self.slot.beat(now);
    }

    /// It has looked for work with success.
    pub fn set_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// It begins something that may take this long.
    pub fn begin(&self, expected: Duration, now: Duration) {
        self.slot.begin(ItemId(0), expected, now);
    }

    /// It has ended that.
    pub fn end(&self, now: Duration) {
        self.slot.end(now);
    }

    /// Its numbers; none while it was never begun.
    pub fn reading(&self) -> Option<StageReading> {
        self.is_lit.load(Ordering::Relaxed).then(|| StageReading {
            topic: self.topic,
            label: self.label,
            status: self.status.load(Ordering::Relaxed),
            ready: self.ready.load(Ordering::Relaxed),
            is_outside: true,
            slots: vec![self.slot.reading()],
        })
    }
}
