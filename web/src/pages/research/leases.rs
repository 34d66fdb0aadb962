//! The leases: who holds what until when, and who held what before.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Link, Pager, badge, cell, count, empty, pager, path, time, time_from};
use crate::shell::{Frame, Shell, document};

/// Everything the page of leases shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeasesPage {
    /// Those that are out, the one that ends first.
    pub live: Vec<LeaseRow>,
    /// Leases that are out beyond those.
    pub live_unshown_count: u64,
    /// Those that are over, the newest first.
    pub ended: Vec<EndedLeaseRow>,
    /// Which of those that are over these are.
    pub pager: Pager,
    /// Whether who looks may revoke; asked about at `/research/leases/{lease}/revoke`.
    pub may_revoke: bool,
    /// The moment that others are compared with, as RFC 3339 in UTC.
    pub now: String,
}

/// One lease that is out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeaseRow {
    /// Its id.
    pub lease: String,
    /// The episode that is searched.
    pub episode: Link,
    /// Who holds it; none while nobody has taken it.
    pub holder: Option<String>,
    /// Clips that it was made for.
    pub clip_count: u64,
    /// Clips that are left.
    pub left_count: u64,
    /// When it was made, as RFC 3339 in UTC.
    pub made: String,
    /// How often it was extended.
    pub renewals: u64,
    /// When it ends, as RFC 3339 in UTC.
    pub expires: String,
    /// Until when it is offered, as RFC 3339 in UTC, while nobody has taken it.
    pub offered_until: Option<String>,
}

/// One lease that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndedLeaseRow {
    /// Its id.
    pub lease: String,
    /// The episode that was searched.
    pub episode: Link,
    /// Who held it.
    pub holder: String,
    /// Clips that it was made for.
    pub clip_count: u64,
    /// Clips that were done.
    pub done_count: u64,
    /// When it was taken, as RFC 3339 in UTC.
    pub taken: String,
    /// How often it was extended.
    pub renewals: u64,
    /// When it ended, as RFC 3339 in UTC.
    pub ended: String,
    /// How it ended, in a word.
    pub ending: Badge,
}

/// Renders the page of leases.
pub fn leases_page(shell: &Shell, page: &LeasesPage) -> Markup {
    let main = html! {
        h1 { "Leases" }
        p.lead {
            "A lease is the right of one researcher to search one episode for some clips until a \
             moment. Each result extends it. When it ends before all is done, the rest is given to \
             somebody else; results that come late are kept all the same."
        }
        div #leases data-refresh="/fragments/leases" data-every="10" { (leases_fragment(page)) }
        (history(page))
    };
    document(shell, Frame::Live, main)
}

/// Renders the leases that are out; served at `/fragments/leases`.
pub fn leases_fragment(page: &LeasesPage) -> Markup {
    html! {
        section aria-labelledby="live-heading" {
            h2 #live-heading { "Out now" }
            @if page.live.is_empty() {
                (empty("Nothing is leased.", html! {
                    "Work is given out when a researcher is present and clips are left to be \
                     searched for. See the " a href="/research/researchers" { "researchers" } "."
                }))
            } @else {
                (live(&page.live, &page.now, page.may_revoke))
                @if page.live_unshown_count > 0 {
                    p.quiet { "and " (count(page.live_unshown_count)) " more that end later." }
                }
            }
        }
    }
}

/// A table of leases that are out.
pub(super) fn live(rows: &[LeaseRow], now: &str, may_revoke: bool) -> Markup {
    html! {
        table.items.held.slim {
            thead { tr {
                th scope="col" { "Episode" }
                th scope="col" { "Holder" }
                th.num scope="col" { "Clips left" }
                th scope="col" { "Made" }
                th.num scope="col" { "Extended" }
                th scope="col" { "Ends" }
                @if may_revoke { th scope="col" { "Actions" } }
            } }
            tbody { @for row in rows { (live_row(row, now, may_revoke)) } }
        }
    }
}

fn live_row(row: &LeaseRow, now: &str, may_revoke: bool) -> Markup {
    let revoke = path(&["research", "leases", &row.lease, "revoke"]);
    html! {
        tr {
            th scope="row" {
                a href=(row.episode.href) { bdi { (row.episode.label) } }
                div.quiet { "Lease " code { (row.lease) } }
            }
            td data-label="Holder" {
                @match &row.holder {
                    Some(holder) => bdi { (holder) },
                    None => span.quiet {
                        "nobody yet"
                        @if let Some(until) = &row.offered_until {
                            ", offered until " (time(until))
                        }
                    },
                }
            }
            td.num data-label="Clips left" {
                (count(row.left_count)) " of " (count(row.clip_count))
            }
            (cell("Made", time(&row.made)))
            td.num data-label="Extended" { (times(row.renewals)) }
            (cell("Ends", time_from(now, &row.expires)))
            @if may_revoke {
                td data-label="Actions" {
                    a.button.danger href=(revoke) {
                        "Revoke\u{2026}" span.unseen { " the lease of " (row.episode.label) }
                    }
                }
            }
        }
    }
}

fn times(renewals: u64) -> String {
    match renewals {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        many => format!("{} times", count(many)),
    }
}

fn history(page: &LeasesPage) -> Markup {
    html! {
        section #ended aria-labelledby="ended-heading" {
            h2 #ended-heading { "Over" }
            @if page.ended.is_empty() {
                p.quiet {
                    @if page.pager.page > 1 { "There are no rows this far down." }
                    @else { "No lease has ended yet." }
                }
            } @else {
                table.items.held.slim {
                    thead { tr {
                        th scope="col" { "Episode" }
                        th scope="col" { "Holder" }
                        th.num scope="col" { "Clips done" }
                        th scope="col" { "Taken" }
                        th.num scope="col" { "Extended" }
                        th scope="col" { "Ended" }
                        th scope="col" { "How" }
                    } }
                    tbody { @for row in &page.ended { (ended_row(row)) } }
                }
                (pager(&page.pager, |number| format!("/research/leases?page={number}#ended")))
            }
        }
    }
}

fn ended_row(row: &EndedLeaseRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(row.episode.href) { bdi { (row.episode.label) } }
                div.quiet { "Lease " code { (row.lease) } }
            }
            td data-label="Holder" { bdi { (row.holder) } }
            td.num data-label="Clips done" {
                (count(row.done_count)) " of " (count(row.clip_count))
            }
            (cell("Taken", time(&row.taken)))
            td.num data-label="Extended" { (times(row.renewals)) }
            (cell("Ended", time(&row.ended)))
            (cell("How", badge(&row.ending)))
        }
    }
}
