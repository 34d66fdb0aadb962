//! The answer to a boundary check, as callers of the older service know it.

use serde::{Deserialize, Serialize};

use crate::shape::{Bounds, Shape};
use crate::transform::{Crs, moved, to_wgs84};

/// Square metres of an acre and metres of a mile, as the wire has them.
const ACRE_M2: f64 = 4046.856;
const MILE_M: f64 = 1609.344;

/// The five keys, always.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundaryWire {
    pub boundary_geometry_original: Option<WireGeometry>,
    pub boundary_geometry_wgs84: Option<WireGeometry>,
    pub intersecting_edps: Vec<IntersectingPlan>,
    pub boundary_metadata: Option<BoundaryMetadata>,
    /// The code of the first thing that is wrong.
    pub error: Option<String>,
}

/// A GeoJSON geometry with the old `crs` member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WireGeometry {
    Polygon {
        r#type: PolygonTag,
        coordinates: Vec<Vec<[f64; 2]>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        crs: Option<WireCrs>,
    },
    MultiPolygon {
        r#type: MultiPolygonTag,
        coordinates: Vec<Vec<Vec<[f64; 2]>>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        crs: Option<WireCrs>,
    },
}

/// The word `Polygon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PolygonTag {
    Polygon,
}

/// The word `MultiPolygon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MultiPolygonTag {
    MultiPolygon,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCrs {
    pub r#type: String,
    pub properties: WireCrsName,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCrsName {
    pub name: String,
}

impl WireGeometry {
    pub fn new(shape: &Shape, crs: Crs) -> WireGeometry {
        let urn = match crs {
            Crs::Bng => "urn:ogc:def:crs:EPSG::27700",
            Crs::Wgs84 => "urn:ogc:def:crs:EPSG::4326",
        };
        let properties = WireCrsName { name: urn.to_owned() };
        let crs = Some(WireCrs { r#type: "name".to_owned(), properties });
        let mut coordinates = shape.coordinates();
        match (coordinates.len(), coordinates.pop()) {
            (1, Some(coordinates)) => {
                WireGeometry::Polygon { r#type: PolygonTag::Polygon, coordinates, crs }
            }
            (_, last) => {
                coordinates.extend(last);
                WireGeometry::MultiPolygon {
                    r#type: MultiPolygonTag::MultiPolygon,
                    coordinates,
                    crs,
                }
            }
        }
    }

    /// In degrees; `None` outside of the grid.
    pub fn in_degrees(shape: &Shape) -> Option<WireGeometry> {
        moved(shape, to_wgs84).ok().map(|shape| WireGeometry::new(&shape, Crs::Wgs84))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundaryMetadata {
    pub area: Area,
    pub perimeter: Perimeter,
    /// The middle of the box in degrees, [longitude, latitude].
    pub centre: [f64; 2],
    pub bounds: CornerBounds,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Area {
    pub hectares: f64,
    pub acres: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perimeter {
    pub kilometres: f64,
    pub miles: f64,
}

/// Corners as [longitude, latitude].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CornerBounds {
    pub top_left: [f64; 2],
    pub top_right: [f64; 2],
    pub bottom_right: [f64; 2],
    pub bottom_left: [f64; 2],
}

impl BoundaryMetadata {
    /// `None` if the shape cannot be moved to degrees.
    pub fn of(shape: &Shape) -> Option<BoundaryMetadata> {
        let Bounds { min_x, min_y, max_x, max_y } = moved(shape, to_wgs84).ok()?.bounds();
        let at = |x: f64, y: f64| [places(x, 6), places(y, 6)];
        let (area, perimeter) = (shape.area_m2(), shape.perimeter_m());
        Some(BoundaryMetadata {
            area: Area { hectares: places(area / 10_000.0, 4), acres: places(area / ACRE_M2, 4) },
            perimeter: Perimeter {
                kilometres: places(perimeter / 1000.0, 4),
                miles: places(perimeter / MILE_M, 4),
            },
            centre: at(min_x.midpoint(max_x), min_y.midpoint(max_y)),
            bounds: CornerBounds {
                top_left: at(min_x, max_y),
                top_right: at(max_x, max_y),
                bottom_right: at(max_x, min_y),
                bottom_left: at(min_x, min_y),
            },
        })
    }
}

/// A plan area that the boundary meets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntersectingPlan {
    pub label: String,
    pub n2k_site_name: String,
    /// In degrees.
    pub geometry: Option<WireGeometry>,
    pub intersection_geometry: Option<WireGeometry>,
    pub overlap_area_ha: f64,
    pub overlap_area_sqm: f64,
    /// Of the boundary.
    pub overlap_percentage: f64,
}

/// The nutrient catchments of one label that the boundary meets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntersectingCatchment {
    pub label: String,
    /// The lowest id of the features of that label.
    pub catchment_id: i64,
    pub overlap_area_ha: f64,
    pub overlap_percentage: f64,
}

/// Rounds half to even after so many digits.
pub(crate) fn places(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round_ties_even() / factor
}
