//! Deposits by institution and storage option.

use maud::{Markup, html};
use serde::Serialize;

use super::filter::{ReportChoices, ReportFilter, filter_form};
use super::tabs::{ReportTab, tabs};
use crate::parts::{cell, count, empty, num, size, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DepositsReportPage {
    /// What is asked for.
    pub filter: ReportFilter,
    /// What can be.
    pub choices: ReportChoices,
    /// The moment of the figures.
    pub at: String,
    /// Whether they are of the beginning of a month.
    pub is_month: bool,
    /// Whether they were worked out afterwards.
    pub is_derived: bool,
    /// By institution and option.
    pub rows: Vec<DepositsReportRow>,
    /// Rows beyond those.
    pub unshown_count: u64,
    /// All of it together.
    pub total: DepositsReportRow,
}

/// What one institution holds under one option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DepositsReportRow {
    /// The institution's name.
    pub institution: String,
    /// The option.
    pub storage_option: String,
    /// Objects.
    pub object_count: u64,
    /// Files.
    pub file_count: u64,
    /// Bytes.
    pub size: u64,
    /// Its share of all in tenths of a percent.
    pub share: u64,
}

/// Renders the page.
pub fn deposits_report_page(shell: &Shell, page: &DepositsReportPage) -> Markup {
    let path = "/reports/deposits";
    let main = html! {
        h1 { "Deposits" }
        (tabs(ReportTab::Deposits))
        (filter_form(path, &page.filter, &page.choices, false))
        p {
            @if page.is_month { "As it was on " } @else { "As it is now, " }
            (time(&page.at)) "."
            @if page.is_derived {
                " The appliance did not write it down at the time: it was worked out afterwards from \
                 what the registry still knew."
            }
        }
        @if page.rows.is_empty() {
            (empty("Nothing was held then, of what is asked for.", html! {
                a href="/deposits" { "Send a bag" } ", or ask for something else above."
            }))
        } @else { (table(page)) }
        p {
            "For programs and spreadsheets: "
            a #report-csv href=(page.filter.address("/api/v1/reports/deposits.csv")) { "CSV" } ", "
            a href=(page.filter.address("/api/v1/reports/deposits")) { "JSON" }
            ". The figures of a member include those of its accounts."
        }
    };
    document(shell, Frame::Still, main)
}

fn table(page: &DepositsReportPage) -> Markup {
    let drawn = if page.filter.metric.is_empty() { "bytes" } else { &page.filter.metric };
    html! {
        table.formats {
            thead { tr {
                th scope="col" { "Institution" }
                th scope="col" { "Storage option" }
                th.num scope="col" { "Objects" }
                th.num scope="col" { "Files" }
                th.num scope="col" { "Size" }
                th scope="col" { "Share of " (drawn) }
            } }
            tbody { @for row in &page.rows { (line(row)) } }
            tfoot { (sum(&page.total)) }
        }
        @if page.unshown_count > 0 {
            p.quiet { "and " (count(page.unshown_count)) " more rows, in the table to download." }
        }
    }
}

fn line(row: &DepositsReportRow) -> Markup {
    html! {
        tr {
            th.name scope="row" { bdi { (row.institution) } }
            (cell("Storage option", &row.storage_option))
            (num("Objects", row.object_count))
            (num("Files", row.file_count))
            td.num data-label="Size" { (size(row.size)) }
            td data-label="Share" { (share(row.share)) }
        }
    }
}

fn sum(row: &DepositsReportRow) -> Markup {
    html! {
        tr {
            th scope="row" { "All together" }
            td {}
            (num("Objects", row.object_count))
            (num("Files", row.file_count))
            td.num data-label="Size" { (size(row.size)) }
            td {}
        }
    }
}

/// A bar, and the same in words.
pub(super) fn share(tenths: u64) -> Markup {
    let tenths = tenths.min(1000);
    html! {
        span.share {
            svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
                rect width=(tenths.max(4)) height="10" {}
            }
            @if tenths == 0 { "under 0.1 %" } @else { (tenths / 10) "." (tenths % 10) " %" }
        }
    }
}
