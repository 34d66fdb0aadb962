//! A site in two catchments: what reaches each adds up to the whole, and each bears its own name.

use strongroom::geo::{Method, Missing, Options, Reference, assess, no_pulse};

use super::*;

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
fn what_reaches_each_catchment_adds_up_to_the_site() {
    let dir = tempfile::tempdir().unwrap();
    let reference = two_catchments(&dir.path().join("layers"));
    let site = site("a", 300.0);
    let result = assess(&reference, &site, &Method::c(), &Options::default(), &no_pulse).unwrap();
    let [west, east] = result.catchments.as_slice() else { panic!("{:?}", result.catchments) };
    assert!(west.nitrogen_uplift.exact < 0.0 && east.nitrogen_uplift.exact > 0.0, "{result:?}");
    let near = |sum: f64, whole: f64| assert!((sum - whole).abs() < 1e-9, "{sum} of {whole}");
    near(west.total.nitrogen.exact + east.total.nitrogen.exact, result.total.nitrogen.exact);
    near(west.total.phosphorus.exact + east.total.phosphorus.exact, result.total.phosphorus.exact);
    let left = [west, east].map(|it| it.post_suds.unwrap().nitrogen.exact);
    near(left[0] + left[1], result.land_use.nitrogen_post_suds.unwrap().exact);
    assert_eq!(west.catchment.told(), "Bure Broads and Marshes");
    assert_eq!(east.catchment.told(), "Yare Broads and Marshes");
}
