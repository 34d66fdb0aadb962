//! Clears away what was turned away longer ago than the operator wants to keep it.

use storage::clock::Timestamp;
use storage::work::item::{State, WorkItem};

use super::super::INGEST;
use super::super::removal::{Removal, remove_deposit};
use super::super::report::Stay;
use super::Tally;
use crate::app::App;
use crate::fault::Fault;

/// The stage that turns deposits away, and its place among the stages.
const VALIDATE: usize = 1;
/// Items read in one go.
const PAGE: usize = 100;

const OVER: &str = "turned away, and kept for as long as it was to be";

/// How long the deposit stays that was turned away at this moment.
pub(crate) fn stay(app: &App, turned_away: Timestamp) -> Stay {
    let keep = app.config.ingest.keep_turned_away;
    keep.map_or(Stay::UntilRemoved, |keep| Stay::Until(turned_away.after(keep)))
}

/// Removes every deposit whose time is over, and lets its item end. The deposit goes first: after a
/// crash the item is still there to say that it has to.
pub(super) fn clear_turned_away(app: &App, tally: &mut Tally) -> Result<(), Fault> {
    if app.config.ingest.keep_turned_away.is_none() {
        return Ok(());
    }
    let mut after = None;
    let topic = INGEST.stages[VALIDATE].about().topic;
    loop {
        let parked = app.shop.queue.parked(topic, after, PAGE)?;
        let Some(last) = parked.last() else { return Ok(()) };
        after = Some(last.id);
        for item in parked.iter().filter(|item| is_over(app, item)) {
            let cleared = clear(app, item).map(|removed| tally.removed += usize::from(removed));
            tally.pass(cleared)?;
        }
    }
}

fn is_over(app: &App, item: &WorkItem) -> bool {
    let State::Parked { because } = &item.state else { return false };
    match stay(app, item.updated) {
        Stay::Until(end) => because.code == "rejected" && end <= app.shop.clock.now(),
        Stay::UntilRemoved | Stay::Over => false,
    }
}

fn clear(app: &App, item: &WorkItem) -> Result<bool, Fault> {
    let removal = remove_deposit(app, item)?;
    let name = item.subject.name.as_str();
    match removal {
        // The newer one takes the place of the item.
        Removal::Replaced => return Ok(false),
        Removal::Removed => {
            tracing::info!(
                item = item.id.0,
                name,
                "removed {name} from the receiving area: {OVER}"
            );
        }
        Removal::Gone => {}
    }
    let same = |now: &WorkItem| now.revision == item.revision;
    match app.shop.queue.cancel_while(item.id, OVER, INGEST.cleanup, same) {
        // It was cancelled by a person in this moment.
        Err(storage::Error::NoSuchItem(_)) => {}
        other => drop(other?),
    }
    Ok(removal == Removal::Removed)
}
