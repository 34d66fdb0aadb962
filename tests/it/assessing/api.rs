//! Assessments over the API: asking in every form, reading, and everything that is refused.

use super::*;
use crate::wire::{Ask, get, post};
use storage::registry::Role;

const ANN: &str = "ann@archive.local";
const LEE: &str = "lee@library.example";

fn send(path: &str, kind: &str, body: impl Into<Vec<u8>>) -> Ask {
    post(path, body).with("content-type", kind)
}

/// A form with a file, as browsers and programs send it.
pub(super) fn form(fields: &[(&str, &str)], file: Option<(&str, &str)>) -> (String, Vec<u8>) {
    let mut body = String::new();
    for (name, value) in fields {
        body.push_str(&format!(
            "--limit\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    if let Some((name, text)) = file {
        body.push_str(&format!(
            "--limit\r\nContent-Disposition: form-data; name=\"geometry_file\"; \
             filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n{text}\r\n"
        ));
    }
    body.push_str("--limit--\r\n");
    ("multipart/form-data; boundary=limit".into(), body.into_bytes())
}

pub(super) fn geojson(side: f64) -> String {
    json!({"type": "Polygon", "coordinates": [ring(side)],
        "crs": {"type": "name", "properties": {"name": "EPSG:27700"}}})
    .to_string()
}

#[test]
fn a_job_is_taken_in_every_form_and_read_by_its_token() {
    let house = house("");
    let asked = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    let id = asked["id"].as_str().unwrap();
    let detail = until_assessed(&house, id);
    assert_eq!(detail["result"]["total"]["unit"], "kg/yr");
    assert_eq!(detail["result"]["spatial"]["lpa_name"], "Broadland");
    let again = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    assert_eq!((&again["id"], &again["joined"]), (&asked["id"], &json!(true)));
    // Who has the token need not have an account, and who asked first keeps theirs.
    let poll = |url: &str| house.ask_as_stranger(&get(url)).status;
    assert_eq!(poll(again["poll_url"].as_str().unwrap()), 200);
    assert_eq!(poll(asked["poll_url"].as_str().unwrap()), 200);
    assert_eq!(poll(&format!("/api/v1/assessments/{id}/poll?access_token=x")), 403);
    assert_eq!(poll(&format!("/api/v1/assessments/{id}/poll")), 400);
    assert_eq!(poll("/api/v1/assessments/77/poll?access_token=x"), 403);
    let envelope =
        json!({"Type": "Notification", "Message": message("NRF-000002", 300.0)}).to_string();
    house.command("/api/v1/assessments", &envelope).is(202);
    let older = json!({"job_id": "NRF-000003", "s3_input_key": "x/y.geojson",
        "number_of_dwellings": 5, "dwelling_type": "house"})
    .to_string();
    let refused = house.command("/api/v1/assessments", &older).is(400);
    assert!(refused.text().contains("not fetched"), "{}", refused.text());
    let (kind, body) = form(&[("message", &older)], Some(("site.geojson", &geojson(200.0))));
    house.ask(&house.with_key(&send("/api/v1/assessments", &kind, body))).is(202);
    let fields = [("reference", "NRF-000004"), ("dwellings", "12")];
    let (kind, body) = form(&fields, Some(("site.geojson", &geojson(120.0))));
    let sent = house.ask(&house.with_key(&send("/api/v1/assessments", &kind, body))).is(202).json();
    assert_eq!(sent["reference"], "NRF-000004");
    let bare = "/api/v1/assessments?file_name=site.json&reference=NRF-000005&dwellings=3";
    house.ask(&house.with_key(&send(bare, "application/geo+json", geojson(90.0)))).is(202);
    until("all are assessed", || {
        house.get("/api/v1/assessments?state=assessed").json()["count"] == 5
    });
    let listed =
        house.get("/api/v1/assessments?reference__starts_with=NRF-00000&format=csv").is(200);
    assert!(listed.text().contains("NRF-000005"), "{}", listed.text());
    house.get("/api/v1/assessments?state=lost").is(400);
}

#[test]
fn a_boundary_that_a_message_names_is_fetched_from_where_inputs_are_left() {
    let house = house("[assess]\ninputs = \"inputs\"\n");
    let folder = house.data().join("inputs/2026");
    byteio::durable::create_folder(&folder).unwrap();
    let put = |name: &str, text: &str| {
        byteio::durable::write(&folder.join(name), text.as_bytes(), false).unwrap();
    };
    put("site.geojson", &geojson(200.0));
    put("bad.geojson", &bow_tie());
    put("large.geojson", &"x".repeat(3 << 20));
    let message = |key: &str| {
        json!({"job_id": "NRF-000003", "s3_input_key": key, "number_of_dwellings": 5,
            "dwelling_type": "house", "development_name": "Mill Lane"})
        .to_string()
    };
    let asked = house.command("/api/v1/assessments", &message("2026/site.geojson")).is(202).json();
    let told = until_assessed(&house, asked["id"].as_str().unwrap());
    assert_eq!(told["result"]["development"]["name"], "Mill Lane");
    for (key, words) in [
        ("2026/none.geojson", "not where inputs are left"),
        ("2026/bad.geojson", "self_intersecting_geometry"),
        ("2026/large.geojson", "file_size_too_large"),
        ("../secret.geojson", "no plain key"),
        ("/etc/passwd", "no plain key"),
        ("2026/../../x.json", "no plain key"),
        ("", "no plain key"),
    ] {
        let refused = house.command("/api/v1/assessments", &message(key));
        assert!((400..500).contains(&refused.status), "{key}: {}", refused.status);
        assert!(refused.text().contains(words), "{key}: {}", refused.text());
    }
}

#[test]
fn a_result_is_taken_away_in_every_form() {
    let house = house("");
    let asked = house.command("/api/v1/assessments", &message("NRF-000001", 300.0)).is(202).json();
    let id = asked["id"].as_str().unwrap();
    until_assessed(&house, id);
    let result = |kind: &str| house.get(format!("/api/v1/assessments/{id}/result.{kind}")).is(200);
    assert!(result("csv").text().starts_with("RLB_ID,"));
    assert!(!result("json").json()["pieces"].as_array().unwrap().is_empty());
    let features = result("geojson").json()["features"].as_array().unwrap().len();
    assert!(features > 2, "the site, its catchment, its pieces: {features}");
    house.get("/api/v1/assessments/999/result.csv").is(404);
    house.get("/api/v1/assessments/nonsense").is(404);
    let again = house.command(&format!("/api/v1/assessments/{id}/again"), "").is(202).json();
    assert_eq!(again["joined"], true, "nothing in use has changed");
    house.command(&format!("/api/v1/assessments/{id}/send"), "").is(409);
}

#[test]
fn what_is_wrong_with_a_site_is_said_with_where_it_is() {
    let house = house("");
    let (kind, body) = form(&[("dwellings", "5")], Some(("site.geojson", &bow_tie())));
    let refused = house.ask(&house.with_key(&send("/api/v1/assessments", &kind, body))).is(400);
    let said = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(said.contains("self_intersecting_geometry") && said.contains("(at 6"), "{said}");
    let refuse = |body: &str, words: &str| {
        let refused = house.command("/api/v1/assessments", body);
        assert!((400..500).contains(&refused.status), "{body}");
        assert!(refused.text().contains(words), "{body}: {}", refused.text());
    };
    refuse("", "not in a known form");
    refuse("[]", "not in a known form");
    refuse("{\"boundaryGeojson\":{}}", "not in a known form");
    refuse(&message("NRF-000001", 100.0).replace("60", "0"), "residentialBuildingCount");
    let url = "/api/v1/assessments?method=Z";
    assert_eq!(house.command(url, &message("NRF-000001", 100.0)).is(422).code(), "no-such-method");
    house.command("/api/v1/assessments?institution=nobody", &message("NRF-000001", 100.0)).is(400);
    let (kind, body) = form(&[], Some(("site.geojson", &geojson(90.0))));
    let refused = house.ask(&house.with_key(&send("/api/v1/assessments", &kind, body))).is(400);
    assert!(refused.text().contains("how many dwellings"), "{}", refused.text());
    let huge = "x".repeat(3 << 20);
    let bare = "/api/v1/assessments?file_name=a.json&dwellings=1";
    house.ask(&house.with_key(&send(bare, "application/json", huge))).is(413);
    assert_eq!(house.get("/api/v1/assessments").json()["count"], 0, "nothing was kept");
}

#[test]
fn a_boundary_is_checked_in_the_form_that_callers_know() {
    let house = house("");
    let check = |name: &str, text: &str| {
        let (kind, body) = form(&[], Some((name, text)));
        house.ask(&house.with_key(&send("/api/v1/check-boundary", &kind, body)))
    };
    let good = check("site.geojson", &geojson(300.0)).is(200).json();
    let mut keys: Vec<&String> = good.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "boundaryGeometryOriginal",
            "boundaryGeometryWgs84",
            "boundaryMetadata",
            "error",
            "intersectingEdps"
        ]
    );
    assert_eq!(good["error"], json!(null));
    assert_eq!(good["intersectingEdps"][0]["label"], "Broads plan");
    let bad = check("site.geojson", &bow_tie()).is(400).json();
    assert_eq!(bad["error"], "self_intersecting_geometry");
    assert!(bad["boundaryGeometryWgs84"].is_object() && bad["boundaryMetadata"].is_object());
    assert_eq!(check("site.txt", "x").is(400).json()["error"], "unsupported_file_type");
    assert_eq!(check("site.kml", "x").is(400).json()["error"], "unreadable_geometry_file");
    let bare = send("/api/v1/check-boundary?file_name=a.json", "application/json", geojson(90.0));
    house.ask(&house.with_key(&bare)).is(200);
    // Larger than the check reads, and larger than the house reads at all.
    for large in [3 << 20, 9 << 20] {
        let text = "x".repeat(large);
        let told = check("site.geojson", &text).is(413).json();
        assert_eq!(
            (&told["error"], told.as_object().unwrap().len()),
            (&"file_size_too_large".into(), 5)
        );
        let bare = send("/api/v1/check-boundary?file_name=a.json", "application/json", text);
        assert_eq!(house.ask(&house.with_key(&bare)).is(413).json(), told);
    }
}

