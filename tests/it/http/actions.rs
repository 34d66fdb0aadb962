//! What people and programs do, by page and by API.

use serde_json::json;

use crate::house::{House, TOPICS, until};
use crate::wire::{Reply, get, post};

/// Follows a redirect as a browser does, with the cookie it was given.
fn follow(house: &House, reply: &Reply) -> Reply {
    assert_eq!(reply.status, 303, "{}", reply.text());
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap().to_owned();
    house.ask(&get(reply.header("location").unwrap()).with("cookie", pair)).is(200)
}

fn paused(house: &House) -> Vec<bool> {
    let queues = house.get("/api/v1/queues").json();
    queues.as_array().unwrap().iter().map(|row| row["paused"] == true).collect()
}

#[test]
fn a_page_pauses_and_resumes_and_says_so_once() {
    let house = House::new();
    let answer = house.post("/queues/test02_check/pause", "");
    let page = follow(&house, &answer);
    assert!(page.text().contains("Paused test02_check"), "{}", page.text());
    assert_eq!(page.header("set-cookie").map(|it| it.contains("Max-Age=0")), Some(true));
    assert_eq!(paused(&house), [false, true, false]);
    // The cookie is gone now, so the sentence is too.
    let again = house.get("/queues").text();
    assert!(!again.contains("Paused test02_check") && again.contains(">Paused<"), "{again}");

    let page = follow(&house, &house.post("/queues/test02_check/resume", ""));
    assert!(page.text().contains("Resumed test02_check"));
    follow(&house, &house.post("/queues/pause", ""));
    assert_eq!(paused(&house), [true, true, true]);
    follow(&house, &house.post("/queues/resume", ""));
    assert_eq!(paused(&house), [false, false, false]);
    for action in ["pause", "resume", "empty"] {
        let refused = house.post(format!("/queues/nowhere/{action}"), "").is(404).text();
        assert!(refused.contains("There is no topic") && refused.contains(TOPICS[0]), "{refused}");
    }
}

#[test]
fn the_api_pauses_resumes_and_empties() {
    let house = House::new();
    let rows = house.command("/api/v1/queues/test01_receive/pause", "").is(200).json();
    assert_eq!((&rows[0]["paused"], &rows[1]["paused"]), (&json!(true), &json!(false)));
    let ids = [house.push("ok"), house.push("ok")];
    let emptied = house.command("/api/v1/queues/test01_receive/empty", "").is(200).json();
    assert_eq!(emptied, json!({"cancelled": 2}));
    ids.iter().for_each(|id| assert_eq!(house.state(*id), "cancelled"));
    house.command("/api/v1/queues/pause", "").is(200);
    assert_eq!(paused(&house), [true, true, true]);
    house.push("ok");
    assert_eq!(house.command("/api/v1/queues/empty", "").json(), json!({"cancelled": 1}));
    house.command("/api/v1/queues/resume", "").is(200);
    let refused = house.command("/api/v1/queues/nowhere/pause", "").is(404);
    assert_eq!(refused.code(), "unknown-topic");
    house.bring("ok", "finished");
}

#[test]
fn a_page_empties_a_queue_after_asking() {
    let house = House::new();
    house.post("/queues/test01_receive/pause", "").is(303);
    let ids = [house.push("ok"), house.push("ok"), house.push("ok")];
    let asked = house.get("/queues/test01_receive/empty").is(200).text();
    assert!(asked.contains("Cancel 3 items") && asked.contains("Keep them"), "{asked}");
    assert_eq!(house.state(ids[0]), "ready", "asking does nothing");
    let page = follow(&house, &house.post("/queues/test01_receive/empty", ""));
    assert!(page.text().contains("Cancelled 3 items of test01_receive."), "{}", page.text());
    ids.iter().for_each(|id| assert_eq!(house.state(*id), "cancelled"));
}

