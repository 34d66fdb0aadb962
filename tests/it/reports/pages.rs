//! Reports over the wire: pages, API, tables, and the form for declarations.

use storage::registry::Role;

use crate::house::House;
use crate::ingest::{LETTERS, bag};
use crate::wire::{Ask, get, post};

#[track_caller]
fn says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
}

#[test]
fn every_report_is_a_page_an_answer_and_a_table() {
    let house = House::ingesting();
    for (path, words) in [
        ("/reports", "Held now: 0 objects"),
        ("/reports/deposits", "Nothing was held then"),
        ("/reports/growth", "What is held, in bytes"),
        ("/reports/formats", "No file is held yet."),
        ("/reports/storage", "An object counts where"),
        ("/reports/ndsa", "Cheapest next step"),
    ] {
        says(&house.get(path).is(200).text(), &[words]);
    }
    house.receive("letters", &bag(LETTERS), 1);
    says(&house.get("/reports").is(200).text(), &["Held now: 1 object"]);
    says(&house.get("/reports/deposits?metric=files").text(), &["Standard", "Share of files"]);
    says(&house.get("/reports/growth?metric=objects").text(), &["1 objects", "plot-title"]);
    says(
        &house.get("/reports/formats").text(),
        &["Plain Text", "x-fmt/111", "whose format is not known"],
    );
    says(&house.get("/reports/storage").text(), &["this machine", "free of"]);
    says(&house.get("/reports/ndsa").text(), &["share a place and count as one", "Not met"]);
    let report = house.get("/api/v1/reports/deposits").is(200).json();
    assert_eq!(report["rows"][0]["storage_option"], "Standard");
    assert_eq!(report["total"]["object_count"], 1);
    let card = house.get("/api/v1/reports/ndsa").is(200).json();
    assert_eq!(card["areas"].as_array().unwrap().len(), 5);
    for kind in ["deposits", "growth", "formats", "storage", "ndsa"] {
        let table = house.get(format!("/api/v1/reports/{kind}.csv")).is(200);
        assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"));
        let saved = format!("attachment; filename=\"{kind}.csv\"");
        assert_eq!(table.header("content-disposition"), Some(saved.as_str()));
        assert!(table.text().lines().count() > 1, "{kind}");
    }
    let text = house.get("/api/v1/reports/ndsa.txt").is(200).text();
    says(&text, &["NDSA Levels of Digital Preservation", "STORAGE"]);
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_sentence() {
    let house = House::new();
    for (path, status, words) in [
        ("/reports/deposits?colour=red", 400, "is not known here"),
        ("/reports/deposits?date=soon", 400, "must be a month"),
        ("/reports/growth?start=2026-11&end=2026-10", 400, "must not be before the start"),
        ("/reports/deposits?institution=nobody.example", 404, "nobody.example"),
        ("/reports/deposits?date=2000-01", 404, "A figure of 2000-01 or before"),
        ("/api/v1/reports/deposits?metric=weight", 400, "is one of bytes, files, objects"),
        ("/api/v1/reports/deposits.csv?date=soon", 400, "must be a month"),
        ("/api/v1/reports/growth.csv?institution=nobody.example", 404, "nobody.example"),
        ("/api/v1/reports/formats?date=2026-11", 400, "is not known here"),
        ("/api/v1/reports/nothing", 404, "nothing"),
    ] {
        says(&house.get(path).is(status).text(), &[words]);
    }
    let key = house.command("/api/v1/reports/ndsa/declarations", "{}").is(401);
    assert_eq!(key.code(), "not-signed-in", "a key is no person");
}

#[test]
fn an_administrator_declares_and_withdraws_and_nobody_else() {
    let house = House::new();
    house.person("ann@archive.example", Role::Admin);
    house.person("bea@archive.example", Role::InstitutionalAdmin);
    let (ann, bea) = (house.sign_in("ann@archive.example"), house.sign_in("bea@archive.example"));
    let ask = |ask: Ask, cookie: &str| house.ask(&ask.with("cookie", cookie));
    let form = "/reports/ndsa/declare?requirement=storage-needs";
    says(&ask(get("/reports/ndsa"), &ann).is(200).text(), &["/reports/ndsa/declare?requirement="]);
    let seen = ask(get("/reports/ndsa"), &bea).is(200).text();
    assert!(!seen.contains("/reports/ndsa/declare"), "{seen}");
    says(&ask(get(form), &ann).is(200).text(), &["Say where it is written down"]);
    ask(get(form), &bea).is(403);
    ask(get("/reports/ndsa/declare?requirement=storage-two-copies"), &ann).is(404);
    let sent = "requirement=storage-needs&sentence=In+the+handbook,+page+3.";
    ask(post("/reports/ndsa/declare", sent), &bea).is(403);
    let empty = ask(post("/reports/ndsa/declare", "requirement=storage-needs&sentence=+"), &ann);
    says(&empty.is(422).text(), &["must have 1 to 1000 bytes", "role=\"alert\""]);
    let done = ask(post("/reports/ndsa/declare", sent), &ann).is(303);
    assert_eq!(done.header("location"), Some("/reports/ndsa"));
    let page = ask(get("/reports/ndsa"), &bea).is(200).text();
    says(&page, &["declared on", "In the handbook, page 3."]);
    says(&ask(get(form), &ann).is(200).text(), &["/reports/ndsa/declarations/1/withdraw"]);
    ask(post("/reports/ndsa/declarations/1/withdraw", ""), &bea).is(403);
    ask(post("/reports/ndsa/declarations/1/withdraw", ""), &ann).is(303);
    ask(post("/reports/ndsa/declarations/1/withdraw", ""), &ann).is(409);
    ask(post("/reports/ndsa/declarations/9/withdraw", ""), &ann).is(404);
    ask(post("/reports/ndsa/declarations/x/withdraw", ""), &ann).is(404);
    says(&ask(get(form), &ann).is(200).text(), &["Withdrawn by"]);
    let page = ask(get("/reports/ndsa"), &ann).is(200).text();
    assert!(!page.contains("In the handbook"), "{page}");
}
