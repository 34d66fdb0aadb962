//! Shapefiles: polygons of every flavour, in a zip, in a folder, or as a file with its parts beside
//! it.

use std::fs;
use std::path::{Path, PathBuf};

use ::geo::{Coord, LineString, Polygon};
use byteio::little_endian::{u32_at, u64_at};

use super::archive::too_many;
use super::open::bytes_of as read_bytes;
use super::{Feature, Geometry, Raw, SiteColumns, dbf};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::shape::Shape;
use crate::transform::Crs;

/// Comparisons of a vertex with a side that the shapes of a file may cost: under a second, and a few
/// for each of its bytes.
const COMPARISONS: usize = 200_000_000;
const COMPARISONS_PER_BYTE: usize = 20;

/// The parts of a shapefile.
pub(super) struct Parts<'b> {
    pub(super) shapes: &'b [u8],
    pub(super) table: Option<&'b [u8]>,
    pub(super) projection: Option<&'b [u8]>,
}

pub(super) fn read(parts: &Parts<'_>, limits: &Limits) -> Result<Raw, Findings> {
    let crs = match parts.projection {
        Some(text) => crs(&String::from_utf8_lossy(text))?,
        None => {
            let sentence = "the shapefile has no .prj that tells its coordinate system; add it";
            return Err(Finding::new(Code::MissingCrs, sentence).into());
        }
    };
    let geometries = shapes(parts.shapes, limits)?;
    let rows = match parts.table {
        Some(table) => {
            dbf::read(table, limits.features).ok_or_else(|| damaged("its .dbf is not in form"))?
        }
        None => Vec::new(),
    };
    if parts.table.is_some() && rows.len() != geometries.len() {
        return Err(damaged("its .dbf has not as many records as its .shp").into());
    }
    let mut rows = rows.into_iter();
    let with_row =
        |geometry| Feature { geometry, columns: rows.next().unwrap_or_else(SiteColumns::default) };
    Ok(Raw { crs, features: geometries.into_iter().map(with_row).collect() })
}

/// The one shapefile in a folder.
pub(super) fn read_folder(folder: &Path, limits: &Limits) -> Result<Raw, Findings> {
    let listed = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("shp")));
    found.sort();
    match found.as_slice() {
        [one] => read_beside(one, limits),
        _ => {
            let sentence = format!(
                "{} has {} .shp files; name the one to read",
                folder.display(),
                found.len()
            );
            Err(Finding::new(Code::UnreadableGeometryFile, sentence).into())
        }
    }
}

pub(super) fn read_beside(path: &Path, limits: &Limits) -> Result<Raw, Findings> {
    let part = |end: &str| -> Result<Option<Vec<u8>>, Finding> {
        let spellings = [end.to_owned(), end.to_ascii_uppercase()];
        let mut paths = spellings.into_iter().map(|end| path.with_extension(end));
        paths
            .find(|path| fs::metadata(path).is_ok())
            .map(|path| bytes_of(&path, limits))
            .transpose()
    };
    let shapes = bytes_of(path, limits)?;
    let (table, projection) = (part("dbf")?, part("prj")?);
    let parts =
        Parts { shapes: &shapes, table: table.as_deref(), projection: projection.as_deref() };
    read(&parts, limits)
}

