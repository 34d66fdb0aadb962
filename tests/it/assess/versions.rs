//! Loads, refusals and the way back, on hexagons and the real layers.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use nutrients::{
    AssessError, Library, Method, Missing, Options, Outcome, Reference, ReferenceError, Severity,
    Shape, Site, SourceDrop, Strictness, Table, WarningCode, assess, csv_row, map_geojson,
    no_pulse, record,
};

use super::golden::folder;
use super::made::{COEFFICIENTS, geopackage, hexagons};

/// In the middle of the Broads.
const CORNER: [f64; 2] = [627_100.0, 309_300.0];

/// The real layers with hexagons beside them.
fn drop_with(dir: &Path, count: u32, version: &str) -> SourceDrop {
    fs::create_dir_all(dir).unwrap();
    for name in ["wwtw_catchments", "lpa_boundaries", "nn_catchments", "subcatchments"] {
        fs::copy(folder().join(format!("{name}.gpkg")), dir.join(format!("{name}.gpkg"))).unwrap();
    }
    fs::copy(folder().join("lookups.sqlite"), dir.join("lookups.sqlite")).unwrap();
    let layer = dir.join("coefficient_layer.gpkg");
    if layer.try_exists().unwrap() {
        fs::remove_file(&layer).unwrap();
    }
    geopackage(&layer, COEFFICIENTS, hexagons(CORNER, count, 50, 40.0));
    SourceDrop::in_folder(dir, version).unwrap()
}

fn site(side: f64) -> Site {
    let [x, y] = [CORNER[0] + 500.0, CORNER[1] + 500.0];
    let ring = vec![[x, y], [x + side, y + 13.0], [x + side, y + side], [x, y + side], [x, y]];
    Site::of_job("NRF-000001", "housing", 60, Shape::from_coordinates(vec![vec![ring]]))
}

#[test]
fn a_load_is_promoted_whole_refused_whole_and_rolled_back() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("library");
    let library = Library::open(&home).unwrap();
    assert!(matches!(Reference::open(&home), Err(ReferenceError::Empty)));
    let first = drop_with(&dir.path().join("one"), 2500, "one");
    let note = library.load(&first, Strictness::CleanUp, false).unwrap();
    assert_eq!(note.report.rows[&Table::CoefficientLayer], 2500);
    let told = note.report.to_text();
    assert!(told.contains("works without a code were left out"), "{told}");
    assert!(told.contains("codes come twice"), "{told}");
    let again = library.load(&first, Strictness::CleanUp, false);
    assert!(matches!(again, Err(ReferenceError::SameVersion(_))));
    let strict = library.load(&first, Strictness::Strict, true);
    let Err(ReferenceError::Refused(report)) = strict else { panic!("the lookups are not clean") };
    assert!(report.lines.iter().any(|line| line.severity == Severity::Refusal));

    let small = drop_with(&dir.path().join("two"), 2000, "two");
    let refused = library.load(&small, Strictness::CleanUp, false).unwrap_err();
    assert!(refused.to_string().contains("nine tenths"), "{refused}");
    assert_eq!(Reference::open(&home).unwrap().version(), "one", "nothing changed");

    let second = drop_with(&dir.path().join("three"), 2400, "three");
    library.load(&second, Strictness::CleanUp, false).unwrap();
    let third = drop_with(&dir.path().join("three"), 2450, "four");
    library.load(&third, Strictness::CleanUp, false).unwrap();
    let kept: Vec<String> =
        library.versions().unwrap().into_iter().map(|it| it.data_version).collect();
    assert_eq!(kept, ["three", "four"], "two are kept");
    library.roll_back().unwrap();
    let reference = Reference::open(&home).unwrap();
    assert_eq!(reference.version(), "three");
    assert!(reference.verify().unwrap().is_empty());
    assert!(matches!(library.roll_back(), Err(ReferenceError::NothingToRollBack)));
    let mut missing = third.clone();
    missing.tables.remove(&Table::NnCatchments);
    let missing = library.load(&missing, Strictness::CleanUp, true);
    assert!(matches!(missing, Err(ReferenceError::MissingTable(Table::NnCatchments))));
}

