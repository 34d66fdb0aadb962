//! The equipment that foreman, stages, pages and commands share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use storage::clock::Clock;
use storage::work::queue::Queue;

use super::board::Board;
use super::chart::Chart;
use super::pools::Pools;
use super::room::Room;
use super::stop::Stop;

/// Everything the engine works with.
pub struct Workshop {
    /// What is to be done.
    pub queue: Arc<Queue>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The flows, as names and policies.
    pub chart: Chart,
    /// What is being worked on.
    pub board: Board,
    /// Threads for parallel parts.
    pub pools: Pools,
    /// Whether the disk has room.
    pub room: Room,
    /// Whether to stop.
    pub stop: Stop,
    held: AtomicBool,
    dice: Mutex<fastrand::Rng>,
    at_checkpoint: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Workshop {
    /// A workshop; all chance in it follows from `seed`.
    pub fn new(
        queue: Arc<Queue>,
        clock: Arc<dyn Clock>,
        chart: Chart,
        pools: Pools,
        room: Room,
        seed: u64,
    ) -> Workshop {
        let board = Board::new(&chart);
        let dice = Mutex::new(fastrand::Rng::with_seed(seed));
        let (stop, held, at_checkpoint) = (Stop::default(), AtomicBool::default(), OnceLock::new());
        Workshop { queue, clock, chart, board, pools, room, stop, held, dice, at_checkpoint }
    }

    /// Calls `act` at the beginning of every checkpoint of every stage: how tests stop, overtake
    /// or break an attempt exactly there. Set once; unset, it costs a look.
    pub fn at_every_checkpoint(&self, act: impl Fn() + Send + Sync + 'static) {
        // A second one would be a mistake of the test, which then sees its act not happen.
        drop(self.at_checkpoint.set(Box::new(act)));
    }

    pub(super) fn tell_checkpoint(&self) {
        if let Some(act) = self.at_checkpoint.get() {
            act();
        }
    }

    /// A number in 0..1.
    pub(super) fn roll(&self) -> f64 {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).f64()
    }

    /// Asks everyone to stop, and wakes those who wait.
    pub fn ask_to_stop(&self) {
        self.stop.ask();
        self.queue.wake_all();
    }

    /// Holds all work back, or lets it go on. What is under way ends; which topics are paused is
    /// not touched. Not kept over a restart: whoever holds it says so again.
    pub fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
        if !held {
            self.queue.wake_all();
        }
    }

    /// Whether all work is held back.
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    /// Whether work may be taken: nobody asked to stop or to wait, there is room, the work state is
    /// well.
    pub fn takes_work(&self) -> bool {
        let may = !self.stop.asked() && !self.is_held();
        may && self.room.is_open() && !self.queue.store().is_ailing()
    }
}