/// The bytes of a part, no more than allowed.
fn bytes_of(path: &Path, limits: &Limits) -> Result<Vec<u8>, Finding> {
    let bytes = read_bytes(path, limits).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limits.file_bytes {
        let sentence = format!("{} is larger than allowed; split the file", path.display());
        return Err(Finding::new(Code::FileSizeTooLarge, sentence));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Finding {
    let sentence = format!("{} cannot be read: {error}", path.display());
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

fn damaged(why: &str) -> Finding {
    let sentence = format!("the shapefile cannot be read: {why}; export it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

/// Which of the two systems a projection file describes.
fn crs(text: &str) -> Result<Crs, Finding> {
    let plain: String = text
        .chars()
        .filter(|it| it.is_ascii_alphanumeric())
        .collect::<String>()
        .to_ascii_uppercase();
    let projected = plain.starts_with("PROJCS") || plain.starts_with("PROJCRS");
    let geographic = plain.starts_with("GEOGCS") || plain.starts_with("GEOGCRS");
    let british = plain.contains("BRITISHNATIONALGRID") || plain.contains("EPSG27700");
    let world = plain.contains("WGS84") || plain.contains("WGS1984") || plain.contains("EPSG4326");
    match (projected && british, geographic && world) {
        (true, _) => Ok(Crs::Bng),
        (false, true) => Ok(Crs::Wgs84),
        (false, false) => {
            let sentence = "the .prj describes neither the British National Grid (EPSG:27700) nor \
                            WGS84 (EPSG:4326); save the shapefile in one of them";
            Err(Finding::new(Code::UnsupportedCrs, sentence))
        }
    }
}

fn shapes(bytes: &[u8], limits: &Limits) -> Result<Vec<Geometry>, Finding> {
    let magic = bytes.first_chunk().map(|chunk| u32::from_be_bytes(*chunk));
    if magic != Some(9994) || bytes.len() < 100 {
        return Err(damaged("its .shp does not begin as one"));
    }
    let mut rest = &bytes[100..];
    let mut geometries = Vec::new();
    let mut left = limits.vertices_in_all;
    let by_size = COMPARISONS_PER_BYTE.saturating_mul(bytes.len());
    let mut comparisons_left = COMPARISONS.saturating_add(by_size);
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let [_, _, _, _, len @ ..] = *head;
        let words = usize::try_from(u32::from_be_bytes(len)).unwrap_or(usize::MAX);
        let record = words.checked_mul(2).and_then(|len| after.get(..len));
        let record = record.ok_or_else(|| damaged("its .shp is cut"))?;
        rest = &after[record.len()..];
        limits.still_wanted()?;
        if geometries.len() >= limits.features {
            return Err(too_many("features", geometries.len() + 1, limits.features));
        }
        let geometry = shape(record, limits, &mut comparisons_left)?;
        let count = geometry.shape().map_or(0, Shape::vertex_count);
        left = left.checked_sub(count).ok_or_else(|| {
            too_many("vertices", limits.vertices_in_all + 1, limits.vertices_in_all)
        })?;
        geometries.push(geometry);
    }
    match rest.is_empty() {
        true => Ok(geometries),
        false => Err(damaged("its .shp is cut")),
    }
}

fn shape(
    record: &[u8],
    limits: &Limits,
    comparisons_left: &mut usize,
) -> Result<Geometry, Finding> {
    let kind = u32_at(record, 0).ok_or_else(|| damaged("a record is empty"))?;
    let name = match kind {
        0 => return Ok(Geometry::Null),
        5 | 15 | 25 => return polygon(record, limits, comparisons_left),
        1 | 11 | 21 => "Point",
        3 | 13 | 23 => "LineString",
        8 | 18 | 28 => "MultiPoint",
        31 => "MultiPatch",
        _ => return Err(damaged("a record is of an unknown kind")),
    };
    Ok(Geometry::Other(name.to_owned()))
}

fn polygon(
    record: &[u8],
    limits: &Limits,
    comparisons_left: &mut usize,
) -> Result<Geometry, Finding> {
    let cut = || damaged("a record is cut");
    let count = |at| u32_at(record, at).and_then(|it| usize::try_from(it).ok()).ok_or_else(cut);
    let (part_count, point_count) = (count(36)?, count(40)?);
    if point_count > limits.vertices || part_count > limits.vertices {
        return Err(too_many("vertices", point_count.max(part_count), limits.vertices));
    }
    let points_at = 44 + part_count * 4;
    if record.len() < points_at + point_count * 16 {
        return Err(cut());
    }
    let number = |at| u64_at(record, at).map(f64::from_bits).ok_or_else(cut);
    let mut starts =
        (0..part_count).map(|part| count(44 + part * 4)).collect::<Result<Vec<_>, _>>()?;
    starts.push(point_count);
    let mut rings = Vec::with_capacity(part_count);
    for pair in starts.windows(2) {
        if pair[0] > pair[1] || pair[1] > point_count {
            return Err(damaged("a part begins after its end"));
        }
        let point = |at: usize| -> Result<Coord<f64>, Finding> {
            Ok(Coord { x: number(points_at + at * 16)?, y: number(points_at + at * 16 + 8)? })
        };
        rings.push((pair[0]..pair[1]).map(point).collect::<Result<Vec<_>, _>>()?);
    }
    // Bounded for all shapes of a file together: many that are just allowed add up.
    let left = comparisons_left.checked_sub(comparisons(&rings));
    *comparisons_left = left.ok_or_else(|| {
        let sentence = "a shape has too many rings to tell which hole is whose; save the file as \
                        GeoJSON or GeoPackage, which say so";
        Finding::new(Code::TooLarge, sentence)
    })?;
    Ok(grouped(rings))
}

/// How often a vertex of a hole would be held against a side of an outline, at most.
fn comparisons(rings: &[Vec<Coord<f64>>]) -> usize {
    let is_hole = |ring: &&Vec<Coord<f64>>| crate::overlay::twice_area(ring) > 0.0;
    let holes: usize = rings.iter().filter(is_hole).map(Vec::len).sum();
    let sides: usize = rings.iter().map(Vec::len).sum();
    holes.saturating_mul(sides - holes)
}

/// Outer rings go clockwise, holes the other way; a hole belongs to the smallest outer ring around
/// it.
fn grouped(rings: Vec<Vec<Coord<f64>>>) -> Geometry {
    let signed = |ring: &[Coord<f64>]| crate::overlay::twice_area(ring);
    let (outer, holes): (Vec<_>, Vec<_>) =
        rings.into_iter().filter(|ring| !ring.is_empty()).partition(|ring| signed(ring) <= 0.0);
    // A file that turns its rings the other way has only holes: they are outlines then.
    let (outer, holes) = if outer.is_empty() { (holes, outer) } else { (outer, holes) };
    type WithHoles = (Vec<Coord<f64>>, Vec<LineString<f64>>);
    let mut polygons: Vec<WithHoles> = outer.into_iter().map(|ring| (ring, Vec::new())).collect();
    for hole in holes {
        let around = |ring: &[Coord<f64>]| {
            let inside = hole.iter().filter(|at| crate::check::is_inside(ring, **at)).count();
            inside * 2 > hole.len()
        };
        let home = (0..polygons.len()).filter(|at| around(&polygons[*at].0));
        let smallest = home
            .min_by(|a, b| signed(&polygons[*a].0).abs().total_cmp(&signed(&polygons[*b].0).abs()));
        match (smallest, polygons.len()) {
            (Some(at), _) => polygons[at].1.push(LineString::new(hole)),
            // A hole outside of everything is left to the check of the shape.
            (None, 0) => {}
            (None, _) => polygons[0].1.push(LineString::new(hole)),
        }
    }
    let mut polygons: Vec<Polygon<f64>> = polygons
        .into_iter()
        .map(|(ring, holes)| Polygon::new(LineString::new(ring), holes))
        .collect();
    match (polygons.len(), polygons.pop()) {
        (_, None) => Geometry::Null,
        (1, Some(one)) => Geometry::Polygon(Shape::new(vec![one])),
        (_, Some(last)) => {
            polygons.push(last);
            Geometry::MultiPolygon(Shape::new(polygons))
        }
    }
}

/// Reads bytes as the shapes of a shapefile whose other parts are sound, and as its table.
pub(crate) fn fuzz_parts(bytes: &[u8], limits: &Limits) {
    let projection = Some(b"PROJCS[\"British_National_Grid\"]".as_slice());
    let read = read(&Parts { shapes: bytes, table: None, projection }, limits);
    let vertices = |raw: &Raw| {
        raw.features.iter().filter_map(|it| it.geometry.shape()).map(Shape::vertex_count).sum()
    };
    // A ring may be closed where it is not: one vertex more for each.
    assert!(read.as_ref().map_or(0, vertices) <= bytes.len() / 4);
    let rows = dbf::read(bytes, limits.features);
    assert!(rows.is_none_or(|rows| rows.len() <= bytes.len()));
}
