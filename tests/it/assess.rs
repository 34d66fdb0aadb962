//! Assessments of real sites against real layers, and overlays against those of others.

mod boundary_rules;
pub(crate) mod golden;
mod hostile;
mod hostile_small;
mod job_rules;
pub(crate) mod made;
mod overlay_peer;
mod parity;
mod properties;
pub(crate) mod samples;
mod versions;
