//! `strongroom research add-episodes URL`: a feed, read now and by this process.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use storage::clock::{Clock, SystemClock};
use storage::registry::{Added, NewRecording, RecordingKind};

use super::counter::Counter;
use super::print::{error, json, line, plain};
use super::research::AT_ONCE;
use super::research_work::wish_to_stop;
use super::{Failure, Outcome, Place};
use crate::curator::{FeedFinding, FeedReader, Reading};
use crate::outside::Mark;

/// Between two looks for a wish to stop.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Serialize)]
struct Told {
    pages: usize,
    bad_pages: usize,
    #[serde(flatten)]
    added: Added,
    left_out: usize,
    noted: usize,
    is_stopped: bool,
    findings: Vec<FeedFinding>,
    notes: Vec<FeedFinding>,
}

/// Reads a feed, and adds what it lists.
pub(super) fn read_feed(place: &Place, kind: RecordingKind, url: &str, as_json: bool) -> Outcome {
    let config = place.load(None)?.curating;
    let counter = Counter::open(place)?;
    let stop = wish_to_stop("ending after the page at hand; once more ends it at once")?;
    let clock = SystemClock::start();
    let rest = |span: Duration| rest(&clock, span, &stop);
    let mut reader = FeedReader::new(&config, &clock, clock.now().0, &rest);
    let mut take = |recordings: Vec<NewRecording>| -> Result<Added, Failure> {
        let mut all = Added::default();
        for part in recordings.chunks(AT_ONCE) {
            let Added { new, changed, same } = counter.add_recordings(kind, part.to_vec())?;
            all.new += new;
            all.changed += changed;
            all.same += same;
        }
        Ok(all)
    };
    let read = reader.read(url, &Mark::default(), &mut take)?;
    let reading =
        read.map_err(|unread| Failure::Unable(format!("{url}: {}", plain(&unread.why))))?;
    tell(reading, kind, url, as_json)
}

fn tell(reading: Reading, kind: RecordingKind, url: &str, as_json: bool) -> Outcome {
    let is_all = reading.is_well();
    if as_json {
        let Reading {
            pages, bad_pages, added, left_out, noted, is_stopped, findings, notes, ..
        } = reading;
        json(&Told { pages, bad_pages, added, left_out, noted, is_stopped, findings, notes })?;
    } else {
        line(&format!("{url}: {}", reading.sentence(kind.word())));
        for finding in reading.findings.iter().chain(&reading.notes) {
            let at = finding.line.map_or(String::new(), |line| format!(", line {line}"));
            error(&format!("{url}: page {}{at}: {}", finding.page, plain(&finding.sentence)));
        }
    }
    Ok(if is_all { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Waits, unless a wish to stop comes first.
fn rest(clock: &dyn Clock, span: Duration, stop: &AtomicBool) -> ControlFlow<()> {
    let until = clock.steady() + span;
    loop {
        let left = until.saturating_sub(clock.steady());
        match (stop.load(Ordering::Relaxed), left.is_zero()) {
            (true, _) => return ControlFlow::Break(()),
            (false, true) => return ControlFlow::Continue(()),
            (false, false) => std::thread::park_timeout(left.min(LOOK)),
        }
    }
}
