//! Reference data: imported, judged, promoted together or not at all, and never changed afterwards.
//!
//! A [`Library`] is a folder with a few versions and a pointer to the one in use. A [`Reference`] is
//! one version, open: small layers in memory, coefficients in their file.

mod drop;
mod error;
mod examine;
mod gate;
mod import;
mod intake;
mod layers;
mod library;
mod lookups;
mod open;
mod overlaps;
mod table;

pub use drop::SourceDrop;
pub use error::ReferenceError;
pub use examine::Examination;
pub use gate::{GateLine, GateReport, Severity};
pub use import::{LoadProgress, LoadPulse, Strictness, TableFile};
pub use library::{Library, RolledBack, VersionNote};
pub use lookups::{Lookups, RateRow, WorksRow};
pub use open::{Missing, Reference};
pub use overlaps::NearbyWorks;
pub use table::Table;

pub use examine::Stamp;
pub(crate) use layers::{Area, Layer};
