//! A shape on the ground: polygons with holes, in metres of the British National Grid.
//!
//! Serialised as GeoJSON spells the coordinates of a MultiPolygon, so that a stored result can be
//! drawn later without this crate.

use ::geo::{Area, Coord, LineString, MultiPolygon, Polygon};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The smallest upright rectangle around something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    pub min_x: f64,
    pub min_y: f64,
    pub max_x: f64,
    pub max_y: f64,
}

impl Bounds {
    /// Around nothing: every point makes it larger.
    pub const NOTHING: Bounds = Bounds {
        min_x: f64::INFINITY,
        min_y: f64::INFINITY,
        max_x: f64::NEG_INFINITY,
        max_y: f64::NEG_INFINITY,
    };

    /// Around everything.
    pub const EVERYTHING: Bounds = Bounds {
        min_x: f64::NEG_INFINITY,
        min_y: f64::NEG_INFINITY,
        max_x: f64::INFINITY,
        max_y: f64::INFINITY,
    };

    pub fn of(points: &[Coord<f64>]) -> Bounds {
        points.iter().fold(Bounds::NOTHING, |bounds, point| bounds.with(*point))
    }

    #[must_use]
    pub fn with(self, point: Coord<f64>) -> Bounds {
        Bounds {
            min_x: self.min_x.min(point.x),
            min_y: self.min_y.min(point.y),
            max_x: self.max_x.max(point.x),
            max_y: self.max_y.max(point.y),
        }
    }

    #[must_use]
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds {
            min_x: self.min_x.min(other.min_x),
            min_y: self.min_y.min(other.min_y),
            max_x: self.max_x.max(other.max_x),
            max_y: self.max_y.max(other.max_y),
        }
    }

    /// What both cover; `None` if they do not even touch.
    pub fn shared(self, other: Bounds) -> Option<Bounds> {
        let both = Bounds {
            min_x: self.min_x.max(other.min_x),
            min_y: self.min_y.max(other.min_y),
            max_x: self.max_x.min(other.max_x),
            max_y: self.max_y.min(other.max_y),
        };
        (both.min_x <= both.max_x && both.min_y <= both.max_y).then_some(both)
    }

    pub fn meets(&self, other: &Bounds) -> bool {
        self.min_x <= other.max_x
            && self.max_x >= other.min_x
            && self.min_y <= other.max_y
            && self.max_y >= other.min_y
    }

    /// Larger by `margin` on every side.
    #[must_use]
    pub fn grown(self, margin: f64) -> Bounds {
        Bounds {
            min_x: self.min_x - margin,
            min_y: self.min_y - margin,
            max_x: self.max_x + margin,
            max_y: self.max_y + margin,
        }
    }

    pub fn width(&self) -> f64 {
        self.max_x - self.min_x
    }

    pub fn height(&self) -> f64 {
        self.max_y - self.min_y
    }

    pub fn centre(&self) -> Coord<f64> {
        Coord { x: self.min_x.midpoint(self.max_x), y: self.min_y.midpoint(self.max_y) }
    }
}

/// Polygons with holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape(pub MultiPolygon<f64>);

impl Shape {
    pub fn new(polygons: Vec<Polygon<f64>>) -> Shape {
        Shape(MultiPolygon::new(polygons))
    }

    /// Every ring, outer and inner ones alike.
    pub fn rings(&self) -> impl Iterator<Item = &LineString<f64>> {
        self.0
            .iter()
            .flat_map(|polygon| std::iter::once(polygon.exterior()).chain(polygon.interiors()))
    }

    pub fn area_m2(&self) -> f64 {
        self.0.unsigned_area()
    }

    /// The length of all rings.
    pub fn perimeter_m(&self) -> f64 {
        let side = |line: ::geo::Line<f64>| (line.dx().powi(2) + line.dy().powi(2)).sqrt();
        self.rings().flat_map(LineString::lines).map(side).sum()
    }

    pub fn bounds(&self) -> Bounds {
        self.rings().fold(Bounds::NOTHING, |bounds, ring| bounds.union(Bounds::of(&ring.0)))
    }

    pub fn vertex_count(&self) -> usize {
        self.rings().map(|ring| ring.0.len()).sum()
    }

    pub fn is_finite(&self) -> bool {
        self.rings()
            .all(|ring| ring.0.iter().all(|point| point.x.is_finite() && point.y.is_finite()))
    }

    /// SHA-256 of the coordinates, bit by bit, in hexadecimal digits: the same shape has the same
    /// one on every machine.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for polygon in &self.0 {
            hash.update((polygon.interiors().len() as u64).to_le_bytes());
            for ring in std::iter::once(polygon.exterior()).chain(polygon.interiors()) {
                hash.update((ring.0.len() as u64).to_le_bytes());
                for point in &ring.0 {
                    hash.update(point.x.to_le_bytes());
                    hash.update(point.y.to_le_bytes());
                }
            }
        }
        hex(&hash.finalize())
    }

    /// Square metres that two shapes share.
    pub fn shared_area_m2(&self, other: &Shape) -> f64 {
        use super::overlay::{Outline, shared_areas};
        let (one, two) = (Outline::new(self), Outline::new(other));
        let window = one.bounds().shared(two.bounds());
        window.map_or(0.0, |window| shared_areas(&[&one, &two], &window).inside_all(3))
    }

    /// As GeoJSON spells the coordinates of a MultiPolygon.
    pub fn coordinates(&self) -> Vec<Vec<Vec<[f64; 2]>>> {
        let ring = |ring: &LineString<f64>| ring.0.iter().map(|at| [at.x, at.y]).collect();
        let polygon = |polygon: &Polygon<f64>| {
            std::iter::once(polygon.exterior()).chain(polygon.interiors()).map(ring).collect()
        };
        self.0.iter().map(polygon).collect()
    }

    /// The opposite of [`Shape::coordinates`]; rings are closed where they are not.
    pub fn from_coordinates(polygons: Vec<Vec<Vec<[f64; 2]>>>) -> Shape {
        let ring = |ring: Vec<[f64; 2]>| {
            LineString::new(ring.into_iter().map(|[x, y]| Coord { x, y }).collect())
        };
        let polygon = |rings: Vec<Vec<[f64; 2]>>| {
            let mut rings = rings.into_iter().map(ring);
            let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
            Polygon::new(exterior, rings.collect())
        };
        Shape::new(polygons.into_iter().map(polygon).collect())
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.coordinates().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        Vec::deserialize(deserializer).map(Shape::from_coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_the_same_after_json() {
        let shape = Shape::from_coordinates(vec![vec![
            vec![[0.1, 0.2], [10.7, 0.3], [10.0, 10.0], [0.1, 0.2]],
            vec![[5.0, 2.0], [6.0, 2.0], [6.0, 3.0]],
        ]]);
        let json = serde_json::to_string(&shape).unwrap();
        let again: Shape = serde_json::from_str(&json).unwrap();
        assert_eq!(again, shape);
        assert_eq!(again.digest(), shape.digest());
        assert_eq!(shape.vertex_count(), 8, "the hole was closed");
    }
}
