//! Every role, its own and others' things, every address.

use super::furnished::{ANN, EVE, ROOT, UNA, peopled};
use crate::house::House;
use crate::wire::{Ask, Reply, get, post};

/// A house, and the sessions of its people.
struct People {
    house: House,
    cookies: Vec<(&'static str, String)>,
}

impl People {
    fn come() -> People {
        let house = peopled();
        let cookies = [ROOT, ANN, UNA, EVE].map(|email| (email, house.sign_in(email)));
        People { house, cookies: cookies.into() }
    }

    fn ask(&self, email: &str, ask: Ask) -> Reply {
        match self.cookies.iter().find(|(known, _)| *known == email) {
            Some((_, cookie)) => self.house.ask_as_stranger(&ask.with("cookie", cookie.as_str())),
            None => self.house.ask_as_stranger(&ask),
        }
    }
}

const NOBODY: &str = "a stranger";

/// Who asks, in the order of the statuses below.
const ASKERS: [&str; 5] = [ROOT, ANN, UNA, EVE, NOBODY];

#[test]
fn everybody_reads_their_own_and_nothing_of_others() {
    let people = People::come();
    let house = &people.house;
    let object = |it: &str| house.object_id(it);
    let file = |it: &str| house.app().registry.file_by_identifier(it).unwrap().unwrap().id.0;
    let (letters, secrets) = (object("archive.local/letters"), object("archive.local/secrets"));
    let (a, s) =
        (file("archive.local/letters/data/a.txt"), file("archive.local/secrets/data/s.txt"));
    let event = |object: i64| {
        let pairs = [("intellectual_object_id".to_owned(), object.to_string())];
        house.app().desk().each_events(&pairs, strongroom::desk::COUNTED).unwrap().rows[0].id
    };
    let item = |name: &str| {
        let pairs = [("name".to_owned(), name.to_owned())];
        house.app().desk().items(&pairs, strongroom::desk::COUNTED).unwrap().items[0].id
    };
    let (own, restricted) = ([200, 200, 200, 403, 401], [200, 200, 403, 403, 401]);
    let missing = [404, 404, 404, 404, 401];
    for (path, statuses) in [
        (format!("objects/show/{letters}"), own),
        ("objects/show/archive.local/letters".into(), own),
        (format!("objects/show/{secrets}"), restricted),
        ("objects/show/999".into(), missing),
        (format!("files/show/{a}"), own),
        ("files/show/archive.local/letters/data/a.txt".into(), own),
        (format!("files/show/{s}"), restricted),
        ("files/show/999".into(), missing),
        (format!("checksums/show/{}", a << 20 | 1 << 2), own),
        (format!("checksums/show/{}", s << 20 | 1 << 2), restricted),
        ("checksums/show/999".into(), missing),
        (format!("events/show/{}", event(letters)), own),
        (format!("events/show/{}", event(secrets)), restricted),
        ("events/show/999".into(), missing),
        (format!("items/show/{}", item("letters.tar")), own),
        (format!("items/show/{}", item("books.tar")), [200, 403, 403, 200, 401]),
        ("items/show/999".into(), missing),
        ("deletions/show/999".into(), missing),
    ] {
        for (email, status) in ASKERS.into_iter().zip(statuses) {
            let reply = people.ask(email, get(format!("/member-api/v3/{path}")));
            assert_eq!(reply.status, status, "{email} at {path}: {}", reply.text());
            assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
            let admin = people.ask(email, get(format!("/admin-api/v3/{path}")));
            let expected = match (email, status) {
                (ROOT, status) => status,
                (NOBODY, _) => 401,
                (_, _) => 403,
            };
            assert_eq!(admin.status, expected, "{email} at {path}: {}", admin.text());
        }
    }
}

#[test]
fn lists_hold_what_their_reader_may_see() {
    let people = People::come();
    let names = |email: &str, query: &str| {
        let list = people.ask(email, get(format!("/member-api/v3/{query}"))).is(200).json();
        let rows = list["results"].as_array().unwrap().clone();
        assert_eq!(list["count"], rows.len());
        let mut names: Vec<_> = rows.iter().map(|row| row["identifier"].to_string()).collect();
        names.sort();
        names.iter().map(|name| name.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    let (letters, secrets) = ("archive.local/letters", "archive.local/secrets");
    assert_eq!(names(ROOT, "objects"), [letters, secrets, "library.example/books"]);
    assert_eq!(names(ANN, "objects"), [letters, secrets]);
    assert_eq!(names(UNA, "objects"), [letters]);
    assert_eq!(names(EVE, "objects"), ["library.example/books"]);
    // Whatever is asked for, nothing else is found.
    let archive = people.house.app().registry.institution_by_identifier("archive.local").unwrap();
    let archive = archive.unwrap().id;
    for resource in ["objects", "files", "events", "checksums", "items", "alerts", "deletions"] {
        let query = format!("{resource}?institution_id={archive}");
        assert_eq!(names(EVE, &query), [""; 0], "{resource}");
    }
    let files = format!("files?intellectual_object_id={}", people.house.object_id(secrets));
    assert_eq!(names(UNA, &files), [""; 0]);
    assert!(!names(ANN, &files).is_empty());
    assert_eq!(names(ANN, &format!("alerts?user_id={}", people.house.user_id(EVE))), [""; 0]);
}

#[test]
fn who_does_not_look_after_the_appliance_has_no_business_at_its_api() {
    let people = People::come();
    let before = people.house.everything();
    for (method, path) in [
        ("GET", "alerts"),
        ("GET", "alerts/show/1/1"),
        ("GET", "checksums"),
        ("GET", "deletions"),
        ("GET", "files"),
        ("GET", "objects"),
        ("GET", "events"),
        ("GET", "items"),
        ("GET", "institutions"),
        ("GET", "institutions/show/1"),
        ("GET", "storage_records"),
        ("GET", "storage_records/show/1"),
        ("POST", "alerts/generate_failed_fixity_alerts"),
        ("POST", "objects/init_restore/1"),
        ("POST", "objects/init_batch_delete"),
        ("PUT", "items/requeue/1"),
        ("DELETE", "items/redis_delete/1"),
        ("POST", "checksums/create/1"),
        ("POST", "files/create/1"),
        ("POST", "files/create_batch/1"),
        ("PUT", "files/update/1"),
        ("DELETE", "files/delete/1"),
        ("POST", "objects/create/1"),
        ("PUT", "objects/update/1"),
        ("DELETE", "objects/delete/1"),
        ("POST", "events/create"),
        ("POST", "storage_records/create/1"),
        ("POST", "items/create/1"),
        ("PUT", "items/update/1"),
    ] {
        let ask = || match method {
            "GET" => get(format!("/admin-api/v3/{path}")),
            method => post(format!("/admin-api/v3/{path}"), "{}").method(method),
        };
        for email in [ANN, UNA, EVE] {
            let reply = people.ask(email, ask()).is(403);
            assert!(reply.json()["error"].is_string(), "{method} {path}: {}", reply.text());
        }
        assert!(people.ask(NOBODY, ask()).is(401).json()["error"].is_string());
        // A page elsewhere in the same browser changes nothing either.
        if method != "GET" {
            let foreign = ask().with("sec-fetch-site", "cross-site");
            assert!(people.ask(ROOT, foreign).is(403).json()["error"].is_string());
        }
    }
    for path in ["prepare_file_delete/1", "prepare_object_delete/1"] {
        people.ask(ROOT, post(format!("/admin-api/v3/{path}"), "")).is(404);
    }
    assert_eq!(people.house.everything(), before);
}
