//! How large folders in receiving areas are, remembered for a while: a look at each of a million files
//! is not to be repeated for every upload and every sweep.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use storage::clock::Clock;

/// How long a size holds at least, and how many times as long as it took to find out.
const HOLDS: Duration = Duration::from_secs(60);
const TIMES: u32 = 20;
/// Folders remembered at once.
const MOST: usize = 10_000;

/// Sizes of folders.
#[derive(Default)]
pub struct FolderSizes(Mutex<HashMap<PathBuf, Measured>>);

struct Measured {
    /// What tells this state of the folder itself from others.
    etag: String,
    bytes: u64,
    until: Duration,
}

impl FolderSizes {
    /// The size of a folder in this state, measured unless it was a short while ago.
    pub fn bytes(
        &self,
        path: &Path,
        etag: &str,
        clock: &dyn Clock,
        measure: impl FnOnce() -> u64,
    ) -> u64 {
        let begun = clock.steady();
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(path).and_then(|known| known.holds(etag, begun));
        if let Some(bytes) = known {
            return bytes;
        }
        let bytes = measure();
        let now = clock.steady();
        let holds = HOLDS.max(now.saturating_sub(begun).saturating_mul(TIMES));
        let mut all = lock();
        if all.len() >= MOST {
            all.clear();
        }
        let etag = etag.to_owned();
        all.insert(path.to_owned(), Measured { etag, bytes, until: now.saturating_add(holds) });
        bytes
    }
}

impl Measured {
    fn holds(&self, etag: &str, now: Duration) -> Option<u64> {
        (self.etag == etag && now < self.until).then_some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::testing::ManualClock;

    #[test]
    fn a_folder_is_measured_again_when_it_changes_or_after_a_while() {
        let (sizes, clock) = (FolderSizes::default(), ManualClock::start());
        let path = Path::new("area/letters");
        let ask = |etag, found| sizes.bytes(path, etag, clock.as_ref(), || found);
        assert_eq!(ask("one", 1), 1);
        assert_eq!(ask("one", 2), 1);
        assert_eq!(ask("two", 3), 3);
        clock.advance(HOLDS);
        assert_eq!(ask("two", 4), 4);
        // One that took long to measure is not measured again at once.
        let slow = || {
            clock.advance(HOLDS);
            5
        };
        assert_eq!(sizes.bytes(path, "three", clock.as_ref(), slow), 5);
        clock.advance(HOLDS);
        assert_eq!(ask("three", 6), 5);
        clock.advance(HOLDS * TIMES);
        assert_eq!(ask("three", 7), 7);
    }
}
