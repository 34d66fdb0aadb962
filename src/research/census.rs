//! Which researchers are there: those heard of lately.
//!
//! In memory, by the steady clock: after a restart everybody is heard of again within one heartbeat,
//! and a clock that is set does not empty the room.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::moment::Moment;

/// Names kept at most; of more, those heard of longest ago are forgotten.
const NAMES_MAX: usize = 10_000;

/// A researcher who is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Present {
    /// Its name.
    pub name: String,
    /// The version of its analyst, if it has said so.
    pub analyst: Option<u32>,
    /// When it was last heard of.
    #[serde(with = "Moment")]
    pub heard_at: Timestamp,
}

struct Heard {
    analyst: Option<u32>,
    steady: Duration,
    at: Timestamp,
}

#[derive(Default)]
pub(super) struct Census(Mutex<BTreeMap<String, Heard>>);

impl Census {
    /// Notes a sign of life.
    pub(super) fn hear(
        &self,
        name: &str,
        analyst: Option<u32>,
        (steady, at): (Duration, Timestamp),
    ) {
        let mut heard = self.heard();
        if heard.len() >= NAMES_MAX && !heard.contains_key(name) {
            let oldest = heard.iter().min_by_key(|(_, it)| it.steady).map(|(name, _)| name.clone());
            oldest.and_then(|name| heard.remove(&name));
        }
        let analyst = analyst.or_else(|| heard.get(name).and_then(|it| it.analyst));
        heard.insert(name.to_owned(), Heard { analyst, steady, at });
    }

    /// Who was heard of since then, by name; all others are forgotten.
    pub(super) fn present(&self, since: Duration) -> Vec<Present> {
        let mut heard = self.heard();
        heard.retain(|_, it| it.steady >= since);
        let told = |(name, it): (&String, &Heard)| Present {
            name: name.clone(),
            analyst: it.analyst,
            heard_at: it.at,
        };
        heard.iter().map(told).collect()
    }

    // A list of names is whole whatever a panicking thread did.
    fn heard(&self) -> MutexGuard<'_, BTreeMap<String, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
