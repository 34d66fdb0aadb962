//! What a researcher works with: threads of its own, and clips that are prepared already.
//!
//! A clip is decoded once for many episodes: it is found again by its digest, which the first result
//! made known. No more clips are kept than fit into some tens of megabytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use soundmatch::Clip;

/// What all kept clips may take.
const KEPT_BYTES: u64 = 64 << 20;
/// What a second of a clip takes, and what a clip takes besides.
const SECOND_BYTES: u64 = 15 << 10;
const CLIP_BYTES: u64 = 4 << 10;

/// Threads, and prepared clips.
pub struct Bench {
    pool: Option<rayon::ThreadPool>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    clips: HashMap<String, (u64, Arc<Clip>)>,
    size_bytes: u64,
    uses: u64,
}

impl Bench {
    /// A bench with so many threads; as many as there are cores when zero.
    pub fn new(threads: usize) -> Bench {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("research-{number}"))
            // Whoever answers people goes first; a system that refuses leaves us as important.
            .start_handler(|_| {
                rustix::process::nice(10).ok();
            })
            .build();
        Bench { pool: pool.ok(), kept: Mutex::default() }
    }

    /// Does work on the threads; where none could be had, on those of everybody.
    pub(super) fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// The clip with this digest.
    pub(super) fn clip(&self, sha256: &str) -> Option<Arc<Clip>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        let (used, clip) = kept.clips.get_mut(sha256)?;
        *used = now;
        Some(Arc::clone(clip))
    }

    /// Keeps a clip, and lets go of those that were not used for longest.
    pub(super) fn keep(&self, clip: &Arc<Clip>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        if kept.clips.insert(clip.facts().sha256.clone(), (now, Arc::clone(clip))).is_none() {
            kept.size_bytes += size(clip);
        }
        while kept.size_bytes > KEPT_BYTES && kept.clips.len() > 1 {
            let oldest = kept.clips.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            if let Some((_, gone)) = kept.clips.remove(&oldest) {
                kept.size_bytes = kept.size_bytes.saturating_sub(size(&gone));
            }
        }
    }
}

/// About what a clip takes.
fn size(clip: &Clip) -> u64 {
    let seconds = u64::try_from(clip.facts().duration_ns / 1_000_000_000).unwrap_or(0) + 1;
    CLIP_BYTES + seconds * SECOND_BYTES
}
