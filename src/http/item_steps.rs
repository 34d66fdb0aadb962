//! The stages of an item's flow, each with how far it is, from the chart and what was tried.

use std::cmp::Ordering;

use storage::registry::{AttemptRow, ItemRow};
use web::{StepRow, StepState};

use super::Visit;
use super::overview::{progress, seconds_left};
use crate::work::{Running, StageChart};

/// The steps of an item; none when its flow is not known any more.
pub(super) fn steps(
    visit: &Visit,
    item: &ItemRow,
    attempts: &[AttemptRow],
    running: Option<&Running>,
) -> Vec<StepRow> {
    let Some(flow) = visit.shop.chart.flow(&item.flow) else { return Vec::new() };
    let Some(here) = flow.stages.iter().position(|stage| stage.topic == item.topic) else {
        return Vec::new();
    };
    let step = |(at, stage): (usize, &StageChart)| {
        let last = attempts.iter().rev().find(|attempt| attempt.topic == stage.topic);
        let cleans = flow.cleanup == Some(stage.topic);
        let state = state(item, at.cmp(&here), cleans, last);
        let running = running.filter(|_| state == StepState::Running);
        let begun = matches!(state, StepState::Done | StepState::Stopped | StepState::Failed);
        let last = last.filter(|_| begun);
        let took = |it: &AttemptRow| Some(it.finished_at?.since(it.started_at).as_secs_f64());
        StepRow {
            label: stage.label.to_owned(),
            state,
            progress: running.and_then(progress),
            expected_seconds: running.and_then(seconds_left),
            note: last.map(|it| it.note.clone()).unwrap_or_default(),
            took_seconds: last.and_then(took),
        }
    };
    flow.stages.iter().enumerate().map(step).collect()
}

/// How far a stage is, seen from where the item stands.
fn state(item: &ItemRow, side: Ordering, cleans: bool, last: Option<&AttemptRow>) -> StepState {
    let ended = ["finished", "failed", "cancelled", "expired"].contains(&item.state.as_str());
    let outcome = last.map(|attempt| attempt.outcome.as_deref().unwrap_or_default());
    match (side, outcome) {
        (Ordering::Less, Some("advanced" | "finished")) => StepState::Done,
        // It went from there to the stage that cleans up.
        (Ordering::Less, Some(_)) => StepState::Failed,
        (Ordering::Less, None) => StepState::LeftOut,
        (Ordering::Greater, _) if ended => StepState::LeftOut,
        (Ordering::Greater, _) => StepState::ToCome,
        (Ordering::Equal, _) => match item.state.as_str() {
            "leased" => StepState::Running,
            "delayed" => StepState::Waits,
            "parked" => StepState::Stopped,
            "finished" => StepState::Done,
            _ if ended && cleans => StepState::Done,
            _ if ended => StepState::Failed,
            _ => StepState::InLine,
        },
    }
}
