//! Formats that are held.

use maud::{Markup, html};
use serde::Serialize;

use super::deposits::share;
use super::tabs::{ReportTab, tabs};
use crate::pages::held::FormatBar;
use crate::parts::{cell, count, counted, empty, num, size};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FormatsReportPage {
    /// All files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Files whose format is not known.
    pub unidentified_count: u64,
    /// Their bytes.
    pub unidentified_size: u64,
    /// Files whose name and format do not agree; may be more.
    pub mismatch_count: u64,
    /// Whether there are more of them than were counted.
    pub mismatch_at_least: bool,
    /// The formats, the most bytes first.
    pub rows: Vec<FormatBar>,
    /// Formats beyond those.
    pub unshown_count: u64,
}

/// Renders the page.
pub fn formats_report_page(shell: &Shell, page: &FormatsReportPage) -> Markup {
    let main = html! {
        h1 { "Formats" }
        (tabs(ReportTab::Formats))
        @if page.rows.is_empty() {
            (empty("No file is held yet.", html! { a href="/deposits" { "Send a bag" } "." }))
        } @else {
            (sums(page))
            (table(page))
        }
        p {
            "For programs and spreadsheets: "
            a #report-csv href="/api/v1/reports/formats.csv" { "CSV" } ", "
            a href="/api/v1/reports/formats" { "JSON" }
            ". Strongroom knows no list of formats at risk; the identifiers (PUID) are PRONOM's, by \
             which such lists name them."
        }
    };
    document(shell, Frame::Still, main)
}

fn sums(page: &FormatsReportPage) -> Markup {
    html! {
        dl.facts.panel {
            div { dt { "Files" } dd { (count(page.file_count)) ", " (size(page.size)) } }
            div {
                dt { "Unknown" }
                dd {
                    (counted(page.unidentified_count, "file")) " whose format is not known, "
                    (size(page.unidentified_size))
                }
            }
            div {
                dt { "Doubtful" }
                dd {
                    @if page.mismatch_at_least { "at least " }
                    (counted(page.mismatch_count, "file")) " whose name and format do not agree. "
                    @if page.mismatch_count > 0 {
                        a href="/api/v1/files?format_warnings__not_null=true" { "See them as JSON" }
                        "."
                    }
                }
            }
        }
    }
}

fn table(page: &FormatsReportPage) -> Markup {
    let tenths = |bytes: u64| {
        let part = u128::from(bytes) * 1000 / u128::from(page.size.max(1));
        u64::try_from(part).unwrap_or(1000)
    };
    html! {
        table.formats {
            thead { tr {
                th scope="col" { "Format" }
                th scope="col" { "PUID" }
                th.num scope="col" { "Files" }
                th.num scope="col" { "Size" }
                th scope="col" { "Share of bytes" }
            } }
            tbody {
                @for row in &page.rows {
                    tr {
                        th.name scope="row" { bdi { (row.name) } }
                        (cell("PUID", if row.puid.is_empty() { "unknown" } else { &row.puid }))
                        (num("Files", row.file_count))
                        td.num data-label="Size" { (size(row.size)) }
                        td data-label="Share" { (share(tenths(row.size))) }
                    }
                }
            }
        }
        @if page.unshown_count > 0 {
            p.quiet { "and " (count(page.unshown_count)) " more formats, in the table to download." }
        }
    }
}
