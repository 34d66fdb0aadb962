//! How far the research is, who is at it, and what is out.

use maud::{Markup, html};
use serde::Serialize;

use super::leases::{LeaseRow, live};
use super::researchers::{ResearcherRow, present};
use crate::parts::{count, counted, empty};
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
    let main = html! {
        h1 { "Research" }
        p.lead {
            "Where short recordings, clips, occur in long ones, episodes. Every clip is looked for \
             in every episode, by researchers on this machine or on others."
        }
        div #research data-refresh="/fragments/research" data-every="10" {
            (research_fragment(page))
        }
    };
    document(shell, Frame::Live, main)
}

/// Renders what changes on it; served at `/fragments/research`.
pub fn research_fragment(page: &ResearchPage) -> Markup {
    html! {
        (far(page))
        section aria-labelledby="present-heading" {
            h2 #present-heading {
                "Researchers present " span.tally { (count(page.researchers.len() as u64)) }
            }
            @if page.researchers.is_empty() {
                (empty("Nobody is at work.", html! {
                    a href="/research/researchers" { "How researchers join" } "."
                }))
            } @else { (present(&page.researchers, &page.now)) }
        }
        section aria-labelledby="leased-heading" {
            h2 #leased-heading { "Leased now" }
            @if page.leases.is_empty() {
                p.quiet { "Nothing is leased." }
            } @else {
                (live(&page.leases, &page.now, false))
                p {
                    a href="/research/leases" {
                        "All leases"
                        @if page.leases_unshown_count > 0 {
                            ", with " (count(page.leases_unshown_count)) " more"
                        }
                    }
                }
            }
        }
    }
}

fn far(page: &ResearchPage) -> Markup {
    html! {
        section aria-labelledby="far-heading" {
            h2 #far-heading { "How far it is" }
            @if page.all_pairs == 0 { (empty("There is nothing to search yet.", begin(page))) }
            @else {
                p.progress {
                    progress max=(page.all_pairs) value=(page.searched_pairs.min(page.all_pairs))
                        aria-label="Pairs searched" {}
                    span.progress-words { (share(page)) }
                }
            }
            dl.tiles {
                div { dt { a href="/research/episodes" { "Episodes" } } dd { (count(page.episode_count)) } }
                div { dt { a href="/research/clips" { "Clips" } } dd { (count(page.clip_count)) } }
                div { dt { "Episodes with clips left" } dd { (count(page.open_episodes)) } }
                @if let Some(found) = page.occurrence_count {
                    div { dt { "Occurrences found" } dd { (count(found)) } }
                }
                div { dt { "Could not be searched" } dd { (count(page.trouble_count)) } }
                div { dt { "Analyst" } dd { "version " (page.analyst) } }
            }
        }
    }
}

fn begin(page: &ResearchPage) -> Markup {
    html! {
        @match (page.episode_count, page.clip_count) {
            (0, 0) => "Episodes and clips are missing. ",
            (0, _) => "Episodes are missing. ",
            (_, _) => "Clips are missing. ",
        }
        @if page.may_keep {
            "Add them on the pages " a href="/research/episodes" { "Episodes" } " and "
            a href="/research/clips" { "Clips" } ": by hand, from a file, or from an object that is \
             held."
        } @else { "Ask an administrator to add them." }
    }
}

/// The share to a hundredth, never told as all while something is left.
fn share(page: &ResearchPage) -> String {
    let done = page.searched_pairs.min(page.all_pairs);
    let parts = u128::from(done) * 10_000 / u128::from(page.all_pairs.max(1));
    format!(
        "{} of {} searched ({}.{:02} %)",
        count(done),
        counted(page.all_pairs, "pair"),
        parts / 100,
        parts % 100
    )
}
