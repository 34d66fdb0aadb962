//! Threads for the parallel parts of a stage, one pool per kind of work.
//!
//! A stage runs on a thread of its own and enters a pool for what it does in parallel: entering
//! for the whole of `run` would let one stage steal another on the same stack.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::config::PoolConfig;

/// What a stage mostly uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pool {
    /// Processors.
    Cpu,
    /// Disks.
    Disk,
    /// Networks.
    Net,
    /// Geometry: processors too, and apart, so that no assessment waits for a deposit.
    Geo,
}

impl Pool {
    /// Every kind.
    pub const ALL: [Pool; 4] = [Pool::Cpu, Pool::Disk, Pool::Net, Pool::Geo];

    /// For metrics and thread names.
    pub fn name(self) -> &'static str {
        match self {
            Pool::Cpu => "cpu",
            Pool::Disk => "disk",
            Pool::Net => "net",
            Pool::Geo => "geo",
        }
    }
}

/// The pools, each made when first used.
pub struct Pools {
    sizes: PoolConfig,
    pools: [OnceLock<rayon::ThreadPool>; 4],
    busy: [AtomicUsize; 4],
}

impl Pools {
    /// Pools of these sizes.
    pub fn new(sizes: PoolConfig) -> Pools {
        Pools { sizes, pools: Default::default(), busy: Default::default() }
    }

    /// Threads of one pool.
    pub fn size(&self, pool: Pool) -> usize {
        match pool {
            Pool::Cpu => self.sizes.cpu,
            Pool::Disk => self.sizes.disk,
            Pool::Net => self.sizes.net,
            Pool::Geo => self.sizes.geo,
        }
    }

    /// Attempts under way whose stages use this pool, per thread of it: above one, work queues.
    pub fn saturation(&self, pool: Pool) -> f64 {
        self.busy[pool as usize].load(Ordering::Relaxed) as f64 / self.size(pool).max(1) as f64
    }

    /// Counts an attempt in until dropped.
    pub(super) fn occupy(&self, pool: Pool) -> Occupied<'_> {
        self.busy[pool as usize].fetch_add(1, Ordering::Relaxed);
        Occupied(&self.busy[pool as usize])
    }

    /// Runs `work` inside a pool; where no threads can be had, on this one.
    pub fn enter<T: Send>(&self, pool: Pool, work: impl FnOnce() -> T + Send) -> T {
        let slot = &self.pools[pool as usize];
        if slot.get().is_none()
            && let Ok(made) = self.make(pool)
        {
            // Someone else may have been faster; one pool is as good as the other.
            drop(slot.set(made));
        }
        match slot.get() {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }

    fn make(&self, pool: Pool) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.size(pool))
            .thread_name(move |number| format!("{}-{number}", pool.name()))
            .start_handler(|_| step_back())
            .build()
    }
}

/// Lets the threads that answer people go first when every core is busy.
pub(super) fn step_back() {
    // A system that refuses leaves us as important as everyone else: slower pages, nothing worse.
    rustix::process::nice(10).ok();
}

pub(super) struct Occupied<'a>(&'a AtomicUsize);

impl Drop for Occupied<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_enters_threads_of_its_own_kind() {
        let pools = Pools::new(PoolConfig { cpu: 2, disk: 1, net: 3, geo: 2 });
        assert_eq!(pools.enter(Pool::Cpu, rayon::current_num_threads), 2);
        assert_eq!(pools.enter(Pool::Net, rayon::current_num_threads), 3);
        let name = pools.enter(Pool::Disk, || std::thread::current().name().map(str::to_owned));
        assert_eq!(name.as_deref(), Some("disk-0"));
    }

    #[test]
    fn saturation_counts_attempts_while_they_last() {
        let pools = Pools::new(PoolConfig { cpu: 2, disk: 1, net: 3, geo: 2 });
        let held = pools.occupy(Pool::Cpu);
        assert!((pools.saturation(Pool::Cpu) - 0.5).abs() < f64::EPSILON);
        drop(held);
        assert!(pools.saturation(Pool::Cpu).abs() < f64::EPSILON);
    }
}
