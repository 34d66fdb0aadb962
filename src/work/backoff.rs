//! How long to wait before another attempt.

use std::time::Duration;

/// A wait that grows with every attempt, never beyond a bound, and never the same for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// Before the second attempt.
    pub first: Duration,
    /// How much longer each further wait is.
    pub factor: f64,
    /// Never longer than this.
    pub most: Duration,
    /// Share of the wait that is left to chance, so that what failed together does not come back
    /// together.
    pub jitter: f64,
}

impl Backoff {
    /// The described requeue delay of a minute, doubling up to an hour.
    pub const MINUTE: Backoff = Backoff {
        first: Duration::from_secs(60),
        factor: 2.0,
        most: Duration::from_secs(3600),
        jitter: 0.2,
    };

    /// The same growth from another first wait.
    pub fn starting(self, first: Duration) -> Backoff {
        Backoff { first, most: self.most.max(first), ..self }
    }

    /// The wait after the `attempts`-th attempt; `dice` in 0..1 decides the part left to chance.
    pub fn wait(&self, attempts: u16, dice: f64) -> Duration {
        let growth = self.factor.max(1.0).powi(i32::from(attempts.saturating_sub(1).min(64)));
        let plain = (self.first.as_secs_f64() * growth).min(self.most.as_secs_f64());
        let chance = 1.0 + self.jitter * (2.0 * dice - 1.0);
        Duration::try_from_secs_f64(plain * chance).unwrap_or(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_bound_and_vary_by_the_jitter() {
        let backoff = Backoff::MINUTE;
        let secs = |attempts, dice| backoff.wait(attempts, dice).as_secs();
        assert_eq!([secs(1, 0.5), secs(2, 0.5), secs(3, 0.5)], [60, 120, 240]);
        assert_eq!(secs(200, 0.5), 3600);
        assert_eq!([secs(1, 0.0), secs(1, 1.0)], [48, 72]);
        assert_eq!(backoff.starting(Duration::ZERO).wait(9, 1.0), Duration::ZERO);
    }
}
