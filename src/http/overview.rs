//! The front page.

use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{Html, Response};
use storage::registry::ItemRow;
use storage::work::item::ItemId;
use storage::work::schedule::Schedule;
use web::parts::count;
use web::{
    Badge, FinishedRow, FlowWaiting, Here, House, OverviewPage, ParkedGroup, Progress, Running,
    SweepRow, Tone, counted, overview_fragment, overview_page,
};

use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, aside};
use crate::app::App;
use crate::work::Running as Attempt;

/// Attempts listed; the rest are counted.
const RUNNING_SHOWN: usize = 20;
/// Ended items listed.
const FINISHED_SHOWN: u32 = 10;

pub(super) async fn page(
    State(site): State<Site>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    aside(&site, move |app| {
        let shell = shell(app, "Overview", Here::Overview, &headers);
        Ok(answer(&shell, overview_page(&shell, &value(app)?)))
    })
    .await
}

pub(super) async fn fragment(State(site): State<Site>) -> Result<Html<String>, Refusal> {
    aside(&site, |app| Ok(Html(overview_fragment(&value(app)?).into_string()))).await
}

fn value(app: &App) -> Result<OverviewPage, Refusal> {
    let attempts = app.shop.board.running(app.shop.clock.steady());
    let unshown = attempts.len().saturating_sub(RUNNING_SHOWN) as u64;
    let shown = attempts.into_iter().take(RUNNING_SHOWN);
    Ok(OverviewPage {
        running: shown.map(|attempt| running(app, attempt)).collect::<Result<_, _>>()?,
        running_unshown_count: unshown,
        waiting: waiting(app)?,
        needs: app.registry.parked_by_reason()?.into_iter().map(needs).collect(),
        replicas: super::replicas::rows(app),
        house: house(app)?,
        finished: app
            .registry
            .recently_finished(FINISHED_SHOWN)?
            .into_iter()
            .map(finished)
            .collect(),
    })
}

fn running(app: &App, attempt: Attempt) -> Result<Running, Refusal> {
    let item = app.shop.queue.item(ItemId(attempt.item))?;
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

fn waiting(app: &App) -> Result<Vec<FlowWaiting>, Refusal> {
    let mut flows = Vec::new();
    for flow in &app.shop.chart.flows {
        let (mut ready, mut delayed) = (0, 0);
        for stage in &flow.stages {
            let topic = app.shop.queue.topic(stage.topic)?.counts;
            ready += topic.ready;
            delayed += topic.delayed;
        }
        // Items are asked for by action, not by the name of their flow.
        let (asked, label) = (flow.action.to_owned(), flow.action.to_owned());
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

fn house(app: &App) -> Result<House, Refusal> {
    let health = app.health();
    let room = app.shop.room.reading();
    let mut wrong = unwell_copies(app)?;
    wrong.extend(super::replicas::wrong(app));
    wrong.extend(health.complaints());
    let is_well = health.ok() && wrong.is_empty();
    let (word, tone) = if is_well { ("Well", Tone::Good) } else { ("Not well", Tone::Bad) };
    let now = app.shop.clock.now();
    let sweeps = app.shop.queue.store().schedules()?;
    let held = app.registry.held_sums()?;
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
fn unwell_copies(app: &App) -> Result<Vec<String>, Refusal> {
    let sums = app.registry.unsound_sums()?;
    let mut wrong = Vec::new();
    if sums.lost_count > 0 {
        let (files, verb) = (counted(sums.lost_count, "file"), are(sums.lost_count));
        wrong.push(format!("{files} {verb} lost: no replica has a sound copy. See Fixity."));
    }
    if sums.copy_count > 0 {
        let noun = if sums.copy_count == 1 { "copy" } else { "copies" };
        let (number, verb) = (count(sums.copy_count), are(sums.copy_count));
        wrong.push(format!("{number} {noun} {verb} damaged or missing. See Fixity."));
    }
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
