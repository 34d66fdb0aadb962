//! Where something is kept, and how its copies were found.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, cell, time};

/// What a reader wants to know first: is it safe?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Safety {
    /// In three words: "Two verified copies".
    pub verdict: Badge,
    /// What that rests on, or what is wrong and what to do.
    pub sentence: String,
}

/// What one replica has of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CopyLine {
    /// The replica's name.
    pub replica: String,
    /// Which building or provider it is in.
    pub place: String,
    /// Its address.
    pub address: String,
    /// How the copies were found.
    pub state: Badge,
    /// How many there are, for people; empty for a single file.
    pub copies: String,
    /// When it was written, for a single file.
    pub stored: Option<String>,
    /// When it was read back after that, for a single file.
    pub verified: Option<String>,
    /// When it was last looked at; of many, the one for which that is longest ago.
    pub checked: String,
}

/// Renders the copies as a section, and what may be done with them.
pub(super) fn copies(safety: &Safety, lines: &[CopyLine], actions: Markup) -> Markup {
    let single = lines.iter().any(|line| line.stored.is_some());
    html! {
        section.safety aria-labelledby="copies-heading" {
            h2 #copies-heading { "Copies" }
            p.verdict { (badge(&safety.verdict)) }
            p { (safety.sentence) }
            @if !lines.is_empty() {
                table {
                    thead { tr {
                        th scope="col" { "Replica" }
                        th scope="col" { "Place" }
                        th scope="col" { "State" }
                        th scope="col" { @if single { "Stored, verified" } @else { "Copies" } }
                        th scope="col" { (checked(single)) }
                    } }
                    tbody { @for line in lines { (row(line, single)) } }
                }
            }
            (actions)
        }
    }
}

/// Of many files it is the oldest: all others were looked at since.
fn checked(single: bool) -> &'static str {
    if single { "Last check" } else { "Oldest check" }
}

fn row(line: &CopyLine, single: bool) -> Markup {
    html! {
        tr {
            th scope="row" { bdi { (line.replica) } }
            td.place data-label="Place" {
                @if !line.place.is_empty() { bdi { (line.place) } br; }
                code { (line.address) }
            }
            td data-label="State" { (badge(&line.state)) }
            @if single {
                td data-label="Stored, verified" {
                    @for at in line.stored.iter().chain(&line.verified) { div { (time(at)) } }
                }
            } @else { (cell("Copies", &line.copies)) }
            (cell(checked(single), time(&line.checked)))
        }
    }
}
