//! What somebody holds and what waits for them: the first part of the front page.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, badge, cell, count, counted, empty, num, path, query, size, time};

/// What concerns whoever looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OwnOverview {
    /// What is held, by storage option.
    pub held: Vec<HeldLine>,
    /// The last items, newest first; none are listed for those who look after the house.
    pub items: Option<Vec<LastItem>>,
    /// Alerts that were not read.
    pub unread: u64,
    /// Requests to delete that wait for this person's word.
    pub deletions: Vec<WaitingDeletion>,
    /// Deposits that are being taken in.
    pub under_way: u64,
    /// Whether this person may deposit.
    pub may_deposit: bool,
}

/// What is held under one storage option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HeldLine {
    /// The option.
    pub option: String,
    /// Objects.
    pub object_count: u64,
    /// Their files.
    pub file_count: u64,
    /// The bytes of these.
    pub size: u64,
}

/// One item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LastItem {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// What it does.
    pub action: String,
    /// How far it is.
    pub status: Badge,
    /// When it last changed, as RFC 3339 in UTC.
    pub changed: String,
}

/// A request to delete that waits for a second person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WaitingDeletion {
    /// Its number.
    pub id: i64,
    /// Who asked.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// Renders what concerns whoever looks at it.
pub(super) fn own_fragment(own: &OwnOverview) -> Markup {
    html! {
        section aria-labelledby="own-heading" {
            h2 #own-heading { "For you" }
            ul.needs {
                @if own.unread > 0 {
                    li { a #own-unread href="/alerts?unread=true" {
                        (counted(own.unread, "unread alert"))
                    } }
                }
                @for request in &own.deletions { li { (deletion(request)) } }
                @if own.under_way > 0 {
                    li { a #own-under-way href="/deposits" {
                        (counted(own.under_way, "deposit")) " under way"
                    } }
                }
                @if own.unread == 0 && own.deletions.is_empty() && own.under_way == 0 {
                    li.quiet { "Nothing waits for you." }
                }
            }
            @if own.may_deposit {
                p { a.button #own-send href="/deposits" { "Send a bag" } }
            }
        }
        section aria-labelledby="own-held-heading" {
            h2 #own-held-heading { "What is held" }
            (held(own))
        }
        @if let Some(items) = &own.items {
            section aria-labelledby="own-items-heading" {
                h2 #own-items-heading { "Last items" }
                (last_items(items))
            }
        }
    }
}

fn deletion(request: &WaitingDeletion) -> Markup {
    html! {
        a id={ "own-deletion-" (request.id) } href=(path(&["deletions", &request.id.to_string()])) {
            "Deletion request " (request.id)
        }
        " by " bdi { (request.by) } " waits for your word: " bdi { (request.reason) }
    }
}

fn held(own: &OwnOverview) -> Markup {
    if own.held.is_empty() {
        return empty(
            "Nothing is held yet.",
            html! {
                @if own.may_deposit { "Send a first bag: " a href="/deposits" { "go to Deposits" } "." }
                @else { "What is deposited is added up here." }
            },
        );
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "Storage option" }
                th.num scope="col" { "Objects" }
                th.num scope="col" { "Files" }
                th.num scope="col" { "Size" }
            } }
            tbody {
                @for row in &own.held {
                    tr {
                        th scope="row" {
                            a id={ "own-option-" (row.option) }
                                href={ "/objects" (query(&[("storage_option", &row.option)])) } {
                                (row.option)
                            }
                        }
                        (num("Objects", row.object_count))
                        td.num data-label="Files" { (count(row.file_count)) }
                        td.num data-label="Size" { (size(row.size)) }
                    }
                }
            }
        }
    }
}

fn last_items(rows: &[LastItem]) -> Markup {
    if rows.is_empty() {
        return empty(
            "There are no items yet.",
            html! {
                "Whatever is done for you is listed here, as soon as you send a bag or ask for something."
            },
        );
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "Name" }
                th scope="col" { "Action" }
                th scope="col" { "Status" }
                th scope="col" { "Changed" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th.name scope="row" {
                            a href=(path(&["items", &row.id.to_string()])) { bdi { (row.name) } }
                        }
                        (cell("Action", &row.action))
                        (cell("Status", badge(&row.status)))
                        (cell("Changed", time(&row.changed)))
                    }
                }
            }
        }
    }
}
