//! What random shapes share with real ones, measured by us and by shapely.

use std::process::Command;

use nutrients::{Shape, problems};

use crate::peer::SHAPES;

/// Shapes with holes, slivers and shared edges, in pairs, with what shapely says of them.
const SCRIPT: &str = r#"
import json, math, random, sys
from shapely.geometry import Polygon, MultiPolygon, box
from shapely import affinity
random.seed(5)
def star(x, y, size, n, rough):
    ring = []
    for i in range(n):
        far = size * (1 - rough * random.random())
        ring.append((x + far * math.cos(2 * math.pi * i / n), y + far * math.sin(2 * math.pi * i / n)))
    return Polygon(ring)
def holed(x, y, size, n):
    outer, inner = star(x, y, size, n, 0.4), star(x, y, size * 0.3, 12, 0.5)
    return Polygon(outer.exterior.coords, [inner.exterior.coords])
pairs = []
for turn in range(300):
    x, y = 600000 + random.uniform(0, 1e4), 300000 + random.uniform(0, 1e4)
    a = holed(x, y, random.uniform(5, 500), random.choice([5, 40, 700]))
    kind = turn % 5
    if kind == 0: b = holed(x + random.uniform(-300, 300), y + random.uniform(-300, 300), 300, 60)
    elif kind == 1: b = box(x - 1000, y, x + 1000, y + 10 ** random.uniform(-4, 0))
    elif kind == 2:
        c = list(a.exterior.coords)
        b = Polygon([c[0], c[1], (c[1][0] + 500, c[1][1] + 700), (c[0][0] + 500, c[0][1] + 300)])
    elif kind == 3: b = Polygon(a.exterior.coords)
    else: b = MultiPolygon([star(x - 400, y, 300, 50, 0.3), star(x + 400, y, 90, 9, 0.6)])
    pairs.append((a, b))
def spell(g):
    parts = g.geoms if hasattr(g, 'geoms') else [g]
    return [[list(map(list, p.exterior.coords))] + [list(map(list, r.coords)) for r in p.interiors] for p in parts]
out = []
for a, b in pairs:
    area = a.intersection(b).area if a.is_valid and b.is_valid else None
    out.append({'a': spell(a), 'b': spell(b), 'valid': [a.is_valid, b.is_valid], 'area': area, 'areas': [a.area, b.area]})
json.dump(out, sys.stdout)
"#;

#[derive(serde::Deserialize)]
struct Pair {
    a: Shape,
    b: Shape,
    valid: [bool; 2],
    area: Option<f64>,
    areas: [f64; 2],
}

#[test]
fn overlays_agree_with_shapely() {
    let Some(python) = SHAPES.python() else { return };
    let told = Command::new(python).args(["-c", SCRIPT]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let pairs: Vec<Pair> = serde_json::from_slice(&told.stdout).unwrap();
    let mut compared = 0;
    for (at, pair) in pairs.iter().enumerate() {
        let ours = [&pair.a, &pair.b].map(|shape| problems(shape).is_empty());
        assert_eq!(ours, pair.valid, "pair {at} is valid or not");
        let areas = [pair.a.area_m2(), pair.b.area_m2()];
        for (ours, theirs) in areas.iter().zip(&pair.areas) {
            assert!((ours - theirs).abs() <= 1e-9 * theirs, "pair {at}: {ours} for {theirs}");
        }
        let Some(theirs) = pair.area else { continue };
        let ours = pair.a.shared_area_m2(&pair.b);
        let (least, swapped) = (1e-9, pair.b.shared_area_m2(&pair.a));
        assert!((ours - theirs).abs() <= 1e-6 * theirs + least, "pair {at}: {ours} for {theirs}");
        assert!((ours - swapped).abs() <= 1e-9 * theirs + least, "pair {at}: {ours} or {swapped}");
        compared += 1;
    }
    assert!(compared > 200, "only {compared} pairs were valid");
}
