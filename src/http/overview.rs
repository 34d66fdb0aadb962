//! The front page.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::{Html, Response};
use storage::registry::{Counting, ItemRow, MissingCopies, Sight};
use storage::work::item::ItemId;
use storage::work::schedule::Schedule;
use web::parts::count;
use web::{
    Badge, FinishedRow, FlowWaiting, Here, House, OverviewPage, ParkedGroup, Progress, Running,
    SweepRow, Tone, counted, overview_fragment, overview_page,
};

use super::Visit;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use crate::rights::Right;
use crate::work::Running as Attempt;

/// Attempts listed; the rest are counted.
const RUNNING_SHOWN: usize = 20;
/// Ended items listed.
const FINISHED_SHOWN: u32 = 10;

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Overview", Here::Overview, &headers);
            Ok(answer(&shell, overview_page(&shell, &value(visit)?)))
        })
        .await
}

pub(super) async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(overview_fragment(&value(visit)?).into_string()))).await
}

fn value(visit: &Visit) -> Result<OverviewPage, Refusal> {
    let mut attempts = visit.shop.board.running(visit.shop.clock.steady());
    let keeps_work = visit.may(Right::KeepWork);
    if !keeps_work {
        attempts.retain(|attempt| visit.desk().sees_work(attempt.item).unwrap_or(false));
    }
    let unshown = attempts.len().saturating_sub(RUNNING_SHOWN) as u64;
    let shown = attempts.into_iter().take(RUNNING_SHOWN);
    let parked = if keeps_work { visit.registry.parked_by_reason()? } else { Vec::new() };
    Ok(OverviewPage {
        own: super::own::value(visit)?,
        keeps_house: keeps_work,
        running: shown.map(|attempt| running(visit, attempt)).collect::<Result<_, _>>()?,
        running_unshown_count: unshown,
        waiting: if keeps_work { waiting(visit)? } else { Vec::new() },
        needs: parked.into_iter().map(needs).collect(),
        replicas: super::replicas::rows(visit),
        house: if keeps_work { house(visit)? } else { House::default() },
        finished: if keeps_work { recently_finished(visit)? } else { Vec::new() }
            .into_iter()
            .map(finished)
            .collect(),
    })
}

/// What ended last of what the caller may see.
fn recently_finished(visit: &Visit) -> Result<Vec<ItemRow>, Refusal> {
    let ended = ["Success", "Failed", "Cancelled"].map(|word| ("status__in", word));
    let shown = FINISHED_SHOWN.to_string();
    let asked = [("sort", "date_processed__desc"), ("per_page", &*shown)];
    let pairs: Vec<_> =
        ended.iter().chain(&asked).map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Ok(visit.desk().items(&pairs, Counting::No)?.items)
}

fn running(visit: &Visit, attempt: Attempt) -> Result<Running, Refusal> {
    let item = visit.shop.queue.item(ItemId(attempt.item))?;
    let started = item.as_ref().and_then(|item| item.started).unwrap_or_default();
    Ok(Running {
        item: attempt.item,
        name: item.map(|item| item.subject.name).unwrap_or_default(),
        topic: attempt.topic.into(),
        label: attempt.label.into(),
        progress: progress(&attempt),
        started: started.to_string(),
        expected_seconds: seconds_left(&attempt),
    })
}

/// How long it will still take at the pace so far. The time health allows is no estimate: it is
/// minutes at least, whatever the item.
pub(super) fn seconds_left(attempt: &Attempt) -> Option<f64> {
    let left = attempt.total.saturating_sub(attempt.done);
    (attempt.done > 0 && left > 0).then(|| attempt.took_s * left as f64 / attempt.done as f64)
}

/// A bar only when the stage counts.
pub(super) fn progress(attempt: &Attempt) -> Option<Progress> {
    (attempt.total > 0).then(|| Progress {
        done: attempt.done.min(attempt.total),
        total: attempt.total,
        // Stages count what they like, most of them bytes.
        unit: String::new(),
    })
}

