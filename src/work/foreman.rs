//! The foreman gives out work: one attempt at a time by [`Foreman::step`], or with a thread per
//! worker by [`Foreman::run`]. Both walk the same path.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use storage::clock::Timestamp;
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
    /// Per station.
    lines: Vec<Mutex<Line>>,
}

/// What a station has claimed ahead.
#[derive(Default)]
struct Line {
    /// Claimed and not yet begun.
    held: VecDeque<Claim>,
    /// Whether the items an earlier run died with are behind us. Until then they are claimed one
    /// by one: those claimed along with one that kills the program would be blamed with it.
    trusting: bool,
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
        let lines = stations.iter().map(|_| Mutex::default()).collect();
        Foreman { app, shop, stations, lines }
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
        let id = claim.item.id;
        // What was claimed ahead may have waited: make sure it is still ours, and still wanted.
        match self.shop.queue.beat(&claim.lease, station.policy.lease) {
            Ok(pulse) if pulse.cancelled => self.give_back(claim),
            Ok(_) => return Some(attempt(&*self.app, &self.shop, station, slot, claim)),
            Err(error) => {
                let error = crate::fault::chain(&error);
                tracing::info!(
                    item = id.0,
                    topic = station.topic,
                    error,
                    "item {id} was not begun"
                );
            }
        }
        Some(id)
    }

    /// The next item to work on: claimed ahead, or claimed now.
    fn next_claim(&self, at: usize) -> Option<Claim> {
        let station = &self.stations[at];
        let mut line = self.line(at);
        if !self.gives_out(at) {
            // Nobody knows for how long: better in line than leased.
            line.held.drain(..).for_each(|claim| self.give_back(claim));
            return None;
        }
        if let Some(claim) = line.held.pop_front() {
            return Some(claim);
        }
        let most = if line.trusting { usize::from(station.policy.buffer.max(1)) } else { 1 };
        match self.shop.queue.claim(station.topic, most, station.policy.lease) {
            Ok(claims) => {
                self.shop.board.set_ready(at);
                line.trusting |= claims.first().is_some_and(|it| it.item.strikes.crashes == 0);
                line.held.extend(claims);
                line.held.pop_front()
            }
            Err(error) => {
                let error = crate::fault::chain(&error);
                tracing::error!(topic = station.topic, error, "could not claim work");
                None
            }
        }
    }

    /// Whether work of a station is given out now.
    fn gives_out(&self, at: usize) -> bool {
        let topic = self.shop.queue.topic(self.stations[at].topic);
        self.shop.takes_work() && topic.is_ok_and(|topic| !topic.counts.paused)
    }

    /// Gives back what was claimed ahead and not begun, at no cost.
    pub fn release(&self) {
        for at in 0..self.lines.len() {
            let held = std::mem::take(&mut self.line(at).held);
            held.into_iter().for_each(|claim| self.give_back(claim));
        }
    }

    /// Puts a claim that was not begun back where it was; cancelled meanwhile, the queue ends it.
    fn give_back(&self, claim: Claim) {
        // Long past, so that it keeps its place in line whatever the clock says now.
        let back = Settlement::Retry { at: Timestamp(0), charge: Charge::Free };
        let account = Account { note: claim.item.note, ..Account::default() };
        if let Err(error) = self.shop.queue.settle(claim.lease, &back, account) {
            // The next start finds it leased by a run that is gone, and takes it back.
            tracing::debug!(error = %error, "a claim could not be given back");
        }
    }

    /// Renews what is claimed ahead, so that waiting behind a slow item costs no attempt.
    pub fn keep(&self) {
        for (at, station) in self.stations.iter().enumerate() {
            for claim in &self.line(at).held {
                if let Err(error) = self.shop.queue.beat(&claim.lease, station.policy.lease) {
                    // It is looked at once more before it is begun.
                    tracing::debug!(error = %error, "a claim could not be renewed");
                }
            }
        }
    }

    fn line(&self, at: usize) -> MutexGuard<'_, Line> {
        self.lines[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread for every worker of every stage, and one that renews what waits for them.
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
        let keeper = Arc::clone(&foreman);
        let thread = std::thread::Builder::new().name("keeper".into());
        threads.push(thread.spawn(move || keeper.keeper())?);
        let shop = Arc::clone(&foreman.shop);
        Ok(Crew { shop, threads, release: Box::new(move || foreman.release()) })
    }

    fn worker(&self, at: usize, worker: usize) {
        step_back();
        let guard = StatusGuard { shop: &self.shop, at };
        let bell = self.shop.queue.bell();
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

    fn keeper(&self) {
        // As often as a checkpoint would.
        let every = self.stations.iter().map(|station| station.policy.lease / 3).min();
        let every = every.unwrap_or(IDLE);
        let mut kept = self.shop.clock.steady();
        loop {
            let seen = self.shop.queue.bell().count();
            if self.shop.stop.asked() {
                return;
            }
            let now = self.shop.clock.steady();
            if now.saturating_sub(kept) >= every {
                self.keep();
                kept = now;
            }
            self.shop.queue.bell().wait(seen, every.min(IDLE));
        }
    }

    /// How long an idle worker may wait: until the next delayed item is due.
    fn patience(&self, at: usize) -> Duration {
        if !self.gives_out(at) {
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
