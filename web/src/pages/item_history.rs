//! What was tried with one item, and what was found wrong with it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Link, badge, cell, count, duration, empty, time};

/// One attempt at one stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AttemptRow {
    /// Its number, from 1 over the whole life of the item.
    pub number: u64,
    /// The stage, for people.
    pub stage: String,
    /// When it started, as RFC 3339 in UTC.
    pub started: String,
    /// How long it took; none while it runs.
    pub took_seconds: Option<f64>,
    /// How it ended.
    pub outcome: Badge,
    /// What it said.
    pub note: String,
}

/// The findings of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingGroup {
    /// The attempt's number.
    pub attempt: u64,
    /// The stage, for people.
    pub stage: String,
    /// The findings, gravest first.
    pub findings: Vec<FindingRow>,
    /// Findings beyond those listed.
    pub unshown_count: u64,
}

/// One thing wrong with a deposit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingRow {
    /// How grave it is, in a word.
    pub severity: Badge,
    /// Its code.
    pub code: String,
    /// Where it is: a file, a tag, a line.
    pub place: String,
    /// What it is, in a sentence.
    pub sentence: String,
}

/// Renders the attempts as a section.
pub(super) fn attempts(rows: &[AttemptRow]) -> Markup {
    html! {
        section aria-labelledby="attempts-heading" {
            h2 #attempts-heading { "Attempts" }
            @if rows.is_empty() {
                (empty("Nothing was tried yet.", html! {
                    "The item waits for its first stage; nothing needs doing."
                }))
            } @else {
                table {
                    thead { tr {
                        th.num scope="col" { "No." }
                        th scope="col" { "Stage" }
                        th scope="col" { "Started" }
                        th.num scope="col" { "Took" }
                        th scope="col" { "Outcome" }
                        th scope="col" { "Note" }
                    } }
                    tbody { @for row in rows { (attempt_row(row)) } }
                }
            }
        }
    }
}

fn attempt_row(row: &AttemptRow) -> Markup {
    let took = row.took_seconds.map_or_else(|| "running".to_owned(), duration);
    html! {
        tr {
            td.num data-label="No." { (count(row.number)) }
            th scope="row" { (row.stage) }
            (cell("Started", time(&row.started)))
            td.num data-label="Took" { (took) }
            (cell("Outcome", badge(&row.outcome)))
            @if row.note.is_empty() { td {} } @else { td.say data-label="Note" { (row.note) } }
        }
    }
}

/// Renders the findings as a section, or nothing when there are none.
pub(super) fn findings(groups: &[FindingGroup], report: Option<&Link>) -> Markup {
    html! {
        @if !groups.is_empty() {
            section aria-labelledby="findings-heading" {
                h2 #findings-heading { "Findings" }
                @if let Some(report) = report {
                    p { a.button #report href=(report.href) { (report.label) } }
                }
                @for group in groups {
                    table {
                        caption { "Attempt " (count(group.attempt)) ", " (group.stage) }
                        thead { tr {
                            th scope="col" { "Severity" }
                            th scope="col" { "Code" }
                            th scope="col" { "Place" }
                            th scope="col" { "Finding" }
                        } }
                        tbody { @for row in &group.findings { (finding_row(row)) } }
                    }
                    @if group.unshown_count > 0 {
                        p.quiet { "and " (count(group.unshown_count)) " more." }
                    }
                }
            }
        }
    }
}

fn finding_row(row: &FindingRow) -> Markup {
    html! {
        tr {
            (cell("Severity", badge(&row.severity)))
            td data-label="Code" { code { (row.code) } }
            td.place data-label="Place" { bdi { (row.place) } }
            td.say data-label="Finding" { (row.sentence) }
        }
    }
}
