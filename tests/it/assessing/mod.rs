//! Assessments as items: asked for, worked on, told; killed, hung and refused on the way.

mod api;
mod batch;
mod calls;
mod content;
mod damage;
mod delivery;
mod health;
mod kill;
mod loading;
mod pages;
mod split;
mod stages;
mod stopping;

use std::path::Path;
use std::sync::Arc;

use nutrients::{Shape, Site, SourceDrop, Strictness};
use rusqlite::types::Value;
use serde_json::json;
use storage::registry::AssessmentState;
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::assess::{Asker, Wish, ask};
use strongroom::flows::FLOWS;
use strongroom::work::Flow;

use crate::assess::made::{COEFFICIENTS, Made, blob, geopackage, hexagons, lookups};
use crate::harness::Rig;
use crate::house::{House, until};

/// Where the land is that layers are made up for.
pub(crate) const CORNER: [f64; 2] = [627_100.0, 309_300.0];

/// Hexagons of it: 20 in a row.
const HEXAGONS: u32 = 400;

fn square(side: f64) -> [[f64; 2]; 5] {
    let [x, y] = [CORNER[0] - 100.0, CORNER[1] - 100.0];
    [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
}

fn layer(path: &Path, columns: &str, values: Vec<Value>) {
    let features: [Made; 1] = [(blob(&square(2000.0)), values)];
    geopackage(path, columns, features.into_iter());
}

/// A delivery of layers made up: one catchment, works, authority and plan, and hexagons in them.
pub(crate) fn delivered(dir: &Path) {
    byteio::durable::create_folder(dir).unwrap();
    let text = |text: &str| Value::from(text.to_owned());
    layer(
        &dir.join("nn_catchments.gpkg"),
        "OID INTEGER, N2K_Site_N TEXT, SSSIname TEXT, Label TEXT",
        vec![7.into(), text("The Broads SAC"), text("Bure"), text("Broads")],
    );
    layer(
        &dir.join("wwtw_catchments.gpkg"),
        "WwTw_ID INTEGER, WwTW TEXT",
        vec![938.into(), text("Works")],
    );
    layer(&dir.join("lpa_boundaries.gpkg"), "NAME TEXT", vec![text("Broadland")]);
    layer(&dir.join("subcatchments.gpkg"), "OPCAT_NAME TEXT", vec![text("Bure")]);
    layer(
        &dir.join("edp_boundaries.gpkg"),
        "EDP_Name TEXT, EDP_Id INTEGER",
        vec![text("Broads plan"), 3.into()],
    );
    let coefficients = dir.join("coefficient_layer.gpkg");
    geopackage(&coefficients, COEFFICIENTS, hexagons(CORNER, HEXAGONS, 20, 40.0));
    lookups(&dir.join("lookups.sqlite"));
}

/// Puts the layers to use in a data directory that nobody has open, or that is open here.
pub(crate) fn supply(app: &App, dir: &Path) {
    let folder = dir.join("layers");
    delivered(&folder);
    let drop = SourceDrop::in_folder(&folder, "made-1").unwrap();
    app.atlas.library().unwrap().load(&drop, Strictness::CleanUp, false).unwrap();
    let charges = app.config.data.join("levy.json");
    byteio::durable::write(&charges, charges_of_any_year().to_string().as_bytes(), false).unwrap();
}

/// Tables of charges for the plan of the layers, whatever year it is.
fn charges_of_any_year() -> serde_json::Value {
    let index = |year: u32| json!({"row": year, "year": year, "factor": "1.0000"});
    json!({
        "plans": [{"id": 3, "name": "Broads plan", "starts": "2026-01-01"}],
        "charges": [{"row": 70, "plan": 3, "from": "2020-01-01", "to": "2100-01-01",
            "base_per_unit": "2675"}],
        "indices": (2020..2100).map(index).collect::<Vec<_>>(),
    })
}

/// A site of so many metres in the middle of the land.
pub(crate) fn ring(side: f64) -> Vec<[f64; 2]> {
    let [x, y] = [CORNER[0] + 150.0, CORNER[1] + 150.0];
    vec![[x, y], [x + side, y + 3.0], [x + side, y + side], [x, y + side], [x, y]]
}

pub(crate) fn site(reference: &str, side: f64) -> Site {
    let shape = Shape::from_coordinates(vec![vec![ring(side)]]);
    Site::of_job(reference, "housing", 60, shape)
}

/// A job message, as the backend sends it.
pub(crate) fn message(reference: &str, side: f64) -> String {
    json!({
        "reference": reference,
        "boundaryGeojson": {
            "boundaryGeometryOriginal": {
                "type": "Polygon",
                "coordinates": [ring(side)],
                "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::27700"}},
            },
            "intersectingEdps": [{"label": "Broads plan", "n2k_site_name": "Broads plan"}],
        },
        "developmentTypes": ["housing"],
        "residentialBuildingCount": 60,
        "traceId": "trace-1",
    })
    .to_string()
}

