//! The foreman gives out work: one attempt at a time by [`Foreman::step`], or with a thread per
//! worker by [`Foreman::run`]. Both walk the same path.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use storage::work::item::ItemId;
use storage::work::queue::Claim;

use super::attempt::{Station, attempt};
use super::board::Status;
use super::pools::step_back;
use super::stage::Flow;
use super::workshop::Workshop;

/// The end of a stop's grace that is kept for putting back what did not finish; a tenth of it at most.
const PUT_BACK: Duration = Duration::from_secs(2);
/// Longest wait of an idle worker: a heartbeat at least this often, and a look for work that no
/// bell announced.
const IDLE: Duration = Duration::from_secs(1);

/// Gives out the work of all flows.
pub struct Foreman<C: 'static> {
    app: Arc<C>,
    shop: Arc<Workshop>,
    stations: Vec<Station<C>>,
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
        Foreman { app, shop, stations }
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
        let claim = self.claim(at)?;
        Some(attempt(&*self.app, &self.shop, station, slot, claim))
    }

    /// The next item of a station. One at a time: what is claimed ahead would have to be renewed,
    /// given back when paused, cancelled or stopped, and kept from the blame of its neighbours.
    fn claim(&self, at: usize) -> Option<Claim> {
        if self.shop.is_held() {
            // It would work if it were let: that is what being ready means.
            self.shop.board.set_ready(at);
        }
        if !self.shop.takes_work() {
            return None;
        }
        let station = &self.stations[at];
        match self.shop.queue.claim(station.topic, 1, station.policy.lease) {
            Ok(claims) => {
                self.shop.board.set_ready(at);
                claims.into_iter().next()
            }
            Err(error) => {
                let error = byteio::causes::chain(&error);
                tracing::error!(topic = station.topic, error, "could not claim work");
                None
            }
        }
    }

    /// Starts a thread for every worker of every stage.
    pub fn run(self) -> std::io::Result<Crew> {
        let foreman = Arc::new(self);
        let mut threads = Vec::new();
        for (at, station) in foreman.stations.iter().enumerate() {
            foreman.shop.board.set_status(at, Status::Running);
            for worker in 0..station.policy.hands() {
                // Started is a sign of life: health must not call it late before it had a chance.
                foreman.shop.board.slot(at, worker).beat(foreman.shop.clock.steady());
                let foreman = Arc::clone(&foreman);
                let name = format!("{}-{worker}", station.topic);
                let thread = std::thread::Builder::new().name(name);
                threads.push(thread.spawn(move || foreman.worker(at, worker))?);
            }
        }
        Ok(Crew { shop: Arc::clone(&foreman.shop), threads })
    }

    fn worker(&self, at: usize, worker: usize) {
        step_back();
        let guard = StatusGuard { shop: &self.shop, at };
        let bell = self.shop.queue.bell_of(self.stations[at].topic);
        loop {
            // Counted before anything is asked: a ring from here on ends the wait at once.
            let seen = bell.count();
            if self.shop.stop.asked() {
                return guard.end_well();
            }
            if self.work(at, worker).is_none() {
                bell.wait(seen, self.patience(at));
            }
        }
    }

    /// How long an idle worker may wait: until the next delayed item is due.
    fn patience(&self, at: usize) -> Duration {
        // A due item of a closed topic is no reason to look a hundred times a second.
        let topic = self.shop.queue.topic(self.stations[at].topic);
        if !self.shop.takes_work() || topic.is_ok_and(|topic| topic.counts.paused) {
            return IDLE;
        }
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
}

impl Crew {
    /// Asks everyone to stop at the next checkpoint and waits up to `grace`; who may finish within it is
    /// stopped at its end. Returns how many did not stop in time: their items are taken back at the
    /// next start.
    pub fn stop(self, grace: Duration) -> usize {
        self.shop.ask_to_stop();
        let deadline = self.shop.clock.steady() + grace;
        let reserve = (grace / 10).min(PUT_BACK);
        let mut threads = self.threads;
        loop {
            if self.shop.clock.steady() + reserve >= deadline {
                self.shop.stop.insist();
            }
            threads.retain(|thread| !thread.is_finished());
            if threads.is_empty() || self.shop.clock.steady() >= deadline {
                return threads.len();
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
}
