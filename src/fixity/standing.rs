//! How the checks stand: for pages, commands and reports.

use serde::Serialize;
use storage::registry::{CheckAge, ReplicaChecks, ReplicaClass, UnsoundCopy, moment};

use storage::clock::Timestamp;

use crate::app::App;
use crate::fault::Fault;

/// Copies told by name; more are counted.
const UNSOUND_MAX: u32 = 1000;
const DAY: u64 = 86_400;

/// How the checks stand.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Each hot replica.
    pub replicas: Vec<ReplicaFixity>,
    /// Copies that were not sound when last looked at; the first thousand.
    pub unsound: Vec<UnsoundCopy>,
    /// Files that no replica has a sound copy of, among them.
    pub lost_count: u64,
    /// Items that check or wait to.
    pub waiting: u64,
    /// What all of it means, in a sentence.
    pub forecast: String,
}

/// One replica.
#[derive(Clone, Debug, Serialize)]
pub struct ReplicaFixity {
    /// What the registry knows.
    #[serde(flatten)]
    pub checks: ReplicaChecks,
    /// Days after which a copy is due.
    pub every_days: u64,
    /// Copies that are due now.
    pub due_copy_count: u64,
    /// When the next copy is due; none if there are no copies.
    #[serde(with = "moment::option")]
    pub next_due_at: Option<Timestamp>,
    /// The copy that was not looked at for longest is older than allowed, and a month more.
    pub is_overdue: bool,
    /// How long ago copies were looked at.
    pub ages: Vec<CheckAge>,
}

/// How the checks of all hot replicas stand now.
pub fn standing(app: &App) -> Result<Standing, Fault> {
    let now = app.shop.clock.now();
    let config = &app.config.fixity;
    let known = app.registry.replicas(1000)?;
    let is_hot = |checks: &ReplicaChecks| {
        let row = known.iter().find(|row| row.id == checks.replica_id);
        row.is_some_and(|row| row.replica.class == ReplicaClass::Hot)
    };
    let mut replicas = Vec::new();
    for checks in app.registry.replica_checks()?.into_iter().filter(is_hot) {
        let every = app.config.fixity_every(&checks.replica);
        let (id, oldest) = (checks.replica_id, checks.oldest_checked_at);
        let late = every + std::time::Duration::from_secs(30 * DAY);
        replicas.push(ReplicaFixity {
            every_days: every.as_secs() / DAY,
            due_copy_count: app.registry.due_copy_count(id, now.before(every))?,
            next_due_at: oldest.map(|oldest| oldest.after(every)),
            is_overdue: oldest.is_some_and(|oldest| now.since(oldest) > late),
            ages: app.registry.check_ages(id, now)?,
            checks,
        });
    }
    let unsound = app.registry.unsound_copies(None, UNSOUND_MAX)?;
    let mut lost: Vec<_> = unsound.iter().filter(|it| it.is_lost).collect();
    lost.dedup_by_key(|it| (it.uuid, it.version));
    let counts = app.shop.queue.topic(crate::checkup::TOPIC)?.counts;
    let per_day =
        u64::from(config.files_per_sweep).saturating_mul(DAY) / config.sweep.as_secs().max(1);
    let copies = replicas.iter().map(|it| it.checks.copy_count).sum();
    Ok(Standing {
        lost_count: lost.len() as u64,
        waiting: counts.ready + counts.delayed + counts.leased,
        forecast: forecast(copies, per_day, &replicas),
        replicas,
        unsound,
    })
}

/// Whether the pace that is set keeps every promise.
fn forecast(copies: u64, per_day: u64, replicas: &[ReplicaFixity]) -> String {
    if copies == 0 {
        return "Nothing is held yet, so nothing is to be checked.".into();
    }
    let days = copies.div_ceil(per_day.max(1)).max(1);
    let shortest = replicas.iter().map(|it| it.every_days).min().unwrap_or(0);
    let all = format!("At most {per_day} copies are taken up a day, so that all {copies} are read");
    if days <= shortest {
        return format!("{all} within {days} days: every copy is read in time.");
    }
    format!(
        "{all} within {days} days, which is longer than the {shortest} days that are allowed: \
         raise fixity.files_per_sweep, or allow more days."
    )
}
