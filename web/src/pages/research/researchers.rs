//! Who is at work, and how others join.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Link, cell, count, duration, empty, time_from};
use crate::shell::{Frame, Shell, document};

/// Everything the page of researchers shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ResearchersPage {
    /// Who is present, the one heard of last first.
    pub present: Vec<ResearcherRow>,
    /// After how many seconds of silence somebody does not count as present.
    pub present_seconds: f64,
    /// Where this house is reached from other machines; empty where that is not set.
    pub server: String,
    /// The version of the analyst.
    pub analyst: u32,
    /// Commands for machines without a network, in their order.
    pub packs: Vec<CommandLine>,
    /// The moment that others are compared with, as RFC 3339 in UTC.
    pub now: String,
}

/// One researcher that is present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResearcherRow {
    /// Its name.
    pub name: String,
    /// Whether it is part of this house.
    pub is_built_in: bool,
    /// The version of its analyst.
    pub analyst: u32,
    /// When it was last heard of, as RFC 3339 in UTC.
    pub heard: String,
    /// The episode that it searches, if it holds a lease.
    pub at: Option<Link>,
}

/// A command, and what it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommandLine {
    /// What it does, in a sentence.
    pub about: String,
    /// The command.
    pub command: String,
}

/// Renders the page of researchers.
pub fn researchers_page(shell: &Shell, page: &ResearchersPage) -> Markup {
    let main = html! {
        h1 { "Researchers" }
        p.lead {
            "A researcher is a program that takes a lease, searches and sends results. One is part \
             of this house; others may run on any machine."
        }
        div #researchers data-refresh="/fragments/researchers" data-every="10" {
            (researchers_fragment(page))
        }
        (joining(page))
        @if !page.packs.is_empty() { (packs(&page.packs)) }
    };
    document(shell, Frame::Live, main)
}

/// Renders who is present; served at `/fragments/researchers`.
pub fn researchers_fragment(page: &ResearchersPage) -> Markup {
    html! {
        section aria-labelledby="present-heading" {
            h2 #present-heading {
                "Present " span.tally { (count(page.present.len() as u64)) }
            }
            @if page.present.is_empty() {
                (empty("Nobody is at work.", html! { "Start one as said below." }))
            } @else { (present(&page.present, &page.now)) }
            @if page.present_seconds > 0.0 {
                p.quiet {
                    "Whoever is not heard of for " (duration(page.present_seconds)) " is not listed."
                }
            }
        }
    }
}

/// A table of those who are present.
pub(super) fn present(rows: &[ResearcherRow], now: &str) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Researcher" }
                th scope="col" { "Searches" }
                th.num scope="col" { "Analyst" }
                th scope="col" { "Last heard of" }
            } }
            tbody {
                @for row in rows {
                    tr {
                        th.name scope="row" {
                            bdi { (row.name) }
                            @if row.is_built_in { div.quiet { "part of this house" } }
                        }
                        td.place data-label="Searches" {
                            @match &row.at {
                                Some(at) => a href=(at.href) { bdi { (at.label) } },
                                None => span.quiet { "nothing now" },
                            }
                        }
                        td.num data-label="Analyst" { "version " (row.analyst) }
                        (cell("Last heard of", time_from(now, &row.heard)))
                    }
                }
            }
        }
    }
}

fn joining(page: &ResearchersPage) -> Markup {
    let server = if page.server.is_empty() { "URL" } else { page.server.as_str() };
    html! {
        section.panel aria-labelledby="join-heading" {
            h2 #join-heading { "Join from another machine" }
            ol {
                li {
                    "Make a token for taking part in research on the page of "
                    a href="/account" { "your account" }
                    ". It opens nothing else. It is shown once; keep it secret."
                }
                li {
                    "Copy this program to the machine, and run there:"
                    pre { code { "strongroom research work --server " (server) " --token T" } }
                }
                li { "It is listed above within seconds, and may be stopped at any time." }
            }
            p.quiet {
                "The searching part, the analyst, has version " (page.analyst)
                ". Any program that speaks HTTP may join as well; the description of the API says \
                 how."
            }
        }
    }
}

fn packs(rows: &[CommandLine]) -> Markup {
    html! {
        section.panel aria-labelledby="packs-heading" {
            h2 #packs-heading { "Machines without a network" }
            p {
                "A work pack is a folder with one episode, its clips and the lease. It is carried \
                 to the machine, searched there, and its results are carried back."
            }
            ol { @for row in rows { li { (row.about) pre { code { (row.command) } } } } }
        }
    }
}
