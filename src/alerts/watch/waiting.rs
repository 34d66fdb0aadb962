//! Items that have waited for the same thing for too long: one alert for each cause.

use storage::clock::{Timestamp, millis};
use storage::registry::Error;

use super::{OPEN, tell};
use crate::alerts::items_waiting;
use crate::alerts::kind::Kind;
use crate::app::App;

/// Causes looked at in one look.
const CAUSES: u32 = 500;

/// Causes whose end is known to lie ahead, however far: nobody has to do anything about them, and the
/// page of the item says when it is.
const END_AHEAD: &[&str] =
    &["cooling-off", "retention", "deletion-first", "quiet-hours", "cold-storage"];

pub(super) fn waiting(app: &App, now: Timestamp) -> Result<usize, Error> {
    let before = Timestamp(now.0.saturating_sub(millis(app.config.alerts.waiting)));
    let waits = app.registry.long_waits(before, END_AHEAD, CAUSES)?;
    let alerts: Vec<_> = waits.iter().map(items_waiting).collect();
    // The moment at the end of a name is that of the item that has waited longest, which may change.
    let cause = |name: &str| name.rsplit_once('/').map(|(cause, _)| cause.to_owned());
    let open = app.registry.open_alerts(Kind::ItemWaiting.word(), OPEN)?;
    for alert in &open {
        if !alerts.iter().any(|now| cause(&now.name) == cause(&alert.name)) {
            app.registry.end_alert(&alert.name, now)?;
        }
    }
    let mut raised = 0;
    for alert in &alerts {
        if !open.iter().any(|open| cause(&open.name) == cause(&alert.name)) {
            raised += tell(app, alert)?;
        }
    }
    Ok(raised)
}
