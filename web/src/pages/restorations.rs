//! Restorations: what is under way, what lies ready, and how rehearsals went.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Link, badge, cell, empty, path, size, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page of restorations shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RestorationsPage {
    /// What is still to be done, or waits for a person, the newest first.
    pub under_way: Vec<UnderWayRow>,
    /// What lies in the areas, the newest first.
    pub ready: Vec<ReadyRow>,
    /// The folder whose folders are the areas.
    pub area: String,
    /// How long things stay there, for people.
    pub stay: String,
    /// How rehearsals went, in sentences; none when there are none.
    pub rehearsals: Vec<String>,
}

/// A restoration on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnderWayRow {
    /// Its item.
    pub item: u64,
    /// What is restored.
    pub what: String,
    /// Where it stands, in a word.
    pub state: Badge,
    /// The latest message.
    pub note: String,
    /// When it was asked for, as RFC 3339 in UTC.
    pub asked: String,
    /// Who asked.
    pub user: String,
}

/// Something that was restored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadyRow {
    /// Its item.
    pub item: u64,
    /// What it is, with the way to it.
    pub what: Link,
    /// Which version of it.
    pub version: u64,
    /// Where it lies.
    pub path: String,
    /// Its bytes.
    pub size_bytes: u64,
    /// When it was restored, as RFC 3339 in UTC.
    pub restored: String,
    /// Who asked for it.
    pub user: String,
    /// How it stands, in a word.
    pub state: Badge,
    /// When it goes, as RFC 3339 in UTC.
    pub expires: String,
    /// Whether it can be had.
    pub is_there: bool,
}

/// Renders the page of restorations.
pub fn restorations_page(shell: &Shell, page: &RestorationsPage) -> Markup {
    let main = html! {
        h1 { "Restorations" }
        p {
            "An object or a file is restored with the button on its page. It is put into "
            code { (page.area) } ", below the name of its institution, and stays there for "
            (page.stay) "."
        }
        div #restorations data-refresh="/fragments/restorations" data-every="5" {
            (restorations_fragment(page))
        }
    };
    document(shell, Frame::Watched, main)
}

/// Renders the lists alone; served at `/fragments/restorations`.
pub fn restorations_fragment(page: &RestorationsPage) -> Markup {
    html! {
        @if !page.under_way.is_empty() {
            section aria-labelledby="under-way-heading" {
                h2 #under-way-heading { "Under way" }
                table {
                    thead { tr {
                        th scope="col" { "What" }
                        th scope="col" { "State" }
                        th scope="col" { "Asked for" }
                        th scope="col" { "What is done" }
                    } }
                    tbody { @for row in &page.under_way { (under_way(row)) } }
                }
            }
        }
        section aria-labelledby="ready-heading" {
            h2 #ready-heading { "Ready" }
            (ready(&page.ready))
        }
        @if !page.rehearsals.is_empty() {
            section.panel aria-labelledby="rehearsals-heading" {
                h2 #rehearsals-heading { "Rehearsals" }
                @for sentence in &page.rehearsals { p { (sentence) } }
            }
        }
    }
}

fn under_way(row: &UnderWayRow) -> Markup {
    html! {
        tr {
            th.name scope="row" {
                a href=(path(&["items", &row.item.to_string()])) { bdi { (row.what) } }
            }
            (cell("State", badge(&row.state)))
            td data-label="Asked for" { (time(&row.asked)) br; bdi { (row.user) } }
            td.say data-label="What is done" { bdi { (row.note) } }
        }
    }
}

fn ready(rows: &[ReadyRow]) -> Markup {
    if rows.is_empty() {
        return empty(
            "Nothing lies ready.",
            html! {
                "Ask for an object on its page; " a href="/objects" { "all objects" } "."
            },
        );
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "What, and where it lies" }
                th.num scope="col" { "Size" }
                th scope="col" { "Restored" }
                th scope="col" { "State" }
                th scope="col" { "Get it" }
            } }
            tbody { @for row in rows { (ready_row(row)) } }
        }
    }
}

fn ready_row(row: &ReadyRow) -> Markup {
    html! {
        tr {
            th.place scope="row" {
                a href=(row.what.href) { bdi { (row.what.label) } }
                div.quiet { "Version " (row.version) }
                code { (row.path) }
            }
            td.num data-label="Size" { (size(row.size_bytes)) }
            td data-label="Restored" { (time(&row.restored)) br; bdi { (row.user) } }
            td data-label="State" {
                (badge(&row.state))
                @if row.is_there { br; "will be removed on " (time(&row.expires)) }
            }
            td data-label="Get it" {
                @if row.is_there {
                    a href=(path(&["restorations", &row.item.to_string(), "download"])) download {
                        "Download" span.unseen { " " (row.what.label) }
                    }
                }
            }
        }
    }
}
