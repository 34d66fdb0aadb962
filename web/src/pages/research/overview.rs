//! How far the research is, who is at it, and what is out.

use maud::{Markup, html};
use serde::Serialize;

use super::leases::LeaseRow;
use super::researchers::ResearcherRow;
use crate::shell::{Frame, Shell, document};

/// Everything the overview of the research shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResearchPage {
    /// Episodes.
    pub episode_count: u64,
    /// Clips.
    pub clip_count: u64,
    /// Pairs of an episode and a clip that were searched.
    pub searched_pairs: u64,
    /// All pairs.
    pub all_pairs: u64,
    /// Episodes in which clips are still to be looked for.
    pub open_episodes: u64,
    /// Occurrences that were found, where that is counted.
    pub occurrence_count: Option<u64>,
    /// Episodes and clips that could not be searched.
    pub trouble_count: u64,
    /// Who is present, the one heard of last first.
    pub researchers: Vec<ResearcherRow>,
    /// What is leased, the one that ends first; a few of them.
    pub leases: Vec<LeaseRow>,
    /// Leases beyond those.
    pub leases_unshown_count: u64,
    /// The version of the analyst.
    pub analyst: u32,
    /// Whether who looks may see who holds what, and add.
    pub may_keep: bool,
    /// The moment that others are compared with, as RFC 3339 in UTC.
    pub now: String,
}

/// Renders the overview of the research.
pub fn research_page(shell: &Shell, page: &ResearchPage) -> Markup {
    let main = html! { h1 { "Research" } (research_fragment(page)) };
    document(shell, Frame::Live, main)
}

/// Renders what changes on it; served at `/fragments/research`.
pub fn research_fragment(page: &ResearchPage) -> Markup {
    let _ = page;
    html! {}
}
