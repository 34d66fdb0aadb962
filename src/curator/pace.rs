//! How long to wait between two calls of the same place, so that nobody is a burden.
//!
//! The wait is a least time since the last call returned, drawn anew for each call: time that was
//! spent on what it gave counts. A draw below zero means no wait.

use std::f64::consts::TAU;
use std::time::Duration;

/// Waits around a mean, spread as a normal distribution, in whole milliseconds.
pub struct Pace {
    mean_ms: f64,
    spread_ms: f64,
    random: fastrand::Rng,
    returned: Option<Duration>,
    least: Duration,
}

impl Pace {
    /// Waits of this mean and spread; the same seed draws the same.
    pub fn new(mean_ms: u32, spread_ms: u32, seed: u64) -> Pace {
        Pace {
            mean_ms: mean_ms.into(),
            spread_ms: spread_ms.into(),
            random: fastrand::Rng::with_seed(seed),
            returned: None,
            least: Duration::ZERO,
        }
    }

    /// Has every wait be at least this long, as the place itself asks.
    pub fn at_least(&mut self, least: Duration) {
        self.least = self.least.max(least);
    }

    /// How long to wait now; nothing before the first call.
    pub fn wait(&mut self, now: Duration) -> Duration {
        let least = self.draw().max(self.least);
        self.returned.map_or(Duration::ZERO, |at| (at + least).saturating_sub(now))
    }

    /// Notes that a call has returned.
    pub fn returned(&mut self, now: Duration) {
        self.returned = Some(now);
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut, not below 0")]
    fn draw(&mut self) -> Duration {
        // Box and Muller; the logarithm is of what is above zero.
        let (u, v) = (1.0 - self.random.f64(), self.random.f64());
        let normal = (-2.0 * u.ln()).sqrt() * (TAU * v).cos();
        Duration::from_millis((self.mean_ms + self.spread_ms * normal).max(0.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_towards_the_wait_and_the_first_call_has_none() {
        let mut pace = Pace::new(4000, 0, 1);
        let at = Duration::from_secs;
        assert_eq!(pace.wait(at(100)), Duration::ZERO);
        pace.returned(at(100));
        assert_eq!(pace.wait(at(100)), at(4));
        assert_eq!(pace.wait(at(103)), at(1));
        assert_eq!(pace.wait(at(110)), Duration::ZERO);
    }

    #[test]
    fn what_a_place_asks_for_is_the_least_wait() {
        let mut pace = Pace::new(0, 0, 1);
        pace.returned(Duration::ZERO);
        pace.at_least(Duration::from_secs(9));
        pace.at_least(Duration::from_secs(2));
        assert_eq!(pace.wait(Duration::from_secs(1)), Duration::from_secs(8));
    }

    #[test]
    fn waits_are_whole_milliseconds_around_the_mean_and_never_below_zero() {
        let mut pace = Pace::new(4000, 2000, 7);
        pace.returned(Duration::ZERO);
        let drawn: Vec<Duration> = (0..20_000).map(|_| pace.wait(Duration::ZERO)).collect();
        assert!(drawn.iter().all(|it| it.subsec_nanos() % 1_000_000 == 0));
        // Two spreads below the mean is zero: one draw in forty-four.
        let none = drawn.iter().filter(|it| it.is_zero()).count();
        assert!((300..650).contains(&none), "{none}");
        let mean = drawn.iter().sum::<Duration>().as_secs_f64() / drawn.len() as f64;
        assert!((3.95..4.08).contains(&mean), "{mean}");
        let within = drawn.iter().filter(|it| (2.0..6.0).contains(&it.as_secs_f64())).count();
        assert!((13_200..14_100).contains(&within), "{within} of 20,000 within one spread");
        let mut same = Pace::new(4000, 2000, 7);
        same.returned(Duration::ZERO);
        assert!(drawn.iter().take(50).all(|it| *it == same.wait(Duration::ZERO)));
    }
}
