//! One assessment from beginning to end.

use std::ops::ControlFlow;
use std::time::Duration;

use super::measure::{Measured, measure};
use super::method::Method;
use super::rates::Rates;
use super::result::Assessment;
use super::settle;
use crate::reference::{Reference, ReferenceError};
use crate::site::Site;

/// How to assess.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Repeat the older service to the last digit, with what is wrong with it.
    pub strict_parity: bool,
    /// How many pieces to keep with their shapes; 0 if nobody draws a map.
    pub pieces_max: usize,
    /// The part of a site that coefficients should cover; below it the result has a warning.
    pub coverage_floor: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { strict_parity: false, pieces_max: 0, coverage_floor: 0.95 }
    }
}

/// How far an assessment has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub tiles_done: usize,
    pub tiles_in_all: usize,
}

/// Called between tiles; an assessment that is told to break ends there.
pub type Pulse<'p> = &'p dyn Fn(Progress) -> ControlFlow<()>;

/// For those who neither watch nor cancel.
pub fn no_pulse(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum AssessError {
    #[error("the assessment was cancelled")]
    Cancelled,
    #[error("the reference data cannot be used")]
    Reference(#[from] ReferenceError),
}

/// Assesses one site. Runs on the rayon pool that it is called in.
pub fn assess(
    reference: &Reference,
    site: &Site,
    method: &Method,
    options: &Options,
    pulse: Pulse<'_>,
) -> Result<Assessment, AssessError> {
    let measured = measure(reference, site, method, options, pulse)?;
    let rates = match options.strict_parity {
        true => Rates::of_joined_name(reference, &measured),
        false => Rates::of_features(reference, site, &measured),
    };
    Ok(settled(reference, site, method, options, measured, rates))
}

/// The sums on what was measured.
pub(crate) fn settled(
    reference: &Reference,
    site: &Site,
    method: &Method,
    options: &Options,
    measured: Measured,
    rates: Option<Rates>,
) -> Assessment {
    settle::settle(&settle::Case { reference, site, method, options }, measured, rates)
}

/// How long an assessment takes at most on a slow core that others use too: for the patience of
/// whoever watches, so rather too long. Measured is about a tenth of it.
pub fn expected_duration(vertices: usize, parcels: u64) -> Duration {
    let vertices = u64::try_from(vertices).unwrap_or(u64::MAX);
    let micros = vertices.saturating_mul(500).saturating_add(parcels.saturating_mul(200));
    Duration::from_secs(5).saturating_add(Duration::from_micros(micros))
}
