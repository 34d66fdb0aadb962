//! Parcels without dents, such as hexagons, cut a ring side by side: cheaper than strips.

use ::geo::Coord;

use super::outline::twice_area;
use crate::geo::shape::Shape;

/// The ring of a shape that is one ring without dents; a vertex more at its end is left out.
pub(crate) fn convex_ring(shape: &Shape) -> Option<&[Coord<f64>]> {
    let [polygon] = shape.0.0.as_slice() else { return None };
    let (points, []) = (polygon.exterior().0.as_slice(), polygon.interiors()) else { return None };
    let points = points.split_last().map(|(_, rest)| rest).filter(|rest| rest.len() >= 3)?;
    let turn = |at: usize| {
        let next = |by: usize| points[(at + by) % points.len()];
        cross(next(0), next(1), next(2))
    };
    let turns = || (0..points.len()).map(turn);
    // Many corners could wind around twice without a dent; land does not.
    let one_way = turns().all(|it| it > 0.0) || turns().all(|it| it < 0.0);
    (one_way && points.len() <= 16).then_some(points)
}

fn cross(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// The area of a ring inside of a ring without dents.
pub(crate) fn area_inside(mut ring: Vec<Coord<f64>>, convex: &[Coord<f64>]) -> f64 {
    let way = twice_area(convex).signum();
    let mut next = Vec::with_capacity(ring.len() + convex.len());
    for (&a, &b) in convex.iter().zip(convex.iter().cycle().skip(1)) {
        let Some(&last) = ring.last() else { return 0.0 };
        next.clear();
        let (mut before, mut before_side) = (last, way * cross(a, b, last));
        for &point in &ring {
            let side = way * cross(a, b, point);
            if (side >= 0.0) != (before_side >= 0.0) {
                let share = before_side / (before_side - side);
                next.push(before + (point - before) * share);
            }
            if side >= 0.0 {
                next.push(point);
            }
            (before, before_side) = (point, side);
        }
        std::mem::swap(&mut ring, &mut next);
    }
    twice_area(&ring).abs() / 2.0
}
