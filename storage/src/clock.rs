//! The only place that reads the time.
//!
//! Two readings, because they answer different questions: the wall clock says when something
//! happened and may jump; the steady clock says how long something took and never does.

use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment on the wall clock: milliseconds since 1970, UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The moment `span` later; stops at the end of time instead of wrapping.
    pub fn after(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(millis(span)))
    }

    /// The moment `span` earlier; the beginning of time at the earliest.
    pub fn before(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(millis(span)))
    }

    /// How long ago `earlier` was; zero when the clock has jumped behind it.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment to the minute, as people say it: `2026-11-16 07:20 UTC`.
    pub fn to_minute(self) -> String {
        let text = self.to_string();
        let (day, rest) = text.split_once('T').unwrap_or_default();
        format!("{day} {} UTC", rest.get(..5).unwrap_or_default())
    }

    /// Reads RFC 3339 text, with any offset, as SQLite, JSON and people write it.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(moment.as_millisecond()).ok().map(Timestamp)
    }
}

/// Fixed-width RFC 3339 in UTC (`2026-11-16T07:20:41.123Z`), so text order is time order.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = i64::try_from(self.0).unwrap_or(i64::MAX);
        let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
        write!(f, "{moment:.3}")
    }
}

/// Whole milliseconds of a span, saturating.
pub fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Where every room gets its time from; tests move it by hand.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// Time since an arbitrary start that never runs backwards.
    fn steady(&self) -> Duration;
}

/// The machine's own clocks.
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Starts the steady clock at zero.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    pub fn start() -> SystemClock {
        SystemClock { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970: wrong, but ordered and without a panic.
        Timestamp(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis))
    }

    fn steady(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_moment_agree_and_sort_alike() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_794_813_641_123, "2026-11-16T07:20:41.123Z"),
            (1_794_813_641_000, "2026-11-16T07:20:41.000Z"),
        ] {
            assert_eq!(Timestamp(millis).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp(millis)));
        }
        assert_eq!(Timestamp(1_794_813_641_123).to_minute(), "2026-11-16 07:20 UTC");
        assert_eq!(
            Timestamp::parse("2026-11-16T08:20:41+01:00"),
            Some(Timestamp(1_794_813_641_000))
        );
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn extremes_saturate() {
        assert_eq!(Timestamp(u64::MAX).after(Duration::MAX), Timestamp(u64::MAX));
        assert_eq!(Timestamp(5).since(Timestamp(9)), Duration::ZERO);
        assert!(!Timestamp(u64::MAX).to_string().is_empty());
    }
}
