//! Two people at the door of deletion, and everybody else who tries.

use storage::registry::Role;
use strongroom::desk::InstitutionWish;

use super::accounts::basic;
use crate::house::{House, PASSWORD, until};
use crate::ingest::{LETTERS, bag};
use crate::wire::{Ask, Reply, get, post};

const ANN: &str = "ann@archive.example";
const BEA: &str = "bea@archive.example";
const ROOT: &str = "root@archive.example";
const USER: &str = "una@archive.example";
const EVE: &str = "eve@library.example";

/// What an approval takes: the password, given again.
const OWN: &str = r#"{"password":"correct horse battery"}"#;

const WISH: &str = r#"{"objects":["archive.local/letters"],"reason":"sent twice"}"#;

/// A house that holds one object, with everybody who might want it gone.
fn peopled() -> House {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\n[deletion]\ncooling_off_h = 0\n");
    house.receive("letters", &bag(LETTERS), 1);
    for (email, role) in [
        (ANN, Role::InstitutionalAdmin),
        (BEA, Role::InstitutionalAdmin),
        (ROOT, Role::Admin),
        (USER, Role::InstitutionalUser),
    ] {
        house.person(email, role);
    }
    let (name, identifier) = ("Town library".into(), "library.example".into());
    let library = InstitutionWish { name, identifier, member: None };
    house.app().desk().add_institution(&library).unwrap();
    house.person_of("library.example", EVE, Role::InstitutionalAdmin);
    house
}

/// A program that brings somebody's e-mail and password.
fn as_person(email: &str, ask: Ask) -> Ask {
    ask.without("sec-fetch-site").with("authorization", basic(email, PASSWORD))
}

impl House {
    fn asks(&self, email: &str, path: &str, body: &str) -> Reply {
        self.ask(&as_person(email, post(path, body)))
    }

    fn is_held(&self) -> bool {
        let object = self.get("/api/v1/objects/archive.local/letters").json();
        object["object"]["state"] == "A"
    }
}

