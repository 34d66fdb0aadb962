//! Which reader a file needs, and its shapes moved to metres.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use byteio::regular::{self, Links};

use super::{Feature, Features, Geometry, Raw, archive, geojson, geopackage, kml, shapefile};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::transform::{Crs, Transform, moved, to_bng};

/// Reads shapes from the bytes of a file. `inside` is the bare name of the entry to use if the
/// file is a zip.
pub fn read_features(
    file_name: &str,
    bytes: &[u8],
    inside: Option<&str>,
    limits: &Limits,
) -> Result<Features, Findings> {
    if bytes.len() as u64 > limits.file_bytes {
        return Err(too_large(bytes.len() as u64, limits).into());
    }
    limits.still_wanted()?;
    let raw = match ending(file_name).as_str() {
        "geojson" | "json" => geojson::read(bytes, limits)?,
        "kml" => kml::read(bytes, limits)?,
        "gpkg" => geopackage::read_bytes(bytes, limits)?,
        "zip" => archive::read(bytes, inside, limits)?,
        _ => return Err(unsupported(file_name).into()),
    };
    limits.still_wanted()?;
    to_metres(raw)
}

/// Reads shapes from a file, or from a shapefile with its parts beside it or alone in a folder.
pub fn read_features_at(path: &Path, limits: &Limits) -> Result<Features, Findings> {
    let unreadable = |error: io::Error| {
        let sentence = format!("{} cannot be read: {error}", path.display());
        Findings::from(Finding::new(Code::UnreadableGeometryFile, sentence))
    };
    let status = fs::metadata(path).map_err(unreadable)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if status.is_dir() {
        return shapefile::read_folder(path, limits).and_then(to_metres);
    }
    if status.len() > limits.file_bytes {
        return Err(too_large(status.len(), limits).into());
    }
    match ending(&name).as_str() {
        "shp" => shapefile::read_beside(path, limits).and_then(to_metres),
        "gpkg" => geopackage::read_path(path, limits).and_then(to_metres),
        _ => read_features(&name, &bytes_of(path, limits).map_err(unreadable)?, None, limits),
    }
}

/// The bytes of a regular file, and one more than allowed of a larger one.
pub(super) fn bytes_of(path: &Path, limits: &Limits) -> io::Result<Vec<u8>> {
    let (file, _) = regular::open(path, Links::Follow)?;
    let mut bytes = Vec::new();
    file.take(limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a name ends with, in small letters.
pub(super) fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, end)| end.to_ascii_lowercase())
}

fn too_large(bytes: u64, limits: &Limits) -> Finding {
    let sentence = format!(
        "the file has {bytes} bytes, and at most {} are taken; simplify the boundary or split the \
         file",
        limits.file_bytes
    );
    Finding::new(Code::FileSizeTooLarge, sentence)
}

fn unsupported(name: &str) -> Finding {
    let kind = ending(name);
    let sentence = format!(
        "a file that ends with \"{}\" is not understood; give a .geojson, .json, .kml, .gpkg or a \
         .zip with a shapefile",
        kind.chars().take(20).collect::<String>()
    );
    Finding::new(Code::UnsupportedFileType, sentence)
}

/// Moves degrees to metres. What cannot be moved is outside of the grid, and says where.
fn to_metres(raw: Raw) -> Result<Features, Findings> {
    let transform = match raw.crs {
        Crs::Bng => Transform::None,
        Crs::Wgs84 => Transform::Ostn15,
    };
    let mut findings = Vec::new();
    let mut features = Vec::with_capacity(raw.features.len());
    for (number, feature) in (1_u32..).zip(raw.features) {
        let Feature { geometry, columns } = feature;
        let outside = |at: ::geo::Coord<f64>| {
            let sentence = format!(
                "longitude {} and latitude {} are outside of Great Britain's grid; check the order \
                 of the coordinates",
                at.x, at.y
            );
            Finding::new(Code::OutsideGrid, sentence).of_feature(number).at(vec![[at.x, at.y]])
        };
        let geometry = match raw.crs {
            Crs::Bng => Some(geometry),
            Crs::Wgs84 => geometry
                .map(|shape| moved(&shape, to_bng).map_err(|at| findings.push(outside(at))).ok()),
        };
        features.push(Feature { geometry: geometry.unwrap_or(Geometry::Null), columns });
    }
    match findings.is_empty() {
        true => Ok(Features { crs: raw.crs, transform, features }),
        false => Err(Findings(findings)),
    }
}
