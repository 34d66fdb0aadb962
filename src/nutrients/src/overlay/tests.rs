use ::geo::Coord;

use super::*;
use crate::shape::{Bounds, Shape};

fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
    vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
}

fn outline(rings: Vec<Vec<[f64; 2]>>) -> Outline {
    Outline::new(&Shape::from_coordinates(vec![rings]))
}

fn both(a: &Outline, b: &Outline) -> f64 {
    a.bounds().shared(b.bounds()).map_or(0.0, |window| shared_areas(&[a, b], &window).inside_all(3))
}

#[test]
fn squares_with_holes_share_what_the_eye_sees() {
    let a = outline(vec![square(0.0, 0.0, 10.0), square(4.0, 4.0, 4.0)]);
    let b = outline(vec![square(5.0, 5.0, 10.0)]);
    assert_eq!(both(&a, &b), 25.0 - 9.0);
    assert_eq!(both(&b, &a), 16.0);
    let edge_only = outline(vec![square(10.0, 0.0, 5.0)]);
    assert_eq!(both(&a, &edge_only), 0.0, "they touch");
    assert_eq!(both(&a, &outline(vec![square(4.0, 4.0, 4.0)])), 0.0, "it fills the hole");
    assert_eq!(both(&a, &a), 84.0);
    let piece = intersection(&a, &b);
    assert!((piece.area_m2() - 16.0).abs() < 1e-6, "{}", piece.area_m2());
}

#[test]
fn a_part_is_nothing_everything_or_a_cut() {
    let ring: Vec<[f64; 2]> = (0..500)
        .map(|step| f64::from(step) / 500.0 * std::f64::consts::TAU)
        .map(|angle| [1000.0 * angle.cos(), 1000.0 * angle.sin()])
        .collect();
    let disc = outline(vec![ring]);
    let window = |x: f64, y: f64| Bounds { min_x: x, min_y: y, max_x: x + 10.0, max_y: y + 10.0 };
    assert_eq!(disc.part(&window(0.0, 0.0)), Part::Everything);
    assert_eq!(disc.part(&window(900.0, 900.0)), Part::Nothing, "in the corner of its box");
    assert_eq!(disc.part(&window(2000.0, 0.0)), Part::Nothing);
    let Part::Some(rings) = disc.part(&window(995.0, 0.0)) else { panic!("it is cut") };
    assert!(rings[0].len() < 20);
}

#[test]
fn halving_conserves_area() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut star = |x: f64, y: f64| {
        let ring = (0..2000).map(|step| {
            let angle = f64::from(step) / 2000.0 * std::f64::consts::TAU;
            let far = 300.0 + 200.0 * random.f64();
            [x + far * angle.cos(), y + far * angle.sin()]
        });
        outline(vec![ring.collect()])
    };
    let (a, b) = (star(600_000.0, 300_000.0), star(600_100.0, 300_050.0));
    let all = a.bounds().union(b.bounds());
    let shared = shared_areas(&[&a, &b], &all);
    let alone = |mask| shared.inside_all(mask);
    let area = |outline: &Outline| {
        let window = outline.bounds().grown(1.0);
        shared_areas(&[outline], &window).inside_all(1)
    };
    assert!((alone(1) - area(&a)).abs() < 1e-6 * area(&a));
    assert!((alone(2) - area(&b)).abs() < 1e-6 * area(&b));
    let exact = both(&a, &b);
    assert!((alone(3) - exact).abs() < 1e-9 * exact, "{} {exact}", alone(3));
    assert!((intersection(&a, &b).area_m2() - exact).abs() < 1e-6 * exact);
    assert_eq!(both(&a, &b).to_bits(), both(&a, &b).to_bits());
    let _: Coord<f64> = all.centre();
}

#[test]
fn a_hexagon_inside_of_a_field_is_its_own_piece() {
    let field =
        outline(vec![vec![[0.0, 0.0], [900.0, 13.0], [900.0, 900.0], [0.0, 900.0], [0.0, 0.0]]]);
    let ring = |x: f64, y: f64| {
        let turn = |step: u32| f64::from(step) * std::f64::consts::FRAC_PI_3;
        (0..6).map(|it| [x + 40.0 * turn(it).sin(), y + 40.0 * turn(it).cos()]).collect::<Vec<_>>()
    };
    let hexagon = outline(vec![ring(400.0, 400.0)]);
    let piece = intersection(&field, &hexagon);
    assert!((piece.area_m2() - both(&field, &hexagon)).abs() < 1e-6, "{}", piece.area_m2());
    let around = outline(vec![square(-100.0, -100.0, 5000.0)]);
    let again = intersection(&Outline::new(&piece), &around);
    assert!((piece.area_m2() - again.area_m2()).abs() < 1e-6, "{}", again.area_m2());
    let edge = outline(vec![ring(900.0, 400.0)]);
    let piece = intersection(&field, &edge);
    let shape = Shape::from_coordinates(vec![vec![ring(900.0, 400.0)]]);
    let mut room = Room::default();
    assert!(matches!(field.part_in(&edge.bounds(), &mut room), Glance::Ring), "it is cut");
    let convex = convex_corners(&shape.0.0[0].exterior().0).unwrap();
    let quick = room.area_inside(convex);
    assert!((quick - both(&field, &edge)).abs() < 1e-9, "{quick}");
    assert!(
        (piece.area_m2() - both(&field, &edge)).abs() < 1e-3,
        "{} {:?}",
        piece.area_m2(),
        piece
    );
}
