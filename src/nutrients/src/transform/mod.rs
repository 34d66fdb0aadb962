//! Between longitude and latitude (EPSG:4326) and the British National Grid (EPSG:27700), by the
//! Ordnance Survey's own definition, OSTN15. Outside of its grid there is no answer: a Helmert
//! shift would be metres off, which can move a boundary.
//!
//! WGS84 is taken as ETRS89, as the Ordnance Survey advises for mapping.

mod mercator;
mod shifts;

use ::geo::Coord;
use serde::{Deserialize, Serialize};

use crate::shape::Shape;

/// A coordinate system that shapes may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Crs {
    /// British National Grid, metres.
    #[serde(rename = "EPSG:27700")]
    Bng,
    /// Longitude and latitude, degrees.
    #[serde(rename = "EPSG:4326")]
    Wgs84,
}

/// How a shape came to its metres; recorded with every result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transform {
    /// It came in metres.
    #[serde(rename = "none")]
    None,
    #[serde(rename = "OSTN15")]
    Ostn15,
}

/// Degrees (x is longitude) to metres; `None` outside of the grid.
pub fn to_bng(degrees: Coord<f64>) -> Option<Coord<f64>> {
    let in_reach = (-20.0..=15.0).contains(&degrees.x) && (45.0..=65.0).contains(&degrees.y);
    let plane = in_reach.then(|| mercator::forward(degrees))?;
    Some(plane + shifts::at(plane)?)
}

/// Metres to degrees (x is longitude); `None` outside of the grid.
pub fn to_wgs84(metres: Coord<f64>) -> Option<Coord<f64>> {
    // The shift is looked up in the plane we want to reach: a few rounds are enough, as shifts
    // change by centimetres per kilometre.
    let mut plane = metres - shifts::at(metres)?;
    for _ in 0..20 {
        let next = metres - shifts::at(plane)?;
        let moved = (next.x - plane.x).abs().max((next.y - plane.y).abs());
        plane = next;
        if moved < 1e-5 {
            break;
        }
    }
    Some(mercator::inverse(plane))
}

/// Every vertex moved; the first that cannot be is the error.
pub(crate) fn moved(
    shape: &Shape,
    by: fn(Coord<f64>) -> Option<Coord<f64>>,
) -> Result<Shape, Coord<f64>> {
    use ::geo::MapCoords;
    shape.0.try_map_coords(|at| by(at).ok_or(at)).map(Shape)
}

#[cfg(test)]
mod tests;
