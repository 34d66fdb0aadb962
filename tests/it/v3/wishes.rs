//! What is asked for and done, and what is not.

use serde_json::{Value, json};

use strongroom::desk::NewTokenWish;
use strongroom::rights::TokenScope;

use super::furnished::{ANN, BEA, EVE, ROOT, UNA, peopled};
use crate::deletion::confirmed;
use crate::house::{House, PASSWORD, until};
use crate::wire::{Reply, get, post};

impl House {
    /// Asks as the owner of the data directory.
    fn wish(&self, method: &'static str, path: &str, body: &Value) -> Reply {
        let path = format!("/admin-api/v3/{path}");
        self.ask(&post(path, body.to_string()).method(method))
    }

    /// A token of this person.
    fn token(&self, email: &str, scope: TokenScope) -> String {
        let wish = NewTokenWish { name: "a client".into(), scope, days: 1 };
        self.app().desk().make_token(Some(email), &wish).unwrap().text
    }

    /// Asks as a client of the described registry, with a token that may delete.
    fn wish_as(&self, email: &str, path: &str, body: &Value) -> Reply {
        let key = self.token(email, TokenScope::Manage);
        self.wish_by((email, &key), path, body)
    }

    fn wish_by(&self, (email, key): (&str, &str), path: &str, body: &Value) -> Reply {
        let ask = post(format!("/admin-api/v3/{path}"), body.to_string());
        let ask = ask.without("sec-fetch-site").with("x-pharos-api-user", email);
        self.ask(&ask.with("x-pharos-api-key", key))
    }

    /// Confirms a request that was entered in this person's name.
    fn confirm_deletion(&self, request: i64, (email, password): (&str, &str)) -> Reply {
        let body = json!({ "password": password }).to_string();
        let ask = post(format!("/api/v1/deletions/{request}/confirm"), body);
        self.ask(&ask.with("cookie", self.sign_in(email)))
    }

    fn deletion_page(&self, request: i64, email: &str) -> String {
        let page = get(format!("/deletions/{request}")).with("cookie", self.sign_in(email));
        self.ask(&page).is(200).text()
    }

    fn until_idle(&self) {
        until("nothing is under way", || {
            let rows = self.app().desk().items(&[], strongroom::desk::COUNTED).unwrap().items;
            rows.iter().all(|row| ["Success", "Suspended"].contains(&row.status.as_str()))
        });
    }
}

fn is_described(reply: &Reply, words: &str) {
    let told = reply.json();
    assert_eq!(told["StatusCode"], reply.status, "{told}");
    assert!(told["Error"].as_str().unwrap().contains(words), "{words}: {told}");
}

#[test]
fn an_object_is_restored_once_and_not_while_it_is_worked_on() {
    let house = peopled();
    house.until_idle();
    let letters = house.object_id("archive.local/letters");
    let path = format!("objects/init_restore/{letters}");
    house.app().desk().pause(Some("restore_object"), true).unwrap();
    let item = house.wish("POST", &path, &json!(null)).is(201).json();
    assert_eq!((&item["action"], &item["stage"]), (&"Restore Object".into(), &"Requested".into()));
    assert_eq!(
        (&item["status"], &item["intellectual_object_id"]),
        (&"Pending".into(), &letters.into())
    );
    is_described(&house.wish("POST", &path, &json!(null)).is(409), "has to end first");
    house.app().desk().pause(Some("restore_object"), false).unwrap();
    let show = format!("/admin-api/v3/items/show/{}", item["id"]);
    until("it is restored", || house.get(&*show).json()["stage"] == "Resolve");
    assert_eq!(house.get(&*show).json()["status"], "Success");
    is_described(
        &house.wish("POST", "objects/init_restore/999", &json!(null)).is(404),
        "no object",
    );
    is_described(&house.wish("POST", "objects/init_restore/x", &json!(null)).is(400), "number");
}

