//! The Transverse Mercator projection of the National Grid on the GRS80 ellipsoid, by the series in
//! the Ordnance Survey's guide to coordinate systems in Great Britain.

use ::geo::Coord;

const A: f64 = 6_378_137.0;
const B: f64 = 6_356_752.314_140_347;
/// Scale on the central meridian.
const F0: f64 = 0.999_601_271_7;
const ORIGIN_LATITUDE: f64 = 49.0;
const ORIGIN_LONGITUDE: f64 = -2.0;
const FALSE_EASTING: f64 = 400_000.0;
const FALSE_NORTHING: f64 = -100_000.0;
const E2: f64 = (A * A - B * B) / (A * A);

/// The length of the meridian from the origin's latitude.
fn meridian(latitude: f64) -> f64 {
    let n = (A - B) / (A + B);
    let origin = ORIGIN_LATITUDE.to_radians();
    let (minus, plus) = (latitude - origin, latitude + origin);
    let (n2, n3) = (n * n, n * n * n);
    B * F0
        * ((1.0 + n + 1.25 * n2 + 1.25 * n3) * minus
            - (3.0 * n + 3.0 * n2 + 21.0 / 8.0 * n3) * minus.sin() * plus.cos()
            + (15.0 / 8.0) * (n2 + n3) * (2.0 * minus).sin() * (2.0 * plus).cos()
            - 35.0 / 24.0 * n3 * (3.0 * minus).sin() * (3.0 * plus).cos())
}

/// The radii of curvature at a latitude: across, along, and how they differ.
fn radii(latitude: f64) -> (f64, f64, f64) {
    let bent = 1.0 - E2 * latitude.sin().powi(2);
    let across = A * F0 / bent.sqrt();
    let along = A * F0 * (1.0 - E2) / bent.powf(1.5);
    (across, along, across / along - 1.0)
}

pub(super) fn forward(degrees: Coord<f64>) -> Coord<f64> {
    let latitude = degrees.y.to_radians();
    let (nu, rho, eta2) = radii(latitude);
    let (sin, cos, tan) = (latitude.sin(), latitude.cos(), latitude.tan());
    let tan2 = tan * tan;
    let i = meridian(latitude) + FALSE_NORTHING;
    let ii = nu / 2.0 * sin * cos;
    let iii = nu / 24.0 * sin * cos.powi(3) * (5.0 - tan2 + 9.0 * eta2);
    let iiia = nu / 720.0 * sin * cos.powi(5) * (61.0 - 58.0 * tan2 + tan2 * tan2);
    let iv = nu * cos;
    let v = nu / 6.0 * cos.powi(3) * (nu / rho - tan2);
    let vi = nu / 120.0
        * cos.powi(5)
        * (5.0 - 18.0 * tan2 + tan2 * tan2 + 14.0 * eta2 - 58.0 * tan2 * eta2);
    let east = (degrees.x - ORIGIN_LONGITUDE).to_radians();
    Coord {
        x: FALSE_EASTING + iv * east + v * east.powi(3) + vi * east.powi(5),
        y: i + ii * east.powi(2) + iii * east.powi(4) + iiia * east.powi(6),
    }
}

/// The series back ends too early for the far west: what the series forth makes of its answer
/// tells by how much.
pub(super) fn inverse(plane: Coord<f64>) -> Coord<f64> {
    let mut aim = plane;
    for _ in 0..3 {
        aim = aim + (plane - forward(series_back(aim)));
    }
    series_back(aim)
}

fn series_back(plane: Coord<f64>) -> Coord<f64> {
    let mut latitude = ORIGIN_LATITUDE.to_radians();
    // Each round gains three digits; ten are more than a double has.
    for _ in 0..10 {
        latitude += (plane.y - FALSE_NORTHING - meridian(latitude)) / (A * F0);
    }
    let (nu, rho, eta2) = radii(latitude);
    let (tan, sec) = (latitude.tan(), 1.0 / latitude.cos());
    let tan2 = tan * tan;
    let (tan4, tan6) = (tan2 * tan2, tan2 * tan2 * tan2);
    let vii = tan / (2.0 * rho * nu);
    let viii = tan / (24.0 * rho * nu.powi(3)) * (5.0 + 3.0 * tan2 + eta2 - 9.0 * tan2 * eta2);
    let ix = tan / (720.0 * rho * nu.powi(5)) * (61.0 + 90.0 * tan2 + 45.0 * tan4);
    let x = sec / nu;
    let xi = sec / (6.0 * nu.powi(3)) * (nu / rho + 2.0 * tan2);
    let xii = sec / (120.0 * nu.powi(5)) * (5.0 + 28.0 * tan2 + 24.0 * tan4);
    let xiia = sec / (5040.0 * nu.powi(7)) * (61.0 + 662.0 * tan2 + 1320.0 * tan4 + 720.0 * tan6);
    let east = plane.x - FALSE_EASTING;
    let longitude = x * east - xi * east.powi(3) + xii * east.powi(5) - xiia * east.powi(7);
    let latitude = latitude - vii * east.powi(2) + viii * east.powi(4) - ix * east.powi(6);
    Coord { x: ORIGIN_LONGITUDE + longitude.to_degrees(), y: latitude.to_degrees() }
}
