//! Follows a deposit until it ends, or needs a person.

use std::time::Duration;

use storage::clock::{Clock, SystemClock};

use super::Failure;
use super::counter::Counter;
use super::ingest_put::Put;
use super::meter::Meter;
use crate::desk::{ItemDetail, ItemList};
use crate::ingest::gives_way;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(300);

/// A deposit to follow.
pub(super) struct Follow<'a> {
    pub(super) counter: &'a Counter,
    pub(super) institution: &'a str,
    pub(super) name: &'a str,
    pub(super) object: &'a str,
    /// Longest wait for an item to be made of it.
    pub(super) patience: Duration,
}

impl Follow<'_> {
    /// The item as it ended, or as it waits for a person.
    pub(super) fn to_the_end(&self, put: &Put) -> Result<ItemDetail, Failure> {
        let meter = Meter::of_stages(self.name);
        let id = self.item_of(put, &meter)?;
        loop {
            let detail = self.counter.item(id)?;
            let item = &detail.item;
            match item.status.as_str() {
                "Pending" | "Started" => meter.say(&format!("{}, {}", item.stage, item.status)),
                _ => return Ok(detail),
            }
            pause();
        }
    }

    /// The item that the sweep makes of the deposit. While an earlier deposit of the same object is
    /// on its way none is made, which takes as long as it takes; one that is parked never ends.
    fn item_of(&self, put: &Put, meter: &Meter) -> Result<u64, Failure> {
        meter.say("waits to be taken");
        let clock = SystemClock::start();
        let mut since = clock.steady();
        loop {
            let found = self.ask(&[
                ("name", self.name),
                ("etag", &put.etag),
                ("bucket", self.institution),
                ("sort", "id__desc"),
                ("per_page", "1"),
            ])?;
            if let Some(item) = found.items.first() {
                return Ok(u64::try_from(item.id).unwrap_or_default());
            }
            for status in ["Suspended", "Pending", "Started"] {
                let before = self.ask(&[
                    ("object_identifier", self.object),
                    ("status", status),
                    ("per_page", "1"),
                ])?;
                let Some(item) = before.items.first().filter(|item| item.etag != put.etag) else {
                    continue;
                };
                let id = item.id;
                // One that it takes the place of is cancelled by the next sweep.
                let gives_way = item.name == self.name && gives_way(&item.topic);
                if status == "Suspended" && !gives_way {
                    return Err(Failure::Refused(format!(
                        "{} waits behind item {id}, an earlier deposit of {} that is parked: \
                         see `strongroom items show {id}`",
                        self.name, self.object
                    )));
                }
                meter.say(&format!("waits behind item {id}"));
                since = clock.steady();
            }
            if clock.steady().saturating_sub(since) > self.patience {
                return Err(Failure::Unable(format!(
                    "the appliance has not taken {} yet; it stays in the receiving area, and why \
                     is in the log",
                    self.name
                )));
            }
            pause();
        }
    }

    fn ask(&self, wanted: &[(&str, &str)]) -> Result<ItemList, Failure> {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.counter.items(&wanted.iter().map(pair).collect::<Vec<_>>())
    }
}

/// Looking too early does no harm, so that it does not matter when a park ends by itself.
pub(super) fn pause() {
    std::thread::park_timeout(LOOK);
}
