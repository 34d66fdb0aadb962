//! The check of an uploaded boundary, row by row: codes, statuses, words, which entry of a zip is
//! taken, and what the answer holds whatever was wrong.

use nutrients::{
    BoundaryCheck, BoundaryRules, BoundaryWire, Limits, Missing, Reference, SourceDrop, Strictness,
    Upload, check_boundary,
};
use serde_json::{Value, json};

use super::made::{blob, geopackage};
use super::samples::{self, GRID, SQUARE, Shapefile, collection, polygon, shapefile, zipped};

fn check(name: &str, bytes: &[u8], inside: Option<&str>) -> BoundaryCheck {
    let upload = Upload { file_name: name, bytes, inside };
    check_boundary(&upload, BoundaryRules::default(), &Limits::default(), None)
}

/// A file, the entry that is wanted of it, and what comes of it: code, status, words.
struct Row {
    what: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    inside: Option<&'static str>,
    code: &'static str,
    status: u16,
    words: &'static str,
}

fn row(
    what: &'static str,
    (name, bytes): (&'static str, impl Into<Vec<u8>>),
    (code, status, words): (&'static str, u16, &'static str),
) -> Row {
    Row { what, name, bytes: bytes.into(), inside: None, code, status, words }
}

/// The rows about the file itself, in the order of the specification.
fn file_rows() -> Vec<Row> {
    let good = samples::geojson();
    let good = good.as_bytes();
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    let mercator = r#"PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere"]"#.as_bytes();
    let parts = |entries: &[(&str, &[u8])]| ("a.zip", zipped(entries));
    vec![
        row(
            "a byte over two mebibytes",
            ("a.geojson", vec![b' '; (2 << 20) + 1]),
            ("file_size_too_large", 413, "2097153 bytes"),
        ),
        row(
            "a coordinate system that is not taken",
            ("a.geojson", samples::collection_in("EPSG:3857", &[polygon(&[&SQUARE])])),
            ("unsupported_crs", 422, "EPSG:3857"),
        ),
        row(
            "a projection that is not taken",
            parts(&[("a.shp", &shp), ("a.shx", &shx), ("a.dbf", &dbf), ("a.prj", mercator)]),
            ("unsupported_crs", 422, "neither the British National Grid"),
        ),
        row(
            "a drawing",
            ("a.dxf", good),
            ("unsupported_file_type", 400, "ends with \"dxf\" is not understood"),
        ),
        row("no ending", ("boundary", good), ("unsupported_file_type", 400, "is not understood")),
        row(
            "half a file",
            ("a.geojson", &good[..good.len() / 2]),
            ("unreadable_geometry_file", 400, "export it again"),
        ),
        row(
            "no KML",
            ("a.kml", b"<kml>".as_slice()),
            ("unreadable_geometry_file", 400, "the KML cannot be read"),
        ),
        row(
            "no zip",
            ("a.zip", b"PK".as_slice()),
            ("unreadable_geometry_file", 400, "the zip cannot be read"),
        ),
        row(
            "no GeoPackage",
            ("a.gpkg", b"SQLite format 3\0".as_slice()),
            ("unreadable_geometry_file", 400, "the GeoPackage cannot be read"),
        ),
        row(
            "no projection",
            parts(&[("a.shp", &shp), ("a.shx", &shx), ("a.dbf", &dbf)]),
            ("missing_crs", 422, "no .prj"),
        ),
    ]
}

/// The rows about what is in a zip.
fn zip_rows() -> Vec<Row> {
    let good = samples::geojson();
    let good = good.as_bytes();
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    let prj = GRID.as_bytes();
    let parts = |entries: &[(&str, &[u8])]| ("a.zip", zipped(entries));
    let two = zipped(&[("x/a.geojson", good), ("y/A.GeoJSON", good)]);
    let one = zipped(&[("x/a.geojson", good)]);
    let missing = ("zip_missing_shapefile_parts", 400, "without its .dbf or .shx");
    vec![
        row(
            "a path that leads out",
            parts(&[("x/../../a.geojson", good)]),
            ("zip_unsafe_path", 400, "leads out of it"),
        ),
        row("a path from the top", parts(&[("/a.kml", good)]), ("zip_unsafe_path", 400, "path")),
        row("a drive", parts(&[("c:\\a.kml", good)]), ("zip_unsafe_path", 400, "path")),
        row(
            "nothing of use",
            parts(&[("a.txt", good), ("b.json", good)]),
            ("zip_missing_shapefile", 400, "no .shp, .geojson or .kml"),
        ),
        row("no .dbf", parts(&[("a.shp", &shp), ("a.shx", &shx), ("a.prj", prj)]), missing),
        row("no .shx", parts(&[("a.shp", &shp), ("a.dbf", &dbf), ("a.prj", prj)]), missing),
        row(
            "parts of another name",
            parts(&[("a.shp", &shp), ("b.shx", &shx), ("b.dbf", &dbf)]),
            missing,
        ),
        Row {
            inside: Some("b.geojson"),
            ..row(
                "an entry that is not there",
                ("a.zip", one),
                ("boundary_file_not_found_in_zip", 400, "check the name"),
            )
        },
        Row {
            inside: Some("a.geojson"),
            ..row(
                "two entries of the name",
                ("a.zip", two),
                ("zip_ambiguous_filename", 400, "leave one"),
            )
        },
    ]
}

/// The rows about the shape, in the order of the specification.
fn shape_rows() -> Vec<(&'static str, Vec<Value>, &'static str, &'static str)> {
    let [x, y] = SQUARE[0];
    let bow_tie = [[x, y], [x + 9.0, y + 9.0], [x + 9.0, y], [x, y + 9.0], [x, y]];
    let hole = [[x + 9.0, y + 9.0], [x + 9.0, y + 19.0], [x + 19.0, y + 9.0], [x + 9.0, y + 9.0]];
    let twins = [[x, y], [x + 9.0, y], [x + 9.0, y], [x + 9.0, y + 9.0], [x, y]];
    let far = [[x + 500.0, y], [x + 600.0, y], [x + 600.0, y + 90.0], [x + 500.0, y]];
    let parts = json!({"type": "MultiPolygon", "coordinates": [[SQUARE], [far]]});
    let point = json!({"type": "Point", "coordinates": [x, y]});
    vec![
        ("a null geometry", vec![Value::Null], "invalid_geometry", "has no geometry"),
        ("a point", vec![point], "unsupported_geometry_type", "it is a Point"),
        ("several parts", vec![parts], "unsupported_geometry_type", "as one polygon"),
        (
            "a bow tie",
            vec![polygon(&[&bow_tie])],
            "self_intersecting_geometry",
            "mend it at the places shown",
        ),
        ("a hole", vec![polygon(&[&SQUARE, &hole])], "geometry_has_holes", "outer boundary only"),
        ("a vertex twice", vec![polygon(&[&twins])], "duplicate_vertices", "remove one of them"),
        ("nothing", vec![], "no_polygon_found", "there is no polygon"),
    ]
}

#[track_caller]
fn refused(answer: &BoundaryCheck, what: &str, (code, status, words): (&str, u16, &str)) {
    assert_eq!(answer.wire.error.as_deref(), Some(code), "{what}: {:?}", answer.findings);
    assert_eq!(answer.http_status, status, "{what}");
    let sentence = &answer.findings[0].sentence;
    assert!(sentence.contains(words), "{what}: {sentence}");
    five_keys(&answer.wire);
}

#[track_caller]
fn five_keys(wire: &BoundaryWire) {
    let json = serde_json::to_value(wire).unwrap();
    let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "boundaryGeometryOriginal",
        "boundaryGeometryWgs84",
        "boundaryMetadata",
        "error",
        "intersectingEdps",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn every_row_about_files_refuses_with_its_code_status_and_words() {
    for Row { what, name, bytes, inside, code, status, words } in
        file_rows().into_iter().chain(zip_rows())
    {
        let answer = check(name, &bytes, inside);
        refused(&answer, what, (code, status, words));
        assert_eq!(answer.wire.boundary_geometry_wgs84, None, "{what}: there is nothing to show");
    }
}

#[test]
fn every_row_about_shapes_refuses_and_a_map_can_still_show_them() {
    for (what, geometries, code, words) in shape_rows() {
        let answer = check("a.json", collection(&geometries).as_bytes(), None);
        refused(&answer, what, (code, 400, words));
        let drawn = !matches!(what, "a null geometry" | "a point" | "nothing");
        assert_eq!(answer.wire.boundary_geometry_wgs84.is_some(), drawn, "{what}");
        assert_eq!(answer.wire.boundary_geometry_original.is_some(), drawn, "{what}");
        assert_eq!(answer.wire.boundary_metadata.is_some(), drawn, "{what}");
        assert!(answer.wire.intersecting_edps.is_empty(), "{what}");
    }
}

#[test]
fn the_first_code_in_order_is_told_and_the_findings_tell_all() {
    let [x, y] = SQUARE[0];
    let hole = [[x + 9.0, y + 9.0], [x + 9.0, y + 19.0], [x + 19.0, y + 9.0], [x + 9.0, y + 9.0]];
    let crossed = [[x, y], [x, y], [x + 50.0, y + 50.0], [x + 50.0, y], [x, y + 50.0], [x, y]];
    let answer = check("a.json", collection(&[polygon(&[&crossed, &hole])]).as_bytes(), None);
    let codes: Vec<&str> = answer.findings.iter().map(|it| it.code.name()).collect();
    assert_eq!(codes, ["self_intersecting_geometry", "geometry_has_holes", "duplicate_vertices"]);
    assert_eq!(answer.wire.error.as_deref(), Some(codes[0]));
}

#[test]
fn every_format_is_taken_by_its_ending_in_any_case() {
    for (name, bytes) in samples::all() {
        // A bare geometry has no projection of its own: it is taken as degrees.
        let metres = name == "site.json";
        for name in [name.to_owned(), name.to_uppercase()] {
            let answer = check(&name, &bytes, None);
            let error = if metres { Some("outside_grid") } else { None };
            assert_eq!(answer.wire.error.as_deref(), error, "{name}: {:?}", answer.findings);
        }
    }
    let at_the_limit = {
        let mut bytes = samples::geojson().into_bytes();
        bytes.resize(2 << 20, b' ');
        bytes
    };
    assert_eq!(check("a.geojson", &at_the_limit, None).http_status, 200, "two mebibytes are taken");
}

#[test]
fn the_entry_of_a_zip_is_chosen_as_the_rules_say() {
    let Shapefile { shp, shx, dbf } = shapefile(&[&SQUARE]);
    let [x, y] = SQUARE[0];
    let small = [[x, y], [x + 10.0, y], [x + 10.0, y + 10.0], [x, y]];
    let (small, kml) = (collection(&[polygon(&[&small])]), samples::kml());
    let all = zipped(&[
        ("z.kml", kml.as_bytes()),
        ("y/small.geojson", small.as_bytes()),
        ("x/A.SHP", &shp),
        ("x/a.shx", &shx),
        ("x/a.DBF", &dbf),
        ("x/a.prj", GRID.as_bytes()),
        ("__MACOSX/x/small.geojson", b"not ours"),
    ]);
    let hectares = |bytes: &[u8], inside: Option<&str>| {
        let answer = check("all.zip", bytes, inside);
        assert_eq!(answer.wire.error, None, "{inside:?}: {:?}", answer.findings);
        answer.wire.boundary_metadata.unwrap().area.hectares
    };
    assert_eq!(hectares(&all, None), 1.0, "the shapefile first");
    assert_eq!(hectares(&all, Some("SMALL.GEOJSON")), 0.005, "by name, in any case, anywhere");
    assert!(hectares(&all, Some("z.kml")) > 0.4);
    let two = zipped(&[("z.kml", kml.as_bytes()), ("small.geojson", small.as_bytes())]);
    assert_eq!(hectares(&two, None), 0.005, "GeoJSON before KML");
    let one = zipped(&[("readme.txt", b"x"), ("z.kml", kml.as_bytes())]);
    assert!(hectares(&one, None) > 0.4);
}

#[test]
fn a_good_boundary_is_told_in_numbers_and_without_properties() {
    let answer = check("a.geojson", samples::geojson().as_bytes(), None);
    assert_eq!((answer.http_status, answer.findings.len()), (200, 0));
    five_keys(&answer.wire);
    let json = serde_json::to_value(&answer.wire).unwrap();
    assert!(!json.to_string().contains("Mill Lane"), "properties are stripped");
    let original = &json["boundaryGeometryOriginal"];
    assert_eq!(original["crs"]["properties"]["name"], "urn:ogc:def:crs:EPSG::27700");
    assert_eq!(original["coordinates"][0][0], json!(SQUARE[0]));
    let metadata = &json["boundaryMetadata"];
    assert_eq!(metadata["area"], json!({"hectares": 1.0, "acres": 2.4711}));
    assert_eq!(metadata["perimeter"], json!({"kilometres": 0.4, "miles": 0.2485}));
    let number = |it: &Value| it.as_f64().unwrap();
    let corner = |name: &str| {
        let corner = &metadata["bounds"][name];
        [number(&corner[0]), number(&corner[1])]
    };
    let [west, north] = corner("topLeft");
    let [east, south] = corner("bottomRight");
    assert_eq!(corner("topRight"), [east, north]);
    assert_eq!(corner("bottomLeft"), [west, south]);
    assert!(west < east && south < north && (1.3..1.4).contains(&west));
    for (middle, ends) in
        [(&metadata["centre"][0], [west, east]), (&metadata["centre"][1], [south, north])]
    {
        // The middle is rounded by itself, from ends with all of their digits.
        assert!((number(middle) - ends[0].midpoint(ends[1])).abs() <= 1.01e-6);
    }
    let digits = |it: f64| ((it * 1e6).round() / 1e6 - it).abs() < 1e-12;
    assert!([west, east, south, north].into_iter().all(digits), "six digits");
}

#[test]
fn the_first_polygon_of_several_features_is_used() {
    let [x, y] = SQUARE[0];
    let second = [[x, y], [x + 10.0, y], [x + 10.0, y + 10.0], [x, y]];
    let point = json!({"type": "Point", "coordinates": [x, y]});
    let several = collection(&[point, polygon(&[&SQUARE]), polygon(&[&second])]);
    let answer = check("a.json", several.as_bytes(), None);
    assert_eq!(answer.wire.error, None);
    assert_eq!(answer.wire.boundary_metadata.unwrap().area.hectares, 1.0);
}

/// Two plans and three catchments around the square; two of the catchments have one label and overlap.
fn reference(dir: &std::path::Path) -> Reference {
    crate::assessing::delivered(dir);
    let [x, y] = SQUARE[0];
    let plot = |from: f64, to: f64| {
        blob(&[
            [x + from, y],
            [x + to, y],
            [x + to, y + 100.0],
            [x + from, y + 100.0],
            [x + from, y],
        ])
    };
    let text = |it: &str| rusqlite::types::Value::from(it.to_owned());
    for name in ["edp_boundaries.gpkg", "nn_catchments.gpkg"] {
        std::fs::remove_file(dir.join(name)).unwrap();
    }
    let plans = [
        (plot(-100.0, 25.0), vec![text("West plan"), 9.into()]),
        (plot(25.0, 300.0), vec![text("East plan"), 4.into()]),
        (plot(100.0, 300.0), vec![text("Touching plan"), 5.into()]),
    ];
    let columns = "EDP_Name TEXT, EDP_Id INTEGER";
    geopackage(&dir.join("edp_boundaries.gpkg"), columns, plans.into_iter());
    let catchments = [
        (plot(50.0, 80.0), vec![8.into(), text("The Broads SAC"), text("Wensum")]),
        (plot(0.0, 60.0), vec![6.into(), text("The Broads SAC"), text("Wensum")]),
        (plot(90.0, 100.0), vec![7.into(), text("The Broads SAC"), text("Bure")]),
    ];
    let columns = "OID INTEGER, N2K_Site_N TEXT, Label TEXT";
    geopackage(&dir.join("nn_catchments.gpkg"), columns, catchments.into_iter());
    let drop = SourceDrop::in_folder(dir, "made").unwrap();
    Reference::open_drop(&drop, Strictness::CleanUp, Missing::Refused).unwrap()
}

#[test]
fn plans_and_catchments_that_the_boundary_meets_are_told_with_their_shares() {
    let dir = tempfile::tempdir().unwrap();
    let reference = reference(&dir.path().join("layers"));
    let bytes = samples::geojson();
    let upload = Upload { file_name: "a.geojson", bytes: bytes.as_bytes(), inside: None };
    let rules = BoundaryRules::default();
    let answer = check_boundary(&upload, rules, &Limits::default(), Some(&reference));
    let plans: Vec<_> = answer
        .wire
        .intersecting_edps
        .iter()
        .map(|it| {
            assert_eq!(it.label, it.n2k_site_name);
            assert!(it.geometry.is_some() && it.intersection_geometry.is_some());
            (it.label.as_str(), it.overlap_area_ha, it.overlap_area_sqm, it.overlap_percentage)
        })
        .collect();
    let expected = [("East plan", 0.75, 7500.0, 75.0), ("West plan", 0.25, 2500.0, 25.0)];
    assert_eq!(plans, expected, "by id, and who only touches is not told");
    let catchments: Vec<_> = answer
        .catchments
        .iter()
        .map(|it| (it.label.as_str(), it.catchment_id, it.overlap_area_ha, it.overlap_percentage))
        .collect();
    let expected = [("Bure", 7, 0.1, 10.0), ("Wensum", 6, 0.8, 80.0)];
    assert_eq!(catchments, expected, "by label, ground that two features share counts once");
}
