//! Removes rejected deposits: when the time is over that the operator keeps them, or when a person
//! asks for it.

use std::fs;
use std::io;
use std::path::PathBuf;

use storage::clock::Timestamp;
use storage::work::item::{ItemId, State, WorkItem};

use super::super::INGEST;
use super::super::removal::{Removal, remove_deposit};
use super::super::report::Stay;
use super::Tally;
use crate::app::{App, FileFault};
use crate::fault::Fault;

/// The stage that rejects deposits, and its place among the stages.
const VALIDATE: usize = 1;
/// Items read in one go.
const PAGE: usize = 100;

const OVER: &str = "rejected, and kept for as long as it was to be";

/// When this data directory began to remove rejected deposits. Those that were rejected before were
/// promised to stay until somebody removes them: their time begins then.
const SINCE: &str = "rejected-since";

/// Why a deposit is not removed. Nothing was changed.
#[derive(Debug)]
pub(crate) enum RejectedError {
    /// It was not rejected, or is not there any more.
    NotRejected,
    /// Another deposit lies under its name.
    Replaced,
    Failed(Fault),
}

impl From<Fault> for RejectedError {
    fn from(fault: Fault) -> RejectedError {
        RejectedError::Failed(fault)
    }
}

/// How long the deposit stays that was rejected at this moment.
pub(crate) fn stay(app: &App, rejected: Timestamp) -> Stay {
    let keep = app.config.ingest.keep_turned_away;
    keep.map_or(Stay::UntilRemoved, |keep| Stay::Until(rejected.max(since(app)).after(keep)))
}

fn since_path(app: &App) -> PathBuf {
    app.home.dir().join(SINCE)
}

/// Where it cannot be read, or is not written yet, it is now: nothing goes too early.
fn since(app: &App) -> Timestamp {
    let text = fs::read_to_string(since_path(app)).ok();
    let moment = text.and_then(|text| text.trim().parse().ok()).map(Timestamp);
    moment.unwrap_or_else(|| app.shop.clock.now())
}

fn note_since(app: &App) -> Result<(), Fault> {
    let path = since_path(app);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let now = app.shop.clock.now().0.to_string();
            byteio::durable::write(&path, now.as_bytes(), false)
                .map_err(FileFault::at("write", &path))
        }
        _ => Ok(()),
    }
}

/// Removes every deposit whose time is over, and lets its item end. The deposit goes first: after a
/// crash the item is still there to say that it has to.
pub(super) fn clear_turned_away(app: &App, tally: &mut Tally) -> Result<(), Fault> {
    if app.config.ingest.keep_turned_away.is_none() {
        return Ok(());
    }
    tally.pass(note_since(app))?;
    let mut after = None;
    let topic = INGEST.stages[VALIDATE].about().topic;
    loop {
        let parked = app.shop.queue.parked(topic, after, PAGE)?;
        let Some(last) = parked.last() else { return Ok(()) };
        after = Some(last.id);
        for item in parked.iter().filter(|item| is_over(app, item)) {
            let cleared = clear(app, item, OVER);
            let cleared =
                cleared.map(|done| tally.removed += usize::from(done == Removal::Removed));
            tally.pass(cleared)?;
        }
    }
}

/// Removes the deposit of an item that was rejected, for whoever asks, and lets the item end.
pub(crate) fn remove_rejected(app: &App, id: u64, by: &str) -> Result<(), RejectedError> {
    let item = app.shop.queue.item(ItemId(id)).map_err(Fault::from)?;
    let item = item.filter(is_rejected).ok_or(RejectedError::NotRejected)?;
    match clear(app, &item, &format!("rejected, and removed by {by}"))? {
        Removal::Replaced => Err(RejectedError::Replaced),
        Removal::Removed | Removal::Gone => Ok(()),
    }
}

fn is_rejected(item: &WorkItem) -> bool {
    let topic = INGEST.stages[VALIDATE].about().topic;
    let parked = matches!(&item.state, State::Parked { because } if because.code == "rejected");
    parked && item.topic == topic && item.cancel.is_none()
}

fn is_over(app: &App, item: &WorkItem) -> bool {
    match stay(app, item.updated) {
        Stay::Until(end) => is_rejected(item) && end <= app.shop.clock.now(),
        Stay::UntilRemoved | Stay::Over => false,
    }
}

fn clear(app: &App, item: &WorkItem, why: &str) -> Result<Removal, Fault> {
    let removal = remove_deposit(app, item)?;
    let name = item.subject.name.as_str();
    match removal {
        // The newer one takes the place of the item.
        Removal::Replaced => return Ok(removal),
        Removal::Removed => {
            tracing::info!(item = item.id.0, name, "removed {name} from the receiving area: {why}");
        }
        Removal::Gone => {}
    }
    let same = |now: &WorkItem| now.revision == item.revision;
    match app.shop.queue.cancel_while(item.id, why, INGEST.cleanup, same) {
        // It was cancelled by a person in this moment.
        Err(storage::Error::NoSuchItem(_)) => {}
        other => drop(other?),
    }
    Ok(removal)
}
