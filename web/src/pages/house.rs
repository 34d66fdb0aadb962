//! The state of the house: health, disk room, stages and sweeps, on the front page.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, count, counted, human_size, room, time};

/// Whether the house is well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct House {
    /// The verdict in a word.
    pub health: Badge,
    /// What is wrong, one sentence each; empty when nothing is.
    pub wrong: Vec<String>,
    /// Objects held.
    pub held_objects: u64,
    /// Their files.
    pub held_files: u64,
    /// Their bytes.
    pub held_bytes: u64,
    /// Free room on the disk.
    pub disk_free_bytes: u64,
    /// All room on the disk.
    pub disk_total_bytes: u64,
    /// Stages whose heartbeat is fresh.
    pub stages_healthy: u64,
    /// Stages there are.
    pub stages_total: u64,
    /// The sweeps in the order they are listed.
    pub sweeps: Vec<SweepRow>,
}

/// One sweep and its last run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepRow {
    /// Its name for people.
    pub label: String,
    /// When it ran last, as RFC 3339 in UTC.
    pub last_run: Option<String>,
    /// When it runs next, as RFC 3339 in UTC.
    pub next_run: Option<String>,
    /// How the last run went.
    pub outcome: Option<Badge>,
}

/// Renders the state of the house as a section of the front page.
pub fn house_fragment(house: &House) -> Markup {
    html! {
        section.panel aria-labelledby="house-heading" {
            h2 #house-heading { "State of the house " (badge(&house.health)) }
            @if !house.wrong.is_empty() {
                ul.wrong { @for sentence in &house.wrong { li { (sentence) } } }
            }
            dl.facts {
                div {
                    dt { "Held" }
                    dd {
                        a href="/objects" { (counted(house.held_objects, "object")) } ", "
                        (counted(house.held_files, "file")) ", " (human_size(house.held_bytes))
                    }
                }
                div {
                    dt { "Disk" }
                    dd { (room(house.disk_free_bytes, house.disk_total_bytes)) }
                }
                div {
                    dt { "Stages" }
                    dd {
                        (count(house.stages_healthy)) " of " (count(house.stages_total)) " healthy"
                    }
                }
            }
            @if !house.sweeps.is_empty() { (sweeps(&house.sweeps)) }
        }
    }
}

fn sweeps(rows: &[SweepRow]) -> Markup {
    html! {
        h3 { "Sweeps" }
        p.hint { "What the house looks for by itself, from time to time." }
        ul.sweeps {
            @for row in rows {
                li {
                    strong { (row.label) }
                    @match &row.outcome {
                        Some(outcome) => (badge(outcome)),
                        None => span.quiet { "not yet run" },
                    }
                    span.quiet {
                        @if let Some(moment) = &row.last_run { span { "Last " (time(moment)) } }
                        @if let Some(moment) = &row.next_run { span { "Next " (time(moment)) } }
                    }
                }
            }
        }
    }
}