#[test]
fn a_token_for_reading_has_boundaries_looked_at_and_asks_for_nothing() {
    let house = house("");
    house.person(ANN, Role::InstitutionalUser);
    let wish = json!({"name": "map", "scope": "read"}).to_string();
    let made = house.command(&format!("/api/v1/users/{ANN}/tokens"), &wish).is(200).json();
    let bearer = format!("Bearer {}", made["text"].as_str().unwrap());
    let ask = |path: &str, body: String| {
        let ask = send(path, "application/json", body).with("authorization", bearer.as_str());
        house.ask(&ask.without("sec-fetch-site"))
    };
    ask("/api/v1/check-boundary?file_name=a.json", geojson(90.0)).is(200);
    let shape = json!({"type": "Polygon", "coordinates": [ring(100.0)]});
    let near = json!({"geometry": shape, "srid": 27700}).to_string();
    ask("/api/v1/treatment-works/nearby", near).is(200);
    let refused = ask("/api/v1/assessments", message("NRF-000001", 100.0)).is(403);
    assert_eq!(refused.code(), "read-only-token");
}

#[test]
fn a_site_larger_than_the_house_assesses_is_refused_with_its_size() {
    let house = house("[assess]\narea_max_ha = 4\n");
    let refused = house.command("/api/v1/assessments", &message("NRF-000001", 300.0));
    let said = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(said.contains("area_too_large: it has 8.9") && said.contains("more than 4"), "{said}");
    assert_eq!(refused.status, 422);
    let check = |side: f64| {
        let path = "/api/v1/check-boundary?file_name=a.json";
        house.ask(&house.with_key(&send(path, "application/json", geojson(side))))
    };
    let told = check(300.0).is(422).json();
    assert_eq!(told["error"], "area_too_large");
    assert!(told["boundaryMetadata"]["area"]["hectares"].as_f64() > Some(8.0), "{told}");
    check(190.0).is(200);
    house.command("/api/v1/assessments", &message("NRF-000001", 190.0)).is(202);
}

