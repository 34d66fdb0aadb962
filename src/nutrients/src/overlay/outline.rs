//! A shape whose part near a rectangle is found quickly.
//!
//! Rings are kept in chunks with a box each. A chunk that lies wholly on one outer side of the
//! rectangle is replaced by its last vertex: the loop between the way and its short cut stays in
//! that outer half-plane, so what is inside the rectangle does not change.

use ::geo::Coord;

use crate::shape::{Bounds, Shape};

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

/// What of a rectangle an outline covers, with a ring left where it was cut.
pub(crate) enum Glance {
    Nothing,
    Everything,
    /// One ring: that of the room.
    Ring,
    Rings(Vec<Vec<Coord<f64>>>),
}

/// Where rings are cut. Kept from one cut to the next, as most cuts are small and there are many.
#[derive(Default)]
pub(crate) struct Room {
    /// What came of the last cut.
    pub(super) ring: Vec<Coord<f64>>,
    pub(super) next: Vec<Coord<f64>>,
    near: Vec<Coord<f64>>,
    pub(super) sides: Vec<f64>,
}

impl Room {
    /// The ring that was cut last.
    pub(crate) fn ring(&self) -> &[Coord<f64>] {
        &self.ring
    }
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
        let mut room = Room::default();
        match self.part_in(window, &mut room) {
            Glance::Nothing => Part::Nothing,
            Glance::Everything => Part::Everything,
            Glance::Ring => Part::Some(vec![room.ring]),
            Glance::Rings(rings) => Part::Some(rings),
        }
    }

    /// The same, where a ring need not be moved.
    pub(crate) fn part_in(&self, window: &Bounds, room: &mut Room) -> Glance {
        if !self.bounds.meets(window) {
            return Glance::Nothing;
        }
        room.ring.clear();
        let mut others = Vec::new();
        // Rings that go all the way round, each of which turns the rectangle over once.
        let mut rounds = 0_u32;
        for ring in &self.rings {
            if !ring.bounds.meets(window) {
                continue;
            }
            if !ring.is_seen_from(window) {
                rounds += u32::from(ring.goes_round(window));
                continue;
            }
            let bounds = ring.near(window, &mut room.near);
            cut(&mut room.near, &mut room.next, bounds, window);
            match twice_area(&room.near).abs() {
                area if area <= 0.0 || area.is_nan() => {}
                area if is_frame(&room.near, area, window) => rounds += 1,
                _ if room.ring.is_empty() => std::mem::swap(&mut room.ring, &mut room.near),
                _ => others.push(room.near.clone()),
            }
        }
        match (room.ring.is_empty(), rounds % 2 == 1) {
            (true, true) => return Glance::Everything,
            (true, false) => return Glance::Nothing,
            (false, true) => others.push(corners(window).to_vec()),
            (false, false) => {}
        }
        match others.is_empty() {
            true => Glance::Ring,
            false => {
                others.insert(0, room.ring.clone());
                Glance::Rings(others)
            }
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

    /// Whether any side may lie in the window: one box of a side meets it.
    fn is_seen_from(&self, window: &Bounds) -> bool {
        let Some(mut before) = self.points.last() else { return false };
        for (chunk, points) in self.chunks.iter().zip(self.points.chunks(CHUNK)) {
            if chunk.meets(window) {
                for point in points {
                    let apart = before.x < window.min_x && point.x < window.min_x
                        || before.x > window.max_x && point.x > window.max_x
                        || before.y < window.min_y && point.y < window.min_y
                        || before.y > window.max_y && point.y > window.max_y;
                    if !apart {
                        return true;
                    }
                    before = point;
                }
            } else if let Some(last) = points.last() {
                before = last;
            }
        }
        false
    }

    /// Whether the ring goes round a window that it is not seen from: a ray from it tells.
    fn goes_round(&self, window: &Bounds) -> bool {
        let (x, y) = (window.min_x, window.min_y);
        let Some(mut before) = self.points.last() else { return false };
        let mut inside = false;
        for point in &self.points {
            if (before.y > y) != (point.y > y) {
                let at = before.x + (point.x - before.x) * ((y - before.y) / (point.y - before.y));
                inside ^= at > x;
            }
            before = point;
        }
        inside
    }

    /// The ring without what cannot be seen from inside the window, and the box around it.
    fn near(&self, window: &Bounds, near: &mut Vec<Coord<f64>>) -> Bounds {
        near.clear();
        let mut whole = true;
        for (chunk, points) in self.chunks.iter().zip(self.points.chunks(CHUNK)) {
            match (chunk.meets(window), points.last()) {
                (false, Some(last)) => {
                    near.push(*last);
                    whole = false;
                }
                (false, None) | (true, _) => near.extend_from_slice(points),
            }
        }
        if whole { self.bounds } else { Bounds::of(near) }
    }
}

/// Cuts a ring at the four sides of the window, one after the other. Where the ring leaves the
/// window the result runs along its side; areas by the even-odd rule do not mind.
fn cut(ring: &mut Vec<Coord<f64>>, next: &mut Vec<Coord<f64>>, bounds: Bounds, window: &Bounds) {
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
        side(ring, next, |p| p.x >= window.min_x, at_x(window.min_x));
        std::mem::swap(ring, next);
    }
    if bounds.max_x > window.max_x {
        side(ring, next, |p| p.x <= window.max_x, at_x(window.max_x));
        std::mem::swap(ring, next);
    }
    if bounds.min_y < window.min_y {
        side(ring, next, |p| p.y >= window.min_y, at_y(window.min_y));
        std::mem::swap(ring, next);
    }
    if bounds.max_y > window.max_y {
        side(ring, next, |p| p.y <= window.max_y, at_y(window.max_y));
        std::mem::swap(ring, next);
    }
}

