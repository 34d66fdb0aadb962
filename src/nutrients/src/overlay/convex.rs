//! Parcels without dents, such as hexagons, cut a ring side by side: cheaper than strips.

use ::geo::Coord;

use super::outline::{Room, twice_area};

/// The corners of a closed ring if it has no dents; the vertex more at its end is left out.
pub(crate) fn convex_corners(closed: &[Coord<f64>]) -> Option<&[Coord<f64>]> {
    let (_, points) = closed.split_last()?;
    // Many corners could wind around twice without a dent; land does not.
    if !(3..=16).contains(&points.len()) {
        return None;
    }
    let (mut before, mut corner) = (points[points.len() - 2], points[points.len() - 1]);
    let (mut left, mut right) = (true, true);
    for &next in points {
        let turn = cross(before, corner, next);
        (left, right) = (left && turn > 0.0, right && turn < 0.0);
        (before, corner) = (corner, next);
    }
    (left || right).then_some(points)
}

fn cross(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

impl Room {
    /// The area of the ring that was cut last inside of a ring without dents.
    pub(crate) fn area_inside(&mut self, convex: &[Coord<f64>]) -> f64 {
        let Room { ring, next, sides, .. } = self;
        let way = twice_area(convex).signum();
        for (&a, &b) in convex.iter().zip(convex.iter().cycle().skip(1)) {
            sides.clear();
            sides.extend(ring.iter().map(|point| way * cross(a, b, *point)));
            // Most sides of a parcel have all of the ring on one hand.
            let inside = sides.iter().filter(|side| **side >= 0.0).count();
            if inside == sides.len() {
                continue;
            }
            if inside == 0 {
                return 0.0;
            }
            cut_at_side(ring, sides, next);
            std::mem::swap(ring, next);
        }
        twice_area(ring).abs() / 2.0
    }
}

/// What of a ring lies on the right side, by the side of each vertex.
fn cut_at_side(ring: &[Coord<f64>], sides: &[f64], out: &mut Vec<Coord<f64>>) {
    out.clear();
    let (Some(&last), Some(&last_side)) = (ring.last(), sides.last()) else { return };
    let (mut before, mut before_side) = (last, last_side);
    for (&point, &side) in ring.iter().zip(sides) {
        if (side >= 0.0) != (before_side >= 0.0) {
            let share = before_side / (before_side - side);
            out.push(before + (point - before) * share);
        }
        if side >= 0.0 {
            out.push(point);
        }
        (before, before_side) = (point, side);
    }
}
