//! When sweeps ran and run next, and how long stages take: small facts by name that must survive
//! a restart.

use std::time::Duration;

use byteio::first_version;
use serde::{Deserialize, Serialize};

use super::engine::TreeId;
use super::item::{check_name, cut};
use super::store::Store;
use super::tx::{Range, Schema};
use crate::clock::{Timestamp, millis};
use crate::error::Error;

/// More schedules than any appliance has.
const LIMIT: usize = 1000;

/// When something periodic ran and runs next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// When it last ran.
    pub last_run: Option<Timestamp>,
    /// When it runs next.
    pub next_run: Timestamp,
    /// How the last run went, for people.
    pub last_outcome: String,
    /// How often it has run.
    pub runs: u64,
}

/// Name to schedule.
pub enum Schedules {}
impl Schema for Schedules {
    const TREE: TreeId = TreeId::Schedule;
    type Key = String;
    type Value = Schedule;
}

/// How long a stage takes, learned from past attempts; recent ones count more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Attempts seen.
    pub runs: u64,
    /// Mean duration.
    pub mean_ms: f64,
    /// Mean size of what was worked on.
    pub mean_bytes: f64,
}

/// Topic to pace.
pub enum Paces {}
impl Schema for Paces {
    const TREE: TreeId = TreeId::Pace;
    type Key = String;
    type Value = Pace;
}
first_version!(Schedule, Pace);

impl Pace {
    /// The share of the newest attempt in the mean, once enough were seen.
    const NEWEST: f64 = 0.1;

    /// Learns from one attempt.
    pub fn learn(&mut self, took: Duration, size_bytes: u64) {
        self.runs += 1;
        let share = f64::max(1.0 / self.runs as f64, Pace::NEWEST);
        self.mean_ms += share * (millis(took) as f64 - self.mean_ms);
        self.mean_bytes += share * (size_bytes as f64 - self.mean_bytes);
    }

    /// How long an item of this size is likely to take: the mean, more for larger than average.
    pub fn expect(&self, size_bytes: u64) -> Option<Duration> {
        if self.runs == 0 {
            return None;
        }
        let larger = f64::max(1.0, size_bytes as f64 / f64::max(self.mean_bytes, 1.0));
        Duration::try_from_secs_f64(self.mean_ms * larger / 1000.0).ok()
    }
}

impl Store {
    /// A named schedule, if it ever ran.
    pub fn schedule(&self, name: &str) -> Result<Option<Schedule>, Error> {
        self.get::<Schedules>(&name.to_owned())
    }

    /// Every schedule by name.
    pub fn schedules(&self) -> Result<Vec<(String, Schedule)>, Error> {
        self.scan::<Schedules>(Range::all(), LIMIT)
    }

    /// Notes a run: when, how it went, and when the next is.
    pub fn note_run(
        &self,
        name: &str,
        ran: Timestamp,
        next_run: Timestamp,
        outcome: &str,
    ) -> Result<(), Error> {
        check_name("the schedule's name", name)?;
        self.commit(|tx| {
            let mut schedule = tx.get::<Schedules>(&name.to_owned())?.unwrap_or_default();
            schedule.last_run = Some(ran);
            schedule.next_run = next_run;
            schedule.last_outcome = cut(outcome.to_owned());
            schedule.runs += 1;
            tx.put::<Schedules>(&name.to_owned(), &schedule)
        })
    }

    /// Asks for a run at this moment, whenever the next one was to be.
    pub fn ask_run(&self, name: &str, at: Timestamp) -> Result<(), Error> {
        check_name("the schedule's name", name)?;
        self.commit(|tx| {
            let mut schedule = tx.get::<Schedules>(&name.to_owned())?.unwrap_or_default();
            schedule.next_run = at;
            tx.put::<Schedules>(&name.to_owned(), &schedule)
        })
    }

    /// What is known about how long a topic takes.
    pub fn pace(&self, topic: &str) -> Result<Pace, Error> {
        Ok(self.get::<Paces>(&topic.to_owned())?.unwrap_or_default())
    }

    /// Learns how long an attempt took. May be forgotten in a crash: it is an estimate.
    pub fn learn_pace(&self, topic: &str, took: Duration, size_bytes: u64) -> Result<(), Error> {
        self.commit_soon(|tx| {
            let mut pace = tx.get::<Paces>(&topic.to_owned())?.unwrap_or_default();
            pace.learn(took, size_bytes);
            tx.put::<Paces>(&topic.to_owned(), &pace)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_items_are_expected_to_take_longer() {
        let mut pace = Pace::default();
        assert_eq!(pace.expect(1), None);
        for _ in 0..20 {
            pace.learn(Duration::from_secs(10), 1000);
        }
        assert_eq!(pace.expect(500).map(|it| it.as_secs()), Some(10));
        assert_eq!(pace.expect(5000).map(|it| it.as_secs()), Some(50));
        assert!(pace.expect(u64::MAX).is_some() || pace.expect(u64::MAX).is_none());
    }

    #[test]
    fn a_change_of_pace_is_learned_within_tens_of_runs() {
        let mut pace = Pace::default();
        for _ in 0..100 {
            pace.learn(Duration::from_secs(1), 0);
        }
        for _ in 0..40 {
            pace.learn(Duration::from_secs(10), 0);
        }
        assert!(pace.expect(0).is_some_and(|it| it.as_secs() >= 9));
    }
}
