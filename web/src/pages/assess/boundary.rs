//! A boundary that was looked at: the shape with every bad place marked, and what is wrong there.

use maud::{Markup, html};
use serde::Serialize;

use super::furniture::furniture;
use super::outline::{MapUnits, Outline};
use super::trace::{Thinning, traced};
use super::view::{View, WIDTH};
use crate::parts::{Badge, Fact, Link, Tone, badge, count, counted, empty, facts};
use crate::shell::{Frame, Shell, document};

/// Bytes that the drawing of the shape may take of a page.
const BYTES: usize = 16_000;
/// Places that are marked in all, those of one finding, and those that are told in words.
const MARKS: usize = 120;
const PLACES: usize = 20;
const TOLD: usize = 3;

/// What a boundary looks like, and everything that is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BoundaryPage {
    /// The name of the file as it was sent.
    pub file_name: String,
    /// The shape, if one could be read.
    pub outline: Outline,
    /// What its coordinates are.
    pub units: MapUnits,
    /// Everything that is wrong; none when it can be assessed as it is.
    pub findings: Vec<BoundaryFinding>,
    /// Findings beyond those listed.
    pub findings_unshown_count: u64,
    /// What was measured: area, perimeter, centre, coordinate system.
    pub facts: Vec<Fact>,
    /// The nutrient catchments and plans that it meets, in words.
    pub meets: Vec<String>,
    /// The way back to the form, with what was typed in its query.
    pub back: Link,
}

/// One thing that is wrong with a boundary or with what came with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BoundaryFinding {
    /// Its stable name, such as `self_intersecting_geometry`.
    pub code: String,
    /// What is wrong and what to do.
    pub sentence: String,
    /// Which feature of the file, from 1.
    pub feature: Option<u32>,
    /// Where, in the units of the shape; at most twenty are drawn.
    pub places: Vec<[f64; 2]>,
    /// The field of the form that it is about; empty for the file.
    pub field: String,
}

/// Renders a boundary that was looked at.
pub fn boundary_page(shell: &Shell, page: &BoundaryPage) -> Markup {
    let main = html! {
        p.eyebrow { a href="/assessments" { "Assessments" } " / Boundary" }
        h1.item-name { "Boundary " bdi { (page.file_name) } }
        p.verdict { (badge(&verdict(page))) }
        div.halves {
            div {
                section aria-labelledby="shape-heading" {
                    h2 #shape-heading { "The shape" }
                    (shape(page))
                }
            }
            div {
                (wrong(page))
                @if !page.meets.is_empty() {
                    section.panel aria-labelledby="meets-heading" {
                        h2 #meets-heading { "It meets" }
                        ul.areas { @for area in &page.meets { li { bdi { (area) } } } }
                    }
                }
                @if !page.facts.is_empty() {
                    section.panel aria-labelledby="facts-heading" {
                        h2 #facts-heading { "Measured" }
                        (facts(&page.facts))
                    }
                }
            }
        }
        div.actions { a.button href=(page.back.href) { (page.back.label) } }
    };
    document(shell, Frame::Still, main)
}

fn verdict(page: &BoundaryPage) -> Badge {
    match page.findings.len() as u64 + page.findings_unshown_count {
        0 => Badge::new("This boundary can be assessed", Tone::Good),
        1 => Badge::new("1 thing is wrong with this boundary", Tone::Bad),
        many => {
            Badge::new(format!("{} things are wrong with this boundary", count(many)), Tone::Bad)
        }
    }
}

fn shape(page: &BoundaryPage) -> Markup {
    let places = || page.findings.iter().flat_map(|finding| &finding.places).copied();
    let Some(view) = View::around(page.outline.points().chain(places()), page.units) else {
        return empty(
            "No shape could be read from this file.",
            html! { "What is wrong with it stands beside. Mend the file and send it again." },
        );
    };
    html! {
        figure.map {
            svg viewBox={ "0 0 " (WIDTH) " " (view.height) } role="img"
                aria-labelledby="shape-title" aria-describedby="shape-about" {
                title #shape-title { "The boundary as it was sent" }
                desc #shape-about { (about(page, &view)) }
                rect.ground width=(WIDTH) height=(view.height) {}
                @for path in traced(&view, &[vec![&page.outline]], Thinning::Distance, BYTES).paths {
                    path.boundary d=(path) fill-rule="evenodd" {}
                }
                @for (number, place) in marks(&page.findings) {
                    @if let Some(place) = view.place(place) { (mark(number, place)) }
                }
                (furniture(&view))
            }
            @if places().next().is_some() {
                figcaption.quiet { "Numbered circles mark where the finding of that number is." }
            }
        }
    }
}

/// The places that are marked, each with the number of its finding.
fn marks(findings: &[BoundaryFinding]) -> impl Iterator<Item = (usize, [f64; 2])> {
    let of = |(at, finding): (usize, &BoundaryFinding)| {
        let places: Vec<[f64; 2]> = finding.places.iter().take(PLACES).copied().collect();
        places.into_iter().map(move |place| (at + 1, place))
    };
    findings.iter().enumerate().flat_map(of).take(MARKS)
}

fn mark(number: usize, [x, y]: [f64; 2]) -> Markup {
    let (x, y) = (x.round(), y.round());
    html! {
        circle.spot cx=(x) cy=(y) r="5" {}
        circle.ring cx=(x) cy=(y) r="22" {}
        text.spot x=(x + 28.0) y=(y - 14.0) { (number) }
    }
}

fn about(page: &BoundaryPage, view: &View) -> String {
    let parts = counted(page.outline.0.len() as u64, "part");
    let size = match page.units {
        MapUnits::Metres => {
            let [wide, tall] = view.reach.map(|metres| format!("{metres:.0} m"));
            format!("about {wide} from west to east and {tall} from south to north")
        }
        MapUnits::Degrees => "in degrees".to_owned(),
    };
    let places: usize = page.findings.iter().map(|finding| finding.places.len()).sum();
    format!("{parts}, {size}. {} marked as wrong.", counted(places as u64, "place"))
}

fn wrong(page: &BoundaryPage) -> Markup {
    html! {
        section.panel aria-labelledby="wrong-heading" {
            h2 #wrong-heading { "What is wrong" }
            @if page.findings.is_empty() {
                p { "Nothing. Go back, choose the same file again and ask for the assessment." }
            } @else { (findings(&page.findings)) }
            @if page.findings_unshown_count > 0 {
                p.quiet { "and " (count(page.findings_unshown_count)) " more." }
            }
        }
    }
}

/// Renders findings as a numbered list, each with its code and where it is.
pub(super) fn findings(findings: &[BoundaryFinding]) -> Markup {
    html! {
        ol.findings {
            @for finding in findings {
                li {
                    p { bdi { (finding.sentence) } }
                    p.quiet {
                        code { (finding.code) }
                        @if let Some(feature) = finding.feature { ", feature " (feature) }
                        @if !finding.places.is_empty() { ", at " (spots(finding)) }
                    }
                }
            }
        }
    }
}

fn spots(finding: &BoundaryFinding) -> String {
    let write = |place: &[f64; 2]| {
        // Degrees need more digits than metres to say the same place.
        let digits = if place.iter().all(|it| it.abs() <= 180.0) { 6 } else { 1 };
        format!("{:.digits$} {:.digits$}", place[0], place[1])
    };
    let told: Vec<String> = finding.places.iter().take(TOLD).map(write).collect();
    match finding.places.len().saturating_sub(TOLD) {
        0 => told.join("; "),
        more => format!("{}; and {more} more", told.join("; ")),
    }
}
