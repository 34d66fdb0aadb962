//! One assessment: how far it is, what came of it, the map, the sums, and where it all came from.

use maud::{Markup, html};
use serde::Serialize;

use super::delivery::{Delivery, deliveries};
use super::map::{SiteMap, map};
use super::steps::{pair, steps};
use super::sums::{LevySum, Sums};
use super::totals::levy;
use crate::parts::{Badge, Fact, Link, Progress, badge, duration, facts, path, progress};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one assessment shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssessmentPage {
    /// Its id in addresses: the page is at `/assessments/{id}`, its part that changes at
    /// `/fragments/assessments/{id}`.
    pub id: String,
    /// What the asker calls it.
    pub reference: String,
    /// How far it is.
    pub state: Badge,
    /// Whether it is in line or being worked on.
    pub is_under_way: bool,
    /// The item that works on it.
    pub item: Option<u64>,
    /// How far the work is.
    pub progress: Option<Progress>,
    /// How long it should still take, where that can be told.
    pub expected_seconds: Option<f64>,
    /// What stopped it, if something did.
    pub trouble: Option<AssessmentTrouble>,
    /// What came of it, in a sentence; empty while nothing has.
    pub outcome: String,
    /// What the reader of the result should know.
    pub warnings: Vec<String>,
    /// The site and what is built: dwellings, area, authority, subcatchment, works.
    pub facts: Vec<Fact>,
    /// The map, once there is a shape.
    pub map: Option<SiteMap>,
    /// The sums, once there is a result that has any.
    pub sums: Option<Sums>,
    /// The levy, where one was worked out.
    pub levy: Option<LevySum>,
    /// Data version, method version, transform, software version, digest of the input.
    pub provenance: Vec<Fact>,
    /// How the result reaches those who wait for it.
    pub deliveries: Vec<Delivery>,
    /// The result as CSV, JSON and GeoJSON, named by their kind.
    pub downloads: Vec<Link>,
    /// Whether it can be asked for once more, by POST to `/assessments/{id}/again`.
    pub may_repeat: bool,
    /// Whether something was given up that can be sent again, by POST to `/assessments/{id}/send`.
    pub may_send_again: bool,
}

/// What stopped an assessment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentTrouble {
    /// What happened.
    pub happened: String,
    /// What was kept.
    pub kept: String,
    /// What to do next.
    pub next: String,
}

/// Renders the page of one assessment.
pub fn assessment_page(shell: &Shell, page: &AssessmentPage) -> Markup {
    let refresh = format!("/fragments{}", path(&["assessments", &page.id]));
    let frame = if page.is_under_way { Frame::Watched } else { Frame::Live };
    let main = html! {
        p.eyebrow { a href="/assessments" { "Assessments" } " / " bdi { (page.reference) } }
        h1.item-name { bdi { (page.reference) } }
        @if page.is_under_way {
            div #assessment data-refresh=(refresh) data-every="5" { (assessment_fragment(page)) }
        } @else { (assessment_fragment(page)) }
    };
    document(shell, frame, main)
}

/// Renders what changes on it; served at `/fragments/assessments/{id}`.
pub fn assessment_fragment(page: &AssessmentPage) -> Markup {
    let send_again = page.may_send_again.then(|| path(&["assessments", &page.id, "send"]));
    html! {
        p.item-state { (badge(&page.state)) }
        (under_way(page))
        @if let Some(trouble) = &page.trouble { (stopped(trouble)) }
        (outcome(page))
        div.halves {
            div {
                @if let Some(drawn) = &page.map { (map(drawn, &path(&["assessments", &page.id]))) }
                @if let Some(sums) = &page.sums { (steps(sums)) }
                (levy(page.levy.as_ref()))
            }
            div { (aside(page)) }
            div { (deliveries(&page.deliveries, send_again.as_deref())) }
        }
    }
}

fn under_way(page: &AssessmentPage) -> Markup {
    html! {
        @if page.is_under_way {
            section.panel aria-labelledby="way-heading" {
                h2 #way-heading { "It is being worked on" }
                @match (page.item, &page.progress) {
                    (Some(item), Some(known)) => (progress(item, known)),
                    _ => p { "It is in line, and begins by itself." },
                }
                @if let Some(left) = page.expected_seconds {
                    p.quiet { "About " (duration(left)) " left." }
                }
                p.quiet { "This page changes by itself. You may leave it and come back." }
            }
        }
    }
}

fn stopped(trouble: &AssessmentTrouble) -> Markup {
    html! {
        section.trouble.bad aria-label="What stopped it" {
            dl.answers {
                dt { "What happened" } dd { bdi { (trouble.happened) } }
                dt { "What was kept" } dd { (trouble.kept) }
                dt { "What to do next" } dd { (trouble.next) }
            }
        }
    }
}

fn outcome(page: &AssessmentPage) -> Markup {
    html! {
        @if !page.outcome.is_empty() {
            section.outcome aria-labelledby="outcome-heading" {
                h2 #outcome-heading { "Outcome" }
                p.said-first { (page.outcome) }
                @if let Some(sums) = &page.sums { (pair("Total", &sums.total)) }
                @for warning in &page.warnings { p.notice.warn { bdi { (warning) } } }
            }
        }
    }
}

fn aside(page: &AssessmentPage) -> Markup {
    let again = path(&["assessments", &page.id, "again"]);
    html! {
        @if !page.downloads.is_empty() {
            section.panel.take aria-labelledby="take-heading" {
                h2 #take-heading { "Take it with you" }
                p.actions {
                    @for link in &page.downloads {
                        a.button href=(link.href) download { (link.label) }
                    }
                }
                p.quiet { "Printed, this page leaves out what cannot be used on paper." }
            }
        }
        @if !page.facts.is_empty() {
            section.panel aria-labelledby="facts-heading" {
                h2 #facts-heading { "The site" }
                (facts(&page.facts))
            }
        }
        @if !page.provenance.is_empty() {
            section.panel aria-labelledby="provenance-heading" {
                h2 #provenance-heading { "Where it comes from" }
                p.quiet { "With the same of all of these, the same figures come out, to the last bit." }
                (facts(&page.provenance))
            }
        }
        @if let Some(item) = page.item {
            p { a href=(path(&["items", &item.to_string()])) { "Item " (item) ", which worked on it" } }
        }
        @if page.may_repeat {
            form.again method="post" action=(again) {
                button type="submit" { "Assess it again with what is in use now" }
            }
        }
    }
}
