//! The nutrient assessment of one site.
//!
//! [`measure`] looks at the ground and knows no rates; [`settle`](settle::settle) does the sums and
//! knows no geometry. A batch needs the two apart: in strict parity a site's rates may come from its
//! neighbours.

mod amount;
mod ground;
mod land;
mod measure;
mod method;
mod rates;
mod result;
mod run;
mod settle;
mod split;
mod warn;

pub use amount::{Amount, r2};
pub use method::{Greenspace, Method, Suds};
pub use result::{
    Assessment, CatchmentImpact, CatchmentName, Development, LandUse, Outcome, Piece, Provenance,
    RatesUsed, Spatial, Total, Warning, WarningCode, Wastewater, WaterUse,
};
pub use run::{AssessError, Options, Progress, Pulse, assess, expected_duration, no_pulse};
pub use settle::{Loads, Sums, SumsInput, sums};

pub(crate) use measure::{Measured, measure};
pub(crate) use rates::Rates;
pub(crate) use run::settled;

/// The version of this program that stands in every result.
pub const SOFTWARE: &str = concat!("strongroom ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests;
