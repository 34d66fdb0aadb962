//! The replicas on the front page: where preserved bytes live, and whether they can be reached.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, cell, counted, human_size, time};

/// One replica as last heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplicaRow {
    /// Its name.
    pub name: String,
    /// Which building or provider it stands in.
    pub place: String,
    /// How soon it can be read, in a word.
    pub class: String,
    /// Whether it can be used.
    pub state: Badge,
    /// Since when, as RFC 3339 in UTC.
    pub since: Option<String>,
    /// What is wrong with it.
    pub sentence: String,
    /// Free bytes and all, where that is known.
    pub room: Option<(u64, u64)>,
    /// Items that wait for it.
    pub waiting: u64,
}

/// Renders the replicas as a section of the front page; nothing when there are none.
pub fn replicas_fragment(rows: &[ReplicaRow]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section aria-labelledby="replicas-heading" {
                h2 #replicas-heading { "Replicas" }
                table {
                    thead { tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Place" }
                        th scope="col" { "Class" }
                        th scope="col" { "State" }
                        th scope="col" { "Room" }
                    } }
                    tbody { @for row in rows { (replica(row)) } }
                }
            }
        }
    }
}

fn replica(row: &ReplicaRow) -> Markup {
    html! {
        tr {
            th.name scope="row" { bdi { (row.name) } }
            @if row.place.is_empty() { td {} } @else { (cell("Place", &row.place)) }
            (cell("Class", &row.class))
            td.say data-label="State" {
                (badge(&row.state))
                @if let Some(since) = &row.since { " " span.quiet { "since " (time(since)) } }
                @if !row.sentence.is_empty() { br; (row.sentence) }
                @if row.waiting > 0 { br; (waiting(row.waiting)) }
            }
            @match row.room {
                Some((free, all)) => {
                    td data-label="Room" { (human_size(free)) " free of " (human_size(all)) }
                }
                None => td {},
            }
        }
    }
}

fn waiting(count: u64) -> String {
    let verb = if count == 1 { "waits" } else { "wait" };
    format!("{} {verb} for it.", counted(count, "item"))
}
