//! The plain ways to cut, as the model that the quick ones are held against, bit by bit.

use ::geo::Coord;

use super::*;
use crate::shape::Bounds;

type Ring = Vec<Coord<f64>>;

fn random_star(random: &mut fastrand::Rng) -> Ring {
    let (count, size) = (random.u32(3..200), 20.0 + 300.0 * random.f64());
    let corner = |step: u32| {
        let angle = f64::from(step) / f64::from(count) * std::f64::consts::TAU;
        let far = size * (0.3 + 0.7 * random.f64());
        Coord { x: 627_000.0 + far * angle.cos(), y: 309_000.0 + far * angle.sin() }
    };
    (0..count).map(corner).collect()
}

/// Cuts at the four sides, each vertex at each of them.
fn plain_cut(ring: &[Coord<f64>], window: &Bounds) -> Ring {
    let clip = |ring: Ring,
                is_inside: &dyn Fn(Coord<f64>) -> bool,
                at: &dyn Fn(Coord<f64>, Coord<f64>) -> Coord<f64>| {
        let mut out = Ring::new();
        for (number, &point) in ring.iter().enumerate() {
            let before = ring[(number + ring.len() - 1) % ring.len()];
            match (is_inside(before), is_inside(point)) {
                (true, false) => out.push(at(before, point)),
                (false, true) => out.extend([at(point, before), point]),
                (true, true) => out.push(point),
                (false, false) => {}
            }
        }
        out
    };
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
    let ring = clip(ring.to_vec(), &|p| p.x >= window.min_x, &at_x(window.min_x));
    let ring = clip(ring, &|p| p.x <= window.max_x, &at_x(window.max_x));
    let ring = clip(ring, &|p| p.y >= window.min_y, &at_y(window.min_y));
    clip(ring, &|p| p.y <= window.max_y, &at_y(window.max_y))
}

/// The ring without chunks of it that lie on one outer side of the window.
fn plain_near(ring: &[Coord<f64>], window: &Bounds) -> Ring {
    let before = |at: usize| ring[(at + ring.len() - 1) % ring.len()];
    let mut near = Ring::new();
    for start in (0..ring.len()).step_by(32) {
        let chunk = &ring[start..ring.len().min(start + 32)];
        match Bounds::of(chunk).with(before(start)).meets(window) {
            true => near.extend(chunk),
            false => near.extend(chunk.last()),
        }
    }
    near
}

#[test]
fn a_quick_cut_has_the_bits_of_the_plain_one() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut cut, mut whole, mut none) = (0, 0, 0);
    let mut room = Room::default();
    for _ in 0..20_000 {
        let ring = random_star(&mut random);
        let outline = Outline::of_rings(vec![ring.clone()]);
        let corner = |random: &mut fastrand::Rng| 500.0 * random.f64() - 250.0;
        let (x, y) = (627_000.0 + corner(&mut random), 309_000.0 + corner(&mut random));
        let size = 5.0 + 100.0 * random.f64();
        let window = Bounds { min_x: x, min_y: y, max_x: x + size, max_y: y + size };
        let plain = plain_cut(&plain_near(&ring, &window), &window);
        let area = twice_area(&plain).abs();
        // What is left where the ring only passes by encloses nothing but rounding.
        match outline.part_in(&window, &mut room) {
            Glance::Ring => {
                assert_eq!(room.ring(), plain);
                cut += 1;
            }
            Glance::Everything => {
                assert!((area - 2.0 * size * size).abs() < 1e-6, "{area}");
                whole += 1;
            }
            Glance::Nothing => {
                assert!(area < 1e-6, "{area}");
                none += 1;
            }
            Glance::Rings(_) => panic!("there is one ring"),
        }
    }
    assert!(cut > 3000 && whole > 500 && none > 3000, "{cut} {whole} {none}");
}

#[test]
fn a_quick_area_has_the_bits_of_the_plain_one() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut room = Room::default();
    let mut compared = 0;
    for _ in 0..5000 {
        let outline = Outline::of_rings(vec![random_star(&mut random)]);
        let at = |random: &mut fastrand::Rng| 400.0 * random.f64() - 200.0;
        let (x, y) = (627_000.0 + at(&mut random), 309_000.0 + at(&mut random));
        let (turn, way) = (random.f64(), if random.bool() { 1.0 } else { -1.0 });
        let hexagon: Ring = (0..=6)
            .map(|step| (f64::from(step % 6) * way + turn) * std::f64::consts::FRAC_PI_3)
            .map(|angle| Coord { x: x + 40.0 * angle.cos(), y: y + 40.0 * angle.sin() })
            .collect();
        let corners = convex_corners(&hexagon).unwrap();
        if !matches!(outline.part_in(&Bounds::of(corners), &mut room), Glance::Ring) {
            continue;
        }
        let plain = plain_area(room.ring().to_vec(), corners);
        assert_eq!(room.area_inside(corners).to_bits(), plain.to_bits());
        compared += 1;
    }
    assert!(compared > 1500, "{compared}");
}

/// Every vertex at every side of the parcel.
fn plain_area(mut ring: Ring, convex: &[Coord<f64>]) -> f64 {
    let cross = |a: Coord<f64>, b: Coord<f64>, c: Coord<f64>| {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    };
    let way = twice_area(convex).signum();
    for (at, &a) in convex.iter().enumerate() {
        let b = convex[(at + 1) % convex.len()];
        let mut next = Ring::new();
        for (number, &point) in ring.iter().enumerate() {
            let before = ring[(number + ring.len() - 1) % ring.len()];
            let (before_side, side) = (way * cross(a, b, before), way * cross(a, b, point));
            if (side >= 0.0) != (before_side >= 0.0) {
                next.push(before + (point - before) * (before_side / (before_side - side)));
            }
            next.extend((side >= 0.0).then_some(point));
        }
        ring = next;
    }
    twice_area(&ring).abs() / 2.0
}
