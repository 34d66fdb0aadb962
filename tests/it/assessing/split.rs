//! A site in two catchments: ground and loads of each add up to the whole, drainage and caution follow
//! the sign of each catchment's own sums, and each bears its own name.

use nutrients::{
    Amount, Assessment, CatchmentImpact, Method, Missing, Options, Piece, Reference, Table, assess,
    no_pulse,
};

use super::*;
use crate::assess::golden;

/// The layers made up, with a catchment on either side of the middle of the site. In the west the land
/// gets better, in the east worse.
fn two_catchments(dir: &Path) -> Reference {
    delivered(dir);
    let path = dir.join("nn_catchments.gpkg");
    std::fs::remove_file(&path).unwrap();
    let middle = CORNER[0] + 300.0;
    let side = |west: f64, east: f64| {
        let (south, north) = (CORNER[1] - 100.0, CORNER[1] + 1900.0);
        blob(&[[west, south], [east, south], [east, north], [west, north], [west, south]])
    };
    let text = |text: &str| Value::from(text.to_owned());
    let named =
        |id: i64, label: &str| vec![id.into(), text("The Broads SAC"), text(label), text(label)];
    let features: [Made; 2] = [
        (side(CORNER[0] - 100.0, middle), named(7, "Bure Broads and Marshes")),
        (side(middle, CORNER[0] + 1900.0), named(8, "Yare Broads and Marshes")),
    ];
    let columns = "OID INTEGER, N2K_Site_N TEXT, SSSIname TEXT, Label TEXT";
    geopackage(&path, columns, features.into_iter());
    let layer = rusqlite::Connection::open(dir.join("coefficient_layer.gpkg")).unwrap();
    let sql = "UPDATE layer SET LU_CurrNcoeff = iif((fid - 1) % 20 < 4, 30, 2)";
    layer.execute(sql, []).unwrap();
    let drop = SourceDrop::in_folder(dir, "made-2").unwrap();
    Reference::open_drop(&drop, Strictness::CleanUp, Missing::Refused).unwrap()
}

#[test]
fn caution_and_drainage_follow_each_catchments_own_sign_and_parts_need_not_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let reference = two_catchments(&dir.path().join("layers"));
    let site = site("a", 300.0);
    let result = assess(&reference, &site, &Method::c(), &Options::default(), &no_pulse).unwrap();
    let [west, east] = result.catchments.as_slice() else { panic!("{:?}", result.catchments) };
    assert!(west.nitrogen_uplift.exact < 0.0 && east.nitrogen_uplift.exact > 0.0, "{result:?}");
    ground_and_loads_add_up(&result);
    each_by_its_own_sign(&result);
    let whole = result.total.nitrogen.exact;
    let parts = west.total.nitrogen.exact + east.total.nitrogen.exact;
    assert!(parts > whole + 0.01, "{parts} for {whole}: a gain in the west is no gain in the east");
    assert_eq!(west.catchment.told(), "Bure Broads and Marshes");
    assert_eq!(east.catchment.told(), "Yare Broads and Marshes");
}

/// Every catchment has the sums that a site of its own would have: 60 dwellings drain, and caution adds.
fn each_by_its_own_sign(result: &Assessment) {
    for impact in &result.catchments {
        let left = impact.post_suds.unwrap();
        for (uplift, left, load, total) in [
            (
                impact.nitrogen_uplift,
                left.nitrogen,
                impact.nitrogen_wastewater,
                impact.total.nitrogen,
            ),
            (
                impact.phosphorus_uplift,
                left.phosphorus,
                impact.phosphorus_wastewater,
                impact.total.phosphorus,
            ),
        ] {
            let drained = uplift.exact - uplift.exact.abs() * 0.25;
            assert!((left.exact - drained).abs() < 1e-9, "{impact:?}");
            let base = left.exact + load.exact;
            let with_caution = base + base.abs() * 0.2;
            assert!((total.exact - with_caution).abs() < 1e-9, "{impact:?}");
            assert!(total.exact >= base, "caution never makes a figure smaller: {impact:?}");
        }
    }
}

fn ground_and_loads_add_up(result: &Assessment) {
    let near = |sum: f64, whole: f64| {
        assert!((sum - whole).abs() < 1e-9 * whole.abs().max(1.0), "{sum} of {whole}");
    };
    let sum = |part: fn(&CatchmentImpact) -> f64| result.catchments.iter().map(part).sum::<f64>();
    near(sum(|it| it.nitrogen_uplift.exact), result.land_use.nitrogen_uplift.unwrap().exact);
    near(sum(|it| it.phosphorus_uplift.exact), result.land_use.phosphorus_uplift.unwrap().exact);
    near(sum(|it| it.area_ha.exact), result.spatial.area_in_nn_catchment_ha.unwrap().exact);
    let water = result.wastewater.as_ref().unwrap();
    near(sum(|it| it.nitrogen_wastewater.exact), water.nitrogen_permanent.exact);
    near(sum(|it| it.phosphorus_wastewater.exact), water.phosphorus_permanent.exact);
}

