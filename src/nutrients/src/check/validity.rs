//! Whether polygons are simple, as the standard for simple features has it, and the places where
//! they are not.

use std::cell::Cell;

use ::geo::kernels::{Kernel, Orientation};
use ::geo::{Coord, GeoNum};
use serde::{Deserialize, Serialize};

use super::segments::{Meeting, Segment, meeting, near_pairs};
use crate::overlay::twice_area;
use crate::shape::{Bounds, Shape};

/// Places that are told; a scribble has more than anybody wants to see.
const PLACES_MAX: usize = 50;

/// Something that makes a shape invalid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "place")]
pub enum Problem {
    /// A coordinate that is no number.
    NotFinite,
    /// A ring of less than three different corners, or without an area.
    NoArea([f64; 2]),
    /// An outline that crosses or touches itself or another.
    Crossing([f64; 2]),
    /// Two outlines on one line.
    Overlap([f64; 2]),
    /// A hole that is not inside of its polygon, or is inside of another hole.
    HoleOutside([f64; 2]),
    /// A part that lies inside of another.
    PartInside([f64; 2]),
    /// Rings that touch so often that the inside falls apart.
    Disconnected([f64; 2]),
    /// An outline so tangled that it cannot be judged in the time that one may take.
    TooTangled,
}

impl Problem {
    pub fn place(&self) -> Option<[f64; 2]> {
        match self {
            Problem::NotFinite | Problem::TooTangled => None,
            Problem::NoArea(at)
            | Problem::Crossing(at)
            | Problem::Overlap(at)
            | Problem::HoleOutside(at)
            | Problem::PartInside(at)
            | Problem::Disconnected(at) => Some(*at),
        }
    }
}

/// Steps of a judgement: a second at most on a slow core. What people draw takes a few dozen for each
/// vertex; long teeth of a comb, or rings in rings in rings, take vertices times vertices.
pub(super) struct Effort {
    left: Cell<u64>,
}

impl Effort {
    fn for_vertices(count: usize) -> Effort {
        Effort { left: Cell::new(10_000_000 + 300 * count as u64) }
    }

    /// For all shapes of a file together: each may be as tangled as one alone may be, but not all.
    pub(super) fn for_file(vertex_count: usize) -> Effort {
        Effort { left: Cell::new(20_000_000 + 60 * vertex_count as u64) }
    }

    /// Whether so many steps more may be taken.
    fn take(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}

struct Ring<'s> {
    points: &'s [Coord<f64>],
    bounds: Bounds,
    polygon: usize,
    is_hole: bool,
}

/// Everything that makes a shape invalid, up to a few dozen places.
pub fn problems(shape: &Shape) -> Vec<Problem> {
    let alone = Effort::for_vertices(shape.vertex_count());
    problems_within(shape, &alone)
}

/// The same for one shape of many, within what is left for all of them.
pub(super) fn problems_within(shape: &Shape, all: &Effort) -> Vec<Problem> {
    if !shape.is_finite() {
        return vec![Problem::NotFinite];
    }
    let rings = rings(shape);
    let effort = Effort::for_vertices(shape.vertex_count());
    let given = effort.left.get().min(all.left.get());
    effort.left.set(given);
    let problems = judged(&rings, &effort);
    all.left.set(all.left.get() - (given - effort.left.get()));
    problems
}

