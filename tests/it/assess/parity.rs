//! Strict parity where the golden tables of the older methods differ from those of the newest: which rows
//! are there, whose rates they have, and what is empty in them.

use std::path::Path;

use nutrients::{
    Assessment, COLUMNS, Method, Missing, Options, Outcome, Reference, Shape, Site, SourceDrop,
    Strictness, Table, WarningCode, assess_batch, csv_row,
};

use super::golden::{folder, reference, sites};

/// What the table calls them.
const LOADS: [&str; 4] = ["N_WwTW_Temp", "P_WwTW_Temp", "N_WwTW_Perm", "P_WwTW_Perm"];
const USE: [&str; 3] = ["Occ_Rate", "Water_Usage_L_Day", "Litres_used"];

fn strict(reference: &Reference, sites: &[Site], method: &Method) -> Vec<Assessment> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let options = Options { strict_parity: true, ..Options::default() };
    let go_on = |_| std::ops::ControlFlow::Continue(());
    assess_batch(reference, sites, method, &options, &pool, &go_on).unwrap()
}

/// One field of a row.
fn field(assessment: &Assessment, name: &str) -> String {
    let at = COLUMNS.iter().position(|it| *it == name).unwrap();
    csv_row(assessment)[at].clone()
}

fn fields<const N: usize>(assessment: &Assessment, names: [&str; N]) -> [String; N] {
    names.map(|name| field(assessment, name))
}

/// The real layers with lookups that lack one works.
fn without_works(dir: &Path, code: &str) -> Reference {
    let lookups = dir.join("lookups.sqlite");
    byteio::durable::write(
        &lookups,
        &std::fs::read(folder().join("lookups.sqlite")).unwrap(),
        false,
    )
    .unwrap();
    let table = rusqlite::Connection::open(&lookups).unwrap();
    let removed = table.execute("DELETE FROM WwTw_lookup WHERE WwTW_code = ?1", [code]).unwrap();
    assert!(removed > 0);
    drop(table);
    let mut drop = SourceDrop::in_folder(&folder(), "broads-2026-03").unwrap();
    drop.tables.insert(Table::Lookups, lookups);
    Reference::open_drop(&drop, Strictness::CleanUp, Missing::CoefficientsAllowed).unwrap()
}

/// The first of the real sites in a catchment and of works that are known, and its works.
fn in_catchment(sites: &[Site]) -> (Site, String) {
    let told = strict(&reference(), sites, &Method::c());
    let at = told.iter().position(|it| it.outcome == Outcome::Assessed).unwrap();
    (sites[at].clone(), field(&told[at], "Majority_WwTw_ID"))
}

#[test]
fn a_row_has_the_rates_of_its_catchment_where_its_works_is_not_in_the_lookup() {
    let dir = tempfile::tempdir().unwrap();
    let (site, works) = in_catchment(&sites()[..5]);
    let reference = without_works(dir.path(), &works);
    let litres = format!("{:?}", f64::from(site.dwellings) * (2.4 * 120.0));
    for (method, load) in [(Method::a(), ""), (Method::b(), ""), (Method::c(), "0.0")] {
        let told = strict(&reference, std::slice::from_ref(&site), &method).remove(0);
        assert_eq!(told.outcome, Outcome::Assessed);
        assert_eq!(field(&told, "WwTW_name"), "");
        assert_eq!(fields(&told, USE), ["2.4", "120.0", litres.as_str()], "{}", method.name);
        assert_eq!(fields(&told, LOADS), [load; 4], "{}", method.name);
        assert_eq!(field(&told, "N_Total"), "0.0", "a total is never empty: {}", method.name);
    }
}

#[test]
fn a_site_whose_works_is_not_in_the_lookup_has_a_warning_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let (site, works) = in_catchment(&sites()[..5]);
    let warned = |reference: &Reference| {
        let go_on = |_| std::ops::ControlFlow::Continue(());
        let options = Options::default();
        nutrients::assess(reference, &site, &Method::c(), &options, &go_on).unwrap().warnings
    };
    let unlisted = WarningCode::UnlistedWorks;
    assert!(warned(&reference()).iter().all(|it| it.code != unlisted), "this one is known");
    let warnings = warned(&without_works(dir.path(), &works));
    let told = warnings.iter().find(|it| it.code == unlisted).unwrap();
    assert!(told.sentence.contains(&format!("treatment works {works}")), "{}", told.sentence);
    assert!(told.sentence.contains("counts as nothing"), "{}", told.sentence);
}

/// A hectare that lies in none of the layers.
fn elsewhere() -> Site {
    let ring = [[400e3, 300e3], [400.1e3, 300e3], [400.1e3, 300.1e3], [400e3, 300.1e3]];
    let ring = ring.into_iter().chain([[400e3, 300e3]]).collect();
    Site::of_job("elsewhere", "housing", 15, Shape::from_coordinates(vec![vec![ring]]))
}

#[test]
fn method_a_keeps_rows_of_the_package_plant_outside_of_catchments_as_its_golden_files_do() {
    let reference = reference();
    let real = sites();
    let told = strict(&reference, &real, &Method::c());
    let plant = |it: &Assessment| it.outcome == Outcome::Assessed && it.spatial.wwtw_id == 141;
    let neighbour = real[told.iter().position(plant).unwrap()].clone();
    let both = [neighbour, elsewhere()];
    let outside = |method: &Method| strict(&reference, &both, method).remove(1);
    let kept = outside(&Method::a());
    assert_eq!(kept.outcome, Outcome::WastewaterOnly);
    // The golden row of Stodmarsh's site S54, but for its place.
    assert_eq!(field(&kept, "WwTW_name"), "Package Treatment Plant default");
    assert_eq!(fields(&kept, USE), ["2.4", "120.0", "4320.0"]);
    assert_eq!(fields(&kept, LOADS), ["39.45", "7.1", "39.45", "7.1"]);
    assert_eq!(fields(&kept, ["N_Total", "P_Total"]), ["47.34", "8.52"]);
    for method in [Method::b(), Method::c()] {
        assert_eq!(outside(&method).outcome, Outcome::OutOfScope, "{}", method.name);
    }
    // What is left out by the method alone is told by no other way of assessing.
    let go_on = |_| std::ops::ControlFlow::Continue(());
    let options = Options::default();
    let told = nutrients::assess(&reference, &elsewhere(), &Method::a(), &options, &go_on).unwrap();
    assert_eq!(told.outcome, Outcome::OutOfScope);
}

#[test]
fn loads_that_cannot_be_known_are_empty_by_methods_a_and_b_and_zeros_by_c() {
    let reference = reference();
    let all = sites();
    // Outside of all catchments, and no site of its works has rates.
    let site = all.iter().find(|site| site.id == "LUD06/A").unwrap();
    for (method, load) in [(Method::a(), ""), (Method::b(), ""), (Method::c(), "0.0")] {
        let told = strict(&reference, std::slice::from_ref(site), &method).remove(0);
        assert_eq!(told.outcome, Outcome::WastewaterOnly);
        assert_eq!(fields(&told, USE), [""; 3]);
        assert_eq!(fields(&told, LOADS), [load; 4], "{}", method.name);
        assert_eq!(fields(&told, ["N_Total", "P_Total"]), ["0.0"; 2], "{}", method.name);
    }
}
