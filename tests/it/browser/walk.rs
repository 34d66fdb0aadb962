//! Every page there is: the table of doors says which, and a page that has no place here fails.

use serde_json::{Value, json};
use storage::registry::Role;
use strongroom::http::{DOORS, Door};

use super::furnished::Furnished;
use super::{drive, equipment};
use crate::house::House;
use crate::wire::get;

/// What is for programs, or a part of a page, or does not end.
const NO_PAGES: [&str; 5] = ["/api/", "/member-api/", "/admin-api/", "/fragments/", "/live"];

/// Whether a door may lead to a page: what ends like a file is one.
fn may_be_page(method: &str, path: &str) -> bool {
    let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    method == "GET" && !is_file && !NO_PAGES.iter().any(|it| path.starts_with(it))
}

/// Where a door leads in a full house.
fn place(path: &str, at: &Furnished) -> String {
    match path {
        "/assets/{name}" => "/assets/icon.svg".into(),
        "/items/{id}" => format!("/items/{}", at.finished),
        "/items/{id}/cancel" => format!("/items/{}/cancel", at.parked),
        "/queues/{topic}/empty" => "/queues/ingest01_prefetch/empty".into(),
        "/objects/{*which}" => "/objects/archive.local/letters".into(),
        "/files/{*which}" => format!("/files/{}", at.file),
        "/events/{*which}" => format!("/events/{}", at.event),
        "/restorations/{item}/download" => format!("/restorations/{}/download", at.restored),
        "/deletions/new" => "/deletions/new?object=1".into(),
        "/deletions/{id}" => "/deletions/1".into(),
        "/alerts/{id}" => "/alerts/1".into(),
        "/users/{which}" => "/users/1".into(),
        "/assessments/{which}" => format!("/assessments/{}", at.assessment),
        "/institutions/{which}" => "/institutions/1".into(),
        "/reports/ndsa/declare" => "/reports/ndsa/declare?requirement=storage-needs".into(),
        "/research/episodes/{id}/remove" => "/research/episodes/1/remove".into(),
        "/research/clips/{id}/remove" => "/research/clips/1/remove".into(),
        "/research/episodes/{id}" => "/research/episodes/1".into(),
        "/research/clips/{id}" => "/research/clips/1".into(),
        "/research/leases/{lease}/revoke" => format!("/research/leases/{}/revoke", at.lease),
        "/search" => "/search?q=letters".into(),
        "/password" => at.link.clone(),
        plain if !plain.contains('{') => plain.into(),
        other => panic!("{other} is a new page: say here where it leads"),
    }
}

/// Pages that are the same door and yet look different.
fn further(at: &Furnished) -> Vec<(&'static str, String)> {
    vec![
        ("root", format!("/items/{}", at.parked)),
        ("root", format!("/items/{}", at.restored)),
        ("root", "/items?status=Suspended".into()),
        ("root", "/items?name__contains=nothing-has-this-name".into()),
        ("root", "/items/999999".into()),
        ("root", "/objects?find=deed&access=institution".into()),
        ("root", "/objects?find=nothing-has-this-name".into()),
        ("root", "/objects/archive.local/letters?version=1&folder=data/scans".into()),
        ("root", "/objects/archive.local/nothing".into()),
        ("root", "/files?find=folio&sort=size__desc".into()),
        ("root", "/files?puid=x-fmt/111&state=A".into()),
        ("root", "/files?find=nothing-has-this-name".into()),
        ("root", format!("/events/{}?file={}", at.event, at.file)),
        ("root", "/events?event_type=validation&outcome=Success".into()),
        ("root", "/search".into()),
        ("root", "/search?q=nothing-has-this-name".into()),
        ("root", "/users?name__contains=nothing".into()),
        ("root", "/audit?who__contains=nothing".into()),
        ("root", "/institutions?name__contains=nothing".into()),
        ("root", "/reports/deposits?metric=files".into()),
        ("root", "/password".into()),
        ("root", "/research/clips/2".into()),
        ("root", "/research/clips/3".into()),
        ("root", "/research/episodes?find=nothing-has-this-name".into()),
        ("root", "/research/clips?state=trouble&sort=title__desc".into()),
        ("root", "/research/episodes/999999".into()),
        ("ann", "/".into()),
        ("ann", "/objects/archive.local/letters".into()),
        ("ann", "/deletions/1".into()),
        ("ann", "/deletions?state=completed".into()),
        ("ann", "/alerts".into()),
        ("ann", "/alerts?kind=file-lost".into()),
        ("ann", "/queues".into()),
        ("stranger", "/password?token=dead".into()),
        ("stranger", "/welcome?token=dead".into()),
    ]
}

