//! One episode: what it is, how it sounds, and which clips occur in it where.

use maud::{Markup, html};
use serde::Serialize;

use super::player::{Player, play_from, player};
use super::troubles::{ResearchTrouble, troubles};
use super::waveform::{Drawn, WavePair, waveform};
use crate::parts::{
    Badge, Fact, Link, Pager, badge, count, counted, duration, empty, facts, pager, path, play_time,
};
use crate::shell::{Frame, Shell, document};

/// A beginning that is shorter than this counts as heard: a tenth of a second.
const CUT_NS: i64 = 100_000_000;

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
    /// The occurrences of this page, by where they are heard.
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
    /// Where in the episode the recognised part begins: it is played from there.
    pub heard_ns: i64,
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
    let main = html! {
        p.eyebrow { a href="/research/episodes" { "Episodes" } " / " (page.id) }
        h1.item-name { bdi { (page.title) } }
        p.item-state { (badge(&page.state)) }
        @if !page.description.is_empty() { p.lead.said { bdi { (page.description) } } }
        section aria-labelledby="sound-heading" {
            h2 #sound-heading { "How it sounds" }
            (sound(page))
            (player(page.player.as_ref(), &page.title))
        }
        div.halves {
            div { (occurrences(page)) }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                }
                (exports(&page.exports))
                (again(page.may_search_again, &path(&["research", "episodes",
                    &page.id.to_string(), "again"]), page.analyst))
                (removal(page.may_search_again, &path(&["research", "episodes",
                    &page.id.to_string(), "remove"]), "episode"))
            }
            div { (troubles(&page.troubles)) }
        }
    };
    document(shell, Frame::Still, main)
}

fn sound(page: &EpisodePage) -> Markup {
    let numbered: Vec<(u64, i64)> =
        page.rows.iter().map(|row| (row.number, row.heard_ns)).collect();
    let duration_ns = page.duration_ns.unwrap_or_default();
    waveform(&page.wave, &page.marks, Drawn { duration_ns, numbered: &numbered })
}

fn occurrences(page: &EpisodePage) -> Markup {
    html! {
        section #occurrences aria-labelledby="occurrences-heading" {
            h2 #occurrences-heading { "Occurrences" }
            p {
                (counted(page.searched_count, "clip")) " of " (count(page.clip_count))
                " were looked for; " (count(page.not_found_count)) " of them were not found."
            }
            @if page.rows.is_empty() {
                (empty("Nothing was found yet.", html! {
                    @if page.searched_count < page.clip_count {
                        "The rest is searched as soon as a researcher has time."
                    } @else { "No clip that is known occurs in it." }
                }))
            } @else {
                table.found {
                    thead { tr {
                        th.num scope="col" { "No." }
                        th scope="col" { "Clip" }
                        th.num scope="col" { "Heard from" }
                        th.num scope="col" { "Recognised" }
                        th.num scope="col" { "Sure to" }
                        @if page.player.is_some() { th scope="col" { "Actions" } }
                    } }
                    tbody { @for row in &page.rows { (line(page, row)) } }
                }
                (pager(&page.pager, |number| format!("{}{number}#occurrences", page.page_href)))
            }
        }
    }
}

fn line(page: &EpisodePage, row: &OccurrenceRow) -> Markup {
    html! {
        tr {
            td.num data-label="No." { (count(row.number)) }
            th.name scope="row" {
                a href=(row.clip.href) { bdi { (row.clip.label) } }
                @if !row.researcher.is_empty() {
                    div.quiet {
                        "found by " bdi { (row.researcher) } ", analyst " (row.analyst)
                    }
                }
            }
            td.num data-label="Heard from" { (heard(row.heard_ns, row.offset_ns)) }
            td.num data-label="Recognised" { (duration(seconds(row.extent_ns))) }
            td.num data-label="Sure to" { (sure(row.confidence_ppm)) }
            @if page.player.is_some() {
                td data-label="Actions" {
                    (play_from(page.player.as_ref(), row.heard_ns, &row.clip.label))
                }
            }
        }
    }
}

/// Writes where a clip is heard; with where it would begin, when its beginning was cut off.
pub(super) fn heard(heard_ns: i64, offset_ns: i64) -> Markup {
    html! {
        (play_time(heard_ns))
        @if heard_ns.saturating_sub(offset_ns) >= CUT_NS {
            div.quiet { "would begin at " (play_time(offset_ns)) }
        }
    }
}

pub(super) fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Writes a confidence: `99.8 %`; never all of it, because nothing is that sure.
pub(super) fn sure(ppm: u32) -> String {
    let tenths = (ppm / 1000).min(999);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Renders the results as files; nothing when there are none.
pub(super) fn exports(links: &[Link]) -> Markup {
    html! {
        @if !links.is_empty() {
            section.panel.take aria-labelledby="take-heading" {
                h2 #take-heading { "Take it with you" }
                p.actions {
                    @for link in links { a.button href=(link.href) download { (link.label) } }
                }
            }
        }
    }
}

/// Renders the form that asks for another search; nothing for those who may not.
pub(super) fn again(may: bool, action: &str, analyst: u32) -> Markup {
    html! {
        @if may {
            section.panel aria-labelledby="again-heading" {
                h2 #again-heading { "Search again" }
                p {
                    "All of it is searched again, by version " (analyst) " of the analyst or a "
                    "newer one. What was found stays until then."
                }
                form method="post" action=(action) {
                    button type="submit" { "Search again" }
                }
            }
        }
    }
}

/// Renders the way to the question whether it is to be removed; nothing for those who may not.
pub(super) fn removal(may: bool, href: &str, word: &str) -> Markup {
    html! {
        @if may {
            section.panel aria-labelledby="remove-heading" {
                h2 #remove-heading { "Remove" }
                p { "For what was added by mistake. What was found goes with it." }
                p { a.button href=(href) { "Remove this " (word) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sure;

    #[test]
    fn nothing_is_wholly_sure() {
        assert_eq!(
            [0, 998_765, 1_000_000, u32::MAX].map(sure),
            ["0.0 %", "99.8 %", "99.9 %", "99.9 %"]
        );
    }
}
