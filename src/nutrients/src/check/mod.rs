//! Whether a shape can be assessed, and where it is bad if not.

mod boundary;
mod job;
mod segments;
mod validity;
mod wire;

pub use boundary::{BoundaryCheck, BoundaryRules, Upload, check_boundary};
pub use job::{area_finding, check_job, job_findings};
pub use validity::{Problem, problems};
pub use wire::{
    Area, BoundaryMetadata, BoundaryWire, CornerBounds, IntersectingCatchment, IntersectingPlan,
    Perimeter, WireCrs, WireGeometry,
};

pub(crate) use validity::is_inside;
pub(crate) use wire::places;

#[cfg(test)]
mod tests;
