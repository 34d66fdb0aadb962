//! How long to wait before another attempt, and when to give up.

use std::time::Duration;

use storage::clock::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// After the first attempt, the second, and so on; the last wait is repeated.
const WAITS: [u64; 8] =
    [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

/// A server that is down over a long weekend is not the end.
const PATIENCE: Duration = Duration::from_secs(5 * 24 * HOUR);

/// How long a closed way is left alone, whatever else is due on it.
pub(super) const PAUSE: Duration = Duration::from_secs(MINUTE);

/// The first waits of a callback, in seconds, as its receivers know them.
const QUICK: [u64; 3] = [1, 2, 4];

/// The same for a callback: three quick attempts before the long waits begin.
pub(super) fn again_soon(failed: u32, created: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let at = usize::try_from(failed).unwrap_or(usize::MAX).saturating_sub(1);
    match QUICK.get(at) {
        Some(wait) => Some(now.after(Duration::from_secs(*wait))),
        None => again(failed.saturating_sub(3), created, now),
    }
}

/// When to try again after so many attempts have failed; none to give up.
pub(super) fn again(failed: u32, created: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let at = usize::try_from(failed).unwrap_or(usize::MAX).saturating_sub(1);
    let wait = WAITS[at.min(WAITS.len() - 1)];
    let due = now.after(Duration::from_secs(wait));
    (due <= created.after(PATIENCE)).then_some(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end_after_days() {
        let created = Timestamp(1_794_813_641_123);
        let (mut now, mut failed, mut waits) = (created, 0, Vec::new());
        loop {
            failed += 1;
            let Some(due) = again(failed, created, now) else { break };
            waits.push(due.since(now).as_secs());
            now = due;
        }
        assert_eq!(waits[..4], [60, 300, 900, 3600]);
        assert!(waits.is_sorted());
        let days = now.since(created).as_secs_f64() / 86_400.0;
        assert!((3.5..=5.0).contains(&days), "{days}");
        assert!(again(u32::MAX, created, created).is_some());
        let soon = [1, 2, 3, 4, 5].map(|failed| again_soon(failed, created, created).unwrap());
        assert_eq!(soon.map(|due| due.since(created).as_secs()), [1, 2, 4, 60, 300]);
    }
}
