//! Rings become paths that take at most so many bytes of a page. They are made coarser until they
//! fit; what does not fit then is left out, the smallest first.

use std::cmp::Reverse;
use std::fmt::Write;

use super::outline::Outline;
use super::rings::{Corner, Fineness, corners, is_cut, is_on_frame, thinned, window};
use super::view::View;

/// How shapes are made coarser, and what is drawn of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thinning {
    /// On a coarser grid, by which neighbours still meet: areas to be filled.
    Grid,
    /// By leaving out corners that are close to the one before, by which lines stay smooth: boundaries,
    /// without the edges along which the window cuts them.
    Distance,
}

/// Paths, and what they leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traced {
    /// One for each group; empty when nothing of it is to be seen.
    pub(super) paths: Vec<String>,
    /// How many rings had no room.
    pub(super) left_out: usize,
}

/// One ring that is to be drawn.
struct Ring {
    group: usize,
    corners: Vec<Corner>,
    path: String,
}

impl Thinning {
    /// How coarse shapes may become. On a grid that is coarser still, small ones would all be
    /// squares.
    fn ladder(self) -> &'static [i32] {
        match self {
            Thinning::Grid => &[2, 3, 4],
            Thinning::Distance => &[1, 3, 7, 15, 31],
        }
    }

    fn fineness(self, rung: i32) -> Fineness {
        match self {
            Thinning::Grid => Fineness { grid: rung, apart: 0 },
            Thinning::Distance => Fineness { grid: 1, apart: rung },
        }
    }
}

/// Draws each group of shapes as one path, all of them together in at most `most` bytes.
pub(super) fn traced(
    view: &View,
    groups: &[Vec<&Outline>],
    thinning: Thinning,
    most: usize,
) -> Traced {
    let finest: Vec<(usize, Vec<Corner>)> = groups
        .iter()
        .enumerate()
        .flat_map(|(at, group)| corners(view, group).into_iter().map(move |ring| (at, ring)))
        .collect();
    let pen = Pen { view, thinning };
    let mut rings: Vec<Ring> =
        finest.iter().map(|(at, ring)| pen.ring(*at, ring.clone())).collect();
    for rung in thinning.ladder() {
        if bytes(&rings) <= most {
            break;
        }
        let fineness = thinning.fineness(*rung);
        let coarse = finest.iter().map(|(at, ring)| pen.ring(*at, thinned(ring, fineness)));
        rings = coarse.filter(|ring| !ring.corners.is_empty()).collect();
    }
    roomed(pen, rings, groups.len(), most)
}

/// Draws the rings of one window.
#[derive(Clone, Copy)]
struct Pen<'v> {
    view: &'v View,
    thinning: Thinning,
}

impl Pen<'_> {
    fn ring(self, group: usize, corners: Vec<Corner>) -> Ring {
        let path = self.path(&corners);
        Ring { group, corners, path }
    }

    /// With every so many corners only, and those where it is cut, until it is so many times shorter;
    /// what has few cannot lose any.
    fn sparse(self, mut ring: Ring, times: usize) -> Ring {
        let share = ring.path.len() / times.max(1);
        let mut each = times;
        while ring.path.len() > share && ring.corners.len() > each * 4 {
            let stays = |(at, corner): &(usize, &Corner)| {
                at % each == 0 || is_on_frame(self.view, **corner)
            };
            let corners = ring.corners.iter().enumerate().filter(stays);
            ring.path = self.path(&corners.map(|(_, corner)| *corner).collect::<Vec<_>>());
            // Fewer corners lie further apart, which takes more digits.
            each += each.div_ceil(4);
        }
        ring
    }

    /// The path of one ring, each corner told from the one before it; empty when all of it is cut.
    fn path(self, corners: &[Corner]) -> String {
        let cut_behind = |at: usize| {
            let (from, to) = (corners[at], corners[(at + 1) % corners.len()]);
            match self.thinning {
                Thinning::Grid => false,
                Thinning::Distance => is_cut(self.view, from, to),
            }
        };
        let Some(after_cut) = (0..corners.len()).find(|at| cut_behind(*at)) else {
            return closed(corners);
        };
        // Beginning behind a cut, every run of lines is whole.
        let count = corners.len();
        let mut out = String::new();
        let mut run: Vec<Corner> = Vec::new();
        for at in (after_cut + 1..=after_cut + count).map(|at| at % count) {
            run.push(corners[at]);
            if cut_behind(at) {
                if run.len() > 1 {
                    out.push_str(&line(&run));
                }
                run.clear();
            }
        }
        out
    }
}

fn bytes(rings: &[Ring]) -> usize {
    rings.iter().map(|ring| ring.path.len()).sum()
}

/// The largest rings that have room, by group.
fn roomed(pen: Pen<'_>, mut rings: Vec<Ring>, groups: usize, most: usize) -> Traced {
    // A ring that stays rough at any distance loses corners evenly.
    let each = bytes(&rings).div_ceil(most.max(1));
    let long = most / 4;
    rings = rings
        .into_iter()
        .map(|ring| if ring.path.len() > long { pen.sparse(ring, each) } else { ring })
        .collect();
    rings.sort_by_key(|ring| Reverse(spread(&ring.corners)));
    let mut traced = Traced { paths: vec![String::new(); groups], left_out: 0 };
    let mut room = most;
    for ring in rings {
        match room.checked_sub(ring.path.len()) {
            Some(left) => {
                room = left;
                traced.paths[ring.group].push_str(&ring.path);
            }
            None => traced.left_out += 1,
        }
    }
    traced
}

