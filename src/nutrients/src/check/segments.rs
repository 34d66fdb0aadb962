//! Sides of rings, and where two of them meet.

use ::geo::kernels::{Kernel, Orientation};
use ::geo::{Coord, GeoNum};

use crate::shape::Bounds;

/// Sides in one cell that are compared each with each.
const CELL_MAX: usize = 48;
const DEPTH_MAX: u32 = 20;

/// One side of a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) a: Coord<f64>,
    pub(super) b: Coord<f64>,
    /// Which ring of all, and which of its sides, without those of no length.
    pub(super) ring: u32,
    pub(super) at: u32,
    /// How many sides the ring has.
    pub(super) of: u32,
}

impl Segment {
    fn bounds(&self) -> Bounds {
        Bounds::of(&[self.a, self.b])
    }

    pub(super) fn follows(&self, other: &Segment) -> bool {
        self.ring == other.ring
            && ((self.at + 1) % self.of == other.at || (other.at + 1) % other.of == self.at)
    }
}

/// How two sides meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meeting {
    Apart,
    /// At a point that is an end of one of them.
    Touch(Coord<f64>),
    /// In the middle of both.
    Cross(Coord<f64>),
    /// On a line.
    Overlap(Coord<f64>),
}

fn turn(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> i8 {
    match <f64 as GeoNum>::Ker::orient2d(a, b, c) {
        Orientation::CounterClockwise => 1,
        Orientation::Clockwise => -1,
        Orientation::Collinear => 0,
    }
}

pub(super) fn meeting(s: &Segment, t: &Segment) -> Meeting {
    let (c, d) = (turn(s.a, s.b, t.a), turn(s.a, s.b, t.b));
    let (a, b) = (turn(t.a, t.b, s.a), turn(t.a, t.b, s.b));
    if a == 0 && b == 0 && c == 0 && d == 0 {
        return on_one_line(s, t);
    }
    if a * b < 0 && c * d < 0 {
        return Meeting::Cross(crossing(s, t));
    }
    let ends = [(c, t.a, s), (d, t.b, s), (a, s.a, t), (b, s.b, t)];
    let touching = ends
        .iter()
        .find(|(turn, point, side)| *turn == 0 && side.bounds().meets(&Bounds::of(&[*point])));
    touching.map_or(Meeting::Apart, |(_, point, _)| Meeting::Touch(*point))
}

fn on_one_line(s: &Segment, t: &Segment) -> Meeting {
    match s.bounds().shared(t.bounds()) {
        None => Meeting::Apart,
        Some(both) if both.width() == 0.0 && both.height() == 0.0 => Meeting::Touch(both.centre()),
        Some(both) => Meeting::Overlap(both.centre()),
    }
}

fn crossing(s: &Segment, t: &Segment) -> Coord<f64> {
    let (p, r, q) = (s.a, s.b - s.a, t.b - t.a);
    let across = r.x * q.y - r.y * q.x;
    let along = ((t.a.x - p.x) * q.y - (t.a.y - p.y) * q.x) / across;
    if along.is_finite() { p + r * along } else { s.bounds().centre() }
}

/// Calls `visit` with every two sides whose boxes meet, some of them twice, until it says stop.
/// Sides are sorted into cells that are halved until few are left in each. `may` is asked before so
/// many sides are looked at.
pub(super) fn near_pairs(
    segments: &[Segment],
    may: &dyn Fn(usize) -> bool,
    visit: &mut dyn FnMut(&Segment, &Segment) -> bool,
) -> bool {
    let bounds = segments.iter().fold(Bounds::NOTHING, |all, it| all.union(it.bounds()));
    let all: Vec<u32> = (0_u32..).zip(segments).map(|(at, _)| at).collect();
    let looking = Looking { segments, may };
    looking.cell(&all, &bounds, visit, 0)
}

/// What is looked at, and by whose leave.
struct Looking<'s> {
    segments: &'s [Segment],
    may: &'s dyn Fn(usize) -> bool,
}

impl Looking<'_> {
    fn cell(
        &self,
        inside: &[u32],
        bounds: &Bounds,
        visit: &mut dyn FnMut(&Segment, &Segment) -> bool,
        depth: u32,
    ) -> bool {
        if !(self.may)(inside.len()) {
            return false;
        }
        if inside.len() > CELL_MAX && depth < DEPTH_MAX {
            let centre = bounds.centre();
            let halves = match bounds.width() > bounds.height() {
                true => {
                    [Bounds { max_x: centre.x, ..*bounds }, Bounds { min_x: centre.x, ..*bounds }]
                }
                false => {
                    [Bounds { max_y: centre.y, ..*bounds }, Bounds { min_y: centre.y, ..*bounds }]
                }
            };
            let parts = halves.map(|half| {
                let meets = |at: &&u32| self.segments[**at as usize].bounds().meets(&half);
                (half, inside.iter().filter(meets).copied().collect::<Vec<u32>>())
            });
            // Where halving sorts nothing out any more, it would only double the work.
            if parts.iter().all(|(_, part)| part.len() < inside.len()) || depth < 4 {
                return parts.iter().all(|(half, part)| self.cell(part, half, visit, depth + 1));
            }
        }
        for (at, first) in inside.iter().enumerate() {
            if !(self.may)((inside.len() - at) / 4) {
                return false;
            }
            let first = &self.segments[*first as usize];
            let bounds = first.bounds();
            for second in &inside[at + 1..] {
                let second = &self.segments[*second as usize];
                if bounds.meets(&second.bounds()) && !visit(first, second) {
                    return false;
                }
            }
        }
        true
    }
}
