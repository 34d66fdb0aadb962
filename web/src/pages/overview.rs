//! The front page: what needs a person, what runs, what waits, and how the house is.

use maud::{Markup, html};
use serde::Serialize;

use super::house::{House, house_fragment};
use super::needs::{ParkedGroup, needs_fragment};
use super::own_overview::{OwnOverview, own_fragment};
use super::replicas::{ReplicaRow, replicas_fragment};
use crate::parts::{
    Badge, Progress, badge, cell, count, duration, empty, num, path, progress, query, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the front page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OverviewPage {
    /// What concerns whoever looks at it.
    pub own: OwnOverview,
    /// Whether whoever looks at it looks after the house: only they see its state.
    pub keeps_house: bool,
    /// Attempts running now, oldest first.
    pub running: Vec<Running>,
    /// Running attempts beyond those listed.
    pub running_unshown_count: u64,
    /// One row per flow.
    pub waiting: Vec<FlowWaiting>,
    /// Parked items by reason, most first.
    pub needs: Vec<ParkedGroup>,
    /// The replicas as last heard of.
    pub replicas: Vec<ReplicaRow>,
    /// The state of the house.
    pub house: House,
    /// The items finished last, newest first.
    pub finished: Vec<FinishedRow>,
}

/// One attempt that runs now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Running {
    /// The item's id.
    pub item: u64,
    /// The item's name.
    pub name: String,
    /// The stage's topic.
    pub topic: String,
    /// The stage's name for people.
    pub label: String,
    /// How far it is, when the stage counts.
    pub progress: Option<Progress>,
    /// When the attempt started, as RFC 3339 in UTC.
    pub started: String,
    /// How long it should still take, when that can be told.
    pub expected_seconds: Option<f64>,
}

/// What waits in one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowWaiting {
    /// The flow's name in queries.
    pub flow: String,
    /// The flow's name for people.
    pub label: String,
    /// Items that may be claimed now.
    pub ready: u64,
    /// Items that wait for their time.
    pub delayed: u64,
}

/// One item that finished not long ago.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FinishedRow {
    /// The item's id.
    pub item: u64,
    /// The item's name.
    pub name: String,
    /// The flow's name for people.
    pub flow: String,
    /// How it ended.
    pub outcome: Badge,
    /// When, as RFC 3339 in UTC.
    pub finished: String,
    /// How long it took from its first attempt.
    pub took_seconds: f64,
}

/// Renders the front page.
pub fn overview_page(shell: &Shell, page: &OverviewPage) -> Markup {
    let main = html! {
        h1 { "Overview" }
        div #overview data-refresh="/fragments/overview" data-every="10" {
            (overview_fragment(page))
        }
    };
    document(shell, Frame::Watched, main)
}

/// Renders all of the front page that changes; served at `/fragments/overview`.
pub fn overview_fragment(page: &OverviewPage) -> Markup {
    let running = page.running.len() as u64 + page.running_unshown_count;
    html! {
        div.halves {
            div {
                @if page.keeps_house { (needs_fragment(&page.needs)) }
                (own_fragment(&page.own))
                section aria-labelledby="running-heading" {
                    h2 #running-heading { "Running now " span.tally { (count(running)) } }
                    (running_fragment(&page.running, page.keeps_house))
                    @if page.running_unshown_count > 0 {
                        p.quiet { "and " (count(page.running_unshown_count)) " more." }
                    }
                }
                (replicas_fragment(&page.replicas))
            }
            @if page.keeps_house {
                div {
                    (house_fragment(&page.house))
                    section.panel aria-labelledby="waiting-heading" {
                        h2 #waiting-heading { "Waiting" }
                        (waiting(&page.waiting))
                    }
                }
                section aria-labelledby="finished-heading" {
                    h2 #finished-heading { "Recently finished" }
                    (finished(&page.finished))
                }
            }
        }
    }
}

/// Renders the running attempts alone; served at `/fragments/running`.
pub fn running_fragment(running: &[Running], sees_queues: bool) -> Markup {
    if running.is_empty() {
        let then = html! {
            "Work starts by itself when something arrives."
            @if sees_queues { " " a #see-waiting href="/queues" { "See what waits" } "." }
        };
        return empty("Nothing is running.", then);
    }
    html! {
        ul.running {
            @for attempt in running {
                li {
                    a.name href=(path(&["items", &attempt.item.to_string()])) {
                        bdi { (attempt.name) }
                    }
                    span.quiet {
                        "Item " (attempt.item) ", " (attempt.label) " " code { (attempt.topic) }
                    }
                    @match &attempt.progress {
                        Some(known) => (progress(attempt.item, known)),
                        None => span.progress { span.progress-words { "In progress" } },
                    }
                    span.quiet {
                        "Started " (time(&attempt.started))
                        @if let Some(left) = attempt.expected_seconds {
                            ", about " (duration(left)) " left"
                        }
                    }
                }
            }
        }
    }
}

fn waiting(flows: &[FlowWaiting]) -> Markup {
    if flows.is_empty() {
        return html! { p.quiet { "No flow is set up in this house." } };
    }
    html! {
        table.plain {
            thead { tr {
                th scope="col" { "Flow" }
                th.num scope="col" { "Ready" }
                th.num scope="col" { "Delayed" }
            } }
            tbody {
                @for flow in flows {
                    tr {
                        th scope="row" {
                            a id={ "waiting-" (flow.flow) }
                                href={ "/items" (query(&[("flow", &flow.flow)])) } {
                                (flow.label)
                            }
                        }
                        (num("Ready", flow.ready))
                        (num("Delayed", flow.delayed))
                    }
                }
            }
        }
    }
}

fn finished(rows: &[FinishedRow]) -> Markup {
    if rows.is_empty() {
        let then =
            html! { "Whatever ends is listed here; the sweeps say when they look for work." };
        return empty("No item has finished yet.", then);
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "Name" }
                th scope="col" { "Flow" }
                th scope="col" { "Outcome" }
                th scope="col" { "Finished" }
                th.num scope="col" { "Took" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th.name scope="row" {
                            a href=(path(&["items", &row.item.to_string()])) { bdi { (row.name) } }
                        }
                        (cell("Flow", &row.flow))
                        (cell("Outcome", badge(&row.outcome)))
                        (cell("Finished", time(&row.finished)))
                        td.num data-label="Took" { (duration(row.took_seconds)) }
                    }
                }
            }
        }
    }
}
