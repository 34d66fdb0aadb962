//! The map of one assessment, drawn by us: no tiles from elsewhere.

use serde::Serialize;

use super::classes::Nutrient;
use super::outline::Outline;

/// What the map of an assessment shows. Everything is in metres of the British National Grid; what
/// is too fine or too much for a page is left out by the drawing, so whole shapes may be given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteMap {
    /// The site.
    pub site: Outline,
    /// The nutrient catchments that meet it.
    pub catchments: Vec<MapArea>,
    /// The land that the change is made of.
    pub pieces: Vec<MapPiece>,
    /// Pieces that were not kept with their shape.
    pub pieces_unshown_count: u64,
    /// Which nutrient colours the pieces; the other is at `?map=phosphorus` or `?map=nitrogen`.
    pub nutrient: Nutrient,
}

/// A named area.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapArea {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub outline: Outline,
}

/// One piece of land: one parcel in one catchment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapPiece {
    /// What the land is used for.
    pub land_use: String,
    /// Its hectares.
    pub area_ha: f64,
    /// The change in nitrogen, kilograms a year; none where it cannot be told.
    pub nitrogen: Option<f64>,
    /// The change in phosphorus, kilograms a year; none where it cannot be told.
    pub phosphorus: Option<f64>,
    /// Its shape.
    pub outline: Outline,
}