fn judged(rings: &[Ring<'_>], effort: &Effort) -> Vec<Problem> {
    let mut problems = Vec::new();
    let first = |ring: &Ring<'_>| ring.points.first().map_or([0.0; 2], |at| [at.x, at.y]);
    let thin = rings.iter().filter(|ring| distinct_sides(ring.points) < 3);
    problems.extend(thin.map(|ring| Problem::NoArea(first(ring))));
    problems.extend(meetings(rings, effort));
    // A figure of eight has no area in sum either, and where it crosses says more.
    if problems.is_empty() {
        let flat = rings.iter().filter(|ring| twice_area(ring.points) == 0.0);
        problems.extend(flat.map(|ring| Problem::NoArea(first(ring))));
    }
    if problems.is_empty() {
        problems.extend(misplaced(rings, effort));
    }
    problems.truncate(PLACES_MAX);
    // What was found is told; what was not looked at could be anything.
    if effort.is_spent() {
        problems.push(Problem::TooTangled);
    }
    problems
}

fn rings(shape: &Shape) -> Vec<Ring<'_>> {
    let mut rings = Vec::new();
    for (polygon, it) in shape.0.iter().enumerate() {
        let all = std::iter::once(it.exterior()).chain(it.interiors());
        for (number, ring) in all.enumerate() {
            let points = ring.0.as_slice();
            rings.push(Ring { points, bounds: Bounds::of(points), polygon, is_hole: number > 0 });
        }
    }
    rings
}