/// The pages, each with who looks at it. What a door answers says whether it is one.
fn pages(at: &Furnished) -> Vec<Value> {
    let mut pages = Vec::new();
    for (method, path, door) in DOORS {
        // The welcome is open only while nobody looks after the house: see the other walk.
        if !may_be_page(method, path) || *path == "/welcome" {
            continue;
        }
        let (who, cookie) = match door {
            Door::Local => continue,
            Door::Open if *path == "/sign-in/code" => ("half", at.half.as_str()),
            Door::Open => ("stranger", ""),
            Door::Asks(right) if right.held_by(Role::Admin) => ("root", at.root.as_str()),
            Door::Asks(_) => ("ann", at.ann.as_str()),
        };
        let to = place(path, at);
        let reply = at.house.ask_as_stranger(&get(to.as_str()).with("cookie", cookie));
        assert_eq!(reply.status, 200, "{to} for {who}: {}", reply.text());
        if reply.header("content-type").is_some_and(|it| it.starts_with("text/html")) {
            pages.push(json!({ "path": to, "who": who }));
        }
    }
    assert!(pages.len() >= 40, "{pages:?}");
    pages.extend(further(at).into_iter().map(|(who, path)| json!({ "path": path, "who": who })));
    pages
}

/// Looks at every other page, beginning with this one, in a window of this width.
fn walk_of_a_full_house(width: u32, first: usize) {
    if equipment().is_none() {
        return;
    }
    let full = Furnished::new();
    let sessions = json!({ "root": full.root, "ann": full.ann, "half": full.half });
    let pages: Vec<Value> = pages(&full).into_iter().skip(first).step_by(2).collect();
    let told = [
        ("STRONGROOM_PAGES", json!(pages)),
        ("STRONGROOM_SESSIONS", sessions),
        ("STRONGROOM_HOUSE", json!("full")),
        ("STRONGROOM_WIDTHS", json!([width])),
    ];
    drive("walk.test.js", &full.house, &told);
}

#[test]
fn browser_finds_odd_pages_in_order_in_a_wide_window() {
    walk_of_a_full_house(1280, 0);
}

#[test]
fn browser_finds_even_pages_in_order_in_a_wide_window() {
    walk_of_a_full_house(1280, 1);
}

#[test]
fn browser_finds_odd_pages_in_order_in_a_narrow_window() {
    walk_of_a_full_house(400, 0);
}

#[test]
fn browser_finds_even_pages_in_order_in_a_narrow_window() {
    walk_of_a_full_house(400, 1);
}

#[test]
fn browser_finds_every_page_in_order_in_an_empty_house() {
    if equipment().is_none() {
        return;
    }
    let house = House::of_the_program("");
    let welcome = house.appliance().welcome().unwrap().to_owned();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let ann = house.sign_in("ann@archive.example");
    let mut pages = vec![json!({ "path": welcome, "who": "stranger" })];
    for (method, path, door) in DOORS {
        let opens = matches!(door, Door::Asks(right) if right.held_by(Role::InstitutionalAdmin));
        if !may_be_page(method, path) || !opens || path.contains('{') {
            continue;
        }
        let reply = house.ask_as_stranger(&get(*path).with("cookie", &*ann));
        let is_html = reply.header("content-type").is_some_and(|it| it.starts_with("text/html"));
        if reply.status == 200 && is_html {
            pages.push(json!({ "path": path, "who": "ann" }));
        }
    }
    let told = [
        ("STRONGROOM_PAGES", json!(pages)),
        ("STRONGROOM_SESSIONS", json!({ "ann": ann })),
        ("STRONGROOM_HOUSE", json!("empty")),
        ("STRONGROOM_WIDTHS", json!([1280, 400])),
    ];
    drive("walk.test.js", &house, &told);
}
