//! Assessments of real sites against real layers, and overlays against those of others.

mod golden;
pub(crate) mod made;
mod overlay_peer;
mod versions;
