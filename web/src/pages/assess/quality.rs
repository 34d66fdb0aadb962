//! Whether reference data can be used: every rule and what it found.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, cell, num, time};

/// What was looked at before a version was put to use, or refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QualityReport {
    /// The version.
    pub version: String,
    /// Whether it may be used.
    pub passed: bool,
    /// When it was looked at, as RFC 3339 in UTC.
    pub at: String,
    /// Every rule that was applied, the worst first.
    pub rows: Vec<QualityRow>,
    /// Why it was refused, in sentences.
    pub refused: Vec<String>,
    /// What was put right while loading, in sentences.
    pub cleaned: Vec<String>,
}

/// What one rule found in one layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QualityRow {
    /// The layer.
    pub layer: String,
    /// The rule, in a few words.
    pub rule: String,
    /// Whether it holds.
    pub verdict: Badge,
    /// What was found, in a sentence.
    pub sentence: String,
    /// How many rows offend.
    pub count: u64,
    /// A few of them.
    pub examples: Vec<String>,
}

/// Renders the report of the last load.
pub(super) fn quality(report: &QualityReport, id: &str) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { "Quality of version " bdi { (report.version) } }
            p {
                @if report.passed { "Every rule that must hold does, so it was put to use. " }
                @else {
                    "Some rule that must hold does not, so nothing of it was put to use and the \
                     version before it stays. Mend what is listed, and load it again. "
                }
                span.quiet { "Looked at " (time(&report.at)) "." }
            }
            @if !report.refused.is_empty() {
                h3 { "Why it was refused" }
                ul.areas { @for line in &report.refused { li { bdi { (line) } } } }
            }
            @if !report.cleaned.is_empty() {
                details {
                    summary { "What was put right while loading" }
                    ul.areas { @for line in &report.cleaned { li { bdi { (line) } } } }
                }
            }
            @if !report.rows.is_empty() {
                table {
                    thead { tr {
                        th scope="col" { "Layer" }
                        th scope="col" { "Rule" }
                        th scope="col" { "Verdict" }
                        th.num scope="col" { "Rows" }
                        th scope="col" { "What was found" }
                    } }
                    tbody { @for row in &report.rows { (line(row)) } }
                }
            }
        }
    }
}

fn line(row: &QualityRow) -> Markup {
    html! {
        tr {
            th scope="row" { (row.layer) }
            (cell("Rule", &row.rule))
            td data-label="Verdict" { (badge(&row.verdict)) }
            (num("Rows", row.count))
            td.say data-label="What was found" {
                bdi { (row.sentence) }
                @if !row.examples.is_empty() {
                    div.quiet {
                        "Such as "
                        @for (at, example) in row.examples.iter().enumerate() {
                            @if at > 0 { ", " } code { (example) }
                        }
                    }
                }
            }
        }
    }
}
