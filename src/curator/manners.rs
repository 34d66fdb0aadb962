//! What a site asks of programs: which of its addresses they leave alone, how long they pause, and when
//! they may come back after it has said no.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io::Read;
use std::time::Duration;

use byteio::causes::chain;
use storage::clock::Timestamp;

use super::robots::{Robots, TEXT_MAX};
use crate::outside::{self, Answer, Mark, Outside, OutsideError};

/// Why a page was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// In a sentence.
    pub why: String,
    /// How long the site asks to wait before the next call.
    pub again: Option<Duration>,
}

impl Unread {
    pub(super) fn plain(why: String) -> Unread {
        Unread { why, again: None }
    }

    /// What a call has met.
    pub(super) fn of(error: &OutsideError, now: Timestamp) -> Unread {
        let OutsideError::Later { status, again } = error else {
            return Unread::plain(error.to_string());
        };
        let wait = again.wait(now);
        let why = format!("the other side answered {status} and asks to wait {}", words(wait));
        Unread { why, again: Some(wait) }
    }
}

/// What is known of the sites of one reading.
pub(super) struct Manners {
    heeds_robots: bool,
    sites: BTreeMap<String, Robots>,
    /// Sites whose pause was told already.
    told: BTreeSet<String>,
}

impl Manners {
    pub(super) fn new(heeds_robots: bool) -> Manners {
        Manners { heeds_robots, sites: BTreeMap::new(), told: BTreeSet::new() }
    }

    /// Whether an address may be read, by the `robots.txt` of its site, which is fetched once; and the
    /// pause that the site asks for, the first time.
    pub(super) fn ask(
        &mut self,
        outside: &Outside,
        address: &str,
        now: Timestamp,
    ) -> Result<Duration, Unread> {
        // What is no address is told by the call itself.
        let Some((site, path)) = outside::site_and_path(address).filter(|_| self.heeds_robots)
        else {
            return Ok(Duration::ZERO);
        };
        let robots = match self.sites.entry(site.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(fetch(outside, &site, now)?),
        };
        if !robots.allows(&path) {
            let why = "the robots.txt of the site asks programs not to read this address; if its \
                 owner lets you, set research.feed_robots to false";
            return Err(Unread::plain(why.into()));
        }
        let delay = robots.delay;
        Ok(if self.told.insert(site) { delay } else { Duration::ZERO })
    }
}

/// Fetches the rules of a site. Where there is no such file, everything may be read; where that is not
/// known because the site is in trouble, nothing is (RFC 9309, 2.3.1).
fn fetch(outside: &Outside, site: &str, now: Timestamp) -> Result<Robots, Unread> {
    let unknown = |unread: Unread| Unread {
        why: format!(
            "the robots.txt of the site could not be read, so that it is not known what may be: {}",
            unread.why
        ),
        again: unread.again,
    };
    match outside.get(&format!("{site}/robots.txt"), &Mark::default()) {
        Ok(Answer::Given(given)) => {
            let mut text = Vec::new();
            let read = given.take(TEXT_MAX).read_to_end(&mut text);
            read.map_err(|error| unknown(Unread::plain(chain(&error))))?;
            Ok(Robots::read(&String::from_utf8_lossy(&text)))
        }
        Err(error @ (OutsideError::Away(_) | OutsideError::Later { .. })) => {
            Err(unknown(Unread::of(&error, now)))
        }
        Err(error @ OutsideError::Status(429 | 500..)) => Err(unknown(Unread::of(&error, now))),
        Ok(Answer::Unchanged)
        | Err(
            OutsideError::Status(_)
            | OutsideError::Circles
            | OutsideError::NotWeb
            | OutsideError::Inside { .. }
            | OutsideError::Unknown { .. },
        ) => Ok(Robots::default()),
    }
}

/// A span as people say it.
pub(super) fn words(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..120 => web::counted(seconds, "second"),
        120..7200 => web::counted(seconds.div_ceil(60), "minute"),
        _ => web::counted(seconds.div_ceil(3600), "hour"),
    }
}
