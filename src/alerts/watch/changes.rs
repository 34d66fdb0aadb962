//! What happened once: steps of deletions, and restorations that ended well.

use std::time::Duration;

use storage::clock::{Timestamp, millis};
use storage::registry::{DeletionStep, Error};

use super::tell;
use crate::alerts::{deletion, restoration_ready};
use crate::app::App;

/// What is older is no news: after an import, nobody wants the mail of years. The program looks
/// every minute, and while it does not run, nothing happens.
const NEWS: Duration = Duration::from_secs(7 * 86_400);
/// Told in one look; the rest comes with the next.
const MOST: u32 = 500;
/// Work whose good end is awaited by people.
const RESTORATIONS: [&str; 2] = ["Restore Object", "Restore File"];

fn news(now: Timestamp) -> Timestamp {
    Timestamp(now.0.saturating_sub(millis(NEWS)))
}

pub(super) fn deletions(app: &App, now: Timestamp) -> Result<usize, Error> {
    let mut raised = 0;
    for step in DeletionStep::ALL {
        for moment in app.registry.untold_deletions(step, news(now), MOST)? {
            raised += tell(app, &deletion(step, &moment))?;
        }
    }
    Ok(raised)
}

pub(super) fn restorations(app: &App, now: Timestamp) -> Result<usize, Error> {
    let mut raised = 0;
    for action in RESTORATIONS {
        for item in app.registry.untold_successes(action, news(now), MOST)? {
            raised += tell(app, &restoration_ready(&item))?;
        }
    }
    Ok(raised)
}
