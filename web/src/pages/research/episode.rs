//! One episode: what it is, how it sounds, and which clips occur in it where.

use maud::{Markup, html};
use serde::Serialize;

use super::player::Player;
use super::troubles::ResearchTrouble;
use super::waveform::WavePair;
use crate::parts::{Badge, Fact, Link, Pager};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one episode shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EpisodePage {
    /// Its number.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// How far it is.
    pub state: Badge,
    /// What is known of it: aired, where its bytes are, duration, digest, curator, priority.
    pub facts: Vec<Fact>,
    /// How it is played; none when its bytes cannot be given out from here.
    pub player: Option<Player>,
    /// How long it is, once that was measured.
    pub duration_ns: Option<i64>,
    /// How it sounds; at most 400 pairs are drawn.
    pub wave: Vec<WavePair>,
    /// Where something was found: every occurrence, of which at most 500 are marked.
    pub marks: Vec<i64>,
    /// The occurrences of this page, by offset.
    pub rows: Vec<OccurrenceRow>,
    /// Which of its occurrences these are.
    pub pager: Pager,
    /// The address of a page of its occurrences, without the number at its end.
    pub page_href: String,
    /// Clips that were looked for in it.
    pub searched_count: u64,
    /// Clips that there are.
    pub clip_count: u64,
    /// Clips that were looked for and not found.
    pub not_found_count: u64,
    /// What could not be searched.
    pub troubles: Vec<ResearchTrouble>,
    /// Its results as CSV, JSON, WebVTT and cue sheet, named by their kind.
    pub exports: Vec<Link>,
    /// Whether it may be searched again, by POST to `/research/episodes/{id}/again`.
    pub may_search_again: bool,
    /// The version of the analyst that would search.
    pub analyst: u32,
}

/// One occurrence of a clip in an episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OccurrenceRow {
    /// Its number among those of the episode, from 1: the waveform bears the same.
    pub number: u64,
    /// The clip.
    pub clip: Link,
    /// Where the clip begins; below zero when its beginning was cut off.
    pub offset_ns: i64,
    /// How much of it was recognised.
    pub extent_ns: i64,
    /// How sure it is, out of a million.
    pub confidence_ppm: u32,
    /// Who found it.
    pub researcher: String,
    /// The version of the analyst that found it.
    pub analyst: u32,
}

/// Renders the page of one episode.
pub fn episode_page(shell: &Shell, page: &EpisodePage) -> Markup {
    document(shell, Frame::Still, html! { h1 { (page.title) } })
}