#[test]
fn hexagons_cover_a_site_and_pieces_add_up_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("library");
    let drop = drop_with(&dir.path().join("one"), 2500, "one");
    Library::open(&home).unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
    let reference = Reference::open(&home).unwrap();
    let options = Options { pieces_max: 1000, ..Options::default() };
    let site = site(900.0);
    let result = assess(&reference, &site, &Method::c(), &options, &no_pulse).unwrap();
    assert_eq!(result.outcome, Outcome::Assessed);
    let whole = site.shape.area_m2();
    assert!((result.land_use.covered_fraction.unwrap() - 1.0).abs() < 1e-9);
    let area: f64 = result.pieces.iter().map(|it| it.area_ha).sum::<f64>() * 10_000.0;
    assert!((area - whole).abs() < 1e-6 * whole, "{area} of {whole}");
    let drawn: f64 = result.pieces.iter().map(|it| it.shape.area_m2()).sum();
    assert!((drawn - whole).abs() < 1e-5 * whole, "{drawn} of {whole}");
    let uplift: f64 = result.pieces.iter().map(|it| it.nitrogen_uplift.unwrap().exact).sum();
    let total = result.land_use.nitrogen_uplift.unwrap().exact;
    assert!((uplift - total).abs() < 1e-9 * total.abs());
    let split: f64 = result.catchments.iter().map(|it| it.nitrogen_uplift.exact).sum();
    assert!((split - total).abs() < 1e-9 * total.abs(), "split by catchment");
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<nutrients::Assessment>(&json).unwrap(), result);
    let map = map_geojson(&result, Some(&reference));
    assert!(map["features"].as_array().unwrap().len() > result.pieces.len());
    assert_eq!(record(&result)["total"]["unit"], "kg/yr");
    assert!(reference.parcels_near(&site.shape.bounds()) >= result.land_use.parcel_count);
    let works = reference.nearby_works(&site.shape, 10_000.0);
    assert!(works.windows(2).all(|pair| pair[0].distance_km <= pair[1].distance_km));

    let stop = |_| ControlFlow::Break(());
    let cancelled = assess(&reference, &site, &Method::c(), &options, &stop);
    assert!(matches!(cancelled, Err(AssessError::Cancelled)));
}

#[test]
fn a_garbled_layer_is_refused_and_not_assessed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("library");
    let drop = drop_with(&dir.path().join("one"), 2500, "one");
    Library::open(&home).unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
    let path = home.join("version-000001/coefficient_layer.layer");
    let good = fs::read(&path).unwrap();
    byteio::durable::write(&path, &good[..good.len() - 1], false).unwrap();
    assert!(Reference::open(&home).is_err(), "torn");
    let mut garbled = good.clone();
    for byte in &mut garbled[100..good.len() / 2] {
        *byte ^= 0x55;
    }
    byteio::durable::write(&path, &garbled, false).unwrap();
    let reference = Reference::open(&home).unwrap();
    assert_eq!(reference.verify().unwrap(), [Table::CoefficientLayer]);
    let result = assess(&reference, &site(2000.0), &Method::c(), &Options::default(), &no_pulse);
    assert!(matches!(result, Err(AssessError::Reference(_))), "a block is garbled");
}

/// The layer of a drop with one coefficient put in place of what is there.
fn with_coefficient(drop: &SourceDrop, value: &str, rows: &str) {
    let layer = rusqlite::Connection::open(&drop.tables[&Table::CoefficientLayer]).unwrap();
    let sql = format!("UPDATE layer SET N_ResiCoeff = {value} WHERE {rows}");
    assert!(layer.execute(&sql, []).unwrap() > 0);
}

#[test]
fn coefficients_that_are_no_numbers_are_refused_or_told_and_never_a_silent_zero() {
    let dir = tempfile::tempdir().unwrap();
    let drop = drop_with(&dir.path().join("one"), 2500, "one");
    let open = || Reference::open_drop(&drop, Strictness::CleanUp, Missing::Refused);
    for (value, told) in [("9e999", "inf"), ("'nan'", "NaN"), ("-9e999", "-inf")] {
        with_coefficient(&drop, value, "fid = 7");
        let refused = open().unwrap_err().to_string();
        let said = format!("N_ResiCoeff is not between 0 and 50 (such as RPA000000006: {told})");
        assert!(refused.contains(&said), "{refused}");
    }
    with_coefficient(&drop, "12.7", "fid = 7");
    with_coefficient(&drop, "'12,7 kg'", "fid % 2 = 0");
    let reference = open().unwrap();
    let report = reference.report().to_text();
    assert!(report.contains("1250 rows: N_ResiCoeff is no number and was left out"), "{report}");
    assert!(report.contains("12,7 kg"), "{report}");
    let told = |reference: &Reference| {
        assess(reference, &site(300.0), &Method::c(), &Options::default(), &no_pulse).unwrap()
    };
    let result = told(&reference);
    let land = &result.land_use;
    assert!(land.unknown_ha > 1.0 && land.covered_fraction.unwrap() < 0.8, "{land:?}");
    let warned = |code: WarningCode| result.warnings.iter().any(|it| it.code == code);
    assert!(warned(WarningCode::MissingCoefficients) && warned(WarningCode::LowCoverage));
    let low = result.warnings.iter().find(|it| it.code == WarningCode::LowCoverage).unwrap();
    assert!(low.sentence.contains("less than the 95 per cent"), "{}", low.sentence);

    with_coefficient(&drop, "NULL", "true");
    let result = told(&open().unwrap());
    assert_eq!(result.land_use.nitrogen_uplift, None, "not known is not nothing");
    assert!(result.land_use.phosphorus_uplift.is_some());
    let row = csv_row(&result);
    assert_eq!((row[14].as_str(), row[29].as_str()), ("", ""), "nor is its total known");
    assert!(!row[30].is_empty());
}
