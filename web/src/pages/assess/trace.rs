//! Rings become paths of a bounded size: cut at the window, put on a grid, and made coarser until
//! there are few enough corners. What vanishes was too small to be seen.

use std::fmt::Write;

use super::outline::Outline;
use super::view::{View, WIDTH};

/// How far beyond the window shapes go on, so that their cut edges are not seen.
const BEYOND: f64 = 12.0;
/// How often shapes may be made twice as coarse; they begin with one unit of the drawing.
const COARSER: u32 = 6;

type Corner = [i32; 2];

/// How shapes are made coarser.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thinning {
    /// On a coarser grid: neighbours still meet.
    Grid,
    /// By leaving out corners that are close to the one before: lines stay smooth.
    Distance,
}

/// What is left of a ring: on which grid, and how far apart its corners are at least.
#[derive(Clone, Copy, Debug)]
struct Fineness {
    grid: i32,
    apart: i32,
}

impl Thinning {
    fn fineness(self, step: u32) -> Fineness {
        match self {
            Thinning::Grid => Fineness { grid: 1 << step, apart: 0 },
            Thinning::Distance => Fineness { grid: 1, apart: (1 << step) - 1 },
        }
    }
}

/// Draws each group of shapes as one path, all of them together with at most `most` corners.
pub(super) fn traced(
    view: &View,
    groups: &[Vec<&Outline>],
    thinning: Thinning,
    most: usize,
) -> Vec<String> {
    let finest: Vec<Vec<Vec<Corner>>> = groups.iter().map(|group| corners(view, group)).collect();
    let mut drawn = finest.clone();
    for step in 1..=COARSER {
        if corner_count(&drawn) <= most {
            break;
        }
        let fineness = thinning.fineness(step);
        drawn = finest.iter().map(|group| thinned(group, fineness)).collect();
    }
    // Rings that stay rough at any distance lose corners evenly; of hundreds of slivers that are
    // left then, those that have no room are left out.
    let each = corner_count(&drawn).div_ceil(most.max(1)).max(1);
    let mut room = most;
    drawn.iter().map(|group| path(group, each, &mut room)).collect()
}

fn corner_count(groups: &[Vec<Vec<Corner>>]) -> usize {
    groups.iter().flatten().map(Vec::len).sum()
}

/// Where the largest part of a shape is, for a word beside it; none when it is not in the window.
pub(super) fn middle(view: &View, outline: &Outline) -> Option<[i32; 2]> {
    let rings = corners(view, &[outline]);
    let widest = rings.iter().max_by_key(|ring| spread(ring))?;
    let of = |axis: usize| {
        let along = || widest.iter().map(|corner| corner[axis]);
        Some(i32::midpoint(along().min()?, along().max()?))
    };
    Some([of(0)?, of(1)?])
}

fn spread(ring: &[Corner]) -> i64 {
    let of = |axis: usize| {
        let along = || ring.iter().map(|corner| i64::from(corner[axis]));
        along().max().unwrap_or(0) - along().min().unwrap_or(0)
    };
    of(0) * of(1)
}

/// The rings on the paper, as fine as it is drawn.
fn corners(view: &View, group: &[&Outline]) -> Vec<Vec<Corner>> {
    let rings = group.iter().flat_map(|outline| outline.rings());
    let rings = rings.map(|ring| {
        let points = clipped(view, ring).into_iter().map(|point| point.map(on_paper));
        kept(points, Fineness { grid: 1, apart: 0 })
    });
    rings.filter(|ring| ring.len() > 2).collect()
}

fn thinned(rings: &[Vec<Corner>], fineness: Fineness) -> Vec<Vec<Corner>> {
    let rings = rings.iter().map(|ring| kept(ring.iter().copied(), fineness));
    rings.filter(|ring| ring.len() > 2).collect()
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

/// One path of several rings, each corner told from the one before it.
fn path(rings: &[Vec<Corner>], each: usize, room: &mut usize) -> String {
    let mut out = String::new();
    for ring in rings {
        // What has few corners cannot lose any.
        let each = if ring.len() > each * 4 { each } else { 1 };
        let Some(left) = room.checked_sub(ring.len().div_ceil(each)) else { continue };
        *room = left;
        let mut before: Option<Corner> = None;
        for corner in ring.iter().step_by(each) {
            // Writing into a text does not fail.
            match before {
                None => write!(out, "M{} {}l", corner[0], corner[1]).ok(),
                Some(from) => {
                    let (x, y) = (corner[0] - from[0], corner[1] - from[1]);
                    let gap = if out.ends_with('l') || x < 0 { "" } else { " " };
                    let between = if y < 0 { "" } else { " " };
                    write!(out, "{gap}{x}{between}{y}").ok()
                }
            };
            before = Some(*corner);
        }
        out.push('z');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::outline::MapUnits;
    use super::*;

    fn square(west: f64, south: f64, side: f64) -> Outline {
        let (east, north) = (west + side, south + side);
        Outline(vec![vec![vec![
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
        ]]])
    }

    fn view(outline: &Outline) -> View {
        View::around(outline.points(), MapUnits::Metres).unwrap()
    }

    #[test]
    fn a_square_is_four_corners() {
        let site = square(1000.0, 1000.0, 100.0);
        let drawn = traced(&view(&site), &[vec![&site]], Thinning::Grid, 100);
        assert_eq!(drawn, ["M226 634l548 0 0-548-548 0z"]);
    }

    #[test]
    fn what_is_around_everything_is_cut_at_the_window() {
        let site = square(1000.0, 1000.0, 100.0);
        let country = square(-1e6, -1e6, 3e6);
        let drawn = traced(&view(&site), &[vec![&country]], Thinning::Grid, 100);
        assert_eq!(drawn, ["M-12 -12l0 744 1024 0 0-744z"]);
        assert_eq!(middle(&view(&site), &country), Some([500, 360]));
        let far = square(9e6, 9e6, 10.0);
        assert_eq!(traced(&view(&site), &[vec![&far]], Thinning::Grid, 100), [""]);
        assert_eq!(middle(&view(&site), &far), None);
    }

    #[test]
    fn however_many_corners_come_few_are_drawn() {
        let wave = |turn: u32| {
            let angle = f64::from(turn) / 50_000.0 * std::f64::consts::TAU;
            let far = 1000.0 + 40.0 * (angle * 900.0).sin();
            [far * angle.cos(), far * angle.sin()]
        };
        let coast = Outline(vec![vec![(0..50_000).map(wave).collect()]]);
        for thinning in [Thinning::Grid, Thinning::Distance] {
            let drawn = traced(&view(&coast), &[vec![&coast]], thinning, 600);
            assert!((100..6_000).contains(&drawn[0].len()), "{thinning:?} {}", drawn[0].len());
        }
        let bad = Outline(vec![vec![vec![[f64::NAN, 0.0], [f64::INFINITY, 1.0], [0.0, 0.0]]]]);
        assert_eq!(traced(&view(&coast), &[vec![&bad]], Thinning::Grid, 600), [""]);
    }
}
