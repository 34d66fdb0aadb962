//! Every rule for the shape of a queued job: what breaks it, its code, and what people read.

use nutrients::{Code, Limits, check_job, job_findings, read_features, read_job};
use serde_json::{Value, json};

use super::samples::{SQUARE, collection, polygon};

/// A square of so many metres at a corner.
fn square(x: f64, y: f64, side: f64) -> [[f64; 2]; 5] {
    [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
}

fn findings(geometries: &[Value]) -> Vec<(Code, String)> {
    let text = collection(geometries);
    let features = read_features("a.geojson", text.as_bytes(), None, &Limits::default()).unwrap();
    let found = job_findings(&features);
    assert_eq!(check_job(&features).is_err(), !found.is_empty(), "{found:?}");
    found.into_iter().map(|it| (it.code, it.sentence)).collect()
}

/// A bow tie: it crosses itself in the middle.
fn bow_tie() -> Value {
    let [x, y] = SQUARE[0];
    polygon(&[&[[x, y], [x + 9.0, y + 9.0], [x + 9.0, y], [x, y + 9.0], [x, y]]])
}

/// What breaks a rule, the rule's code, and some of its words.
type Row = (&'static str, Vec<Value>, Code, &'static str);

fn rows() -> Vec<Row> {
    let [x, y] = SQUARE[0];
    let at = |x: f64, y: f64| vec![polygon(&[&square(x, y, 100.0)])];
    let grid = "outside of the National Grid";
    let kind =
        |kind: &str, coordinates: Value| vec![json!({"type": kind, "coordinates": coordinates})];
    let other = Code::UnsupportedGeometryType;
    let crossing = Code::SelfIntersectingGeometry;
    let misplaced = "does not lie where it may";
    vec![
        ("no features", vec![], Code::NoPolygonFound, "draw the boundary of the site"),
        ("a null geometry", vec![Value::Null], Code::InvalidGeometry, "it has no geometry"),
        ("a bow tie", vec![bow_tie()], crossing, "crosses or touches itself"),
        (
            "a hole outside of its polygon",
            vec![polygon(&[&square(x, y, 10.0), &square(x + 50.0, y, 5.0)])],
            crossing,
            misplaced,
        ),
        (
            "a part inside of another",
            vec![json!({"type": "MultiPolygon",
                "coordinates": [[square(x, y, 90.0)], [square(x + 9.0, y + 9.0, 9.0)]]})],
            crossing,
            misplaced,
        ),
        (
            "a ring without an area",
            vec![polygon(&[&[[x, y], [x, y], [x, y], [x, y]]])],
            Code::InvalidGeometry,
            "encloses nothing",
        ),
        ("a point", kind("Point", json!([x, y])), other, "it is a Point, not a polygon"),
        ("a line", kind("LineString", json!([[x, y], [y, x]])), other, "it is a LineString"),
        ("points", kind("MultiPoint", json!([[x, y]])), other, "it is a MultiPoint"),
        ("lines", kind("MultiLineString", json!([[[x, y], [y, x]]])), other, "MultiLineString"),
        (
            "a collection of geometries",
            vec![json!({"type": "GeometryCollection", "geometries": []})],
            other,
            "it is a GeometryCollection",
        ),
        (
            "degrees where metres are expected",
            vec![polygon(&[&square(1.0, 52.0, 0.1)])],
            Code::LooksLikeDegrees,
            "say that it is EPSG:4326",
        ),
        (
            "degrees at the ends of the world",
            vec![polygon(&[&[[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, -90.0]]])],
            Code::LooksLikeDegrees,
            "look like degrees",
        ),
        ("west of the grid", at(-0.5, 3e5), Code::OutsideGrid, grid),
        ("south of the grid", at(3e5, -0.5), Code::OutsideGrid, grid),
        ("east of the grid", at(699_900.5, 3e5), Code::OutsideGrid, grid),
        ("north of the grid", at(3e5, 1_299_900.5), Code::OutsideGrid, grid),
    ]
}

#[test]
fn every_row_of_the_rules_for_jobs_refuses_with_its_code_and_its_words() {
    for (what, geometries, code, words) in rows() {
        let found = findings(&geometries);
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert_eq!(found[0].0, code, "{what}");
        assert!(found[0].1.contains(words), "{what}: {}", found[0].1);
        assert!(found[0].1.len() > 20, "{what}: a sentence says what to do");
    }
}

#[test]
fn one_bad_feature_among_good_ones_refuses_all_and_every_failure_is_listed() {
    for (what, geometries, code, _) in rows().into_iter().filter(|row| !row.1.is_empty()) {
        let [x, y] = SQUARE[0];
        let good = polygon(&[&square(x + 500.0, y + 500.0, 10.0)]);
        let found = findings(&[good, geometries[0].clone()]);
        assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [code], "{what}");
    }
    let all: Vec<Value> = rows().into_iter().flat_map(|row| row.1).collect();
    let codes: Vec<Code> = rows().into_iter().skip(1).map(|row| row.2).collect();
    let found: Vec<Code> = findings(&all).into_iter().map(|it| it.0).collect();
    assert_eq!(found, codes, "each in its place");
}

#[test]
fn what_the_rules_allow_is_taken() {
    let [x, y] = SQUARE[0];
    let hole = square(x + 10.0, y + 10.0, 10.0);
    let twice = [[x, y], [x, y], [x + 9.0, y], [x + 9.0, y + 9.0], [x, y]];
    let parts = json!({"type": "MultiPolygon",
        "coordinates": [[square(x, y, 9.0)], [square(x + 20.0, y, 9.0)]]});
    for (what, geometry) in [
        ("a polygon", polygon(&[&SQUARE])),
        ("a hole", polygon(&[&SQUARE, &hole])),
        ("several parts", parts),
        ("a vertex twice", polygon(&[&twice])),
        ("the south-western end of the grid", polygon(&[&square(0.0, 0.0, 1000.0)])),
        ("the north-eastern end", polygon(&[&square(699_000.0, 1_299_000.0, 1000.0)])),
        ("just more than degrees", polygon(&[&square(0.0, 0.0, 180.5)])),
    ] {
        assert_eq!(findings(&[geometry]), [], "{what}");
    }
}

/// The same rules guard the queue itself.
#[test]
fn a_message_is_refused_by_the_same_rules() {
    for (what, geometries, code, words) in rows().into_iter().filter(|row| !row.1.is_empty()) {
        let message = json!({"reference": "NRF-000001", "housingUnits": 3,
            "boundaryGeojson": {"boundaryGeometryOriginal": geometries[0]}});
        let refused = read_job(message.to_string().as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(refused.0[0].code, code, "{what}: {refused}");
        assert!(refused.0[0].sentence.contains(words), "{what}: {refused}");
    }
}
