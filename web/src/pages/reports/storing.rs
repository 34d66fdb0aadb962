//! What lies in which replica.

use maud::{Markup, html};
use serde::Serialize;

use super::tabs::{ReportTab, tabs};
use crate::parts::{Badge, Tone, badge, cell, counted, empty, num, room, size};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StorageReportPage {
    /// Objects that are held.
    pub object_count: u64,
    /// Objects that are whole in no replica.
    pub nowhere_count: u64,
    /// Each replica.
    pub rows: Vec<StorageReportRow>,
}

/// One replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StorageReportRow {
    /// Its name.
    pub name: String,
    /// Which building or provider it is in.
    pub place: String,
    /// `hot` or `cold`.
    pub class: String,
    /// How it is, in a word.
    pub state: Badge,
    /// Objects that are whole and sound there.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// Free and total bytes of its disk.
    pub room: Option<(u64, u64)>,
}

/// Renders the page.
pub fn storage_report_page(shell: &Shell, page: &StorageReportPage) -> Markup {
    let main = html! {
        h1 { "Storage" }
        (tabs(ReportTab::Storage))
        @if page.nowhere_count > 0 {
            p.verdict {
                (badge(&Badge::new(
                    format!("{} whole in no replica", counted(page.nowhere_count, "object")),
                    Tone::Bad,
                )))
                " The page " a href="/fixity" { "Fixity" } " says what is missing or damaged."
            }
        }
        p.lead {
            "An object counts where there is a sound copy of every version of its files. Sizes are of \
             its files as they are now. Held: " (counted(page.object_count, "object")) "."
        }
        @if page.rows.is_empty() {
            (empty("No replica is configured.", html! { "The settings name them." }))
        } @else {
            table {
                thead { tr {
                    th scope="col" { "Replica" }
                    th scope="col" { "Place" }
                    th scope="col" { "Class" }
                    th scope="col" { "State" }
                    th.num scope="col" { "Objects" }
                    th.num scope="col" { "Files" }
                    th.num scope="col" { "Size" }
                    th scope="col" { "Room" }
                } }
                tbody { @for row in &page.rows { (line(row)) } }
            }
        }
        p {
            "For programs and spreadsheets: "
            a #report-csv href="/api/v1/reports/storage.csv" { "CSV" } ", "
            a href="/api/v1/reports/storage" { "JSON" } "."
        }
    };
    document(shell, Frame::Still, main)
}

fn line(row: &StorageReportRow) -> Markup {
    html! {
        tr {
            th.name scope="row" { bdi { (row.name) } }
            td.place data-label="Place" { bdi { (row.place) } }
            (cell("Class", &row.class))
            td data-label="State" { (badge(&row.state)) }
            (num("Objects", row.object_count))
            (num("Files", row.file_count))
            td.num data-label="Size" { (size(row.size)) }
            td data-label="Room" {
                @match row.room {
                    Some((free, total)) => (room(free, total)),
                    None => span.quiet { "not known" },
                }
            }
        }
    }
}
