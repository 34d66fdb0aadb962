//! Tokens for researchers: they open what research takes, for their own work, and nothing else.

use serde_json::{Value, json};
use soundmatch::ANALYST_VERSION;
use storage::registry::Role;

use super::{Shelf, add, sound};
use crate::command::{folder, program, ran};
use crate::house::House;
use crate::wire::{Ask, Reply, get, post};

pub(super) const ANN: &str = "ann@archive.example";

/// A token of the scope, as it is sent.
pub(super) fn token(house: &House, scope: &str) -> (i64, String) {
    let wish = json!({"name": "lab", "scope": scope}).to_string();
    let made = house.command(&format!("/api/v1/users/{ANN}/tokens"), &wish).is(200).json();
    (made["token"]["id"].as_i64().unwrap(), made["text"].as_str().unwrap().to_owned())
}

pub(super) fn ask(house: &House, token: &str, ask: Ask) -> Reply {
    let ask = ask.with("authorization", format!("Bearer {token}"));
    house.ask(&ask.without("sec-fetch-site"))
}

pub(super) fn claim(house: &House, token: &str, name: &str) -> Value {
    let wish = json!({"researcher": name, "analyst": ANALYST_VERSION}).to_string();
    ask(house, token, post("/api/v1/research/work", wish)).is(200).json()["work"].clone()
}

#[test]
fn a_token_for_research_opens_its_own_work_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml("clips = 1"));
    let clips = [1, 2].map(|it| shelf.put(&format!("clip-{it}.wav"), &sound::clip(it)));
    add(&house, "clips", &clips);
    let episode = |number: u64| {
        shelf.put(&format!("show-{number}.wav"), &sound::episode(number, 4.0, &[(1, 1.0)]))
    };
    add(&house, "episodes", &[episode(1), episode(2)]);
    house.person(ANN, Role::Admin);
    let ((number, lab), (_, other)) = (token(&house, "research"), token(&house, "research"));

    let work = claim(&house, &lab, "bench");
    let (lease, clip) = (work["lease"].as_str().unwrap(), work["clips"][0]["id"].clone());
    let holder = house.get("/api/v1/research/leases").json()[0]["holder"].clone();
    assert_eq!(holder, format!("bench (token {number})"));
    let hear = |token: &str, kind: &str, id: &Value| {
        ask(&house, token, get(format!("/api/v1/research/{kind}/{id}/media"))).status
    };
    assert_eq!(hear(&lab, "episodes", &work["episode"]["id"]), 200);
    assert_eq!(hear(&lab, "clips", &clip), 200);
    let another = json!(if clip == 1 { 2 } else { 1 });
    assert_eq!(hear(&lab, "clips", &another), 403, "not part of its work");
    assert_eq!(hear(&other, "clips", &clip), 403, "the work of another token");

    // The same name by another token is somebody else.
    let finish = format!("/api/v1/research/leases/{lease}/finish");
    let wish = json!({"researcher": "bench"}).to_string();
    let told = ask(&house, &other, post(&*finish, wish.clone())).is(200).json();
    assert_eq!(told["ended"], false);
    let beat = json!({"researcher": "bench", "lease": lease}).to_string();
    let beat = |token: &str| ask(&house, token, post("/api/v1/research/heartbeat", beat.clone()));
    assert!(beat(&lab).is(200).json()["expires"].is_string());
    assert!(beat(&other).is(200).json()["expires"].is_null());

    // How much there is to do, for whatever starts researchers under this token.
    let demand = ask(&house, &lab, get("/api/v1/research/demand")).is(200).json();
    assert_eq!(demand["load"]["leases"], 1, "{demand}");
    for path in [
        "/api/v1/research",
        "/api/v1/research/episodes",
        "/api/v1/research/leases",
        "/api/v1/research/feeds",
        "/api/v1/objects",
        "/api/v1/settings",
        "/api/v1/tokens",
        "/research",
    ] {
        assert_eq!(ask(&house, &lab, get(path)).status, 403, "{path}");
    }
    for path in [
        &*format!("/api/v1/research/leases/{lease}/revoke"),
        "/api/v1/research/clips",
        "/api/v1/research/again",
        "/api/v1/users",
        "/api/v1/maintenance",
    ] {
        assert_eq!(ask(&house, &lab, post(path, "{}")).status, 403, "{path}");
    }
    assert_eq!(ask(&house, &lab, post(&*finish, wish)).is(200).json()["ended"], true);
    assert_eq!(hear(&lab, "clips", &clip), 403, "it is not its work any more");

    // A whole researcher lives on it.
    let (_folder, data) = folder();
    let server = format!("http://{}", house.address());
    let arguments = ["research", "work", "--once", "--server", &server, "--threads", "1"];
    let mut command = program(&data, &arguments);
    command.env("STRONGROOM_TOKEN", &lab);
    let worked = ran(command).is(0);
    assert!(worked.out.contains("searched 1 clips"), "{worked:?}");
}
