//! The sweeps: periodic looks that find work.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, cell, duration, empty, path, post_button, time};
use crate::shell::{Frame, Shell, document};

/// Every sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SchedulesPage {
    /// In the order in which they look.
    pub rows: Vec<ScheduleLine>,
}

/// One sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScheduleLine {
    /// Its name, for addresses.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// What it is for.
    pub about: String,
    /// Seconds between two looks.
    pub every_seconds: f64,
    /// When it looked last, as RFC 3339 in UTC.
    pub last_run: Option<String>,
    /// Whether that went well.
    pub outcome: Option<Badge>,
    /// How it went, in words.
    pub note: String,
    /// When it looks next, as RFC 3339 in UTC.
    pub next_run: Option<String>,
}

/// Renders the sweeps.
pub fn schedules_page(shell: &Shell, page: &SchedulesPage) -> Markup {
    let main = html! {
        h1 { "Schedules" }
        p.lead {
            "A sweep looks from time to time at how things are, and puts what is to be done in \
             line. Running one now does no harm: what is in line already is not put there twice."
        }
        @if page.rows.is_empty() {
            (empty("There are no sweeps.", html! { "Work is put in line by hand only." }))
        } @else {
            table {
                thead { tr {
                    th scope="col" { "Sweep" }
                    th scope="col" { "What it is for" }
                    th.num scope="col" { "Every" }
                    th scope="col" { "Last run" }
                    th scope="col" { "Next run" }
                    th scope="col" { "Actions" }
                } }
                tbody { @for row in &page.rows { (line(row)) } }
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn line(row: &ScheduleLine) -> Markup {
    let run = path(&["schedules", &row.name, "run"]);
    html! {
        tr {
            th scope="row" { (row.label) }
            td.say data-label="What it is for" { (row.about) }
            td.num data-label="Every" { (duration(row.every_seconds)) }
            td.say data-label="Last run" {
                @match &row.last_run {
                    Some(at) => (time(at)),
                    None => span.quiet { "not yet" },
                }
                @if let Some(outcome) = &row.outcome { " " (badge(outcome)) }
                @if !row.note.is_empty() { br; span.quiet { (row.note) } }
            }
            @match &row.next_run {
                Some(at) => (cell("Next run", time(at))),
                None => (cell("Next run", "within seconds")),
            }
            td data-label="Actions" {
                (post_button(&format!("run-{}", row.name), &run, "Run now", &row.label))
            }
        }
    }
}