/// A boundary whose outline crosses itself, in degrees.
pub(crate) fn bow_tie() -> String {
    let ring = [[1.3, 52.6], [1.31, 52.61], [1.31, 52.6], [1.3, 52.61], [1.3, 52.6]];
    json!({"type": "Polygon", "coordinates": [ring]}).to_string()
}

/// A rig with reference data and its institution.
pub(crate) fn rig(flows: &'static [Flow<App>], toml: &str) -> Rig<App> {
    let rig = crate::ingest::rig_configured(flows, toml.to_owned());
    supply(rig.app(), rig.dir());
    rig
}

/// Asks as the house does.
pub(crate) fn asked(app: &App, wish: &Wish) -> (i64, ItemId) {
    let institution = institution(app);
    let asked = ask(app, Asker { name: "the test", institution }, wish).unwrap();
    (asked.row.id, ItemId(asked.row.item_id.unwrap().unsigned_abs()))
}

fn institution(app: &App) -> i64 {
    use storage::registry::{InstitutionKind, NewInstitution};
    if let Some(there) = app.registry.institution_by_identifier("archive.local").unwrap() {
        return there.id;
    }
    let new = NewInstitution {
        name: "The archive".into(),
        identifier: "archive.local".into(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "r".into(),
        restore_bucket: "s".into(),
    };
    app.registry.create_institution(&new, app.shop.clock.now()).unwrap().id
}

/// A running house with reference data.
pub(crate) fn house(toml: &str) -> House {
    let house = House::of_the_program(toml);
    supply(house.app(), house.dir.path());
    house
}

/// Waits until an assessment has its result.
pub(crate) fn until_assessed(house: &House, id: &str) -> serde_json::Value {
    let path = format!("/api/v1/assessments/{id}");
    until("it is assessed", || {
        house.get(path.as_str()).json()["assessment"]["state"] == "assessed"
    });
    house.get(path.as_str()).is(200).json()
}

#[test]
fn a_site_is_assessed_once_and_the_same_question_finds_the_answer() {
    let rig = rig(FLOWS, "");
    let wish = Wish::of("NRF-000001", site("NRF-000001", 300.0), "C");
    let (id, item) = asked(rig.app(), &wish);
    assert_eq!(asked(rig.app(), &wish), (id, item), "it is asked once");
    rig.drain_all();
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!((row.state, row.outcome.as_deref()), (AssessmentState::Assessed, Some("assessed")));
    assert_eq!(row.data_version, "made-1");
    assert!(row.area_ha.is_some_and(|it| it.starts_with("8.9")));
    assert!(row.nitrogen_kg.is_some_and(|it| it.parse::<f64>().is_ok()));
    assert_eq!(asked(rig.app(), &wish).0, id, "and answered from what is there");
    let mut more = wish.clone();
    more.site.dwellings = 61;
    assert_ne!(asked(rig.app(), &more).0, id, "other figures are another question");
}

#[test]
fn an_item_that_is_lost_is_made_again_and_one_that_is_cancelled_is_noted() {
    use strongroom::work::Sweep;
    let rig = rig(FLOWS, "");
    let (id, item) = asked(rig.app(), &Wish::of("a", site("a", 100.0), "C"));
    let sweep = || strongroom::assess::AssessmentsDue.sweep(rig.app(), 100).unwrap().made;
    assert_eq!(sweep(), 0, "it is in line");
    rig.app().registry.note_assessment_item(id, 999).unwrap();
    assert_eq!(sweep(), 1, "its item is unknown: it has one again");
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!(row.item_id, i64::try_from(item.0).ok(), "the live one is found by its name");
    rig.controls().cancel(item, "the test").unwrap();
    rig.app().copy().unwrap();
    assert_eq!(sweep(), 0);
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!(row.state, AssessmentState::Cancelled);
}

#[test]
fn without_reference_data_it_waits_and_costs_nothing() {
    let rig = crate::ingest::rig_configured(FLOWS, String::new());
    let (id, item) = asked(rig.app(), &Wish::of("a", site("a", 100.0), "C"));
    rig.step();
    assert_eq!((rig.word(item), rig.strikes(item).attempts), ("delayed", 0));
    supply(rig.app(), rig.dir());
    rig.clock.advance(crate::harness::secs(61));
    rig.step();
    let row = rig.app().registry.assessment(id).unwrap().unwrap();
    assert_eq!(row.state, AssessmentState::Assessed);
}
