//! The document of the API, the tags of its answers, and its lists in full.

use serde_json::Value;
use storage::registry::Role;

use super::accounts::basic;
use crate::house::{House, PASSWORD, until};
use crate::ingest::{LETTERS, bag};
use crate::wire::get;

#[test]
fn the_document_is_for_everybody_and_tells_of_filters_bodies_and_refusals() {
    let house = House::new();
    let document = house.ask_as_stranger(&get("/api/v1/openapi.json")).is(200).json();
    assert_eq!(document["openapi"], "3.1.0");
    let get = |path: &str| document["paths"][path]["get"].clone();
    let files = get("/api/v1/files");
    let of = |operation: &Value, name: &str| {
        let parameters = operation["parameters"].as_array().unwrap();
        let found = parameters.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no parameter {name}"))["schema"].clone()
    };
    let named = |name: &str| of(&files, name);
    assert_eq!(of(&get("/api/v1/events"), "generic_file_id__is_null")["type"], "boolean");
    assert_eq!(named("size__gteq")["type"], "integer");
    assert_eq!(named("created_at__lt")["format"], "date-time");
    assert_eq!(named("institution_id__in")["items"]["type"], "integer");
    assert_eq!(named("access")["enum"][0], "consortia");
    assert!(named("sort")["items"]["enum"].as_array().unwrap().contains(&"size__desc".into()));
    assert!(named("cursor").is_object() && named("page").is_object());
    let refused = &files["responses"]["400"]["$ref"];
    assert_eq!(*refused, "#/components/responses/Refused");
    let kinds = files["responses"]["200"]["content"].as_object().unwrap();
    assert_eq!(kinds.len(), 3, "a page, a table and lines: {kinds:?}");
    let wish = &document["components"]["schemas"]["UserWish"];
    assert_eq!(wish["required"].as_array().unwrap().len(), 4);
    assert_eq!(wish["additionalProperties"], false);
}

#[test]
fn what_a_client_has_already_is_not_sent_again() {
    let house = House::new();
    let id = house.bring("ok-bag.tar", "finished");
    for path in [format!("/api/v1/items/{id}"), "/api/v1/openapi.json".into()] {
        let first = house.get(path.clone()).is(200);
        let tag = first.header("etag").expect("it bears a tag").to_owned();
        let again = house.ask(&get(path.clone()).with("if-none-match", tag.clone())).is(304);
        assert_eq!((again.body.len(), again.header("etag")), (0, Some(&*tag)), "{path}");
        house.ask(&get(path).with("if-none-match", "\"another\"")).is(200);
    }
    // A refusal has no tag, and neither has what was changed.
    assert_eq!(house.get("/api/v1/items/99").is(404).header("etag"), None);
    assert_eq!(house.command("/api/v1/queues/pause", "").is(200).header("etag"), None);
}

