//! Reads a feed that is kept in the registry.
//!
//! Promise: what a page lists is in the catalogue before the next page is asked for; what came of the
//! whole is noted with the feed, also that it could not be read, which is no failure of ours: it is
//! tried again when it is due. Interruptible: between pages, and while waiting for the next. Repeats:
//! safe, what is listed again is known; in another order, so that interruptions do not always favour
//! the same pages.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;

use storage::registry::{Added, FeedRead, FeedRow, NewRecording};

use super::manners::Unread;
use super::reading::{FeedReader, Reading};
use crate::app::App;
use crate::fault::Fault;
use crate::outside::Mark;
use crate::research::ResearchError;
use crate::work::{About, Done, Job, Policy, Stage};

/// One at a time: pages of one place are not to be asked for by several at once.
const POLICY: Policy =
    Policy { workers: 1, buffer: 1, patience: Duration::from_secs(3600), ..Policy::NET };

/// The longest rest between two signs of life.
const BREATH: Duration = Duration::from_millis(500);
/// Recordings taken at once.
const AT_ONCE: usize = 1000;
/// Findings, and after them notes, that the outcome tells.
const TOLD: usize = 5;
/// Longest outcome, in letters.
const OUTCOME_MAX: usize = 2000;

pub(super) struct ReadFeed;

impl Stage<App> for ReadFeed {
    fn about(&self) -> About {
        About { topic: "curate01_read", label: "Read Feed", env: None }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        job.checkpoint()?;
        let id = job.item.subject.name.strip_prefix("feed ").and_then(|id| id.parse().ok());
        let feed = id.map(|id| job.app.registry.feed(id)).transpose()?.flatten();
        let Some(feed) = feed else {
            job.note("the feed was removed");
            return Ok(Done::Finish);
        };
        let stopped = RefCell::new(None);
        let read = read(job, &feed, &|span| match rest(job, span) {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                stopped.replace(Some(fault));
                ControlFlow::Break(())
            }
        })?;
        if let Some(fault) = stopped.take() {
            return Err(fault);
        }
        let outcome = outcome(&feed, &read);
        let (is_well, mark, again) = match &read {
            // What was left out of it is left out still.
            Ok(reading) if reading.is_unchanged => (feed.is_well, reading.mark.clone(), None),
            // One that was not read whole is read anew next time, whatever it is marked with.
            Ok(reading) => {
                let mark = match reading.is_whole() {
                    true => reading.mark.clone(),
                    false => Mark::default(),
                };
                (reading.is_well(), mark, reading.again)
            }
            Err(unread) => (false, Mark::default(), unread.again),
        };
        let mark = (mark.etag.as_deref(), mark.modified.as_deref());
        let noted = FeedRead { outcome: &outcome, is_well, mark, again };
        job.app.registry.note_feed(feed.id, &noted, job.app.shop.clock.now())?;
        job.note(outcome);
        Ok(Done::Finish)
    }
}

/// Reads it, and takes what it lists.
fn read(
    job: &Job<'_, App>,
    feed: &FeedRow,
    rest: &dyn Fn(Duration) -> ControlFlow<()>,
) -> Result<Result<Reading, Unread>, Fault> {
    let (app, clock) = (job.app, &*job.app.shop.clock);
    // Another order with every reading and every attempt.
    let seed = clock.now().0 ^ job.item.id.0.rotate_left(32);
    let known = Mark { etag: feed.etag.clone(), modified: feed.modified.clone() };
    let mut reader = FeedReader::new(&app.config.curating, clock, seed, rest);
    let mut take = |recordings: Vec<NewRecording>| -> Result<Added, ResearchError> {
        let mut all = Added::default();
        for part in recordings.chunks(AT_ONCE) {
            let Added { new, changed, same } = app.research.add_listed(feed.kind, part)?;
            all.new += new;
            all.changed += changed;
            all.same += same;
        }
        Ok(all)
    };
    Ok(reader.read(&feed.url, &known, &mut take)?)
}

/// Waits with signs of life, unless it is time to stop.
fn rest(job: &Job<'_, App>, span: Duration) -> Result<(), Fault> {
    let clock = &job.app.shop.clock;
    let until = clock.steady() + span;
    loop {
        job.checkpoint()?;
        let left = until.saturating_sub(clock.steady());
        if left.is_zero() {
            return Ok(());
        }
        job.app.shop.stop.rest(left.min(BREATH));
    }
}

/// What came of it, for people: the address may hold a key of its own, and is not repeated.
fn outcome(feed: &FeedRow, read: &Result<Reading, Unread>) -> String {
    let reading = match read {
        Ok(reading) => reading,
        Err(unread) => return cut(&format!("the feed could not be read: {}", unread.why)),
    };
    let mut text = reading.sentence(feed.kind.word());
    if reading.is_unchanged {
        // What was said of it then is true still, and would be lost.
        if !feed.is_well {
            let before = feed.outcome.trim_start_matches(&*text).trim_start_matches(": ");
            text += &format!(": {before}");
        }
        return cut(&text);
    }
    for finding in reading.findings.iter().chain(&reading.notes).take(TOLD) {
        text += &match finding.line {
            Some(line) => format!("; page {}, line {line}: {}", finding.page, finding.sentence),
            None => format!("; page {}: {}", finding.page, finding.sentence),
        };
    }
    cut(&text)
}

fn cut(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.chars().map(plain).take(OUTCOME_MAX).collect()
}
