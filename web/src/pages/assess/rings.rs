//! Rings on the paper: cut at the window, put on a grid, and made coarser.

use super::outline::Outline;
use super::view::{View, WIDTH};

/// How far beyond the window shapes are cut: further than corners are apart where they are thinned, so
/// that leaving one out never moves a cut edge into the window.
const BEYOND: f64 = 40.0;

/// A corner, in whole units of the drawing.
pub(super) type Corner = [i32; 2];

/// What is left of a ring: on which grid, and how far apart its corners are at least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness {
    /// The grid, in units of the drawing.
    pub(super) grid: i32,
    /// Corners that are no further from the one before are left out.
    pub(super) apart: i32,
}

/// The rings on the paper, as fine as it is drawn.
pub(super) fn corners(view: &View, group: &[&Outline]) -> Vec<Vec<Corner>> {
    let rings = group.iter().flat_map(|outline| outline.rings());
    let rings = rings.map(|ring| {
        let points = clipped(view, ring).into_iter().map(|point| point.map(on_paper));
        kept(points, Fineness { grid: 1, apart: 0 })
    });
    rings.filter(|ring| ring.len() > 2).collect()
}

/// Whether the line between two corners runs along the frame at which shapes are cut: it bounds
/// nothing.
pub(super) fn is_cut(view: &View, from: Corner, to: Corner) -> bool {
    let sides = frame(view);
    (0..2).any(|axis| from[axis] == to[axis] && sides[axis].contains(&from[axis]))
}

/// Whether a corner lies on that frame.
pub(super) fn is_on_frame(view: &View, corner: Corner) -> bool {
    let sides = frame(view);
    (0..2).any(|axis| sides[axis].contains(&corner[axis]))
}

/// The corner of the window that is furthest from its origin.
pub(super) fn window(view: &View) -> Corner {
    [WIDTH, view.height].map(on_paper)
}

/// Where shapes are cut: west and east, north and south.
fn frame(view: &View) -> [[i32; 2]; 2] {
    [WIDTH, view.height].map(|far| [on_paper(-BEYOND), on_paper(far + BEYOND)])
}

/// The same ring with fewer corners; empty when nothing of it is left to be seen.
pub(super) fn thinned(ring: &[Corner], fineness: Fineness) -> Vec<Corner> {
    let ring = kept(ring.iter().copied(), fineness);
    if ring.len() > 2 { ring } else { Vec::new() }
}

/// The ring on the paper, cut along the four sides of the window one after the other.
fn clipped(view: &View, ring: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = ring.iter().filter_map(|it| view.place(*it)).collect();
    let sides = [
        (0, -BEYOND, 1.0),
        (0, WIDTH + BEYOND, -1.0),
        (1, -BEYOND, 1.0),
        (1, view.height + BEYOND, -1.0),
    ];
    for (axis, at, sign) in sides {
        // Above zero lies inside.
        let depth = |point: &[f64; 2]| (point[axis] - at) * sign;
        let mut kept = Vec::with_capacity(points.len());
        let Some(mut before) = points.last().copied() else { return points };
        for point in points {
            let (from, to) = (depth(&before), depth(&point));
            if (from < 0.0) != (to < 0.0) {
                let part = from / (from - to);
                kept.push([0, 1].map(|it: usize| before[it] + (point[it] - before[it]) * part));
            }
            if to >= 0.0 {
                kept.push(point);
            }
            before = point;
        }
        points = kept;
    }
    points
}

/// The corners on the grid, without those that repeat, are too close, or lie on a straight line.
fn kept(points: impl Iterator<Item = Corner>, fineness: Fineness) -> Vec<Corner> {
    let mut corners: Vec<Corner> = Vec::new();
    for point in points {
        let corner = point.map(|it| on_grid(it, fineness.grid));
        if corners.last().is_some_and(|last| is_close(*last, corner, fineness.apart)) {
            continue;
        }
        while let [.., a, b] = corners.as_slice() {
            if !is_straight(*a, *b, corner) {
                break;
            }
            corners.pop();
        }
        // Taking a corner away can bring its neighbours together.
        if corners.last() != Some(&corner) {
            corners.push(corner);
        }
    }
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

#[expect(clippy::cast_possible_truncation, reason = "the window bounds it to a few thousand")]
fn on_paper(coordinate: f64) -> i32 {
    coordinate.round().clamp(-1e6, 1e6) as i32
}

/// The nearest line of the grid.
fn on_grid(coordinate: i32, grid: i32) -> i32 {
    (coordinate + grid / 2).div_euclid(grid) * grid
}

fn is_close(a: Corner, b: Corner, apart: i32) -> bool {
    (a[0] - b[0]).abs() <= apart && (a[1] - b[1]).abs() <= apart
}

fn is_straight(a: Corner, b: Corner, c: Corner) -> bool {
    let (ab, ac) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    i64::from(ab[0]) * i64::from(ac[1]) == i64::from(ab[1]) * i64::from(ac[0])
}
