//! Well-known binary, as GeoPackages wrap it: polygons and collections of them, with or without
//! heights and measures, which are dropped.

use ::geo::{Coord, LineString, Polygon};

use super::Geometry;
use crate::shape::Shape;

/// The geometry in a GeoPackage blob. `None` if it is not in form, or larger than `vertices_max`.
pub(crate) fn geopackage_geometry(blob: &[u8], vertices_max: usize) -> Option<Geometry> {
    if !blob.starts_with(b"GP") {
        return None;
    }
    let flags = *blob.get(3)?;
    let envelope = match flags >> 1 & 7 {
        0 => 0,
        1 => 32,
        2 | 3 => 48,
        4 => 64,
        _ => return None,
    };
    if flags & 0x10 != 0 {
        return Some(Geometry::Null);
    }
    geometry(blob.get(8 + envelope..)?, vertices_max)
}

fn geometry(bytes: &[u8], vertices_max: usize) -> Option<Geometry> {
    let mut reader = Reader { rest: bytes, little: true, vertices_left: vertices_max };
    let (kind, numbers) = reader.head()?;
    Some(match kind {
        3 => {
            let polygon = reader.polygon(numbers)?;
            match polygon.exterior().0.is_empty() {
                true => Geometry::Null,
                false => Geometry::Polygon(Shape::new(vec![polygon])),
            }
        }
        6 => {
            // Every part takes nine bytes at least, so a count that lies finds the end soon.
            let count = reader.count(9)?;
            let mut polygons = Vec::with_capacity(count);
            for _ in 0..count {
                let (kind, numbers) = reader.head()?;
                polygons.push((kind == 3).then(|| reader.polygon(numbers))??);
            }
            match polygons.is_empty() {
                true => Geometry::Null,
                false => Geometry::MultiPolygon(Shape::new(polygons)),
            }
        }
        kind => Geometry::Other(kind_name(kind).to_owned()),
    })
}

fn kind_name(kind: u32) -> &'static str {
    match kind {
        1 => "Point",
        2 => "LineString",
        4 => "MultiPoint",
        5 => "MultiLineString",
        7 => "GeometryCollection",
        10 => "CurvePolygon",
        12 => "MultiSurface",
        _ => "unknown kind of geometry",
    }
}

struct Reader<'b> {
    rest: &'b [u8],
    little: bool,
    vertices_left: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    /// The byte order and kind of a geometry, with how many numbers a vertex has.
    fn head(&mut self) -> Option<(u32, usize)> {
        let [order] = self.take()?;
        self.little = order == 1;
        let code = self.number()?;
        // Both spellings of heights and measures: thousands, and the upper bits.
        let (z, m) = (code & 0x8000_0000 != 0, code & 0x4000_0000 != 0);
        if code & 0x2000_0000 != 0 {
            self.number()?;
        }
        let code = code & 0x0fff_ffff;
        let extra = match code / 1000 {
            0 => usize::from(z) + usize::from(m),
            1 | 2 => 1,
            3 => 2,
            _ => return None,
        };
        Some((code % 1000, 2 + extra))
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take()?;
        Some(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// A count of things that take `size` bytes each, no more than there are bytes for.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(size)? <= self.rest.len()).then_some(count)
    }

    fn double(&mut self) -> Option<f64> {
        let bytes = self.take()?;
        Some(if self.little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    }

    fn polygon(&mut self, numbers: usize) -> Option<Polygon<f64>> {
        let count = self.count(4)?;
        let mut rings = Vec::with_capacity(count);
        for _ in 0..count {
            let vertices = self.count(numbers * 8)?;
            self.vertices_left = self.vertices_left.checked_sub(vertices)?;
            let mut ring = Vec::with_capacity(vertices);
            for _ in 0..vertices {
                let (x, y) = (self.double()?, self.double()?);
                for _ in 2..numbers {
                    self.double()?;
                }
                ring.push(Coord { x, y });
            }
            rings.push(LineString::new(ring));
        }
        let mut rings = rings.into_iter();
        let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
        Some(Polygon::new(exterior, rings.collect()))
    }
}