#[test]
fn works_nearby_are_told_nearest_first() {
    let house = house("");
    let ask = |body: serde_json::Value| {
        house.command("/api/v1/treatment-works/nearby", &body.to_string())
    };
    let shape = json!({"type": "Polygon", "coordinates": [ring(100.0)]});
    let near = ask(json!({"geometry": shape, "srid": 27700})).is(200).json();
    assert_eq!(near[0]["wwtw_id"], 938);
    assert_eq!(near[0]["distance_km"], 0.0);
    ask(json!({"geometry": shape, "srid": 3857})).is(400);
    ask(json!({"geometry": shape, "srid": 27700, "max_distance_m": 0})).is(400);
    ask(json!({"geometry": {"type": "Point", "coordinates": [1.0, 52.0]}})).is(400);
}

#[test]
fn reference_data_is_loaded_as_an_item_and_taken_back() {
    let house = House::of_the_program("");
    let layers = house.dir.path().join("layers");
    delivered(&layers);
    assert_eq!(house.get("/api/v1/reference-data").is(200).json()["versions"], json!([]));
    house.command("/api/v1/reference-data", r#"{"folder":"nowhere"}"#).is(422);
    house.command("/api/v1/reference-data/roll-back", "").is(409);
    let load = |version: &str| {
        let wish = json!({"folder": layers.to_str().unwrap(), "data_version": version});
        house.command("/api/v1/reference-data", &wish.to_string()).is(202);
        until("it is in use", || {
            let told = house.get("/api/v1/reference-data").json();
            told["versions"][0]["data_version"] == version && told["loading"].is_null()
        });
    };
    load("one");
    load("two");
    let told = house.get("/api/v1/reference-data").json();
    assert_eq!(told["versions"][1]["data_version"], "one");
    assert_eq!(told["last_load"]["trouble"], json!(null));
    let back = house.command("/api/v1/reference-data/roll-back", "").is(200).json();
    assert_eq!(back, json!({"from": 2, "to": 1}));
    house.command("/api/v1/reference-data/roll-back", "").is(409);
    // What the gate refuses changes nothing, and says why.
    std::fs::remove_file(layers.join("lookups.sqlite")).unwrap();
    let wish = json!({"folder": layers.to_str().unwrap(), "data_version": "three"});
    house.command("/api/v1/reference-data", &wish.to_string()).is(202);
    until("it is refused", || {
        house.get("/api/v1/reference-data").json()["last_load"]["trouble"].is_string()
    });
    let told = house.get("/api/v1/reference-data").json();
    assert_eq!(told["versions"][0]["data_version"], "one");
}

#[test]
fn people_see_the_assessments_of_their_own_institution() {
    let house = house("");
    house.person(ANN, Role::InstitutionalUser);
    let library = r#"{"name":"Town library","identifier":"library.example"}"#;
    house.command("/api/v1/institutions", library).is(200);
    house.person_of("library.example", LEE, Role::InstitutionalUser);
    let (ann, lee) = (house.sign_in(ANN), house.sign_in(LEE));
    let ask = |ask: Ask, who: &str| house.ask(&ask.with("cookie", who));
    let mark = house.mark(&ann).unwrap();
    let sent = send("/api/v1/assessments", "application/json", message("NRF-000001", 100.0));
    let asked = ask(sent.with("x-csrf-token", mark.as_str()), &ann).is(202).json();
    let path = format!("/api/v1/assessments/{}", asked["id"].as_str().unwrap());
    ask(get(path.as_str()), &ann).is(200);
    ask(get(path.as_str()), &lee).is(404);
    assert_eq!(ask(get("/api/v1/assessments"), &lee).json()["count"], 0);
    let other = send(
        "/api/v1/assessments?institution=library.example",
        "application/json",
        message("NRF-000002", 100.0),
    );
    ask(other.with("x-csrf-token", mark.as_str()), &ann).is(403);
}