fn waiting(visit: &Visit) -> Result<Vec<FlowWaiting>, Refusal> {
    let mut flows = Vec::new();
    for flow in &visit.shop.chart.flows {
        let (mut ready, mut delayed) = (0, 0);
        for stage in &flow.stages {
            let topic = visit.shop.queue.topic(stage.topic)?.counts;
            ready += topic.ready;
            delayed += topic.delayed;
        }
        let (asked, label) = (flow.name.to_owned(), flow.action.to_owned());
        flows.push(FlowWaiting { flow: asked, label, ready, delayed });
    }
    Ok(flows)
}

fn needs(group: storage::registry::ParkedGroup) -> ParkedGroup {
    ParkedGroup {
        reason: group.reason,
        sentence: group.happened.unwrap_or_default(),
        next: group.advice.unwrap_or_default(),
        count: group.count,
    }
}

fn finished(row: ItemRow) -> FinishedRow {
    let took = row.updated_at.since(row.created_at);
    FinishedRow {
        item: row.id.unsigned_abs(),
        name: row.name,
        flow: row.action,
        outcome: status_badge(&row.status),
        finished: row.updated_at.to_string(),
        took_seconds: took.as_secs_f64(),
    }
}

/// A status of the described registry as a badge; the one place that gives it a tone.
pub(super) fn status_badge(status: &str) -> Badge {
    let (label, tone) = match status {
        "Pending" => ("Pending", Tone::Calm),
        "Started" => ("Started", Tone::Busy),
        "Success" => ("Success", Tone::Good),
        "Failed" => ("Failed", Tone::Bad),
        "Suspended" => ("Needs a person", Tone::Warn),
        other => (other, Tone::Calm),
    };
    Badge::new(label, tone)
}

fn house(visit: &Visit) -> Result<House, Refusal> {
    let health = visit.health();
    let room = visit.shop.room.reading();
    let mut wrong = unwell_copies(visit)?;
    wrong.extend(super::replicas::wrong(visit));
    wrong.extend(health.complaints());
    let is_well = health.ok() && wrong.is_empty();
    let (word, tone) = if is_well { ("Well", Tone::Good) } else { ("Not well", Tone::Bad) };
    let now = visit.shop.clock.now();
    let sweeps = visit.shop.queue.store().schedules()?;
    let held = visit.desk().held_sums()?;
    Ok(House {
        health: Badge::new(word, tone),
        wrong,
        held_objects: held.object_count,
        held_files: held.file_count,
        held_bytes: held.size,
        disk_free_bytes: room.free_bytes,
        disk_total_bytes: room.total_bytes,
        stages_healthy: health.stages.iter().filter(|stage| stage.healthy()).count() as u64,
        stages_total: health.stages.len() as u64,
        sweeps: sweeps
            .into_iter()
            .map(|(name, schedule)| sweep(&name, &schedule, now.since(schedule.next_run)))
            .collect(),
    })
}

/// What is held and not sound: whoever looks here must not miss it.
fn unwell_copies(visit: &Visit) -> Result<Vec<String>, Refusal> {
    let sums = visit.registry.unsound_sums()?;
    let mut wrong = Vec::new();
    if sums.lost_count > 0 {
        let (files, verb) = (counted(sums.lost_count, "file"), are(sums.lost_count));
        wrong.push(format!("{files} {verb} lost: no hot replica has a sound copy. See Fixity."));
    }
    if sums.copy_count > 0 {
        let noun = if sums.copy_count == 1 { "copy" } else { "copies" };
        let (number, verb) = (count(sums.copy_count), are(sums.copy_count));
        wrong.push(format!("{number} {noun} {verb} damaged or missing. See Fixity."));
    }
    let missing = visit.registry.missing_copies(Sight::All)?;
    wrong.extend(missing.iter().map(MissingCopies::sentence));
    Ok(wrong)
}

fn are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

fn sweep(name: &str, schedule: &Schedule, late: Duration) -> SweepRow {
    let failed = schedule.last_outcome.starts_with("failed");
    let tone = if failed || late > Duration::from_secs(3600) { Tone::Warn } else { Tone::Good };
    SweepRow {
        label: name.replace('_', " "),
        last_run: schedule.last_run.map(|at| at.to_string()),
        next_run: Some(schedule.next_run.to_string()),
        outcome: Some(Badge::new(schedule.last_outcome.clone(), tone)),
    }
}
