//! One assessment: how far it is, what came of it, the map, the sums, and where it all came from.

use maud::{Markup, html};
use serde::Serialize;

use super::delivery::Delivery;
use super::map::SiteMap;
use super::sums::{LevySum, Sums};
use crate::parts::{Badge, Fact, Link, Progress};
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
    let main = html! { h1 { (page.reference) } (assessment_fragment(page)) };
    document(shell, Frame::Still, main)
}

/// Renders what changes on it; served at `/fragments/assessments/{id}`.
pub fn assessment_fragment(page: &AssessmentPage) -> Markup {
    html! { p { (page.outcome) } }
}
