//! What is wrong with an input, as data: a stable code, a sentence, and where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What can be wrong. The wire names of the boundary check are those that callers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The file is larger than the limit.
    FileSizeTooLarge,
    /// The declared coordinate system is none of the two that are understood.
    UnsupportedCrs,
    /// The name does not end as one of the formats.
    UnsupportedFileType,
    /// An entry of the archive would be unpacked elsewhere.
    ZipUnsafePath,
    /// The archive has no boundary file.
    ZipMissingShapefile,
    /// The .shp has no .dbf or .shx beside it.
    ZipMissingShapefileParts,
    /// The archive has no entry of the wanted name.
    BoundaryFileNotFoundInZip,
    /// The archive has several entries of the wanted name.
    ZipAmbiguousFilename,
    /// The archive is larger inside than the limits allow.
    ZipTooLarge,
    /// The file cannot be parsed.
    UnreadableGeometryFile,
    /// A shapefile without its projection.
    MissingCrs,
    /// A feature without a geometry, or one with no area.
    InvalidGeometry,
    /// Something other than polygons.
    UnsupportedGeometryType,
    /// The outline crosses or touches itself, or a hole does not lie inside.
    SelfIntersectingGeometry,
    /// The polygon has a hole where none is allowed.
    GeometryHasHoles,
    /// Two equal vertices follow one another.
    DuplicateVertices,
    /// Nothing is left.
    NoPolygonFound,
    /// The numbers look like degrees where metres are expected.
    LooksLikeDegrees,
    /// Outside of the National Grid.
    OutsideGrid,
    /// The site is larger than the house assesses.
    AreaTooLarge,
    /// More vertices, features or parts than the limits allow.
    TooLarge,
    /// Columns that a batch needs are missing.
    MissingColumns,
    /// A value that is no number, or not one that makes sense.
    BadValue,
    /// The message is not in any known form.
    UnreadableMessage,
    /// A housing job without a count of dwellings.
    MissingDwellings,
}

impl Code {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Code::FileSizeTooLarge => "file_size_too_large",
            Code::UnsupportedCrs => "unsupported_crs",
            Code::UnsupportedFileType => "unsupported_file_type",
            Code::ZipUnsafePath => "zip_unsafe_path",
            Code::ZipMissingShapefile => "zip_missing_shapefile",
            Code::ZipMissingShapefileParts => "zip_missing_shapefile_parts",
            Code::BoundaryFileNotFoundInZip => "boundary_file_not_found_in_zip",
            Code::ZipAmbiguousFilename => "zip_ambiguous_filename",
            Code::ZipTooLarge => "zip_too_large",
            Code::UnreadableGeometryFile => "unreadable_geometry_file",
            Code::MissingCrs => "missing_crs",
            Code::InvalidGeometry => "invalid_geometry",
            Code::UnsupportedGeometryType => "unsupported_geometry_type",
            Code::SelfIntersectingGeometry => "self_intersecting_geometry",
            Code::GeometryHasHoles => "geometry_has_holes",
            Code::DuplicateVertices => "duplicate_vertices",
            Code::NoPolygonFound => "no_polygon_found",
            Code::LooksLikeDegrees => "looks_like_degrees",
            Code::OutsideGrid => "outside_grid",
            Code::AreaTooLarge => "area_too_large",
            Code::TooLarge => "too_large",
            Code::MissingColumns => "missing_columns",
            Code::BadValue => "bad_value",
            Code::UnreadableMessage => "unreadable_message",
            Code::MissingDwellings => "missing_dwellings",
        }
    }

    /// The status that the boundary check answers with.
    pub fn http_status(self) -> u16 {
        match self {
            Code::FileSizeTooLarge | Code::ZipTooLarge | Code::TooLarge => 413,
            Code::UnsupportedCrs | Code::MissingCrs | Code::AreaTooLarge => 422,
            Code::UnsupportedFileType
            | Code::ZipUnsafePath
            | Code::ZipMissingShapefile
            | Code::ZipMissingShapefileParts
            | Code::BoundaryFileNotFoundInZip
            | Code::ZipAmbiguousFilename
            | Code::UnreadableGeometryFile
            | Code::InvalidGeometry
            | Code::UnsupportedGeometryType
            | Code::SelfIntersectingGeometry
            | Code::GeometryHasHoles
            | Code::DuplicateVertices
            | Code::NoPolygonFound
            | Code::LooksLikeDegrees
            | Code::OutsideGrid
            | Code::MissingColumns
            | Code::BadValue
            | Code::UnreadableMessage
            | Code::MissingDwellings => 400,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub code: Code,
    /// What is wrong and what to do, for people.
    pub sentence: String,
    /// Which feature of the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<u32>,
    /// Where, in metres of the grid if the shape could be moved there, as it came otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<[f64; 2]>,
}

impl Finding {
    pub fn new(code: Code, sentence: impl Into<String>) -> Finding {
        Finding { code, sentence: sentence.into(), feature: None, places: Vec::new() }
    }

    #[must_use]
    pub fn of_feature(mut self, number: u32) -> Finding {
        self.feature = Some(number);
        self
    }

    /// Places that are no numbers are nowhere: they could not be drawn, nor written as JSON.
    #[must_use]
    pub fn at(mut self, mut places: Vec<[f64; 2]>) -> Finding {
        places.retain(|place| place.iter().all(|it| it.is_finite()));
        self.places = places;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.feature {
            Some(number) => write!(f, "{}: feature {number}: {}", self.code, self.sentence),
            None => write!(f, "{}: {}", self.code, self.sentence),
        }
    }
}

/// Findings that are worded one by one, and places of each.
const WORDED: usize = 20;
const PLACES: usize = 3;

/// Everything that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(transparent)]
pub struct Findings(pub Vec<Finding>);

/// The findings in one line, each with where it is.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences: Vec<String> = self.0.iter().take(WORDED).map(with_places).collect();
        f.write_str(&sentences.join("; "))?;
        match self.0.len().saturating_sub(WORDED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

fn with_places(finding: &Finding) -> String {
    if finding.places.is_empty() {
        return finding.to_string();
    }
    let place = |[x, y]: &[f64; 2]| format!("{} {}", short(*x), short(*y));
    let at: Vec<String> = finding.places.iter().take(PLACES).map(place).collect();
    let more = match finding.places.len().saturating_sub(PLACES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("{finding} (at {}{more})", at.join("; "))
}

/// Degrees need more digits than metres.
fn short(figure: f64) -> String {
    if figure.abs() <= 180.0 { format!("{figure:.6}") } else { format!("{figure:.1}") }
}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Findings {
        Findings(vec![finding])
    }
}
