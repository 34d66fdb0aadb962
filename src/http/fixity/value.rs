//! How the checks stand, as the page shows it.

use storage::clock::Timestamp;
use storage::registry::{CheckAge, CopyState, MissingCopies, UnsoundCopy};
use web::{AgeBar, Badge, CheckPanel, FixityPage, Link, Tone, UnsoundLine};

use crate::alerts::lost_advice;
use crate::fixity::{ReplicaFixity, Standing};
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// Copies that are not sound named on the page; the rest are counted, and in the table to download.
const UNSOUND: usize = 20;
/// Replicas with a plot each; the rest are counted.
const REPLICAS: usize = 6;
/// Most bars of a plot.
const BARS: u64 = 15;

pub(super) fn page(visit: &Visit) -> Result<FixityPage, Refusal> {
    let now = visit.shop.clock.now();
    let standing = visit.desk().fixity()?;
    let Standing { replicas, missing, mut unsound, unsound_count, lost_count, waiting, forecast } =
        standing;
    unsound.sort_by_key(|copy| !copy.is_lost);
    let lost = unsound.iter().filter(|copy| copy.is_lost);
    let advice =
        lost_advice("linked in the table below", lost.map(|copy| copy.cold_replica.as_deref()));
    let names = unsound.iter().take(UNSOUND).map(line).collect::<Vec<_>>();
    Ok(FixityPage {
        may_check: visit.may(Right::KeepHouse),
        missing: missing.iter().map(MissingCopies::sentence).collect(),
        lost_count,
        lost_advice: advice,
        unsound_count,
        unsound_unshown_count: unsound_count.saturating_sub(names.len() as u64),
        unsound: names,
        waiting,
        forecast,
        replicas_unshown_count: replicas.len().saturating_sub(REPLICAS) as u64,
        replicas: replicas.into_iter().take(REPLICAS).map(|it| panel(it, now)).collect(),
    })
}

fn line(copy: &UnsoundCopy) -> UnsoundLine {
    let (word, tone) = match (copy.is_lost, copy.state) {
        (true, _) => ("Lost", Tone::Bad),
        (false, CopyState::Missing) => ("Missing", Tone::Warn),
        (false, CopyState::Damaged | CopyState::Sound) => ("Damaged", Tone::Warn),
    };
    UnsoundLine {
        file: Link::new(format!("/files/{}", copy.uuid), copy.file.clone()),
        version: u64::from(copy.version.0),
        replica: copy.replica.clone(),
        state: Badge::new(word, tone),
        checked: copy.last_checked_at.to_string(),
    }
}

fn panel(replica: ReplicaFixity, now: Timestamp) -> CheckPanel {
    let checks = replica.checks;
    let (word, tone) = match (checks.unsound_count, replica.is_overdue, replica.due_copy_count) {
        (1.., _, _) => ("Not sound", Tone::Bad),
        (0, true, _) => ("Overdue", Tone::Warn),
        (0, false, 1..) => ("Due", Tone::Busy),
        (0, false, 0) if checks.copy_count == 0 => ("Empty", Tone::Calm),
        (0, false, 0) => ("In time", Tone::Good),
    };
    CheckPanel {
        name: checks.replica,
        place: checks.place,
        state: Badge::new(word, tone),
        object_count: checks.object_count,
        copy_count: checks.copy_count,
        unsound_count: checks.unsound_count,
        stalest: checks.oldest_checked_at.map(|at| at.to_string()),
        stalest_days: checks
            .oldest_checked_at
            .map_or(0, |at| now.since(at).as_secs() / (24 * 3600)),
        every_days: replica.every_days,
        due_count: replica.due_copy_count,
        next_due: replica.next_due_at.map(|at| at.to_string()),
        outlook: replica.outlook,
        bars: bars(&replica.ages, replica.every_days),
    }
}

/// Days put together so that few bars tell of all: days, weeks, months, or whatever is needed. One
/// bar ends where the days that are allowed do.
fn bars(ages: &[CheckAge], every_days: u64) -> Vec<AgeBar> {
    let Some(oldest) = ages.last().map(|age| age.days) else { return Vec::new() };
    let span = oldest.max(every_days).saturating_add(1);
    let needed = span.div_ceil(BARS);
    let width = [1, 7, 30].into_iter().find(|width| *width >= needed).unwrap_or(needed);
    let mut edges: Vec<u64> = (0..=span.div_ceil(width)).map(|at| at * width).collect();
    edges.push(every_days);
    edges.sort_unstable();
    edges.dedup();
    edges
        .windows(2)
        .map(|edge| {
            let within = ages.iter().filter(|age| (edge[0]..edge[1]).contains(&age.days));
            let copy_count = within.map(|age| age.copy_count).fold(0, u64::saturating_add);
            AgeBar { from_days: edge[0], until_days: edge[1], copy_count }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_few_and_hold_every_copy() {
        for (days, every, count, width) in [
            (vec![0], 90, 14, 7),
            (vec![0, 3, 14], 14, 15, 1),
            (vec![2, 89, 400], 90, 14, 30),
            (vec![39_999], 90, 16, 90),
        ] {
            let age = |days: &u64| CheckAge { days: *days, object_count: 1, copy_count: 3 };
            let ages: Vec<CheckAge> = days.iter().map(age).collect();
            let bars = bars(&ages, every);
            assert_eq!((bars.len(), bars[0].until_days), (count, width), "{days:?}");
            let copies: u64 = bars.iter().map(|bar| bar.copy_count).sum();
            assert_eq!(copies, 3 * days.len() as u64);
            assert!(bars.iter().all(|bar| bar.from_days >= every || bar.until_days <= every));
        }
        assert_eq!(bars(&[], 90), []);
    }
}
