//! The way around: groups of pages in the bar, and below it the pages of the group one is in.
//!
//! Plain links in two rows, not menus that open: everything is reached without script, by keyboard,
//! and on a narrow screen, and the bar holds five words instead of twenty.

use maud::{Markup, html};
use serde::Serialize;

use crate::shell::Shell;

/// Which entry of the navigation is the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Here {
    /// The front page.
    Overview,
    /// The stages and what waits before them.
    Queues,
    /// The items, or one of them.
    Items,
    /// The receiving areas.
    Deposits,
    /// What is held: the objects, or one of them.
    Objects,
    /// The files of all objects, or one of them.
    Files,
    /// Whether what is held is sound.
    Fixity,
    /// What is given back.
    Restorations,
    /// What was looked for by words.
    Search,
    /// What happened to what is held.
    Events,
    /// Requests to delete.
    Deletions,
    /// What is held, added up.
    Reports,
    /// Assessments of sites, or one of them.
    Assessments,
    /// What assessments stand on.
    ReferenceData,
    /// How far the research is.
    Research,
    /// Long recordings, in which is searched, or one of them.
    Episodes,
    /// Short recordings, which are searched for, or one of them.
    Clips,
    /// Where episodes and clips come from by themselves.
    Feeds,
    /// Who holds what work.
    Leases,
    /// Who searches.
    Researchers,
    /// What people were told of.
    Alerts,
    /// Users, or one of them.
    Users,
    /// Institutions, or one of them.
    Institutions,
    /// The log of who did what.
    Audit,
    /// Where preserved bytes lie.
    Storage,
    /// When the sweeps look for work.
    Schedules,
    /// How the house is set up.
    Settings,
    /// What the words mean.
    Help,
    /// None of them, as on a problem page.
    #[default]
    None,
}

/// One page of the navigation: what it is, its address and its name.
type Entry = (Here, &'static str, &'static str);

/// The groups in their order, each with its pages. A group of one page goes by the page's name.
const GROUPS: [(&str, &[Entry]); 8] = [
    ("Overview", &[(Here::Overview, "/", "Overview")]),
    (
        "Holdings",
        &[
            (Here::Objects, "/objects", "Objects"),
            (Here::Files, "/files", "Files"),
            (Here::Deposits, "/deposits", "Deposits"),
            (Here::Restorations, "/restorations", "Restorations"),
            (Here::Deletions, "/deletions", "Deletions"),
            (Here::Fixity, "/fixity", "Fixity"),
            (Here::Events, "/events", "Events"),
            (Here::Reports, "/reports", "Reports"),
        ],
    ),
    (
        "Work",
        &[
            (Here::Items, "/items", "Items"),
            (Here::Queues, "/queues", "Queues"),
            (Here::Schedules, "/schedules", "Schedules"),
        ],
    ),
    (
        "Assess",
        &[
            (Here::Assessments, "/assessments", "Assessments"),
            (Here::ReferenceData, "/reference-data", "Reference data"),
        ],
    ),
    (
        "Research",
        &[
            (Here::Research, "/research", "Research progress"),
            (Here::Episodes, "/research/episodes", "Episodes"),
            (Here::Clips, "/research/clips", "Clips"),
            (Here::Feeds, "/research/feeds", "Feeds"),
            (Here::Leases, "/research/leases", "Leases"),
            (Here::Researchers, "/research/researchers", "Researchers"),
        ],
    ),
    ("Alerts", &[(Here::Alerts, "/alerts", "Alerts")]),
    (
        "House",
        &[
            (Here::Users, "/users", "Users"),
            (Here::Institutions, "/institutions", "Institutions"),
            (Here::Storage, "/storage", "Storage"),
            (Here::Settings, "/settings", "Settings"),
            (Here::Audit, "/audit", "Log"),
        ],
    ),
    ("Help", &[(Here::Help, "/help", "Help")]),
];

impl Here {
    /// Every entry of the navigation, in its order.
    pub fn entries() -> impl Iterator<Item = Here> {
        GROUPS.into_iter().flat_map(|(_, pages)| pages).map(|entry| entry.0)
    }
}

/// The bar: one link for each group that holds a page open to the reader.
pub(crate) fn groups(shell: &Shell) -> Markup {
    let groups = GROUPS.iter().map(|(label, pages)| (*label, open(shell, pages)));
    html! {
        @if !shell.entries.is_empty() {
            nav.groups aria-label="Main" {
                @for (label, pages) in groups {
                    @if let Some((entry, href, name)) = pages.first() {
                        a href=(href) aria-current=[current(shell, &pages)] {
                            (if pages.len() == 1 { name } else { label })
                            @if *entry == Here::Alerts && shell.unread > 0 {
                                " " span.unread { (shell.unread) " unread" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The pages of the group that the reader is in, where it has more than one.
pub(crate) fn pages(shell: &Shell) -> Markup {
    let here = GROUPS
        .iter()
        .map(|(label, pages)| (*label, open(shell, pages)))
        .find(|(_, pages)| pages.len() > 1 && pages.iter().any(|entry| entry.0 == shell.here));
    html! {
        @if let Some((label, pages)) = here {
            nav.pages aria-label=(label) {
                @for (entry, href, name) in pages {
                    a href=(href) aria-current=[(entry == shell.here).then_some("page")] { (name) }
                }
            }
        }
    }
}

/// The pages of a group that open to the reader.
fn open(shell: &Shell, pages: &[Entry]) -> Vec<Entry> {
    pages.iter().filter(|entry| shell.entries.contains(&entry.0)).copied().collect()
}

/// How a group says that the reader is in it: on its only page, or on one of several.
fn current(shell: &Shell, pages: &[Entry]) -> Option<&'static str> {
    let inside = pages.iter().any(|entry| entry.0 == shell.here);
    inside.then_some(if pages.len() == 1 { "page" } else { "true" })
}