#[test]
fn many_objects_are_deleted_in_the_name_of_an_administrator_when_another_agrees() {
    let house = peopled();
    house.until_idle();
    let ids = ["letters", "secrets"].map(|it| house.object_id(&format!("archive.local/{it}")));
    let books = house.object_id("library.example/books");
    let institution = house.app().registry.institution_by_identifier("archive.local").unwrap();
    let institution = institution.unwrap().id;
    let wish = |institution: i64, requester: &str, objects: &[i64]| {
        json!({
            "institutionId": institution, "requestorId": house.user_id(requester),
            "objectIds": objects, "secretKey": "00000000-0000-0000-0000-000000000000",
        })
    };
    let path = "objects/init_batch_delete";
    for (body, status, words) in [
        (json!({}), 400, "not understood"),
        (wish(institution, UNA, &ids), 400, "administrator"),
        (wish(institution, EVE, &ids), 400, "administrator"),
        (wish(institution, ANN, &[ids[0], books]), 400, "an object of this institution"),
        (wish(institution, ANN, &[ids[0], 999]), 400, "an object of this institution"),
        (wish(institution, ANN, &[]), 409, "must be 1 to"),
        (wish(institution, ANN, &[ids[0], ids[0]]), 409, "twice"),
    ] {
        is_described(&house.wish_as(ROOT, path, &body).is(status), words);
    }
    // The key of the data directory is nobody, and a token that was made for less does not.
    house.wish("POST", path, &wish(institution, ANN, &ids)).is(401);
    let write = house.token(ROOT, TokenScope::Write);
    let refused = house.wish_by((ROOT, &write), path, &wish(institution, ANN, &ids)).is(403);
    is_described(&refused, "not made for deletions");
    assert_eq!(house.get("/admin-api/v3/deletions").json()["count"], 0);

    let made = house.wish_as(ROOT, path, &wish(institution, ANN, &ids)).is(201).json();
    assert_eq!((&made["object_count"], &made["requested_by_email"]), (&2.into(), &ANN.into()));
    assert_eq!(made["confirmed_by_id"], Value::Null);
    assert_eq!(made["intellectual_objects"].as_array().unwrap().len(), 2);
    is_described(&house.wish_as(ROOT, path, &wish(institution, ANN, &ids)).is(409), "already");
    let state =
        |id: i64| house.get(format!("/admin-api/v3/objects/show/{id}")).json()["state"].clone();
    assert_eq!(ids.map(state), ["A", "A"]);
    let request = made["id"].as_i64().unwrap();
    let approve = |email| {
        let approver = confirmed(house.app(), house.user_id(email));
        house.app().desk().approve_deletion(request, approver)
    };
    assert!(approve(ANN).is_err());
    // Who entered it may have Bea's account as well: nothing goes on without Ann.
    let refused = approve(BEA).unwrap_err().to_string();
    assert!(refused.contains("has to confirm it"), "{refused}");
    let confirm = |email: &str, given: &str| house.confirm_deletion(request, (email, given));
    let page = |email: &str| house.deletion_page(request, email);
    let asks_to = |verb: &str, page: &str| page.contains(&format!("/deletions/{request}/{verb}\""));
    assert!(asks_to("confirm", &page(ANN)) && !asks_to("approve", &page(ANN)), "{}", page(ANN));
    let waits = page(BEA);
    assert!(!asks_to("approve", &waits) && waits.contains("has to confirm it"), "{waits}");
    assert_eq!(confirm(ROOT, PASSWORD).is(403).code(), "not-allowed");
    assert_eq!(confirm(BEA, PASSWORD).is(403).code(), "not-allowed");
    assert_eq!(confirm(ANN, "wrong horse battery").is(401).code(), "not-confirmed");
    assert_eq!(confirm(ANN, "").is(422).code(), "confirmation-missing");
    assert!(approve(BEA).is_err());
    assert_eq!(confirm(ANN, PASSWORD).is(200).json()["needs_confirmation"], false);
    assert_eq!(confirm(ANN, PASSWORD).is(409).code(), "declined", "once");
    let log = house.get("/api/v1/audit?deed=confirm-deletion").json();
    assert_eq!((&log["count"], &log["audit"][0]["who"]), (&1.into(), &ANN.into()), "{log}");
    assert!(asks_to("approve", &page(BEA)), "{}", page(BEA));
    assert_eq!(ids.map(state), ["A", "A"]);
    approve(BEA).unwrap();
    until("both are gone", || ids.map(state) == ["D", "D"]);
}

