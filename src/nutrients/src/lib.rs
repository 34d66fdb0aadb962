//! The geospatial kernel: nutrient impact assessments of development sites.
//!
//! In reading order: [`Site`]s are read from files ([`read_sites`]) or job messages ([`read_job`])
//! and checked ([`check_job`], [`check_boundary`]). [`Library`] keeps reference data in versions and
//! [`Reference`] is one of them, open. [`assess`] answers for one site, [`assess_batch`] for many, and
//! [`csv`], [`record`], [`map_geojson`] and [`callback`] tell others. [`LevyTables`] prices.
//!
//! Promises: no input makes it panic or take memory without bound; nothing depends on the order of
//! inputs, threads or files, so a run again gives the same bits; no body or property of a user is
//! kept beyond what a result tells.

mod assess;
mod batch;
mod check;
mod finding;
pub mod fuzz;
mod input;
mod layer;
mod levy;
mod limits;
mod message;
mod output;
mod overlay;
mod reference;
mod shape;
mod site;
mod transform;

pub use byteio::cancel::Cancel;
pub use assess::{
    Amount, AssessError, Assessment, CatchmentImpact, CatchmentName, Development, Greenspace,
    LandUse, Loads, Method, Options, Outcome, Piece, Progress, Provenance, Pulse, RatesUsed,
    SOFTWARE, Spatial, Suds, Sums, SumsInput, Total, Warning, WarningCode, Wastewater, WaterUse,
    assess, expected_duration, no_pulse, r2, sums,
};
pub use batch::{BatchPulse, assess_batch};
pub use check::{
    Area, BoundaryCheck, BoundaryMetadata, BoundaryRules, BoundaryWire, CornerBounds,
    IntersectingCatchment, IntersectingPlan, Perimeter, Problem, Upload, WireCrs, WireGeometry,
    area_finding, check_boundary, check_job, job_findings, problems,
};
pub use finding::{Code, Finding, Findings};
pub use input::{
    Feature, Features, Geometry, SiteColumns, read_features, read_features_at, read_sites, sites,
};
pub use levy::{
    Charge, Day, Factor, Index, LEVY_VERSION, Levy, LevyError, LevyTables, Pence, Plan,
};
pub use limits::Limits;
pub use message::{Generation, Job, JobShape, PlanName, read_job};
pub use output::{
    COLUMNS, Callback, CallbackError, LevyEntry, Measure, PlanEntry, PlanImpact, ReceiverSchema,
    callback, csv, csv_row, map_geojson, map_window, pieces_geojson, record,
};
pub use reference::{
    Examination, GateLine, GateReport, Library, LoadProgress, LoadPulse, Lookups, Missing,
    NearbyWorks, RateRow, Reference, ReferenceError, RolledBack, Severity, SourceDrop, Stamp, Strictness,
    Table, TableFile, VersionNote, WorksRow,
};
pub use shape::{Bounds, Shape};
pub use site::Site;
pub use transform::{Crs, Transform, to_bng, to_wgs84};