#[test]
fn nobody_asks_for_a_deletion_but_an_administrator_of_the_institution() {
    let house = peopled();
    let path = "/api/v1/deletions";
    for (ask, status, code) in [
        (post(path, WISH), 401, "not-signed-in"),
        (post(path, WISH).without("sec-fetch-site"), 403, "foreign-origin"),
        (
            as_person(ANN, post(path, WISH)).with("origin", "https://e.example"),
            403,
            "foreign-origin",
        ),
        (as_person(ROOT, post(path, WISH)), 403, "not-allowed"),
        (as_person(USER, post(path, WISH)), 403, "not-allowed"),
        (as_person(EVE, post(path, WISH)), 404, "no-such-object"),
        (as_person("nobody@archive.example", post(path, WISH)), 401, "not-known"),
        (as_person(ANN, post(path, "")), 400, "bad-body"),
        (as_person(ANN, post(path, r#"{"objects":["archive.local/letters"]}"#)), 400, "bad-body"),
        (as_person(ANN, post(path, r#"{"objects":["1"],"reason":"x","by":"1"}"#)), 400, "bad-body"),
        (as_person(ANN, post(path, r#"{"objects":[],"reason":"x"}"#)), 409, "declined"),
        (as_person(ANN, post(path, r#"{"objects":["1"],"reason":" "}"#)), 409, "declined"),
        (as_person(ANN, post(path, r#"{"objects":["1","1"],"reason":"x"}"#)), 409, "declined"),
        (as_person(ANN, post(path, r#"{"objects":["99"],"reason":"x"}"#)), 404, "no-such-object"),
        (as_person(ANN, post(path, r#"{"files":["99"],"reason":"x"}"#)), 404, "no-such-file"),
    ] {
        let reply = house.ask_as_stranger(&ask);
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{ask:?}");
    }
    let key = house.command(path, WISH).is(403);
    assert_eq!(key.code(), "not-allowed", "the key of the data directory is no person");
    assert_eq!(house.ask(&as_person(ANN, get(path))).is(200).json()["count"], 0);
    assert!(house.is_held());

    let made = house.asks(ANN, path, WISH).is(200).json();
    assert_eq!(made["deletion"]["state"], "requested");
    assert_eq!(house.asks(BEA, path, WISH).is(409).code(), "declined", "it is named already");
}

#[test]
fn nobody_agrees_but_a_second_administrator_and_only_once() {
    let house = peopled();
    house.asks(ANN, "/api/v1/deletions", WISH).is(200);
    let (approve, cancel) = ("/api/v1/deletions/1/approve", "/api/v1/deletions/1/cancel");
    for path in [approve, cancel] {
        assert_eq!(house.ask_as_stranger(&post(path, "")).is(401).code(), "not-signed-in");
        assert_eq!(house.command(path, "").is(403).code(), "not-allowed");
        assert_eq!(house.asks(USER, path, "").is(403).code(), "not-allowed");
        assert_eq!(house.asks(EVE, path, "").is(404).code(), "no-such-deletion");
    }
    assert_eq!(
        house.asks(ROOT, approve, "").is(403).code(),
        "not-allowed",
        "not of the institution"
    );
    assert_eq!(house.asks(ANN, approve, OWN).is(409).code(), "declined", "one's own wish");
    for path in ["/api/v1/deletions/99/approve", "/api/v1/deletions/x/approve"] {
        assert_eq!(house.asks(BEA, path, "").status, 404, "{path}");
    }
    for path in ["/deletions", "/deletions/1", "/deletions/1/certificate"] {
        let reply = house.ask_as_stranger(&get(format!("/api/v1{path}"))).is(401);
        assert_eq!(reply.code(), "not-signed-in", "{path}");
    }
    let early = house.ask(&as_person(BEA, get("/api/v1/deletions/1/certificate")));
    assert_eq!(early.status, 409, "{}", early.text());
    assert!(house.is_held());

    for (body, status, code) in [
        ("", 422, "confirmation-missing"),
        ("{}", 422, "confirmation-missing"),
        (r#"{"code":"123456"}"#, 422, "confirmation-missing"),
        (r#"{"password":"wrong horse battery"}"#, 401, "not-confirmed"),
        (r#"{"words":"x"}"#, 400, "bad-body"),
    ] {
        assert_eq!(house.asks(BEA, approve, body).is(status).code(), code, "{body}");
    }
    let agreed = house.asks(BEA, approve, OWN).is(200).json();
    assert_eq!(agreed["deletion"]["state"], "approved", "{agreed}");
    assert_eq!(house.asks(BEA, approve, OWN).is(409).code(), "declined");
    assert_eq!(house.asks(BEA, cancel, "").is(409).code(), "declined");
    until("it is deleted", || !house.is_held());
    let one = || house.ask(&as_person(BEA, get("/api/v1/deletions/1"))).json();
    until("it is completed", || one()["deletion"]["state"] == "completed");
    let told = house.ask(&as_person(BEA, get("/api/v1/deletions/1/certificate"))).is(200).text();
    assert!(told.contains(ANN) && told.contains(BEA) && told.contains("sent twice"), "{told}");
}

#[test]
fn the_pages_ask_the_same() {
    let house = peopled();
    let page = |email: &str, path: &str| house.ask(&get(path).with("cookie", house.sign_in(email)));
    let sends = |email: &str, path: &str, form: &str| {
        house.ask(&post(path, form).with("cookie", house.sign_in(email)))
    };
    let object = "/objects/archive.local/letters";
    house.ask_as_stranger(&get(object)).is(303);
    assert!(page(USER, object).text().contains("Administrators of archive.local can ask"));
    assert!(page(ANN, object).text().contains("/deletions/new?object=1"));

    let form = house.ask_as_stranger(&get("/deletions/new?object=1")).is(303);
    assert_eq!(form.header("location"), Some("/sign-in?to=%2Fdeletions%2Fnew%3Fobject%3D1"));
    page(USER, "/deletions/new?object=1").is(403);
    page(EVE, "/deletions/new?object=1").is(404);
    page(ANN, "/deletions/new?object=99").is(404);
    page(ANN, "/deletions/new").is(400);
    page(ANN, "/deletions/new?object=1&file=1").is(400);
    assert!(page(ANN, "/deletions/new?object=1").is(200).text().contains("Ask for deletion"));

    house.post("/deletions", "object=1&reason=x").is(403);
    sends(USER, "/deletions", "object=1&reason=x").is(403);
    let empty = sends(ANN, "/deletions", "object=1&reason=+").is(409).text();
    assert!(empty.contains("Reason must have 1 to"), "{empty}");
    let made = sends(ANN, "/deletions", "object=1&reason=sent%0D%0Atwice").is(303);
    assert_eq!(made.header("location"), Some("/deletions/1"));
    let again = sends(ANN, "/deletions", "object=1&reason=again").is(409).text();
    assert!(again.contains("is named by deletion request 1 already"), "{again}");
    assert!(again.contains(">again</textarea>"), "what was typed is kept");

    for (email, words) in [
        (ANN, "another administrator of archive.local has to agree"),
        (USER, "Only administrators of archive.local can agree or cancel"),
        (BEA, "To agree, type: <strong>delete "),
        (BEA, "Your password"),
    ] {
        let text = page(email, "/deletions/1").is(200).text();
        assert!(text.contains(words), "{email}: {text}");
    }
    assert!(house.get("/deletions").is(200).text().contains("Needs a second person"));
    house.get("/deletions/x").is(404);
    house.get("/deletions?state=gone").is(400);

    let count = house.get("/api/v1/objects/archive.local/letters").json()["object"]["file_count"]
        .as_u64()
        .unwrap();
    let words = format!("words=delete+{count}+files&password={}", PASSWORD.replace(' ', "+"));
    house.post("/deletions/1/approve", &words).is(403);
    sends(USER, "/deletions/1/approve", &words).is(403);
    let own = sends(ANN, "/deletions/1/approve", &words).is(409).text();
    assert!(own.contains("must be approved by another administrator"), "{own}");
    let typed = sends(BEA, "/deletions/1/approve", "words=yes").is(422).text();
    assert!(typed.contains("To agree, type the words"), "{typed}");
    let bare = format!("words=delete+{count}+files");
    let missing = sends(BEA, "/deletions/1/approve", &bare).is(422).text();
    assert!(missing.contains("asks for your password again"), "{missing}");
    let wrong =
        sends(BEA, "/deletions/1/approve", &format!("{bare}&password=wrong")).is(401).text();
    assert!(wrong.contains("The password is not right"), "{wrong}");
    house.post("/deletions/1/cancel", "").is(403);
    sends(EVE, "/deletions/1/cancel", "").is(404);
    assert!(house.is_held());
    sends(ANN, "/deletions/1/cancel", "").is(303);
    sends(BEA, "/deletions/1/approve", &words).is(409);
    assert!(house.get("/deletions/1").text().contains("Nothing was deleted"));
    house.get("/deletions/1/certificate.txt").is(409);

    sends(ANN, "/deletions", "file=1&reason=private").is(303);
    let one = format!("words=delete+1+file&password={}", PASSWORD.replace(' ', "+"));
    sends(BEA, "/deletions/2/approve", &one).is(303);
    until("it is completed", || house.get("/deletions/2").text().contains("Completed"));
    let text = house.get("/deletions/2/certificate.txt").is(200);
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(text.text().contains("private"), "{}", text.text());
    house.get("/deletions/2/certificate.json").is(200).json();
    assert!(house.is_held(), "the others are still there");
}