/// Where the largest part of a shape is, for a word beside it; none when nothing of it is seen.
pub(super) fn middle(view: &View, outline: &Outline) -> Option<[i32; 2]> {
    let rings = corners(view, &[outline]);
    let widest = rings.iter().max_by_key(|ring| spread(ring))?;
    let window = window(view);
    let of = |axis: usize| {
        let along = || widest.iter().map(|corner| corner[axis]);
        let (low, high) = (along().min()?.max(0), along().max()?.min(window[axis]));
        (low <= high).then(|| i32::midpoint(low, high))
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

/// A ring, drawn all around.
fn closed(corners: &[Corner]) -> String {
    let mut out = line(corners);
    if !out.is_empty() {
        out.push('z');
    }
    out
}

/// A line from corner to corner, each told from the one before it.
fn line(corners: &[Corner]) -> String {
    let mut out = String::new();
    let mut before: Option<Corner> = None;
    for corner in corners {
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
        assert_eq!(drawn.paths, ["M226 634l548 0 0-548-548 0z"]);
    }

    #[test]
    fn what_is_around_everything_is_cut_at_the_window() {
        let site = square(1000.0, 1000.0, 100.0);
        let country = square(-1e6, -1e6, 3e6);
        let drawn = traced(&view(&site), &[vec![&country]], Thinning::Grid, 100);
        assert_eq!(drawn.paths, ["M-40 -40l0 800 1080 0 0-800z"]);
        assert_eq!(middle(&view(&site), &country), Some([500, 360]));
        let lines = traced(&view(&site), &[vec![&country]], Thinning::Distance, 100);
        assert_eq!(lines.paths, [""], "its edges are those of the window");
        let far = square(9e6, 9e6, 10.0);
        assert_eq!(traced(&view(&site), &[vec![&far]], Thinning::Grid, 100).paths, [""]);
        assert_eq!(middle(&view(&site), &far), None);
        let beside = square(1144.0, 1000.0, 100.0);
        assert_eq!(middle(&view(&site), &beside), None, "it begins just outside of the window");
    }

    #[test]
    fn only_what_bounds_a_shape_is_drawn_of_its_lines() {
        let site = square(1000.0, 1000.0, 100.0);
        // Its northern side crosses the window, its other three are far away.
        let south = square(-1e6, 1050.0 - 3e6, 3e6);
        let lines = traced(&view(&site), &[vec![&south]], Thinning::Distance, 100);
        assert_eq!(lines.paths, ["M1040 360l-1080 0"]);
        // A rough coast that runs out of the window and in again, however coarse it is drawn.
        let mut coast: Vec<[f64; 2]> = (0..9_000)
            .map(|step| {
                let along = f64::from(step) / 20.0;
                [800.0 + along, 1050.0 + 70.0 * (along * 2.9).sin()]
            })
            .collect();
        coast.extend([[1250.0, -1e5], [800.0, -1e5]]);
        for most in [1_000, 3_000, 100_000] {
            let view = view(&site);
            let coast = Outline(vec![vec![coast.clone()]]);
            let drawn = traced(&view, &[vec![&coast]], Thinning::Distance, most).paths.remove(0);
            assert!(!drawn.contains('z') && (300..=most).contains(&drawn.len()), "{drawn}");
            for (from, to) in strokes(&drawn) {
                assert!(!is_cut(&view, from, to), "{from:?} {to:?} in {drawn}");
            }
        }
    }

    /// The lines of a path, from corner to corner.
    fn strokes(path: &str) -> Vec<(Corner, Corner)> {
        let mut strokes = Vec::new();
        for run in path.split('M').skip(1) {
            let numbers: Vec<i32> =
                run.replace('-', " -").split(['l', ' ']).filter_map(|it| it.parse().ok()).collect();
            let mut at = [numbers[0], numbers[1]];
            for step in numbers[2..].chunks(2) {
                let to = [at[0] + step[0], at[1] + step[1]];
                strokes.push((at, to));
                at = to;
            }
        }
        strokes
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
            let drawn = traced(&view(&coast), &[vec![&coast]], thinning, 6_000);
            let long = drawn.paths[0].len();
            assert!((100..6_000).contains(&long), "{thinning:?} {long}");
        }
        let bad = Outline(vec![vec![vec![[f64::NAN, 0.0], [f64::INFINITY, 1.0], [0.0, 0.0]]]]);
        assert_eq!(traced(&view(&coast), &[vec![&bad]], Thinning::Grid, 600).paths, [""]);
    }

    #[test]
    fn the_smallest_are_left_out_first() {
        let site = square(1000.0, 1000.0, 100.0);
        let small: Vec<Outline> =
            (0..50).map(|at| square(1000.0 + f64::from(at), 1000.0, 0.5)).collect();
        let mut all: Vec<&Outline> = small.iter().collect();
        all.push(&site);
        let drawn = traced(&view(&site), &[all], Thinning::Grid, 60);
        assert!(drawn.paths[0].starts_with("M228 636l548 0"), "{drawn:?}");
        assert!(drawn.left_out > 20 && drawn.paths[0].len() <= 60, "{drawn:?}");
    }
}
