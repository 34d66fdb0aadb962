//! The way from one report to the others.

use maud::{Markup, html};

/// Which report is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportTab {
    /// By institution and option.
    Deposits,
    /// Over time.
    Growth,
    /// By format.
    Formats,
    /// By replica.
    Storage,
    /// The scorecard.
    Ndsa,
}

impl ReportTab {
    /// In the order of the pages.
    pub(super) const ALL: [ReportTab; 5] = [
        ReportTab::Deposits,
        ReportTab::Growth,
        ReportTab::Formats,
        ReportTab::Storage,
        ReportTab::Ndsa,
    ];

    pub(super) fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            ReportTab::Deposits => (
                "/reports/deposits",
                "Deposits",
                "What each institution holds under which storage option, now or when a month began.",
            ),
            ReportTab::Growth => {
                ("/reports/growth", "Growth", "How what is held has grown, month by month.")
            }
            ReportTab::Formats => (
                "/reports/formats",
                "Formats",
                "Which formats the files have, and which files have none that is known.",
            ),
            ReportTab::Storage => (
                "/reports/storage",
                "Storage",
                "What each replica holds, where it is, and how much room is left.",
            ),
            ReportTab::Ndsa => (
                "/reports/ndsa",
                "NDSA Levels",
                "How far the archive has come by the Levels of Digital Preservation, with evidence.",
            ),
        }
    }
}

/// Renders the links; checks have a page of their own.
pub(super) fn tabs(here: ReportTab) -> Markup {
    html! {
        nav.tabs aria-label="Reports" {
            @for tab in ReportTab::ALL {
                @let (href, label, _) = tab.entry();
                a href=(href) aria-current=[(tab == here).then_some("page")] { (label) }
            }
            a href="/fixity" { "Fixity" }
        }
    }
}
