//! One clip: what it is, how it sounds, and all of its occurrences.

use maud::{Markup, html};
use serde::Serialize;

use super::player::Player;
use super::troubles::ResearchTrouble;
use crate::parts::{Badge, Fact, Link, Pager};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one clip shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClipPage {
    /// Its number.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// How far it is.
    pub state: Badge,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// How it is played; none when its bytes cannot be given out from here.
    pub player: Option<Player>,
    /// Its occurrences on this page.
    pub rows: Vec<ClipOccurrenceRow>,
    /// Which of its occurrences these are.
    pub pager: Pager,
    /// The address of a page of its occurrences, without the number at its end.
    pub page_href: String,
    /// Episodes in which it was looked for.
    pub searched_count: u64,
    /// Episodes that there are.
    pub episode_count: u64,
    /// Episodes in which it was found.
    pub found_in_count: u64,
    /// What could not be searched.
    pub troubles: Vec<ResearchTrouble>,
    /// Its results as CSV and JSON, named by their kind.
    pub exports: Vec<Link>,
    /// Whether it may be searched for again, by POST to `/research/clips/{id}/again`.
    pub may_search_again: bool,
    /// The version of the analyst that would search.
    pub analyst: u32,
}

/// One occurrence of a clip.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClipOccurrenceRow {
    /// The episode.
    pub episode: Link,
    /// When that was aired, as RFC 3339 in UTC.
    pub aired: Option<String>,
    /// How the episode is played; none when its bytes cannot be given out from here.
    pub player: Option<Player>,
    /// Where the clip begins; below zero when its beginning was cut off.
    pub offset_ns: i64,
    /// How much of it was recognised.
    pub extent_ns: i64,
    /// How sure it is, out of a million.
    pub confidence_ppm: u32,
}

/// Renders the page of one clip.
pub fn clip_page(shell: &Shell, page: &ClipPage) -> Markup {
    document(shell, Frame::Still, html! { h1 { (page.title) } })
}
