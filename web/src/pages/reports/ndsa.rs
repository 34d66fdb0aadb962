//! The NDSA Levels: a matrix to see at a glance, and below it what each cell rests on.

use maud::{Markup, html};
use serde::Serialize;

use super::tabs::{ReportTab, tabs};
use crate::parts::{Badge, Tone, badge, query, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NdsaPage {
    /// When it was looked at.
    pub at: String,
    /// The names of the levels.
    pub levels: Vec<String>,
    /// The areas.
    pub areas: Vec<NdsaArea>,
    /// Whether who looks at it may declare something.
    pub may_declare: bool,
}

/// One area.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NdsaArea {
    /// Its name in an address.
    pub name: String,
    /// Its name.
    pub title: String,
    /// The level it has reached; zero for none.
    pub level_reached: u8,
    /// Its levels.
    pub cells: Vec<NdsaCell>,
}

/// One level of an area.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NdsaCell {
    /// Which.
    pub level: u8,
    /// Whether everything it asks for is so.
    pub is_met: bool,
    /// How many things it asks for, and how many of them are so.
    pub met_count: usize,
    /// The cheapest next step.
    pub next_step: Option<String>,
    /// What it asks for.
    pub requirements: Vec<NdsaRequirement>,
}

/// One thing that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NdsaRequirement {
    /// Its name in an address.
    pub name: String,
    /// What is asked for.
    pub asks: String,
    /// How it stands.
    pub state: Badge,
    /// What shows it: a sentence, and the page to see it on.
    pub evidence: Vec<(String, Option<String>)>,
    /// What somebody declared.
    pub declared: Option<NdsaNote>,
    /// Whether a declaration helps.
    pub takes_word: bool,
}

/// What somebody declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NdsaNote {
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// What.
    pub sentence: String,
}

/// Renders the page.
pub fn ndsa_page(shell: &Shell, page: &NdsaPage) -> Markup {
    let main = html! {
        h1 { "NDSA Levels" }
        (tabs(ReportTab::Ndsa))
        p.lead {
            "The Levels of Digital Preservation of 2019, judged by what is so now. A level is reached \
             when everything it asks for is met, and so are the levels below. What no program can \
             see is a dated word of a person, which counts until it is too old. As of "
            (time(&page.at)) "."
        }
        (matrix(page))
        @for area in &page.areas { (section(area, page)) }
        p {
            "For auditors: " a #report-txt href="/api/v1/reports/ndsa.txt" { "text" } ", "
            a #report-csv href="/api/v1/reports/ndsa.csv" { "CSV" } ", "
            a href="/api/v1/reports/ndsa" { "JSON" } ". This page prints well, too."
        }
    };
    document(shell, Frame::Still, main)
}

fn matrix(page: &NdsaPage) -> Markup {
    html! {
        table.matrix {
            thead { tr {
                th scope="col" { "Area" }
                @for (level, title) in (1..).zip(&page.levels) {
                    th scope="col" { "Level " (level) ": " (title) }
                }
                th.num scope="col" { "Reached" }
            } }
            tbody {
                @for area in &page.areas {
                    tr {
                        th scope="row" { a href={ "#" (area.name) } { (area.title) } }
                        @for cell in &area.cells {
                            td data-label={ "Level " (cell.level) } { (verdict(cell)) }
                        }
                        td.num data-label="Reached" { (reached(area.level_reached)) }
                    }
                }
            }
        }
    }
}

fn verdict(cell: &NdsaCell) -> Markup {
    let all = cell.requirements.len();
    let (word, tone) = match cell.met_count {
        met if met == all => ("Met".to_owned(), Tone::Good),
        0 => (format!("0 of {all}"), Tone::Bad),
        met => (format!("{met} of {all}"), Tone::Warn),
    };
    badge(&Badge::new(word, tone))
}

fn reached(level: u8) -> String {
    match level {
        0 => "none yet".to_owned(),
        level => format!("level {level}"),
    }
}

fn section(area: &NdsaArea, page: &NdsaPage) -> Markup {
    html! {
        section id=(area.name) aria-labelledby={ "heading-" (area.name) } {
            h2 id={ "heading-" (area.name) } { (area.title) ": " (reached(area.level_reached)) }
            @for (cell, title) in area.cells.iter().zip(&page.levels) {
                div.level {
                    h3 { "Level " (cell.level) ", " (title) " " (verdict(cell)) }
                    ul.asked { @for it in &cell.requirements { (asked(it, page.may_declare)) } }
                    @if let Some(next) = &cell.next_step {
                        p.next { strong { "Cheapest next step: " } (next) }
                    }
                }
            }
        }
    }
}

fn asked(it: &NdsaRequirement, may_declare: bool) -> Markup {
    html! {
        li {
            p { (badge(&it.state)) " " (it.asks) }
            @if !it.evidence.is_empty() {
                p.quiet {
                    @for (sentence, page) in &it.evidence {
                        @match page {
                            Some(page) => a href=(page) { (sentence) },
                            None => (sentence),
                        }
                        " "
                    }
                }
            }
            @if let Some(said) = &it.declared {
                p.quiet {
                    bdi { (said.by) } " declared on " (time(&said.at)) ": " bdi { (said.sentence) }
                }
            }
            @if it.takes_word && may_declare {
                a.button.word href={ "/reports/ndsa/declare" (query(&[("requirement", &it.name)])) } {
                    @if it.declared.is_some() { "Declare again or withdraw" } @else { "Declare" }
                    span.unseen { ": " (it.asks) }
                }
            }
        }
    }
}