/// What a nutrient of a row is told to be, and what it adds up from.
type Row = (Amount, Vec<f64>);

/// One of the uplifts of a piece.
type Uplift = fn(&Piece) -> Option<Amount>;

/// The uplifts of a whole site and of each of its catchments, with those of their pieces.
fn uplifts(result: &Assessment) -> Vec<Row> {
    let told = |of: Uplift, catchment: Option<i64>| -> Vec<f64> {
        let here = |it: &&Piece| catchment.is_none_or(|id| it.catchment_id == id);
        result.pieces.iter().filter(here).map(|it| of(it).unwrap().rounded).collect()
    };
    let (nitrogen, phosphorus): (Uplift, Uplift) =
        (|it| it.nitrogen_uplift, |it| it.phosphorus_uplift);
    let mut rows = vec![
        (result.land_use.nitrogen_uplift.unwrap(), told(nitrogen, None)),
        (result.land_use.phosphorus_uplift.unwrap(), told(phosphorus, None)),
    ];
    for impact in &result.catchments {
        let id = Some(impact.catchment.id);
        rows.push((impact.nitrogen_uplift, told(nitrogen, id)));
        rows.push((impact.phosphorus_uplift, told(phosphorus, id)));
    }
    rows
}

#[test]
fn strict_parity_adds_uplifts_as_whole_hundredths() {
    let dir = tempfile::tempdir().unwrap();
    let reference = two_catchments(&dir.path().join("layers"));
    let options = Options { strict_parity: true, pieces_max: 1000, ..Options::default() };
    let mut tails = 0;
    for side in [200.0, 250.0, 300.0, 350.0] {
        let site = site("a", side);
        let result = assess(&reference, &site, &Method::c(), &options, &no_pulse).unwrap();
        assert_eq!(result.catchments.len(), 2, "{result:?}");
        for (told, pieces) in uplifts(&result) {
            let hundredths: f64 = pieces.iter().map(|it| (it * 100.0).round()).sum();
            assert_eq!(told.exact, hundredths / 100.0, "to the last digit: {pieces:?}");
            tails += usize::from(pieces.iter().sum::<f64>() != told.exact);
        }
    }
    assert!(tails > 0, "as numbers with a point some of them add up to something else");
}

/// The real layers, with parcels made up under one site.
fn real_layers(dir: &Path, site: &Site) -> Reference {
    let mut drop = SourceDrop::in_folder(&golden::folder(), "broads-2026-03").unwrap();
    let path = dir.join("coefficient_layer.gpkg");
    let bounds = site.shape.bounds();
    let (side, corner) = (60.0, [bounds.min_x, bounds.min_y]);
    let fit = |length: f64, step: f64| (2..).find(|it| f64::from(*it - 2) * step > length).unwrap();
    let across: u32 = fit(bounds.width(), side * 3_f64.sqrt());
    let rows: u32 = fit(bounds.height(), side * 1.5);
    geopackage(&path, COEFFICIENTS, hexagons(corner, across * rows, across, side));
    drop.tables.insert(Table::CoefficientLayer, path);
    Reference::open_drop(&drop, Strictness::CleanUp, Missing::Refused).unwrap()
}

#[test]
fn real_sites_in_two_catchments_have_each_catchments_own_caution_as_well() {
    let sites = golden::sites();
    for number in [9, 92] {
        let site = &sites[number - 1];
        let dir = tempfile::tempdir().unwrap();
        let reference = real_layers(dir.path(), site);
        let result =
            assess(&reference, site, &Method::c(), &Options::default(), &no_pulse).unwrap();
        let ids: Vec<i64> = result.catchments.iter().map(|it| it.catchment.id).collect();
        assert_eq!(ids, [29, 32], "site {number}");
        assert!(result.land_use.covered_fraction.unwrap() > 0.999, "{:?}", result.land_use);
        // The works lies in one of them, so all of its water goes there.
        let water: Vec<bool> =
            result.catchments.iter().map(|it| it.nitrogen_wastewater.exact > 0.0).collect();
        assert_eq!(water, [false, true], "site {number}");
        assert!(result.catchments.iter().all(|it| it.area_ha.exact > 1.0), "site {number}");
        ground_and_loads_add_up(&result);
        assert!(site.dwellings >= 50, "drainage counts on site {number}");
        each_by_its_own_sign(&result);
    }
}
