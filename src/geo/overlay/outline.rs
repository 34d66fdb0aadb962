//! A shape whose part near a rectangle is found quickly.
//!
//! Rings are kept in chunks with a box each. A chunk that lies wholly on one outer side of the
//! rectangle is replaced by its last vertex: the loop between the way and its short cut stays in
//! that outer half-plane, so what is inside the rectangle does not change.

use ::geo::Coord;

use crate::geo::shape::{Bounds, Shape};

/// Vertices of a chunk. Eight boxes tell about a coast of a thousand vertices.
const CHUNK: usize = 32;

/// The rings of a shape. By the even-odd rule holes need no mark.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    rings: Vec<Ring>,
    bounds: Bounds,
}

#[derive(Clone, Debug)]
struct Ring {
    points: Vec<Coord<f64>>,
    bounds: Bounds,
    chunks: Vec<Bounds>,
}

/// What of a rectangle an outline covers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Nothing,
    /// All of the rectangle.
    Everything,
    /// These rings, by the even-odd rule, cut at the rectangle.
    Some(Vec<Vec<Coord<f64>>>),
}

impl Outline {
    pub(crate) fn new(shape: &Shape) -> Outline {
        Outline::of_rings(shape.rings().map(|ring| ring.0.clone()).collect())
    }

    pub(crate) fn of_rings(rings: Vec<Vec<Coord<f64>>>) -> Outline {
        let rings: Vec<Ring> = rings.into_iter().map(Ring::new).collect();
        let bounds = rings.iter().fold(Bounds::NOTHING, |all, ring| all.union(ring.bounds));
        Outline { rings, bounds }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// What lies inside `window`.
    pub(crate) fn part(&self, window: &Bounds) -> Part {
        if !self.bounds.meets(window) {
            return Part::Nothing;
        }
        let mut rings = Vec::new();
        // Rings that go all the way round, each of which turns the rectangle over once.
        let mut rounds = 0_u32;
        for ring in &self.rings {
            if !ring.bounds.meets(window) {
                continue;
            }
            let near = ring.near(window);
            let cut = cut(near, window);
            match twice_area(&cut).abs() {
                area if area <= 0.0 || area.is_nan() => {}
                _ if is_frame(&cut, window) => rounds += 1,
                _ => rings.push(cut),
            }
        }
        match (rings.is_empty(), rounds % 2 == 1) {
            (true, true) => Part::Everything,
            (true, false) => Part::Nothing,
            (false, true) => {
                rings.push(corners(window).to_vec());
                Part::Some(rings)
            }
            (false, false) => Part::Some(rings),
        }
    }
}

impl Ring {
    fn new(mut points: Vec<Coord<f64>>) -> Ring {
        if points.first() == points.last() {
            points.pop();
        }
        let bounds = Bounds::of(&points);
        // A chunk's box holds the vertex before it too, or the way into it would be lost.
        let chunk = |at: usize| {
            let before = points[(at + points.len() - 1) % points.len()];
            Bounds::of(&points[at..points.len().min(at + CHUNK)]).with(before)
        };
        let chunks = (0..points.len()).step_by(CHUNK).map(chunk).collect();
        Ring { points, bounds, chunks }
    }

    /// The ring without what cannot be seen from inside the window.
    fn near(&self, window: &Bounds) -> Vec<Coord<f64>> {
        let mut near = Vec::new();
        for (chunk, points) in self.chunks.iter().zip(self.points.chunks(CHUNK)) {
            let outside = chunk.max_x < window.min_x
                || chunk.min_x > window.max_x
                || chunk.max_y < window.min_y
                || chunk.min_y > window.max_y;
            match (outside, points.last()) {
                (true, Some(last)) => near.push(*last),
                (true, None) | (false, _) => near.extend_from_slice(points),
            }
        }
        near
    }
}

/// Cuts a ring at the four sides of the window, one after the other. Where the ring leaves the
/// window the result runs along its side; areas by the even-odd rule do not mind.
fn cut(mut ring: Vec<Coord<f64>>, window: &Bounds) -> Vec<Coord<f64>> {
    let bounds = Bounds::of(&ring);
    let mut next = Vec::with_capacity(ring.len() + 4);
    let at_x = |x: f64| {
        move |a: Coord<f64>, b: Coord<f64>| Coord {
            x,
            y: a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x)),
        }
    };
    let at_y = |y: f64| {
        move |a: Coord<f64>, b: Coord<f64>| Coord {
            x: a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)),
            y,
        }
    };
    if bounds.min_x < window.min_x {
        side(&ring, &mut next, |p| p.x >= window.min_x, at_x(window.min_x));
        std::mem::swap(&mut ring, &mut next);
    }
    if bounds.max_x > window.max_x {
        side(&ring, &mut next, |p| p.x <= window.max_x, at_x(window.max_x));
        std::mem::swap(&mut ring, &mut next);
    }
    if bounds.min_y < window.min_y {
        side(&ring, &mut next, |p| p.y >= window.min_y, at_y(window.min_y));
        std::mem::swap(&mut ring, &mut next);
    }
    if bounds.max_y > window.max_y {
        side(&ring, &mut next, |p| p.y <= window.max_y, at_y(window.max_y));
        std::mem::swap(&mut ring, &mut next);
    }
    ring
}

fn side(
    ring: &[Coord<f64>],
    out: &mut Vec<Coord<f64>>,
    inside: impl Fn(Coord<f64>) -> bool,
    crossing: impl Fn(Coord<f64>, Coord<f64>) -> Coord<f64>,
) {
    out.clear();
    let Some(mut before) = ring.last().copied() else { return };
    for &point in ring {
        if inside(before) != inside(point) {
            // Always from the same end, so that neighbours that share the edge are cut alike.
            out.push(match inside(before) {
                true => crossing(before, point),
                false => crossing(point, before),
            });
        }
        if inside(point) {
            out.push(point);
        }
        before = point;
    }
}

pub(crate) fn twice_area(ring: &[Coord<f64>]) -> f64 {
    let Some(origin) = ring.first() else { return 0.0 };
    let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
    pairs
        .map(|(a, b)| (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y))
        .sum()
}

/// Whether a cut ring is the window itself: no vertex inside it, and its area.
fn is_frame(ring: &[Coord<f64>], window: &Bounds) -> bool {
    let on_frame = |point: &Coord<f64>| {
        point.x <= window.min_x
            || point.x >= window.max_x
            || point.y <= window.min_y
            || point.y >= window.max_y
    };
    let whole = 2.0 * window.width() * window.height();
    ring.iter().all(on_frame) && (twice_area(ring).abs() - whole).abs() <= whole * 1e-12
}

fn corners(window: &Bounds) -> [Coord<f64>; 4] {
    [
        Coord { x: window.min_x, y: window.min_y },
        Coord { x: window.max_x, y: window.min_y },
        Coord { x: window.max_x, y: window.max_y },
        Coord { x: window.min_x, y: window.max_y },
    ]
}
