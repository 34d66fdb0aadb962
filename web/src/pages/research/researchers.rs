//! Who is at work, and how others join.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::Link;
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
    let main = html! { h1 { "Researchers" } (researchers_fragment(page)) };
    document(shell, Frame::Live, main)
}

/// Renders what changes on it; served at `/fragments/researchers`.
pub fn researchers_fragment(page: &ResearchersPage) -> Markup {
    let _ = page;
    html! {}
}
