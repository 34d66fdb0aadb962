//! Deposits over time.

use maud::{Markup, html};
use serde::Serialize;

use super::columns::{PlotColumn, columns};
use super::filter::{ReportChoices, ReportFilter, filter_form};
use super::tabs::{ReportTab, tabs};
use crate::parts::{empty, human_size, num, size};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrowthReportPage {
    /// What is asked for.
    pub filter: ReportFilter,
    /// What can be.
    pub choices: ReportChoices,
    /// The plot's title.
    pub title: String,
    /// The plot.
    pub columns: Vec<PlotColumn>,
    /// The latest first.
    pub rows: Vec<GrowthReportRow>,
}

/// What was held at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrowthReportRow {
    /// The month that began, or now.
    pub when: String,
    /// Whether it was worked out afterwards.
    pub is_derived: bool,
    /// Objects.
    pub object_count: u64,
    /// Files.
    pub file_count: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes more than before; below zero for less.
    pub added: Option<i64>,
}

/// Renders the page.
pub fn growth_report_page(shell: &Shell, page: &GrowthReportPage) -> Markup {
    let main = html! {
        h1 { "Growth" }
        (tabs(ReportTab::Growth))
        (filter_form("/reports/growth", &page.filter, &page.choices, true))
        @if page.rows.is_empty() {
            (empty("No month is written down for what is asked.", html! {
                "What is held is written down when a month begins."
            }))
        } @else {
            (columns(&page.title, &page.columns))
            (table(&page.rows))
        }
        p {
            "For programs and spreadsheets, by institution and option: "
            a #report-csv href=(page.filter.address("/api/v1/reports/growth.csv")) { "CSV" } ", "
            a href=(page.filter.address("/api/v1/reports/growth")) { "JSON" }
            ". What is written down for a month stays, whatever is deleted later."
        }
    };
    document(shell, Frame::Still, main)
}

fn table(rows: &[GrowthReportRow]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Beginning of" }
                th.num scope="col" { "Objects" }
                th.num scope="col" { "Files" }
                th.num scope="col" { "Size" }
                th.num scope="col" { "Change" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" {
                            (row.when)
                            @if row.is_derived { " " span.quiet { "worked out afterwards" } }
                        }
                        (num("Objects", row.object_count))
                        (num("Files", row.file_count))
                        td.num data-label="Size" { (size(row.size)) }
                        td.num data-label="Change" { (change(row.added)) }
                    }
                }
            }
        }
    }
}

fn change(added: Option<i64>) -> String {
    match added {
        None => "\u{2013}".to_owned(),
        Some(0) => "none".to_owned(),
        Some(more @ 1..) => format!("+{}", human_size(more.unsigned_abs())),
        Some(less) => format!("\u{2212}{}", human_size(less.unsigned_abs())),
    }
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn change_says_its_direction() {
        let shown = [None, Some(0), Some(1500), Some(-1500)].map(change);
        assert_eq!(shown, ["\u{2013}", "none", "+1.5 kB", "\u{2212}1.5 kB"]);
    }
}
