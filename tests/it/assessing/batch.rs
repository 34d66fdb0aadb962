//! `strongroom assess` and `strongroom reference`: what they print, and how they end.

use super::*;
use crate::command::{folder, open, run};

fn real() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assess")
}

#[test]
fn the_real_sites_come_out_as_expected() {
    let (dir, data) = folder();
    let layers = real();
    let (sites, out) = (layers.join("sites.zip"), dir.path().join("impact.csv"));
    let arguments = |more: &[&str]| {
        let mut all = vec!["assess", sites.to_str().unwrap()];
        all.extend(["--reference", layers.to_str().unwrap()]);
        all.extend(["--strict-parity", "--without-coefficients"]);
        all.extend(more);
        run(&data, &all)
    };
    let ran = arguments(&["--output", out.to_str().unwrap()]).is(0);
    let counted = "209 in a catchment, 8 with wastewater only, 28 out of scope and left out";
    assert!(ran.err.contains("245 sites") && ran.err.contains(counted), "{}", ran.err);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.starts_with("RLB_ID,id,Name,"), "{text}");
    assert!(text.contains(",309,Saxlingham ,Yare,"), "blanks around names stay: {text}");
    // Names may go over several lines.
    assert!(text.lines().count() >= 218, "{text}");
    let told = arguments(&["--json"]).is(0).json();
    assert_eq!(told.as_array().unwrap().len(), 217);
    assert_eq!(told[0]["total"]["unit"], "kg/yr");
    arguments(&["--output", "impact.xlsx"]).is(2);
    run(&data, &["assess", "no-such-file.zip"]).is(1);
    let bare = ["assess", sites.to_str().unwrap(), "--reference", layers.to_str().unwrap()];
    let told = run(&data, &bare).is(2);
    assert!(told.err.contains("the drop has no coefficient_layer"), "{}", told.err);
    assert!(told.err.contains("--without-coefficients"), "{}", told.err);
    let allowed = [&bare[..], &["--without-coefficients"]].concat();
    let ran = run(&data, &allowed).is(0);
    assert!(ran.err.trim_end().ends_with("28 out of scope"), "{}", ran.err);
    let table = ran.out;
    let row = table.lines().find(|line| line.starts_with("2,")).unwrap();
    assert!(row.contains("The Broads") && row.ends_with(",,"), "no totals: {row}");
    assert!(!table.contains("-0.0"), "{table}");
    let drawn = dir.path().join("impact.geojson");
    let drawing = [&allowed[..], &["--output", drawn.to_str().unwrap()]].concat();
    run(&data, &drawing).is(0);
    let map: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&drawn).unwrap()).unwrap();
    let sites: Vec<_> =
        map["features"].as_array().unwrap().iter().map(|it| &it["properties"]).collect();
    let out = sites.iter().find(|it| it["outcome"] == "out_of_scope").unwrap();
    assert!(out["nitrogen_total_kg"].is_null(), "{out}");
}

#[test]
fn what_is_wrong_with_sites_is_printed_with_where_it_is() {
    let (dir, data) = folder();
    let sites = dir.path().join("sites.geojson");
    let columns = json!({"id": "1", "Name": "Mill Lane", "Dwel_Cat": "housing", "Source": "x",
        "Dwellings": 3, "Shape_Area": 1});
    let [x, y] = CORNER;
    let tie = [[x, y], [x + 90.0, y + 90.0], [x + 90.0, y], [x, y + 90.0], [x, y]];
    let text = json!({"type": "FeatureCollection", "features": [{"type": "Feature",
        "properties": columns, "geometry": {"type": "Polygon", "coordinates": [tie]}}],
        "crs": {"type": "name", "properties": {"name": "EPSG:27700"}}});
    byteio::durable::write(&sites, text.to_string().as_bytes(), false).unwrap();
    let layers = real();
    let asked = ["assess", sites.to_str().unwrap(), "--reference", layers.to_str().unwrap()];
    let told = run(&data, &asked).is(1).err;
    assert!(told.contains("feature 1: the outline crosses"), "{told}");
    assert!(told.contains("(at 627145.0 309345.0)"), "{told}");
}

#[test]
fn reference_data_is_loaded_shown_and_taken_back() {
    let (dir, data) = folder();
    drop(open(&data));
    let none = run(&data, &["reference", "show"]).is(0);
    assert!(none.out.contains("no reference data"), "{}", none.out);
    run(&data, &["reference", "roll-back"]).is(1);
    run(&data, &["reference", "load", dir.path().join("nowhere").to_str().unwrap()]).is(1);
    let app = open(&data);
    supply(&app, dir.path());
    drop(app);
    let told = run(&data, &["reference", "show", "--json"]).is(0).json();
    assert_eq!(told["versions"][0]["data_version"], "made-1");
    assert_eq!(told["versions"][0]["rows"]["coefficient_layer"], HEXAGONS);
    let layers = dir.path().join("layers");
    run(&data, &["reference", "load", layers.to_str().unwrap()]).is(0);
    let second = run(&data, &["reference", "load", layers.to_str().unwrap()]).is(1);
    assert!(second.err.contains("one load at a time"), "{}", second.err);
}
