//! One clip: what it is, how it sounds, and all of its occurrences.

use maud::{Markup, html};
use serde::Serialize;

use super::episode::{again, exports, heard, removal, seconds, sure};
use super::player::{Player, player};
use super::troubles::{ResearchTrouble, troubles};
use crate::parts::{
    Badge, Fact, Link, Pager, badge, count, counted, duration, empty, facts, pager, path,
    play_seconds, play_time, time,
};
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
    /// Where in the episode the recognised part begins: it is played from there.
    pub heard_ns: i64,
    /// How much of it was recognised.
    pub extent_ns: i64,
    /// How sure it is, out of a million.
    pub confidence_ppm: u32,
}

/// Renders the page of one clip.
pub fn clip_page(shell: &Shell, page: &ClipPage) -> Markup {
    let main = html! {
        p.eyebrow { a href="/research/clips" { "Clips" } " / " (page.id) }
        h1.item-name { bdi { (page.title) } }
        p.item-state { (badge(&page.state)) }
        @if !page.description.is_empty() { p.lead.said { bdi { (page.description) } } }
        section aria-labelledby="sound-heading" {
            h2 #sound-heading { "How it sounds" }
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
                (again(page.may_search_again, &path(&["research", "clips", &page.id.to_string(),
                    "again"]), page.analyst))
                (removal(page.may_search_again, &path(&["research", "clips", &page.id.to_string(),
                    "remove"]), "clip"))
            }
            div { (troubles(&page.troubles)) }
        }
    };
    document(shell, Frame::Still, main)
}

fn occurrences(page: &ClipPage) -> Markup {
    html! {
        section #occurrences aria-labelledby="occurrences-heading" {
            h2 #occurrences-heading { "Where it occurs" }
            p {
                "Looked for in " (counted(page.searched_count, "episode")) " of "
                (count(page.episode_count)) ", found in " (count(page.found_in_count)) "."
            }
            @if page.rows.is_empty() {
                (empty("It was found nowhere yet.", html! {
                    @if page.searched_count < page.episode_count {
                        "The other episodes are searched as soon as a researcher has time."
                    } @else { "No episode that is known has it." }
                }))
            } @else {
                table.found {
                    thead { tr {
                        th scope="col" { "Episode" }
                        th scope="col" { "Aired" }
                        th.num scope="col" { "Heard from" }
                        th.num scope="col" { "Recognised" }
                        th.num scope="col" { "Sure to" }
                        th scope="col" { "Actions" }
                    } }
                    tbody { @for row in &page.rows { (line(row)) } }
                }
                (pager(&page.pager, |number| format!("{}{number}#occurrences", page.page_href)))
            }
        }
    }
}

fn line(row: &ClipOccurrenceRow) -> Markup {
    html! {
        tr {
            th.name scope="row" { a href=(row.episode.href) { bdi { (row.episode.label) } } }
            td data-label="Aired" {
                @match &row.aired {
                    Some(aired) => (time(aired)),
                    None => span.quiet { "not known" },
                }
            }
            td.num data-label="Heard from" { (heard(row.heard_ns, row.offset_ns)) }
            td.num data-label="Recognised" { (duration(seconds(row.extent_ns))) }
            td.num data-label="Sure to" { (sure(row.confidence_ppm)) }
            td data-label="Actions" { (play_there(row)) }
        }
    }
}

/// The episode is another recording than the one in the player of this page, so that the link opens
/// it by itself.
fn play_there(row: &ClipOccurrenceRow) -> Markup {
    html! {
        @if let Some(player) = &row.player {
            a.button.play href={ (player.href) "#t=" (play_seconds(row.heard_ns)) } {
                "Play" span.unseen {
                    " " (row.episode.label) " from " (play_time(row.heard_ns.max(0)))
                }
            }
        }
    }
}
