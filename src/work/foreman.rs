//! The foreman gives out work: one attempt at a time by [`Foreman::step`], or with a thread per
//! worker by [`Foreman::run`]. Both walk the same path.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use storage::work::item::ItemId;
use storage::work::queue::{Account, Charge, Claim, Settlement};

use super::attempt::{Station, attempt};
use super::board::Status;
use super::pools::step_back;
use super::stage::Flow;
use super::workshop::Workshop;

/// Longest wait of an idle worker: a heartbeat at least this often, and a look for work that no
/// bell announced.
const IDLE: Duration = Duration::from_secs(5);

/// Gives out the work of all flows.
pub struct Foreman<C: 'static> {
    app: Arc<C>,
    shop: Arc<Workshop>,
    stations: Vec<Station<C>>,
    /// Claimed and not yet begun, per station.
    held: Vec<Mutex<VecDeque<Claim>>>,
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One attempt was made and settled.
    Worked {
        /// At this topic.
        topic: &'static str,
        /// At this item.
        item: ItemId,
    },
    /// There was nothing to do.
    Idle,
}

impl<C: Send + Sync + 'static> Foreman<C> {
    /// A foreman for these flows, in the workshop that has their chart.
    pub fn new(app: Arc<C>, shop: Arc<Workshop>, flows: &'static [Flow<C>]) -> Foreman<C> {
        let mut stations = Vec::new();
        for (flow, chart) in flows.iter().zip(&shop.chart.flows) {
            for (at, (stage, charted)) in flow.stages.iter().zip(&chart.stages).enumerate() {
                stations.push(Station {
                    stage: *stage,
                    topic: charted.topic,
                    next: flow.stages.get(at + 1).map(|next| next.about().topic),
                    cleanup: flow.cleanup.filter(|cleanup| *cleanup != charted.topic),
                    policy: charted.policy,
                });
            }
        }
        let held = stations.iter().map(|_| Mutex::default()).collect();
        Foreman { app, shop, stations, held }
    }

    /// Makes at most one attempt, at the first stage in order that has work.
    pub fn step(&self) -> Step {
        for station in 0..self.stations.len() {
            if let Some(item) = self.work(station, 0) {
                return Step::Worked { topic: self.stations[station].topic, item };
            }
        }
        Step::Idle
    }

    /// Makes one attempt at a station, if there is work.
    fn work(&self, at: usize, worker: usize) -> Option<ItemId> {
        let station = &self.stations[at];
        let slot = self.shop.board.slot(at, worker);
        slot.beat(self.shop.clock.steady());
        let claim = self.next_claim(at)?;
        // What was claimed ahead may have waited: make sure it is still ours.
        if let Err(error) = self.shop.queue.beat(&claim.lease, station.policy.lease) {
            let id = claim.item.id;
            let error = crate::fault::chain(&error);
            tracing::info!(item = id.0, topic = station.topic, error, "item {id} was not begun");
            return Some(id);
        }
        Some(attempt(&*self.app, &self.shop, station, slot, claim))
    }

    /// The next item to work on: claimed ahead, or claimed now.
    fn next_claim(&self, at: usize) -> Option<Claim> {
        let station = &self.stations[at];
        let mut held = self.held[at].lock().unwrap_or_else(PoisonError::into_inner);
        if !self.shop.takes_work() {
            return None;
        }
        if let Some(claim) = held.pop_front() {
            return Some(claim);
        }
        let most = usize::from(station.policy.buffer.max(1));
        match self.shop.queue.claim(station.topic, most, station.policy.lease) {
            Ok(claims) => {
                self.shop.board.set_ready(at);
                held.extend(claims);
                held.pop_front()
            }
            Err(error) => {
                let error = crate::fault::chain(&error);
                tracing::error!(topic = station.topic, error, "could not claim work");
                None
            }
        }
    }

    /// Gives back what was claimed ahead and not begun, at no cost.
    pub fn release(&self) {
        for held in &self.held {
            let claims = std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner));
            for claim in claims {
                let back = Settlement::Retry { at: claim.item.queued, charge: Charge::Free };
                let account = Account { note: claim.item.note.clone(), ..Account::default() };
                if let Err(error) = self.shop.queue.settle(claim.lease, &back, account) {
                    // The next start finds it leased by a run that is gone, and takes it back.
                    tracing::debug!(error = %error, "a claim could not be given back");
                }
            }
        }
    }

    /// Starts a thread for every worker of every stage.
    pub fn run(self) -> std::io::Result<Crew> {
        let foreman = Arc::new(self);
        let mut threads = Vec::new();
        for (at, station) in foreman.stations.iter().enumerate() {
            foreman.shop.board.set_status(at, Status::Running);
            for worker in 0..usize::from(station.policy.workers) {
                let foreman = Arc::clone(&foreman);
                let name = format!("{}-{worker}", station.topic);
                let thread = std::thread::Builder::new().name(name);
                threads.push(thread.spawn(move || foreman.worker(at, worker))?);
            }
        }
        let shop = Arc::clone(&foreman.shop);
        Ok(Crew { shop, threads, release: Box::new(move || foreman.release()) })
    }

    fn worker(&self, at: usize, worker: usize) {
        step_back();
        let guard = StatusGuard { shop: &self.shop, at };
        let bell = self.shop.queue.bell();
        while !self.shop.stop.asked() {
            let seen = bell.count();
            if self.work(at, worker).is_none() {
                bell.wait(seen, self.patience(at));
            }
        }
        guard.end_well();
    }

    /// How long an idle worker may wait: until the next delayed item is due.
    fn patience(&self, at: usize) -> Duration {
        let now = self.shop.clock.now();
        let due = self.shop.queue.next_due(self.stations[at].topic).ok().flatten();
        due.map_or(IDLE, |due| due.since(now).clamp(Duration::from_millis(10), IDLE))
    }
}

/// Marks a stage as failed when a worker of it ends by unwinding.
struct StatusGuard<'a> {
    shop: &'a Workshop,
    at: usize,
}

impl StatusGuard<'_> {
    fn end_well(self) {
        self.shop.board.set_status(self.at, Status::Stopped);
        std::mem::forget(self);
    }
}

impl Drop for StatusGuard<'_> {
    fn drop(&mut self) {
        self.shop.board.set_status(self.at, Status::Error);
    }
}

/// The threads at work.
pub struct Crew {
    shop: Arc<Workshop>,
    threads: Vec<JoinHandle<()>>,
    release: Box<dyn Fn() + Send>,
}

impl Crew {
    /// Asks everyone to stop at the next checkpoint and waits up to `grace`. Returns how many did
    /// not stop in time: their items are taken back at the next start.
    pub fn stop(self, grace: Duration) -> usize {
        self.shop.ask_to_stop();
        (self.release)();
        let deadline = self.shop.clock.steady() + grace;
        let mut threads = self.threads;
        loop {
            threads.retain(|thread| !thread.is_finished());
            if threads.is_empty() || self.shop.clock.steady() >= deadline {
                return threads.len();
            }
            self.shop.queue.bell().wait(self.shop.queue.bell().count(), Duration::from_millis(20));
        }
    }
}