#[test]
fn a_page_requeues_and_cancels_an_item() {
    let house = House::new();
    let id = house.bring("mendable", "parked");
    let answer = house.post(format!("/items/{id}/requeue"), "stage=test01_receive");
    assert!(follow(&house, &answer).text().contains(&format!("Item {id} is back in line for")));
    house.until_state(id, "finished");
    let page = house.get(format!("/items/{id}")).text();
    assert!(
        page.contains("requeued for Receive by someone at the web page")
            || page.contains("checked mendable")
    );
    let refused = house.post(format!("/items/{id}/requeue"), "stage=").is(409).text();
    assert!(refused.contains("has ended (Success)"), "{refused}");

    let id = house.bring("fatal", "parked");
    let refused = house.post(format!("/items/{id}/requeue"), "stage=test03_store").is(409).text();
    assert!(refused.contains("it may go back to test01_receive, test02_check"), "{refused}");
    let refused = house.post(format!("/items/{id}/requeue"), "stage=nowhere").is(404).text();
    assert!(refused.contains("There is no topic"), "{refused}");
    assert_eq!(house.state(id), "parked");
    let answer = house.post(format!("/items/{id}/cancel"), "");
    assert!(follow(&house, &answer).text().contains(&format!("Item {id} is cancelled.")));
    assert_eq!(house.state(id), "cancelled");
    house.post(format!("/items/{id}/cancel"), "").is(409);
    house.post("/items/99/cancel", "").is(404);
}

#[test]
fn the_api_requeues_and_cancels_an_item() {
    let house = House::new();
    let id = house.bring("mendable", "parked");
    let wrong = house.command(&format!("/api/v1/items/{id}/requeue"), "{\"stag\": 1}").is(400);
    assert_eq!(wrong.code(), "bad-body");
    let to_third = json!({"stage": "test03_store"}).to_string();
    let refused = house.command(&format!("/api/v1/items/{id}/requeue"), &to_third).is(409);
    assert_eq!(refused.code(), "not-earlier");
    house.command(&format!("/api/v1/items/{id}/requeue"), "").is(200);
    house.until_state(id, "finished");
    assert_eq!(house.command(&format!("/api/v1/items/{id}/cancel"), "").is(409).code(), "ended");
    assert_eq!(house.command("/api/v1/items/99/requeue", "").is(404).code(), "no-such-item");

    let id = house.push("slow-20000");
    until("it is worked on where it stays", || {
        let item = house.get(format!("/api/v1/items/{id}")).json()["item"].clone();
        item["state"] == "leased" && item["topic"] == TOPICS[1]
    });
    assert_eq!(
        house.command(&format!("/api/v1/items/{id}/requeue"), "").is(409).code(),
        "wrong-state"
    );
    let cancelled = house.command(&format!("/api/v1/items/{id}/cancel"), "").is(200).json();
    assert!(["leased", "cancelled"].contains(&cancelled["item"]["state"].as_str().unwrap()));
    house.until_state(id, "cancelled");
}

#[test]
fn everything_parked_for_one_reason_goes_back_at_once() {
    let house = House::new();
    let mendable: Vec<_> = (0..3).map(|_| house.bring("mendable", "parked")).collect();
    let rejected = house.bring("reject", "parked");
    let overview = house.get("/").text();
    assert!(overview.contains("vault-closed") && overview.contains("See 3 items"), "{overview}");

    let page = follow(&house, &house.post("/items/requeue", "reason=vault-closed"));
    assert!(page.text().contains("Put 3 items back in line."), "{}", page.text());
    mendable.iter().for_each(|id| house.until_state(*id, "finished"));
    assert_eq!(house.state(rejected), "parked");

    let none = house.command("/api/v1/items/requeue", "{}").is(400);
    assert_eq!(none.code(), "no-reason");
    let wish = json!({"reason": "rejected", "topic": "test01_receive"}).to_string();
    let refused = house.command("/api/v1/items/requeue", &wish).is(409);
    assert_eq!(refused.code(), "nothing-parked", "it is parked at another topic");
    let wish = json!({"reason": "rejected"}).to_string();
    let requeued = house.command("/api/v1/items/requeue", &wish).is(200).json();
    assert_eq!(requeued, json!({"requeued": 1}));
    house.post("/items/requeue", "").is(422);
    house.ask(&post("/items/requeue", "{}").with("content-type", "application/json")).is(415);
}
