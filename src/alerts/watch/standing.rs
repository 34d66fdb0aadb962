//! What is so for a while: items that stand still, replicas that are away or fill up, late checks.

use storage::clock::{Timestamp, millis};
use storage::registry::{Error, Sight};

use super::stands;
use crate::alerts::kind::Kind;
use crate::alerts::{
    copies_missing, fixity_overdue, items_stalled, replica_away, replica_nearly_full,
};
use crate::app::App;
use crate::vaults::Standing;

/// A disk whose room moves around the mark must not be told of at every turn.
const AGAIN_PERCENT: u64 = 2;

pub(super) fn stalled(app: &App, now: Timestamp) -> Result<usize, Error> {
    let mut raised = 0;
    for (_, stage) in app.shop.chart.stages() {
        // An attempt may take long; only far beyond what is expected of it, it stands still.
        let span = app.config.alerts.stalled.max(stage.policy.patience.saturating_mul(10));
        let before = Timestamp(now.0.saturating_sub(millis(span)));
        // Somebody who pauses a stage knows that it stands still.
        let paused = app.shop.queue.topic(stage.topic).is_ok_and(|view| view.counts.paused);
        let found = if paused { None } else { app.registry.stalled(stage.topic, before)? };
        let alert = found.map(|it| items_stalled(stage.topic, stage.label, &it));
        raised += stands(app, (Kind::ItemStalled, stage.topic), alert, now)?;
    }
    Ok(raised)
}

pub(super) fn away(app: &App, now: Timestamp) -> Result<usize, Error> {
    let mut raised = 0;
    for replica in app.vaults.standings() {
        let alert = match &replica.standing {
            Standing::Away(why) | Standing::Full(why) | Standing::Unusable(why) => {
                let since = replica.since.unwrap_or(now);
                let long = now.since(since) >= app.config.alerts.away;
                // Not long enough to tell; and one that is told of is not over.
                if !long {
                    continue;
                }
                Some(replica_away(&replica.name, &replica.place, since, why))
            }
            Standing::There => None,
            // Nobody knows: what was told stays told.
            Standing::Unused | Standing::Unknown => continue,
        };
        raised += stands(app, (Kind::ReplicaAway, &replica.name), alert, now)?;
    }
    Ok(raised)
}

pub(super) fn nearly_full(app: &App, now: Timestamp) -> Result<usize, Error> {
    let wanted = u64::from(app.config.alerts.room_percent);
    let mut raised = 0;
    for replica in app.vaults.standings() {
        let Some((free, total)) = replica.room else { continue };
        let less = |percent: u64| u128::from(free) * 100 < u128::from(total) * u128::from(percent);
        let alert = less(wanted).then(|| replica_nearly_full(&replica.name, (free, total), now));
        let near = less(wanted + AGAIN_PERCENT) && wanted > 0;
        if alert.is_none() && near {
            continue;
        }
        raised += stands(app, (Kind::ReplicaNearlyFull, &replica.name), alert, now)?;
    }
    Ok(raised)
}

pub(super) fn overdue(app: &App, now: Timestamp) -> Result<usize, Error> {
    let mut raised = 0;
    for check in app.registry.stalest_checks()? {
        let every = app.config.fixity_every(&check.replica);
        let late = now.since(check.checked_at) > every + app.config.alerts.fixity_grace;
        let alert = late.then(|| fixity_overdue(&check, every, now));
        raised += stands(app, (Kind::FixityOverdue, &check.replica), alert, now)?;
    }
    Ok(raised)
}

pub(super) fn missing(app: &App, now: Timestamp) -> Result<usize, Error> {
    let missing = app.registry.missing_copies(Sight::All)?;
    let mut raised = 0;
    for replica in app.vaults.all() {
        let row = missing.iter().find(|row| row.replica == replica.name());
        raised += stands(app, (Kind::CopiesMissing, replica.name()), row.map(copies_missing), now)?;
    }
    Ok(raised)
}
