//! The reference data that assessments stand on: versions, layers, quality, loading, rolling back.

use maud::{Markup, html};
use serde::Serialize;

use super::quality::QualityReport;
use crate::parts::{Badge, Progress};
use crate::shell::{Frame, Shell, document};

/// Everything the page of reference data shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReferencePage {
    /// The versions, the active one first.
    pub versions: Vec<ReferenceVersion>,
    /// The load that runs now.
    pub running: Option<LoadRun>,
    /// What was looked at last, whether it was put to use or refused.
    pub report: Option<QualityReport>,
    /// Whether who looks may load and roll back.
    pub may_keep: bool,
    /// The folder that was typed last.
    pub folder: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
    /// The version that rolling back leads to; none when there is none. Asked about at
    /// `/reference-data/roll-back`.
    pub roll_back_to: Option<String>,
}

/// One version of the reference data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReferenceVersion {
    /// Its name, as its manifest has it.
    pub version: String,
    /// Whether it is the one in use.
    pub is_active: bool,
    /// A word for how it stands.
    pub state: Badge,
    /// When it was loaded, as RFC 3339 in UTC.
    pub loaded: String,
    /// Who loaded it.
    pub by: String,
    /// Its layers.
    pub layers: Vec<LayerRow>,
}

/// One layer or table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LayerRow {
    /// Its name for people.
    pub label: String,
    /// Its name in the manifest.
    pub name: String,
    /// Rows in it.
    pub count: u64,
    /// Bytes that it takes here.
    pub size: u64,
    /// The digest of what it was loaded from.
    pub sha256: String,
}

/// A load that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LoadRun {
    /// The item that works on it.
    pub item: Option<u64>,
    /// The folder that is loaded.
    pub folder: String,
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
    /// How far it is.
    pub progress: Option<Progress>,
}

/// Renders the page of reference data.
pub fn reference_page(shell: &Shell, page: &ReferencePage) -> Markup {
    let main = html! { h1 { "Reference data" } (reference_fragment(page)) };
    document(shell, Frame::Still, main)
}

/// Renders what changes on it; served at `/fragments/reference-data`.
pub fn reference_fragment(page: &ReferencePage) -> Markup {
    let _ = page;
    html! {}
}
