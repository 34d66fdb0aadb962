//! The stages of an item's flow as a list of steps: done, under way, to come.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Progress, Tone, badge, duration, progress};

/// One stage on the way of an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepRow {
    /// The stage's name for people.
    pub label: String,
    /// How far it is.
    pub state: StepState,
    /// How far the running attempt is, when it counts.
    pub progress: Option<Progress>,
    /// How long the running attempt should still take, when that can be told.
    pub expected_seconds: Option<f64>,
    /// What its last attempt said, and how long that took.
    pub note: String,
    /// How long its last attempt took.
    pub took_seconds: Option<f64>,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    #[default]
    ToCome,
    /// Over, and well.
    Done,
    /// Being worked on.
    Running,
    /// The item is in line for it.
    InLine,
    /// The item waits before it, for a moment or for something.
    Waits,
    /// The item stopped at it, for a person to look.
    Stopped,
    /// The item ended at it.
    Failed,
    /// Left out: the item went another way.
    LeftOut,
}

impl StepState {
    fn badge(self) -> Badge {
        let (word, tone) = match self {
            StepState::ToCome => ("To come", Tone::Calm),
            StepState::Done => ("Done", Tone::Good),
            StepState::Running => ("Running", Tone::Busy),
            StepState::InLine => ("In line", Tone::Calm),
            StepState::Waits => ("Waits", Tone::Warn),
            StepState::Stopped => ("Needs a person", Tone::Warn),
            StepState::Failed => ("Ended here", Tone::Bad),
            StepState::LeftOut => ("Left out", Tone::Calm),
        };
        Badge::new(word, tone)
    }

    /// Whether the item stands here.
    fn is_here(self) -> bool {
        match self {
            StepState::Running | StepState::InLine | StepState::Waits | StepState::Stopped => true,
            StepState::ToCome | StepState::Done | StepState::Failed | StepState::LeftOut => false,
        }
    }
}

/// Renders the steps as a section; nothing when the flow is not known any more.
pub(super) fn steps(item: u64, rows: &[StepRow]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section aria-labelledby="steps-heading" {
                h2 #steps-heading { "Stages" }
                ol.steps { @for row in rows { (step(item, row)) } }
            }
        }
    }
}

fn step(item: u64, row: &StepRow) -> Markup {
    let here = row.state.is_here();
    html! {
        li.here[here] aria-current=[here.then_some("step")] {
            span.step-name { (row.label) }
            (badge(&row.state.badge()))
            @match &row.progress {
                Some(known) => (progress(item, known)),
                None => @if !row.note.is_empty() { span.step-note.quiet { (row.note) } },
            }
            @if let Some(left) = row.expected_seconds {
                span.step-time.quiet { "about " (duration(left)) " left" }
            } @else if let Some(took) = row.took_seconds {
                span.step-time.quiet { (duration(took)) }
            }
        }
    }
}