#[test]
fn every_list_comes_in_full_as_a_table_and_as_lines() {
    let house = House::ingesting();
    house.receive("letters", &bag(LETTERS), 1);
    house.person("ann@archive.local", Role::InstitutionalAdmin);
    house.command("/api/v1/users/1/tokens", r#"{"name":"=report"}"#).is(200);
    for list in [
        "items",
        "objects",
        "files",
        "events",
        "deletions",
        "alerts",
        "users",
        "institutions",
        "audit",
        "users/1/tokens",
    ] {
        let path = format!("/api/v1/{list}");
        let count = house.get(path.clone()).is(200).json()["count"].as_u64().unwrap();
        let table = house.get(format!("{path}?format=csv")).is(200);
        assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"), "{list}");
        let name = list.rsplit('/').next().unwrap();
        let saved = format!("attachment; filename=\"{name}.csv\"");
        assert_eq!(table.header("content-disposition"), Some(&*saved));
        let text = table.text();
        assert!(text.starts_with("id,") && text.ends_with("\r\n"), "{list}: {text}");
        let lines = house.ask(&get(path).with("accept", "application/x-ndjson")).is(200);
        let rows: Vec<Value> =
            lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len() as u64, count, "{list}");
        // Whatever a row has, the table has a column for.
        let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        for key in rows.iter().flat_map(|row| row.as_object().unwrap().keys()) {
            assert!(head.contains(&key.as_str()), "{list} has no column {key}");
        }
    }
    // A filter holds for all rows, and what is not understood is refused before anything is sent.
    let asked = "format=jsonl&object_identifier=archive.local/letters&path__starts_with=data/";
    let some = house.get(format!("/api/v1/files?{asked}")).is(200).text();
    assert!(some.lines().count() > 0 && some.lines().all(|line| line.contains("\"path\":\"data/")));
    for bad in [
        "format=xlsx",
        "format=csv&page=2",
        "format=csv&colour=red",
        "format=csv&cursor=x",
        "format=csv&path=data/a.txt",
    ] {
        let refused = house.get(format!("/api/v1/files?{bad}")).is(400);
        assert_eq!(refused.header("content-type"), Some("application/problem+json"), "{bad}");
    }
    // A name that a spreadsheet would run is shown.
    let tokens = house.get("/api/v1/users/1/tokens?format=csv").is(200).text();
    assert!(tokens.contains(",'=report,"), "{tokens}");
    // Another institution's people get another institution's rows.
    house.command("/api/v1/institutions", r#"{"name":"Other place","identifier":"other.local"}"#);
    house.person_of("other.local", "eve@other.local", Role::InstitutionalAdmin);
    let eve = basic("eve@other.local", PASSWORD);
    let rows = house.ask(&get("/api/v1/files?format=jsonl").with("authorization", eve)).is(200);
    assert_eq!(rows.text(), "");
}

#[test]
fn pages_of_lists_lead_to_what_they_show_as_a_table() {
    let house = House::new();
    house.bring("ok-bag.tar", "finished");
    until("it is listed", || house.get("/api/v1/items").json()["count"] == 1);
    let asked = "/items?status=Success&date_processed__gteq=2020-01-01&per_page=5&name__contains=";
    let page = house.get(asked).is(200).text();
    let (_, rest) = page.split_once("id=\"export-csv\" href=\"").expect("the link is there");
    let href = rest.split('"').next().unwrap().replace("&amp;", "&");
    assert!(href.starts_with("/api/v1/items?format=csv&status=Success&"), "{href}");
    let table = house.get(href).is(200).text();
    assert_eq!(table.lines().count(), 2, "{table}");
    assert!(table.contains("ok-bag.tar"), "{table}");
}

#[test]
fn whatever_is_refused_under_the_api_is_problem_json() {
    let house = House::new();
    for (ask, status) in [
        (get("/api/v1/nowhere"), 404),
        (get("/api/v1/items/x"), 400),
        (get("/api/v1/items?page=0"), 400),
        (get("/api/v1/items/%FF"), 400),
        (get("/api/v1/deposits/archive.local/x.tar/check?size_bytes=-1"), 400),
        (get("/api/v1/items").method("DELETE"), 405),
        (get("/api/v1/deletions/1/certificate?format=pdf"), 404),
    ] {
        let reply = house.ask(&ask.with("sec-fetch-site", "same-origin")).is(status);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{status}");
        assert_eq!(reply.json()["status"], status);
    }
    let allowed = house.ask(&get("/api/v1/items").method("DELETE").with("sec-fetch-site", "none"));
    assert_eq!(allowed.is(405).header("allow"), Some("GET, HEAD"));
    // Not even a list with a value for each field.
    for body in ["[null, null, null]", "null", "7", "\"x\"", "{} {}", "{"] {
        let reply = house.command("/api/v1/items/1/requeue", body).is(400);
        assert_eq!(reply.code(), "bad-body", "{body}");
    }
    let huge = "x".repeat(9 << 20);
    let reply = house.command("/api/v1/items/requeue", &huge).is(413);
    assert_eq!(reply.header("content-type"), Some("application/problem+json"));
}
