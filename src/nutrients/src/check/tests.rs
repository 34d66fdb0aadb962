//! Every row of the rules for jobs and for boundaries, and files that mean harm.

use super::*;
use crate::finding::Code;
use crate::input::read_features;
use crate::limits::Limits;
use crate::shape::Shape;

const SQUARE: &str =
    "[[600000,300000],[600100,300000],[600100,300100],[600000,300100],[600000,300000]]";
const BOWTIE: &str =
    "[[600000,300000],[600100,300100],[600100,300000],[600000,300100],[600000,300000]]";
const TWINS: &str =
    "[[600000,300000],[600100,300000],[600100,300000],[600100,300100],[600000,300000]]";
const HOLE: &str = "[[600010,300010],[600020,300010],[600020,300020],[600010,300010]]";

fn polygon(rings: &str) -> String {
    format!(r#"{{"type":"Polygon","coordinates":[{rings}]}}"#)
}

fn collection(geometries: &[&str]) -> String {
    let features: Vec<String> = geometries
        .iter()
        .map(|it| format!(r#"{{"type":"Feature","properties":{{"owner":"Jo"}},"geometry":{it}}}"#))
        .collect();
    format!(
        r#"{{"type":"FeatureCollection","crs":{{"type":"name","properties":{{"name":"urn:ogc:def:crs:EPSG::27700"}}}},"features":[{}]}}"#,
        features.join(",")
    )
}

fn job_codes(json: &str) -> Vec<Code> {
    let features = read_features("a.geojson", json.as_bytes(), None, &Limits::default());
    let findings = features.map(|it| job_findings(&it)).unwrap_or_else(|findings| findings.0);
    findings.into_iter().map(|it| it.code).collect()
}

#[test]
fn every_rule_for_jobs_refuses_and_all_are_told() {
    let point = r#"{"type":"Point","coordinates":[600000,300000]}"#;
    let degrees = polygon("[[1,52],[1.1,52],[1.1,52.1],[1,52]]");
    let far = polygon("[[800000,300000],[800100,300000],[800100,300100],[800000,300000]]");
    assert_eq!(job_codes(&collection(&[])), [Code::NoPolygonFound]);
    assert_eq!(job_codes(&collection(&["null"])), [Code::InvalidGeometry]);
    assert_eq!(job_codes(&collection(&[&polygon(BOWTIE)])), [Code::SelfIntersectingGeometry]);
    assert_eq!(job_codes(&collection(&[point])), [Code::UnsupportedGeometryType]);
    assert_eq!(job_codes(&collection(&[&degrees])), [Code::LooksLikeDegrees]);
    assert_eq!(job_codes(&collection(&[&far])), [Code::OutsideGrid]);
    let all = collection(&["null", &polygon(BOWTIE), point, &far]);
    assert_eq!(job_codes(&all).len(), 4, "every feature is told");
    let holes = polygon(&format!("{SQUARE},{HOLE}"));
    assert!(job_codes(&collection(&[&holes, &polygon(TWINS)])).is_empty(), "both are fine here");
}

fn boundary(name: &str, bytes: &[u8], inside: Option<&str>) -> BoundaryCheck {
    let upload = Upload { file_name: name, bytes, inside };
    check_boundary(&upload, BoundaryRules::default(), &Limits::default(), None)
}

#[track_caller]
fn refuses(name: &str, bytes: &[u8], inside: Option<&str>, error: &str, status: u16) {
    let answer = boundary(name, bytes, inside);
    assert_eq!(answer.wire.error.as_deref(), Some(error));
    assert_eq!(answer.http_status, status);
    let json = serde_json::to_value(&answer.wire).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
}

/// A zip without packing.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let len = u32::try_from(bytes.len()).unwrap();
        let at = u32::try_from(out.len()).unwrap();
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend(crc.sum().to_le_bytes());
        head.extend(len.to_le_bytes());
        head.extend(len.to_le_bytes());
        head.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        head.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(name.as_bytes());
        out.extend(*bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = u32::try_from(out.len()).unwrap();
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn every_code_of_the_boundary_check_has_its_cause() {
    let good = collection(&[&polygon(SQUARE)]);
    let good = good.as_bytes();
    let large = vec![b' '; (2 << 20) + 1];
    refuses("a.geojson", &large, None, "file_size_too_large", 413);
    let crs = String::from_utf8_lossy(good).replace("27700", "3857");
    refuses("a.geojson", crs.as_bytes(), None, "unsupported_crs", 422);
    refuses("a.dxf", good, None, "unsupported_file_type", 400);
    refuses("a.zip", &zip(&[("../a.geojson", good)]), None, "zip_unsafe_path", 400);
    refuses("a.zip", &zip(&[("a.txt", good)]), None, "zip_missing_shapefile", 400);
    refuses("a.zip", &zip(&[("a.shp", good)]), None, "zip_missing_shapefile_parts", 400);
    let one = zip(&[("x/a.geojson", good)]);
    refuses("a.zip", &one, Some("b.geojson"), "boundary_file_not_found_in_zip", 400);
    let two = zip(&[("x/a.geojson", good), ("y/A.GeoJSON", good)]);
    refuses("a.zip", &two, Some("a.geojson"), "zip_ambiguous_filename", 400);
    refuses("a.geojson", b"{\"type\":", None, "unreadable_geometry_file", 400);
    let parts: [(&str, &[u8]); 3] = [("a.shp", b""), ("a.dbf", b""), ("a.shx", b"")];
    refuses("a.zip", &zip(&parts), None, "missing_crs", 422);
    let check = |geometry: &str, error| {
        refuses("a.json", collection(&[geometry]).as_bytes(), None, error, 400);
    };
    check("null", "invalid_geometry");
    check(r#"{"type":"Point","coordinates":[600000,300000]}"#, "unsupported_geometry_type");
    check(
        &format!(
            r#"{{"type":"MultiPolygon","coordinates":[[{SQUARE}],[[[600200,300000],[600300,300000],[600300,300100],[600200,300000]]]]}}"#
        ),
        "unsupported_geometry_type",
    );
    check(&polygon(BOWTIE), "self_intersecting_geometry");
    check(&polygon(&format!("{SQUARE},{HOLE}")), "geometry_has_holes");
    check(&polygon(TWINS), "duplicate_vertices");
    refuses("a.json", collection(&[]).as_bytes(), None, "no_polygon_found", 400);
    assert_eq!(boundary("a.zip", &one, Some("A.geojson")).http_status, 200);
}

#[test]
fn a_bad_boundary_shows_where_it_is_bad_and_no_property_comes_back() {
    let answer = boundary("a.json", collection(&[&polygon(BOWTIE)]).as_bytes(), None);
    assert_eq!(answer.findings[0].places, [[600_050.0, 300_050.0]]);
    assert!(answer.wire.boundary_geometry_wgs84.is_some());
    let good = boundary("a.json", collection(&[&polygon(SQUARE)]).as_bytes(), None);
    let metadata = good.wire.boundary_metadata.clone().unwrap();
    assert_eq!((metadata.area.hectares, metadata.area.acres), (1.0, 2.4711));
    assert_eq!((metadata.perimeter.kilometres, metadata.perimeter.miles), (0.4, 0.2485));
    assert!(!serde_json::to_string(&good.wire).unwrap().contains("Jo"));
    let wire = serde_json::to_string(&good.wire).unwrap();
    assert_eq!(serde_json::from_str::<BoundaryWire>(&wire).unwrap(), good.wire);
    // The same place in degrees, by way of the wire, is the same place.
    let degrees = serde_json::to_string(&good.wire.boundary_geometry_wgs84).unwrap();
    let back = boundary("b.json", degrees.as_bytes(), None);
    let (there, here) = (back.shape.unwrap().bounds(), good.shape.unwrap().bounds());
    assert!((there.min_x - here.min_x).abs() < 0.001 && (there.max_y - here.max_y).abs() < 0.001);
}

#[test]
fn kml_is_read_with_holes_and_parts() {
    let ring = "1.0,52.5,0 1.001,52.5,0 1.001,52.501,0 1.0,52.5,0";
    let kml = format!(
        "<kml xmlns='http://www.opengis.net/kml/2.2'><Document><Placemark><name>Site</name>\
         <Polygon><outerBoundaryIs><LinearRing><coordinates>{ring}</coordinates></LinearRing>\
         </outerBoundaryIs></Polygon></Placemark></Document></kml>"
    );
    let answer = boundary("a.kml", kml.as_bytes(), None);
    assert_eq!(answer.wire.error, None, "{:?}", answer.findings);
    assert_eq!(answer.transform, crate::transform::Transform::Ostn15);
}

#[test]
fn shapes_are_judged_as_the_standard_has_it() {
    let shape = |polygons: Vec<Vec<Vec<[f64; 2]>>>| Shape::from_coordinates(polygons);
    let square = |x: f64, y: f64, side: f64| {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    };
    let valid = |polygons| problems(&shape(polygons)).is_empty();
    assert!(valid(vec![vec![square(0.0, 0.0, 9.0), square(1.0, 1.0, 2.0), square(4.0, 4.0, 2.0)]]));
    assert!(valid(vec![vec![square(0.0, 0.0, 3.0)], vec![square(3.0, 3.0, 3.0)]]), "corners touch");
    assert!(!valid(vec![vec![square(0.0, 0.0, 3.0)], vec![square(3.0, 0.0, 3.0)]]), "one edge");
    assert!(!valid(vec![vec![square(0.0, 0.0, 3.0)], vec![square(1.0, 1.0, 1.0)]]), "part in part");
    assert!(!valid(vec![vec![square(0.0, 0.0, 3.0), square(5.0, 5.0, 1.0)]]), "hole outside");
    assert!(!valid(vec![vec![
        square(0.0, 0.0, 9.0),
        square(1.0, 1.0, 5.0),
        square(2.0, 2.0, 1.0)
    ]]));
    assert!(
        !valid(vec![vec![vec![[0.0, 0.0], [5.0, 0.0], [2.0, 0.0], [2.0, 3.0], [0.0, 0.0]]]]),
        "a spike"
    );
    assert!(!valid(vec![vec![vec![[0.0, 0.0], [5.0, 0.0], [0.0, 0.0]]]]), "no area");
    assert!(!valid(vec![vec![vec![[0.0, 0.0], [f64::NAN, 0.0], [3.0, 3.0], [0.0, 0.0]]]]));
    let island =
        vec![vec![square(0.0, 0.0, 9.0), square(1.0, 1.0, 7.0)], vec![square(3.0, 3.0, 2.0)]];
    assert!(valid(island), "a part in the hole of another");
}

#[test]
fn files_that_mean_harm_are_refused_and_nothing_falls_over() {
    let limits = Limits::default();
    let deep = "[".repeat(500_000);
    let nested = format!(r#"{{"type":"Polygon","coordinates":{deep}"#);
    assert!(read_features("a.json", nested.as_bytes(), None, &limits).is_err());
    let tags = "<a>".repeat(690_000);
    assert!(read_features("a.kml", tags.as_bytes(), None, &limits).is_err());
    let bomb = {
        use std::io::Write;
        let mut packer =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![b' '; 64 << 20]).unwrap();
        let packed = packer.finish().unwrap();
        let mut bomb = zip(&[("a.geojson", &packed)]);
        let claims = (64_u32 << 20).to_le_bytes();
        // The method becomes deflate, in both heads, and the sizes tell the truth or lie.
        let central = bomb.len() - 22 - 46 - 9;
        bomb[8] = 8;
        bomb[central + 10] = 8;
        let honest = {
            let mut honest = bomb.clone();
            honest[central + 24..central + 28].copy_from_slice(&claims);
            honest
        };
        [bomb, honest]
    };
    for bytes in &bomb {
        let error = read_features("a.zip", bytes, None, &limits).unwrap_err();
        assert_eq!(error.0[0].code, Code::ZipTooLarge, "{error}");
    }
    let names: Vec<String> = (0..1001).map(|at| format!("{at}.txt")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &b""[..])).collect();
    let error = read_features("a.zip", &zip(&many), None, &limits).unwrap_err();
    assert_eq!(error.0[0].code, Code::ZipTooLarge);
    for nonsense in ["1e999", "null", "\"1\"", "[]"] {
        let json = format!(r#"{{"type":"Polygon","coordinates":[[[{nonsense},2],[3,4],[5,6]]]}}"#);
        assert!(boundary("a.json", json.as_bytes(), None).wire.error.is_some(), "{nonsense}");
    }
}
