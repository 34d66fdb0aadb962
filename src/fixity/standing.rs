//! How the checks stand: for pages, commands and reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::moment::MaybeMoment;
use storage::registry::{CheckAge, MissingCopies, ReplicaChecks, ReplicaClass, Sight, UnsoundCopy};

use storage::clock::Timestamp;

use crate::app::App;
use crate::fault::Fault;

/// Copies told by name; more are counted.
const UNSOUND_MAX: u32 = 1000;
const DAY: u64 = 86_400;
/// Days past what is allowed after which somebody must look.
const LATE_DAYS: u64 = 30;

/// How the checks stand.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FixityStanding")]
pub struct Standing {
    /// Each hot replica.
    pub replicas: Vec<ReplicaFixity>,
    /// Each replica that lacks copies which a storage option asks for.
    pub missing: Vec<MissingCopies>,
    /// Copies that were not sound when last looked at; the first thousand.
    pub unsound: Vec<UnsoundCopy>,
    /// All of them.
    pub unsound_count: u64,
    /// Versions of files that no hot replica has a sound copy of. Of what is in cold storage only, no
    /// replica has one.
    pub lost_count: u64,
    /// Items that check or wait to.
    pub waiting: u64,
    /// What all of it means, in a sentence.
    pub forecast: String,
}

/// One replica.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaFixity {
    /// What the registry knows.
    #[serde(flatten)]
    pub checks: ReplicaChecks,
    /// Days after which a copy is due.
    pub every_days: u64,
    /// Copies that are due now.
    pub due_copy_count: u64,
    /// When the next copy is due; none if there are no copies.
    #[serde(with = "MaybeMoment")]
    pub next_due_at: Option<Timestamp>,
    /// The copy that was not looked at for longest is older than allowed, and a month more.
    pub is_overdue: bool,
    /// How long ago copies were looked at.
    pub ages: Vec<CheckAge>,
    /// What that means, in a sentence.
    pub outlook: String,
}

/// Copies that are taken up a day, at most.
fn copies_per_day(app: &App) -> u64 {
    let config = &app.config.fixity;
    u64::from(config.files_per_sweep).saturating_mul(DAY) / config.sweep.as_secs().max(1)
}

/// How the checks of what somebody sees stand in all hot replicas: every figure is of that alone.
/// `waiting` is the number of their checks that wait.
pub fn standing_of(app: &App, sight: Sight, waiting: u64) -> Result<Standing, Fault> {
    let (now, per_day) = (app.shop.clock.now(), copies_per_day(app));
    let known = app.registry.replicas(1000)?;
    let is_hot = |checks: &ReplicaChecks| {
        let row = known.iter().find(|row| row.id == checks.replica_id);
        row.is_some_and(|row| row.replica.class == ReplicaClass::Hot)
    };
    let mut replicas = Vec::new();
    for checks in app.registry.replica_checks_of(sight)?.into_iter().filter(is_hot) {
        let every = app.config.fixity_every(&checks.replica);
        let (id, oldest) = (checks.replica_id, checks.oldest_checked_at);
        let late = every + std::time::Duration::from_secs(LATE_DAYS * DAY);
        let due_copy_count = app.registry.due_copy_count_of(id, now.before(every), sight)?;
        let is_overdue = oldest.is_some_and(|oldest| now.since(oldest) > late);
        replicas.push(ReplicaFixity {
            outlook: own_outlook(oldest.is_some(), due_copy_count, is_overdue),
            every_days: every.as_secs() / DAY,
            due_copy_count,
            next_due_at: oldest.map(|oldest| oldest.after(every)),
            is_overdue,
            ages: app.registry.check_ages_of(id, now, sight)?,
            checks,
        });
    }
    let sums = app.registry.unsound_sums_of(sight)?;
    let copies: u64 = replicas.iter().map(|it| it.checks.copy_count).sum();
    Ok(Standing {
        missing: app.registry.missing_copies(sight)?,
        unsound: app.registry.unsound_copies_of(sight, UNSOUND_MAX)?,
        unsound_count: sums.copy_count,
        lost_count: sums.lost_count,
        waiting,
        forecast: match copies {
            0 => "Your institution holds nothing yet, so nothing is to be checked.".into(),
            _ => format!(
                "The {copies} copies of what your institution holds are read again in turn with \
                 those of others, at most {per_day} copies a day."
            ),
        },
        replicas,
    })
}

