//! Nutrient impact assessments of development sites, from boundary to result and price.
//!
//! Sites are read from GeoJSON, KML, Shapefile and GeoPackage, or from job messages. They are
//! checked, cut with reference data, measured, summed and priced.
//!
//! # What it promises
//!
//! - **Determinism:** nothing depends on the order of inputs, threads or files. A run again gives
//!   the same bits.
//! - **Memory:** [`Limits`] bounds bytes, features, vertices and what an archive unpacks to. A
//!   bound is checked before the memory is taken. Only regular files are opened.
//! - **Time:** reading a SQLite file takes at most a number of steps that follows from its size.
//!   Long work asks the caller whether to go on.
//! - **No panic:** no input makes it panic. Sites, messages and layers are fuzzed.
//! - **Findings:** whatever is wrong with an input is a finding with a code, a sentence and places.
//!   The shape of a site is never repaired, and no price is guessed.
//! - **Durability:** a load of reference data is complete and synced before it comes into use. All
//!   its tables come into use at one moment, or none does.
//! - **Privacy:** no body or property of a user is kept beyond what a result states.
//!
//! # What it never does
//!
//! It uses no network and asks no clock: the caller gives the day of a price. SQLite files of
//! others are opened as immutable, and nothing is unpacked to disk. It writes only to the folder of
//! a [`Library`], and for [`Reference::open_drop`] to a temporary folder that is removed.
//!
//! # Reading order
//!
//! [`Site`]s are read from files ([`read_sites`]) or job messages ([`read_job`]) and checked
//! ([`check_job`], [`check_boundary`]). [`Library`] keeps reference data in versions and
//! [`Reference`] is one of them, open. [`assess()`] answers for one site, [`assess_batch`] for many,
//! and [`csv()`], [`record()`], [`map_geojson`] and [`callback()`] write results for others.
//! [`LevyTables`] prices.
//!
//! # Example
//!
//! ```
//! use nutrients::{
//!     Charge, Code, Day, LevyTables, Limits, Pence, Plan, check_job, problems, read_features,
//! };
//!
//! // A site of 100 by 200 metres, in metres of the British National Grid.
//! let file = br#"{"type": "FeatureCollection",
//!     "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}},
//!     "features": [{"type": "Feature", "properties": {"id": "S1"}, "geometry": {
//!         "type": "Polygon", "coordinates": [[
//!             [6e5, 3e5], [600100, 3e5], [600100, 300200], [6e5, 300200], [6e5, 3e5]]]}}]}"#;
//! let features = read_features("site.geojson", file, None, &Limits::default())?;
//! assert_eq!(features.features[0].columns.id.as_deref(), Some("S1"));
//! let site = check_job(&features)?;
//! assert!(problems(&site).is_empty());
//! assert_eq!(site.area_m2(), 20_000.0);
//!
//! // An outline that crosses itself is refused.
//! let crossed = br#"{"type": "Polygon",
//!     "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}},
//!     "coordinates": [[
//!         [6e5, 3e5], [600100, 300200], [600100, 3e5], [6e5, 300200], [6e5, 3e5]]]}"#;
//! let features = read_features("crossed.geojson", crossed, None, &Limits::default())?;
//! let refused = check_job(&features).unwrap_err();
//! assert_eq!(refused.0[0].code, Code::SelfIntersectingGeometry);
//!
//! // What ten units cost, by the operator's tables.
//! let day = |text| Day::parse(text).expect("a day");
//! let (from, to) = (day("2026-04-01"), day("2027-03-31"));
//! let base_per_unit = Pence::parse("2675").expect("pounds");
//! let tables = LevyTables {
//!     plans: vec![Plan { id: 7, name: "Broads".to_owned(), starts: from }],
//!     charges: vec![Charge { row: 70, plan: 7, from, to, base_per_unit }],
//!     indices: Vec::new(),
//! };
//! let levy = tables.levy(&["Broads".to_owned()], 10, day("2026-12-31"))?;
//! assert_eq!(levy.adjusted.to_string(), "26750.00");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use assess::{
    Amount, AssessError, Assessment, CatchmentImpact, CatchmentName, Development, Greenspace,
    LandUse, Loads, Method, Options, Outcome, Piece, Progress, Provenance, Pulse, RatesUsed,
    SOFTWARE, Spatial, Suds, Sums, SumsInput, Total, Warning, WarningCode, Wastewater, WaterUse,
    assess, expected_duration, no_pulse, r2, sums,
};
pub use batch::{BatchPulse, assess_batch};
pub use byteio::cancel::Cancel;
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
    NearbyWorks, RateRow, Reference, ReferenceError, RolledBack, Severity, SourceDrop, Stamp,
    Strictness, Table, TableFile, VersionNote, WorksRow,
};
pub use shape::{Bounds, Shape};
pub use site::Site;
pub use transform::{Crs, Transform, to_bng, to_wgs84};
