//! The queues: per flow, each stage with what waits before it and the means to hold it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Tone, badge, count, duration, num, path, post_button, query};
use crate::shell::{Frame, Shell, document};

/// Everything the queues page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueuesPage {
    /// One table per flow.
    pub flows: Vec<FlowTable>,
}

/// The stages of one flow, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowTable {
    /// The flow's name, used in ids.
    pub flow: String,
    /// The flow's name for people.
    pub label: String,
    /// One row per topic.
    pub rows: Vec<TopicRow>,
}

/// One topic: the stage that serves it and what waits before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TopicRow {
    /// The topic.
    pub topic: String,
    /// The stage's name for people.
    pub label: String,
    /// Attempts that may run side by side.
    pub workers: u64,
    /// Claims held ahead of the attempts.
    pub buffer: u64,
    /// Attempts an item has before it is parked.
    pub max_attempts: u64,
    /// Items that may be claimed now.
    pub ready: u64,
    /// Items that wait for their time.
    pub delayed: u64,
    /// Items under a lease.
    pub in_flight: u64,
    /// Items that wait for a person.
    pub parked: u64,
    /// How long the oldest ready item has waited.
    pub oldest_seconds: Option<f64>,
    /// Attempts that ended well since the house was made.
    pub done: u64,
    /// The stage's health in a word.
    pub health: Badge,
    /// Whether nothing new is claimed.
    pub paused: bool,
}

/// Renders the queues page.
pub fn queues_page(shell: &Shell, page: &QueuesPage) -> Markup {
    let main = html! {
        div.title-row {
            h1 { "Queues" }
            div.actions {
                (post_button("pause-all", "/queues/pause", "Pause all", "queues"))
                (post_button("resume-all", "/queues/resume", "Resume all", "queues"))
            }
        }
        p.lead {
            "A paused stage finishes what it has begun and takes nothing new. "
            "Nothing is lost by pausing."
        }
        div #queues data-refresh="/fragments/queues" data-every="10" { (queues_fragment(page)) }
    };
    document(shell, Frame::Watched, main)
}

/// Renders the tables alone; served at `/fragments/queues`.
pub fn queues_fragment(page: &QueuesPage) -> Markup {
    html! {
        @for flow in &page.flows {
            section aria-labelledby={ "flow-" (flow.flow) } {
                h2 id={ "flow-" (flow.flow) } { (flow.label) }
                table.queues {
                    thead { tr {
                        th scope="col" { "Stage" }
                        th.num scope="col" { "Waiting" }
                        th.num scope="col" { "Delayed" }
                        th.num scope="col" { "In flight" }
                        th.num scope="col" { "Parked" }
                        th.num scope="col" { "Oldest" }
                        th.num scope="col" { "Done" }
                        th.num scope="col" { "Workers" }
                        th.num scope="col" { "Buffer" }
                        th.num scope="col" { "Attempts" }
                        th scope="col" { "Health" }
                        th scope="col" { "Actions" }
                    } }
                    tbody { @for row in &flow.rows { (topic_row(row)) } }
                }
            }
        }
    }
}

fn topic_row(row: &TopicRow) -> Markup {
    let oldest = row.oldest_seconds.map_or_else(|| "\u{2013}".to_owned(), duration);
    html! {
        tr {
            th scope="row" {
                a.name id={ "items-" (row.topic) }
                    href={ "/items" (query(&[("topic", &row.topic)])) } { (row.label) }
                code { (row.topic) }
            }
            (num("Waiting", row.ready))
            (num("Delayed", row.delayed))
            (num("In flight", row.in_flight))
            (parked(row))
            td.num data-label="Oldest" { (oldest) }
            (num("Done", row.done))
            (num("Workers", row.workers))
            (num("Buffer", row.buffer))
            (num("Attempts", row.max_attempts))
            td data-label="Health" {
                (badge(&row.health))
                @if row.paused { " " (badge(&Badge::new("Paused", Tone::Warn))) }
            }
            td data-label="Actions" { (actions(row)) }
        }
    }
}

fn parked(row: &TopicRow) -> Markup {
    if row.parked == 0 {
        return num("Parked", 0);
    }
    let filter = query(&[("needs_admin_review", "true"), ("topic", &row.topic)]);
    html! {
        td.num data-label="Parked" {
            a id={ "parked-" (row.topic) } href={ "/items" (filter) } {
                (count(row.parked)) span.unseen { " parked items of " (row.label) }
            }
        }
    }
}

fn actions(row: &TopicRow) -> Markup {
    let to = |verb| path(&["queues", &row.topic, verb]);
    // Pause and Resume share an id: pressing one puts the other under the same focus.
    let hold = format!("hold-{}", row.topic);
    html! {
        div.actions {
            @if row.paused { (post_button(&hold, &to("resume"), "Resume", &row.label)) }
            @else { (post_button(&hold, &to("pause"), "Pause", &row.label)) }
            a.button.danger id={ "empty-" (row.topic) } href=(to("empty")) {
                "Empty\u{2026}" span.unseen { " " (row.label) }
            }
        }
    }
}