fn side(
    ring: &[Coord<f64>],
    out: &mut Vec<Coord<f64>>,
    inside: impl Fn(Coord<f64>) -> bool,
    crossing: impl Fn(Coord<f64>, Coord<f64>) -> Coord<f64>,
) {
    out.clear();
    let Some(mut before) = ring.last().copied() else { return };
    let mut was_inside = inside(before);
    for &point in ring {
        let is_inside = inside(point);
        if was_inside != is_inside {
            // Always from the same end, so that neighbours that share the edge are cut alike.
            out.push(match was_inside {
                true => crossing(before, point),
                false => crossing(point, before),
            });
        }
        if is_inside {
            out.push(point);
        }
        (before, was_inside) = (point, is_inside);
    }
}

/// Twice the area of a ring whose last vertex is not its first again; the sign tells its turn.
pub(crate) fn twice_area(ring: &[Coord<f64>]) -> f64 {
    let (Some(&origin), Some(&last)) = (ring.first(), ring.last()) else { return 0.0 };
    let twice = |a: Coord<f64>, b: Coord<f64>| {
        (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)
    };
    let sum = ring.windows(2).fold(-0.0, |sum, pair| sum + twice(pair[0], pair[1]));
    sum + twice(last, origin)
}

/// Whether a cut ring of so much area, twice, is the window itself: no vertex inside it, and its
/// area.
fn is_frame(ring: &[Coord<f64>], area: f64, window: &Bounds) -> bool {
    let on_frame = |point: &Coord<f64>| {
        point.x <= window.min_x
            || point.x >= window.max_x
            || point.y <= window.min_y
            || point.y >= window.max_y
    };
    let whole = 2.0 * window.width() * window.height();
    (area - whole).abs() <= whole * 1e-12 && ring.iter().all(on_frame)
}

fn corners(window: &Bounds) -> [Coord<f64>; 4] {
    [
        Coord { x: window.min_x, y: window.min_y },
        Coord { x: window.max_x, y: window.min_y },
        Coord { x: window.max_x, y: window.max_y },
        Coord { x: window.min_x, y: window.max_y },
    ]
}
