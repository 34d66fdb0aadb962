//! A boundary that was looked at: the shape with every bad place marked, and what is wrong there.

use maud::{Markup, html};
use serde::Serialize;

use super::outline::{MapUnits, Outline};
use crate::parts::{Fact, Link};
use crate::shell::{Frame, Shell, document};

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
    let _ = page;
    document(shell, Frame::Still, html! { h1 { "Boundary" } })
}
