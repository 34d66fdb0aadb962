//! Shapes from the files that people have: GeoJSON, KML, Shapefile and GeoPackage, bare or in a
//! zip. Nothing is unpacked to disk, no count that a file names is believed before it is checked,
//! and of what is written beside the shapes only the columns of a batch are kept.

mod archive;
mod database;
mod dbf;
mod geojson;
mod geopackage;
mod kml;
mod open;
mod shapefile;
mod sites;
mod wkb;

pub use open::{read_features, read_features_at};
pub use sites::{read_sites, sites};

pub(crate) use database::{Columns, Database, Figure, Row};
pub(crate) use geojson::{geometry as geojson_geometry, named_crs};
pub(crate) use shapefile::fuzz_parts;
pub(crate) use wkb::geopackage_geometry;

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::transform::{Crs, Transform};

/// What a file holds, moved to metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    pub crs: Crs,
    pub transform: Transform,
    pub features: Vec<Feature>,
}

/// One feature of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    pub geometry: Geometry,
    pub columns: SiteColumns,
}

/// A geometry as far as we can use it.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    Null,
    /// One polygon, as the file calls it.
    Polygon(Shape),
    MultiPolygon(Shape),
    /// A kind that is no area, such as a point; the name of the kind.
    Other(String),
}

impl Geometry {
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Geometry::Polygon(shape) | Geometry::MultiPolygon(shape) => Some(shape),
            Geometry::Null | Geometry::Other(_) => None,
        }
    }

    fn map(self, with: impl FnOnce(Shape) -> Option<Shape>) -> Option<Geometry> {
        Some(match self {
            Geometry::Polygon(shape) => Geometry::Polygon(with(shape)?),
            Geometry::MultiPolygon(shape) => Geometry::MultiPolygon(with(shape)?),
            Geometry::Null => Geometry::Null,
            Geometry::Other(kind) => Geometry::Other(kind),
        })
    }
}

/// The columns that a batch needs; everything else is left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteColumns {
    pub id: Option<String>,
    pub name: Option<String>,
    pub category: Option<String>,
    pub source: Option<String>,
    pub dwellings: Option<String>,
    /// Whether an area came with it; its value is never used.
    pub has_area: bool,
}

/// The longest text of a column that is kept.
const TEXT_BYTES_MAX: usize = 1000;

impl SiteColumns {
    /// Every spelling of a column that is taken.
    const NAMES: [&str; 11] = [
        "id",
        "Name",
        "name",
        "Dwel_Cat",
        "dwelling_category",
        "Source",
        "source",
        "Dwellings",
        "dwellings",
        "Shape_Area",
        "shape_area",
    ];

    fn has(name: &str) -> bool {
        SiteColumns::NAMES.contains(&name)
    }

    /// Takes one column by its name in any of the spellings; others fall away.
    fn take(&mut self, name: &str, value: Option<String>) {
        let value = value.map(|mut text| {
            text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
            text
        });
        match name {
            "id" => self.id = value,
            "Name" | "name" => self.name = value,
            "Dwel_Cat" | "dwelling_category" => self.category = value,
            "Source" | "source" => self.source = value,
            "Dwellings" | "dwellings" => self.dwellings = value,
            "Shape_Area" | "shape_area" => self.has_area = true,
            _ => {}
        }
    }
}

/// Features as a reader finds them, in the coordinates of the file.
#[derive(Debug)]
struct Raw {
    crs: Crs,
    features: Vec<Feature>,
}