fn distinct_sides(points: &[Coord<f64>]) -> usize {
    points.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Where sides of rings meet that must not.
fn meetings(rings: &[Ring<'_>], effort: &Effort) -> Vec<Problem> {
    let mut segments = Vec::new();
    for (number, ring) in (0_u32..).zip(rings) {
        let of = u32::try_from(distinct_sides(ring.points)).unwrap_or(u32::MAX);
        let sides = ring.points.windows(2).filter(|pair| pair[0] != pair[1]);
        segments.extend((0_u32..).zip(sides).map(|(at, pair)| Segment {
            a: pair[0],
            b: pair[1],
            ring: number,
            at,
            of,
        }));
    }
    let mut problems: Vec<Problem> = Vec::new();
    let mut touches: Vec<(u32, u32, Coord<f64>)> = Vec::new();
    near_pairs(&segments, &|count| effort.take(count), &mut |s, t| {
        if !effort.take(8) {
            return false;
        }
        let problem = match meeting(s, t) {
            Meeting::Apart => None,
            Meeting::Touch(_) if s.follows(t) => None,
            Meeting::Touch(at) if s.ring == t.ring => Some(Problem::Crossing([at.x, at.y])),
            Meeting::Touch(at) => {
                touches.push((s.ring.min(t.ring), s.ring.max(t.ring), at));
                None
            }
            Meeting::Cross(at) => Some(Problem::Crossing([at.x, at.y])),
            Meeting::Overlap(at) => Some(Problem::Overlap([at.x, at.y])),
        };
        problems.extend(problem.filter(|it| !problems.contains(it)));
        problems.len() < PLACES_MAX && touches.len() < 1_000_000
    });
    problems.extend(through_touches(rings, touches, effort));
    problems
}

/// Rings of one polygon may touch at one point; at two the inside falls apart. Where rings touch
/// they may cross as well: a vertex on either side of the other ring tells.
fn through_touches(
    rings: &[Ring<'_>],
    mut touches: Vec<(u32, u32, Coord<f64>)>,
    effort: &Effort,
) -> Vec<Problem> {
    let order = |a: &(u32, u32, Coord<f64>), b: &(u32, u32, Coord<f64>)| {
        let places = a.2.x.total_cmp(&b.2.x).then_with(|| a.2.y.total_cmp(&b.2.y));
        (a.0, a.1).cmp(&(b.0, b.1)).then(places)
    };
    touches.sort_unstable_by(order);
    touches.dedup();
    let mut problems = Vec::new();
    for pairs in touches.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (first, second) = (&rings[pairs[0].0 as usize], &rings[pairs[0].1 as usize]);
        let at = pairs[0].2;
        if on_both_sides(first, second, effort) || on_both_sides(second, first, effort) {
            problems.push(Problem::Crossing([at.x, at.y]));
        } else if first.polygon == second.polygon && pairs.len() > 1 {
            problems.push(Problem::Disconnected([at.x, at.y]));
        }
    }
    problems
}

fn on_both_sides(ring: &Ring<'_>, other: &Ring<'_>, effort: &Effort) -> bool {
    let sides = ring.points.iter().map_while(|at| side_of(other, *at, effort).ok()).flatten();
    let (mut inside, mut outside) = (false, false);
    for it in sides {
        inside |= it;
        outside |= !it;
        if inside && outside {
            return true;
        }
    }
    false
}

/// Rings that lie where they must not, given that none of them cross.
fn misplaced(rings: &[Ring<'_>], effort: &Effort) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, ring) in rings.iter().enumerate() {
        if !effort.take(rings.len()) {
            break;
        }
        let place = ring.points.first().map_or([0.0; 2], |at| [at.x, at.y]);
        for (other_at, other) in rings.iter().enumerate() {
            let own = ring.polygon == other.polygon;
            if at == other_at || !own && (ring.is_hole || other.is_hole) {
                continue;
            }
            let inside = ring.bounds.meets(&other.bounds) && lies_inside(ring, other, effort);
            match (own, ring.is_hole, other.is_hole) {
                (true, true, false) if !inside => problems.push(Problem::HoleOutside(place)),
                (true, true, true) if inside => problems.push(Problem::HoleOutside(place)),
                (false, false, false) if inside && !in_a_hole(ring, other, rings, effort) => {
                    problems.push(Problem::PartInside(place));
                }
                (_, _, _) => {}
            }
        }
    }
    problems
}

fn in_a_hole(ring: &Ring<'_>, of: &Ring<'_>, rings: &[Ring<'_>], effort: &Effort) -> bool {
    effort.take(rings.len())
        && rings
            .iter()
            .any(|it| it.is_hole && it.polygon == of.polygon && lies_inside(ring, it, effort))
}

/// Whether a ring lies inside of another that it does not cross: its first vertex, or middle of a
/// side, that is not on the other's line tells.
fn lies_inside(ring: &Ring<'_>, other: &Ring<'_>, effort: &Effort) -> bool {
    let middles = ring.points.windows(2).map(|it| (it[0] + it[1]) / 2.0);
    let told = ring.points.iter().copied().chain(middles);
    told.map_while(|at| side_of(other, at, effort).ok()).flatten().next().unwrap_or(true)
}

/// No more steps may be taken.
struct Spent;

/// Whether a point is inside of a ring; `None` on its line.
fn side_of(ring: &Ring<'_>, at: Coord<f64>, effort: &Effort) -> Result<Option<bool>, Spent> {
    let Bounds { min_x, min_y, max_x, max_y } = ring.bounds;
    if at.x < min_x || at.x > max_x || at.y < min_y || at.y > max_y {
        return Ok(Some(false));
    }
    // A side that spans the point costs as much as some dozen that do not.
    if !effort.take(ring.points.len() + 30) {
        return Err(Spent);
    }
    let mut inside = false;
    for pair in ring.points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let spans = (a.y <= at.y) != (b.y <= at.y);
        let level = a.y == at.y && b.y == at.y;
        if !spans && !level && at != a && at != b {
            continue;
        }
        let turn = <f64 as GeoNum>::Ker::orient2d(a, b, at);
        if turn == Orientation::Collinear && Bounds::of(&[a, b]).meets(&Bounds::of(&[at])) {
            return Ok(None);
        }
        let upwards = b.y > a.y;
        inside ^= spans && (turn == Orientation::CounterClockwise) == upwards;
    }
    Ok(Some(inside))
}

/// Whether a point is inside of a ring, closed or not; its line counts as neither for certain.
pub(crate) fn is_inside(ring: &[Coord<f64>], at: Coord<f64>) -> bool {
    let sides = ring.iter().zip(ring.iter().cycle().skip(1));
    sides.fold(false, |inside, (a, b)| {
        let spans = (a.y > at.y) != (b.y > at.y);
        inside ^ (spans && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x)
    })
}