#[test]
fn an_item_is_put_back_and_what_it_kept_is_dropped_when_it_has_ended() {
    let house = peopled();
    let folder = house.data().join("receiving/archive.local");
    let mut bad = crate::ingest::bag(&[("x.txt", b"x")]);
    bad.retain(|(name, _)| name != "data/x.txt");
    let path = folder.join("bad.tar");
    crate::ingest::write_tar(&path, "bad", &bad);
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
    let list = "/admin-api/v3/items?name=bad.tar&status=Suspended";
    until("it is turned away", || house.get(list).json()["count"] == 1);
    let row = house.get(list).json()["results"][0].clone();
    let (id, stage) = (row["id"].as_u64().unwrap(), row["stage"].as_str().unwrap().to_owned());
    assert_eq!((stage.as_str(), &row["needs_admin_review"]), ("Validate", &true.into()));

    let requeue = format!("items/requeue/{id}");
    is_described(&house.wish("PUT", &requeue, &json!({"stage": "Store"})).is(400), "put back");
    is_described(&house.wish("PUT", &requeue, &json!([1])).is(400), "not understood");
    house.app().desk().pause(Some("ingest01_prefetch"), true).unwrap();
    let put = house.wish("PUT", &requeue, &json!({"stage": "Receive"})).is(200).json();
    assert_eq!((&put["stage"], &put["status"]), (&"Receive".into(), &"Pending".into()));
    assert_eq!(put["needs_admin_review"], false);
    let drop = format!("items/redis_delete/{id}");
    is_described(&house.wish("DELETE", &drop, &json!(null)).is(405), "has not ended");
    house.app().desk().pause(Some("ingest01_prefetch"), false).unwrap();
    until("it is turned away again", || house.get(list).json()["count"] == 1);
    let form = house.ask(&post(format!("/admin-api/v3/{requeue}"), "stage=Validate").method("PUT"));
    assert_eq!(form.is(200).json()["stage"], "Validate");
    until("it is turned away once more", || house.get(list).json()["count"] == 1);

    house.app().desk().cancel(id).unwrap();
    let show = format!("/admin-api/v3/items/show/{id}");
    until("it has ended", || house.get(&*show).json()["status"] == "Cancelled");
    let left = house.data().join("staging").join(id.to_string());
    byteio::durable::create_folder(&left).unwrap();
    assert_eq!(house.wish("DELETE", &drop, &json!(null)).is(200).json()["id"], id);
    assert!(!left.is_dir());
    is_described(&house.wish("PUT", &requeue, &json!(null)).is(409), "ended");
    is_described(&house.wish("DELETE", "items/redis_delete/999", &json!(null)).is(404), "no item");
}

#[test]
fn failed_checks_are_told_once_a_day() {
    let house = peopled();
    house.until_idle();
    let path = "alerts/generate_failed_fixity_alerts";
    harm(&house.data().join("vault/b"), b"alpha\n");
    house.app().desk().check_object("archive.local/letters").unwrap();
    let failed = "/admin-api/v3/events?event_type=fixity+check&outcome=Failed";
    until("the check failed", || house.get(failed).json()["count"].as_u64().unwrap() > 0);
    house.until_idle();
    let told = house.wish("POST", path, &json!(null)).is(201).json();
    let told = told.as_array().unwrap();
    assert_eq!(told.len(), 1, "one institution: {told:?}");
    assert_eq!(told[0]["type"], "Failed Fixity Check");
    assert_eq!(told[0]["institution_identifier"], "archive.local");
    is_described(&house.wish("POST", path, &json!(null)).is(409), "today already");
    let alerts = house.get("/admin-api/v3/alerts?type=Failed+Fixity+Check").json();
    let mine = |row: &&Value| row["subject"] == told[0]["subject"];
    assert_eq!(alerts["results"].as_array().unwrap().iter().filter(mine).count(), 1);
}

/// Changes every file below a folder that holds these bytes.
fn harm(folder: &std::path::Path, bytes: &[u8]) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            harm(&path, bytes);
        } else if std::fs::read(&path).unwrap() == bytes {
            crate::fixity::write(&path, b"harmed");
        }
    }
}

#[test]
fn records_are_not_written_from_outside() {
    let house = peopled();
    let letters = house.object_id("archive.local/letters");
    let file = house.app().registry.file_by_identifier("archive.local/letters/data/a.txt").unwrap();
    let file = file.unwrap().id.0;
    for (method, path) in [
        ("POST", "checksums/create/1".to_owned()),
        ("POST", "files/create/1".into()),
        ("POST", "files/create_batch/1".into()),
        ("PUT", format!("files/update/{file}")),
        ("DELETE", format!("files/delete/{file}")),
        ("POST", "objects/create/1".into()),
        ("PUT", format!("objects/update/{letters}")),
        ("DELETE", format!("objects/delete/{letters}")),
        ("POST", "storage_records/create/1".into()),
        ("POST", "items/create/1".into()),
        ("PUT", "items/update/1".into()),
    ] {
        let reply = house.wish(method, &path, &json!({"title": "mine"})).is(405);
        is_described(&reply, ".");
        let (start, _) = path.rsplit_once('/').unwrap();
        let none = house.wish(method, &format!("{start}/999"), &json!({"title": "mine"})).is(404);
        is_described(&none, "no ");
        house.wish(method, &format!("{start}/x"), &json!({})).is(400);
    }
    is_described(&house.wish("POST", "events/create", &json!({})).is(405), "written by");
    let object = house.get(format!("/admin-api/v3/objects/show/{letters}")).is(200).json();
    assert_eq!((&object["title"], &object["state"]), (&"All of a.txt".into(), &"A".into()));
}
