//! The pages of assessments, by a person in a browser.

use storage::registry::Role;

use super::api::{form, geojson};
use super::*;
use crate::wire::{get, post};

const ANN: &str = "ann@archive.local";

#[test]
fn a_site_is_sent_followed_and_read() {
    let house = house("");
    house.person(ANN, Role::InstitutionalUser);
    let cookie = house.sign_in(ANN);
    let mark = house.mark(&cookie).unwrap();
    let page = |path: &str| house.ask(&get(path).with("cookie", cookie.as_str()));
    let send = |path: &str, fields: &[(&str, &str)], file: Option<(&str, &str)>| {
        let mut all = vec![("csrf", mark.as_str())];
        all.extend(fields);
        let (kind, body) = form(&all, file);
        let ask = post(path, body).with("content-type", kind).with("cookie", cookie.as_str());
        house.ask(&ask)
    };
    assert!(page("/assessments/new").is(200).text().contains("Boundary of the site"));
    let fields = [("reference", "NRF-000001"), ("dwellings", "60")];
    let sent = send("/assessments", &fields, Some(("site.geojson", &geojson(300.0)))).is(303);
    let path = sent.header("location").unwrap().to_owned();
    let id = path.rsplit('/').next().unwrap().to_owned();
    until_assessed(&house, &id);
    let told = page(&path).is(200).text();
    for words in ["<svg", "The Broads SAC", "made-1", "result.csv", "Greenspace"] {
        assert!(told.to_lowercase().contains(&words.to_lowercase()), "{words}: {told}");
    }
    page(&format!("{path}?map=phosphorus")).is(200);
    page(&format!("/fragments{path}")).is(200);
    assert!(page("/assessments").is(200).text().contains("NRF-000001"));
    assert!(page("/assessments?reference=NRF-9").is(200).text().contains("No assessment matches"));
    page("/assessments/nonsense").is(404);

    let drawn = send("/assessments", &fields, Some(("bad.geojson", &bow_tie()))).is(422).text();
    for words in ["self_intersecting_geometry", "<svg", "class=\"spot\"", "Back to the form"] {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
    let looked = send("/assessments/check", &[], Some(("a.geojson", &geojson(300.0)))).is(200);
    assert!(looked.text().contains("can be assessed"), "{}", looked.text());
    let far =
        |ring: Vec<[f64; 2]>| ring.into_iter().map(|[x, y]| [x + 900.0, y]).collect::<Vec<_>>();
    let feature = |ring: Vec<[f64; 2]>| {
        json!({"type": "Feature", "properties": {},
            "geometry": {"type": "Polygon", "coordinates": [ring]}})
    };
    let two = json!({"type": "FeatureCollection",
        "features": [feature(ring(300.0)), feature(far(ring(100.0)))],
        "crs": {"type": "name", "properties": {"name": "EPSG:27700"}}})
    .to_string();
    let looked = send("/assessments/check", &[], Some(("a.geojson", &two))).is(200).text();
    assert!(looked.contains("2, taken together as one site"), "{looked}");
    let wrong = [("dwellings", "many"), ("email", "nobody")];
    let all = send("/assessments", &wrong, Some(("bad.geojson", &bow_tie()))).is(422).text();
    for words in ["is no whole number", "is no e-mail address", "crosses or touches itself"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    let typed = [("reference", "NRF-000002"), ("dwellings", "many")];
    let form = send("/assessments", &typed, Some(("a.geojson", &geojson(300.0)))).is(422).text();
    assert!(form.contains("is no whole number") && form.contains("NRF-000002"), "{form}");
    let again = post(format!("{path}/again"), format!("csrf={mark}"));
    house.ask(&again.with("cookie", cookie.as_str())).is(303);

    let told = page("/reference-data").is(200).text();
    let layers = house.get("/api/v1/reference-data").is(200).json();
    let parcels = &layers["versions"][0]["tables"]["coefficient_layer"];
    assert_eq!(parcels["rows"], HEXAGONS);
    assert!(parcels["size_bytes"].as_u64() > Some(1000));
    let digest = parcels["sha256"].as_str().unwrap();
    assert!(digest.len() == 64 && told.contains("made-1") && told.contains(digest), "{told}");
    page("/fragments/reference-data").is(200);
    page("/reference-data/roll-back").is(403);
}

#[test]
fn what_was_given_up_is_sent_again_from_its_page() {
    let server = crate::alerts::servers::hook_server(&[404, 200]);
    let toml = format!(
        "[assess]\ncallback_url = \"http://{}/\"\ncallback_allow_http = true\n\
         levy_tables = \"levy.json\"\n",
        server.address
    );
    let house = house(&toml);
    house.person(ANN, Role::InstitutionalUser);
    let cookie = house.sign_in(ANN);
    let mark = house.mark(&cookie).unwrap();
    let ours = "/api/v1/assessments?institution=archive.local";
    let asked = house.command(ours, &message("NRF-000001", 300.0)).is(202).json();
    let id = asked["id"].as_str().unwrap();
    until_assessed(&house, id);
    let path = format!("/assessments/{id}");
    let page = || house.ask(&get(path.as_str()).with("cookie", cookie.as_str())).is(200).text();
    let button = "Send what was given up again";
    until("it is given up", || page().contains("Given up"));
    assert!(page().contains(button));
    let press = || {
        let ask = post(format!("{path}/send"), format!("csrf={mark}"));
        house.ask(&ask.with("cookie", cookie.as_str()))
    };
    press().is(303);
    until("it is taken", || page().contains("Taken"));
    assert!(!page().contains(button), "there is nothing to send any more");
    press().is(409);
}

#[test]
fn no_list_form_or_schema_names_an_assessment_that_is_not_made() {
    let house = house("");
    house.person(ANN, Role::InstitutionalUser);
    let cookie = house.sign_in(ANN);
    let ours = "/api/v1/assessments?institution=archive.local";
    let asked = house.command(ours, &message("NRF-000001", 300.0)).is(202).json();
    let one = format!("/assessments/{}", asked["id"].as_str().unwrap());
    let pages = ["/assessments", "/assessments/new", "/reference-data", one.as_str()];
    for path in [&pages[..], &["/api/v1/openapi.json"]].concat() {
        let text = house.ask(&get(path).with("cookie", cookie.as_str())).is(200).text();
        // By whole words: a new token is no newt.
        let words = text.to_lowercase();
        for word in words.split(|it: char| !it.is_alphanumeric()) {
            assert!(!["gcn", "newt", "newts"].contains(&word), "{path} says {word}: {text}");
        }
    }
}
