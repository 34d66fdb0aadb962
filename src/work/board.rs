//! What is being worked on at this moment, readable without waiting for anything.
//!
//! Every worker has a slot of plain numbers that only it writes. Health, pages and metrics read
//! them while every core is busy: no lock is held by anyone who works.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use storage::clock::millis;
use storage::work::item::ItemId;

use super::chart::Chart;

/// Whether a stage's workers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A worker ended by a fault of its own.
    Error = -1,
    /// Not started, or stopped.
    Stopped = 0,
    /// Running.
    Running = 1,
}

/// All slots of all stages.
pub struct Board {
    stages: Vec<StageBoard>,
}

struct StageBoard {
    topic: &'static str,
    label: &'static str,
    status: AtomicI32,
    ready: AtomicI32,
    slots: Vec<Slot>,
}

/// One worker's numbers. Times are steady milliseconds plus one; zero means never or idle.
#[derive(Default)]
pub(super) struct Slot {
    heartbeat: AtomicU64,
    task_start: AtomicU64,
    expected: AtomicU64,
    item: AtomicU64,
    done: AtomicU64,
    total: AtomicU64,
}

/// What a slot says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotReading {
    /// Last sign of life.
    pub heartbeat: Option<Duration>,
    /// When the current item was begun, and how long it is expected to take.
    pub task: Option<(Duration, Duration)>,
}

/// What a stage says.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReading {
    /// Its topic.
    pub topic: &'static str,
    /// Its label.
    pub label: &'static str,
    /// Whether it runs.
    pub status: i32,
    /// Whether it ever looked for work with success.
    pub ready: bool,
    /// Whether it stands outside of the stages: then nothing waits for it to be ready.
    pub is_outside: bool,
    /// Its workers.
    pub slots: Vec<SlotReading>,
}

/// An item being worked on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Running {
    /// The item.
    pub item: u64,
    /// The topic.
    pub topic: &'static str,
    /// The stage's label.
    pub label: &'static str,
    /// How far it is.
    pub done: u64,
    /// Of how much; zero when nobody knows.
    pub total: u64,
    /// How long it has been worked on.
    pub took_s: f64,
    /// How long it is expected to take.
    pub expected_s: f64,
}

impl Board {
    /// A slot for every worker of every stage.
    pub fn new(chart: &Chart) -> Board {
        let stages = chart.stages().map(|(_, stage)| StageBoard {
            topic: stage.topic,
            label: stage.label,
            status: AtomicI32::new(Status::Stopped as i32),
            ready: AtomicI32::new(0),
            slots: (0..stage.policy.hands()).map(|_| Slot::default()).collect(),
        });
        Board { stages: stages.collect() }
    }

    /// Sets a stage's status.
    pub fn set_status(&self, stage: usize, status: Status) {
        self.stages[stage].status.store(status as i32, Ordering::Relaxed);
    }

    /// Notes that a stage has looked for work with success.
    pub(super) fn set_ready(&self, stage: usize) {
        self.stages[stage].ready.store(1, Ordering::Relaxed);
    }

    pub(super) fn slot(&self, stage: usize, worker: usize) -> &Slot {
        &self.stages[stage].slots[worker]
    }

    /// Every stage's numbers.
    pub fn readings(&self) -> Vec<StageReading> {
        let reading = |stage: &StageBoard| StageReading {
            topic: stage.topic,
            label: stage.label,
            status: stage.status.load(Ordering::Relaxed),
            ready: stage.ready.load(Ordering::Relaxed) == 1,
            is_outside: false,
            slots: stage.slots.iter().map(Slot::reading).collect(),
        };
        self.stages.iter().map(reading).collect()
    }

    /// Every item being worked on.
    pub fn running(&self, now: Duration) -> Vec<Running> {
        let mut running = Vec::new();
        for stage in &self.stages {
            for slot in &stage.slots {
                let Some((start, expected)) = slot.reading().task else { continue };
                running.push(Running {
                    item: slot.item.load(Ordering::Relaxed),
                    topic: stage.topic,
                    label: stage.label,
                    done: slot.done.load(Ordering::Relaxed),
                    total: slot.total.load(Ordering::Relaxed),
                    took_s: now.saturating_sub(start).as_secs_f64(),
                    expected_s: expected.as_secs_f64(),
                });
            }
        }
        running
    }
}

impl Slot {
    pub(super) fn beat(&self, now: Duration) {
        self.heartbeat.store(millis(now) + 1, Ordering::Relaxed);
    }

    pub(super) fn begin(&self, item: ItemId, expected: Duration, now: Duration) {
        self.item.store(item.0, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(0, Ordering::Relaxed);
        self.expected.store(millis(expected).max(1), Ordering::Relaxed);
        self.task_start.store(millis(now) + 1, Ordering::Relaxed);
        self.beat(now);
    }

    pub(super) fn end(&self, now: Duration) {
        self.task_start.store(0, Ordering::Relaxed);
        self.expected.store(0, Ordering::Relaxed);
        self.item.store(0, Ordering::Relaxed);
        self.beat(now);
    }

    pub(super) fn total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    pub(super) fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }

    pub(super) fn reading(&self) -> SlotReading {
        let at = |cell: &AtomicU64| {
            cell.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_millis)
        };
        let expected = Duration::from_millis(self.expected.load(Ordering::Relaxed));
        let task = at(&self.task_start).map(|start| (start, expected));
        SlotReading { heartbeat: at(&self.heartbeat), task }
    }
}
