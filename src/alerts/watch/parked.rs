//! Items that wait for a person: told one by one, or together when there are many.

use std::time::Duration;

use storage::clock::{Timestamp, millis};
use storage::registry::{AlertRow, Error};

use super::{OPEN, tell};
use crate::alerts::kind::Kind;
use crate::alerts::{item_parked, items_parked};
use crate::app::App;

/// More than this for one reason are told together.
const TOGETHER: u64 = 20;
/// Reasons looked at in one look.
const REASONS: u32 = 500;
/// An item is settled a moment before its row is copied: what is told together must not pass over
/// one that comes late.
const LATE: Duration = Duration::from_secs(2);

pub(super) fn parked(app: &App, now: Timestamp) -> Result<usize, Error> {
    end(app, now)?;
    let until = Timestamp(now.0.saturating_sub(millis(LATE)));
    let mut raised = 0;
    for group in app.registry.untold_parked(until, REASONS)? {
        if group.count > TOGETHER {
            raised += tell(app, &items_parked(&group))?;
            continue;
        }
        for item in app.registry.untold_parked_items(&group, until, 1000)? {
            raised += tell(app, &item_parked(&item, group.institution_id))?;
        }
    }
    Ok(raised)
}

/// Ends what is no longer so.
fn end(app: &App, now: Timestamp) -> Result<(), Error> {
    for alert in app.registry.open_alerts(Kind::ItemParked.word(), OPEN)? {
        if !is_so(app, &alert)? {
            app.registry.end_alert(&alert.name, now)?;
        }
    }
    Ok(())
}

fn is_so(app: &App, alert: &AlertRow) -> Result<bool, Error> {
    let Some((what, since)) = alert.name.rsplit_once('/') else { return Ok(false) };
    let Some(since) = Timestamp::parse(since) else { return Ok(false) };
    if let Some(id) = alert.item_id {
        let item = app.registry.item(id)?;
        return Ok(item.is_some_and(|it| it.reason.is_some() && it.date_processed == since));
    }
    let reason = what.rsplit('/').next().unwrap_or_default();
    app.registry.is_parked(alert.institution_id, reason, since)
}
