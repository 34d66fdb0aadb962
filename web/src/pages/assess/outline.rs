//! A shape on the ground.

use serde::Serialize;

/// Polygons, each an outline followed by its holes, each of them a ring of points (east, north):
/// what GeoJSON calls the coordinates of a MultiPolygon.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Outline(pub Vec<Vec<Vec<[f64; 2]>>>);

impl Outline {
    /// Every point of every ring.
    pub(super) fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        self.0.iter().flatten().flatten().copied()
    }

    /// Every ring, holes among them.
    pub(super) fn rings(&self) -> impl Iterator<Item = &[[f64; 2]]> {
        self.0.iter().flatten().map(Vec::as_slice)
    }
}

/// What coordinates are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MapUnits {
    /// Metres of the British National Grid.
    #[default]
    Metres,
    /// Degrees of longitude and latitude, for a shape that could not be moved to the grid.
    Degrees,
}