/// What one institution is to expect of one replica, whose pace it shares with others.
fn own_outlook(has_copies: bool, due: u64, is_overdue: bool) -> String {
    let copies = if due == 1 { "copy is" } else { "copies are" };
    match (has_copies, due, is_overdue) {
        (false, _, _) => "It has no copies yet.".into(),
        (true, 0, _) => "Every copy was read within the days that are allowed.".into(),
        (true, due, false) => format!("{due} {copies} due, and read in turn."),
        (true, due, true) => format!(
            "{due} {copies} due for more than {LATE_DAYS} days: ask whoever looks after the \
             appliance."
        ),
    }
}

/// How the checks of all hot replicas stand now.
pub fn standing(app: &App) -> Result<Standing, Fault> {
    let (now, per_day) = (app.shop.clock.now(), copies_per_day(app));
    let known = app.registry.replicas(1000)?;
    let is_hot = |checks: &ReplicaChecks| {
        let row = known.iter().find(|row| row.id == checks.replica_id);
        row.is_some_and(|row| row.replica.class == ReplicaClass::Hot)
    };
    let mut replicas = Vec::new();
    for checks in app.registry.replica_checks()?.into_iter().filter(is_hot) {
        let every = app.config.fixity_every(&checks.replica);
        let (id, oldest) = (checks.replica_id, checks.oldest_checked_at);
        let late = every + std::time::Duration::from_secs(LATE_DAYS * DAY);
        let due_copy_count = app.registry.due_copy_count(id, now.before(every))?;
        let every_days = every.as_secs() / DAY;
        let age_days = oldest.map(|oldest| now.since(oldest).as_secs() / DAY);
        replicas.push(ReplicaFixity {
            outlook: outlook((due_copy_count, per_day), every_days, age_days),
            every_days,
            due_copy_count,
            next_due_at: oldest.map(|oldest| oldest.after(every)),
            is_overdue: oldest.is_some_and(|oldest| now.since(oldest) > late),
            ages: app.registry.check_ages(id, now)?,
            checks,
        });
    }
    let unsound = app.registry.unsound_copies(None, UNSOUND_MAX)?;
    let sums = app.registry.unsound_sums()?;
    let counts = app.shop.queue.topic(crate::checkup::TOPIC)?.counts;
    let copies = replicas.iter().map(|it| it.checks.copy_count).sum();
    Ok(Standing {
        missing: app.registry.missing_copies(Sight::All)?,
        unsound_count: sums.copy_count,
        lost_count: sums.lost_count,
        waiting: counts.ready + counts.delayed + counts.leased,
        forecast: forecast(copies, per_day, &replicas),
        replicas,
        unsound,
    })
}

/// What is to be expected of one replica.
fn outlook((due, per_day): (u64, u64), every_days: u64, age_days: Option<u64>) -> String {
    let Some(age_days) = age_days else { return "It has no copies yet.".into() };
    if due == 0 {
        return format!("Every copy was read within the {every_days} days that are allowed.");
    }
    let days = due.div_ceil(per_day.max(1)).max(1);
    let soon = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
    let late = age_days.saturating_sub(every_days);
    let copies = if due == 1 { "copy is" } else { "copies are" };
    if late <= LATE_DAYS {
        return format!("{due} {copies} due, and read within about {soon}.");
    }
    format!(
        "{due} {copies} due, the stalest of them for {late} days: see whether the replica is away, \
         whether fixity_check is paused or its items need a person."
    )
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
        let soon = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
        return format!("{all} within {soon}: every copy is read in time.");
    }
    format!(
        "{all} within {days} days, which is longer than the {shortest} days that are allowed: \
         raise fixity.files_per_sweep, or allow more days."
    )
}
