//! What people were told, by page and by API: everyone reads for themselves and sees their own.

use serde_json::json;
use storage::registry::{NewAlert, Role};
use strongroom::alerts::raise;

use super::accounts::basic;
use crate::house::{House, PASSWORD};
use crate::wire::{get, post};

fn alert(house: &House, name: &str, institution_id: Option<i64>) -> i64 {
    let new = NewAlert {
        name: format!("item-parked/{name}"),
        kind: "item-parked".into(),
        institution_id,
        subject: format!("About <b>{name}</b>"),
        content: "What happened.\n\nWhat to do.".into(),
        page: Some("/items/1".into()),
        ..NewAlert::default()
    };
    raise(house.app(), &new).unwrap().unwrap().id
}

/// What stands beside a line that was not read.
const UNREAD: &str = "badge busy\">Unread<";

fn furnished() -> (House, i64, i64) {
    let house = House::configured("[mail]\nspool = \"mail\"\n");
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    house.person("eve@archive.example", Role::Admin);
    let institution = house.app().registry.user_by_email("ann@archive.example").unwrap().unwrap();
    let ours = alert(&house, "ours", Some(institution.institution_id));
    let theirs = alert(&house, "house", None);
    (house, ours, theirs)
}

#[test]
fn strangers_see_nothing_and_the_owner_of_the_data_directory_marks_nothing() {
    let (house, ours, theirs) = furnished();
    for path in ["/alerts".to_owned(), format!("/alerts/{ours}")] {
        house.ask_as_stranger(&get(path.as_str())).is(303);
        house.ask_as_stranger(&get(format!("/api/v1{path}"))).is(401);
    }
    let page = house.get("/alerts").is(200).text();
    assert!(page.contains("About &lt;b&gt;ours") && page.contains("About &lt;b&gt;house"));
    assert!(!page.contains("Mark") && !page.contains("nread"), "{page}");
    let page = house.get(format!("/alerts/{ours}")).is(200).text();
    assert!(page.contains("What to do."), "{page}");
    let ann = house.sign_in("ann@archive.example");
    let json = house.ask(&get(format!("/api/v1/alerts/{ours}")).with("cookie", &*ann)).is(200);
    assert!(!json.text().contains("@archive.example"), "{}", json.text());
    house.ask(&get("/api/v1/alerts?as=eve@archive.example").with("cookie", &*ann)).is(403);
    assert_eq!(house.post("/alerts/read", "").status, 401);
    assert_eq!(house.post(format!("/alerts/{theirs}/read"), "").status, 401);
    for (path, status) in [
        ("/alerts/99999", 404),
        ("/alerts/x", 404),
        ("/alerts?kind=party", 400),
        ("/alerts?unread=true", 400),
        ("/api/v1/alerts?unread_by=1", 400),
    ] {
        assert_eq!(house.get(path).status, status, "{path}");
    }
    assert_eq!(house.get("/alerts?kind=item-parked&ended_at__is_null=true").status, 200);
}

#[test]
fn everyone_reads_for_themselves() {
    let (house, ours, theirs) = furnished();
    let (ann, eve) = (house.sign_in("ann@archive.example"), house.sign_in("eve@archive.example"));
    let page = |cookie: &str, path: &str| {
        house.ask(&get(path).with("cookie", cookie.to_owned())).is(200).text()
    };
    let list = page(&ann, "/alerts");
    assert!(list.contains("ours") && !list.contains("b&gt;house"), "{list}");
    assert!(list.contains("1 unread") && list.contains(UNREAD), "{list}");
    assert!(page(&eve, "/").contains("2 unread"), "on every page");
    let other = get(format!("/alerts/{theirs}")).with("cookie", ann.clone());
    assert_eq!(house.ask(&other).status, 404, "not for her");
    assert!(page(&eve, &format!("/alerts/{ours}")).contains("ann@archive.example"));

    let mark =
        |cookie: &str, path: String| house.ask(&post(path, "").with("cookie", cookie.to_owned()));
    assert_eq!(mark(&ann, format!("/alerts/{theirs}/read")).status, 404);
    let answer = mark(&ann, format!("/alerts/{ours}/read")).is(303);
    assert_eq!(answer.header("location"), Some("/alerts"));
    assert!(!page(&ann, "/alerts").contains(UNREAD));
    assert!(page(&ann, "/alerts?unread=true").contains("No alert matches."));
    assert!(page(&eve, "/alerts").contains("2 unread"), "eve has read nothing");
    mark(&ann, format!("/alerts/{ours}/unread")).is(303);
    assert!(page(&ann, "/alerts").contains("1 unread"));
    mark(&eve, "/alerts/read".into()).is(303);
    assert!(!page(&eve, "/alerts").contains("nread)") && !page(&eve, "/").contains("2 unread"));
}

#[test]
fn programs_read_by_password_or_by_the_key_for_anybody() {
    let (house, ours, theirs) = furnished();
    let as_ann = |ask: crate::wire::Ask| {
        house.ask(&ask.with("authorization", basic("ann@archive.example", PASSWORD)))
    };
    let list = as_ann(get("/api/v1/alerts?unread=true")).is(200).json();
    assert_eq!(list["count"], 1);
    assert_eq!(
        (&list["alerts"][0]["id"], &list["alerts"][0]["unread"]),
        (&json!(ours), &json!(true))
    );
    let body = json!({"read": [ours, theirs]}).to_string();
    let marked = as_ann(post("/api/v1/alerts/read", body)).is(200).json();
    assert_eq!(marked, json!({"marked": 1}), "what is not hers stays as it is");
    let body = json!({"as": "eve@archive.example", "all": true}).to_string();
    assert_eq!(as_ann(post("/api/v1/alerts/read", body.clone())).status, 403);
    assert_eq!(house.command("/api/v1/alerts/read", &body).is(200).json(), json!({"marked": 2}));
    for bad in ["", "{}", "{\"read\":[]}", "{\"all\":true,\"read\":[1]}", "{\"party\":1}", "[]"] {
        assert_eq!(house.command("/api/v1/alerts/read", bad).status, 400, "{bad}");
    }
    let many: Vec<i64> = (0..2000).collect();
    let body = json!({"as": "eve@archive.example", "read": many}).to_string();
    assert_eq!(house.command("/api/v1/alerts/read", &body).status, 400);
    let body = json!({"as": "nobody@archive.example", "all": true}).to_string();
    assert_eq!(house.command("/api/v1/alerts/read", &body).is(404).code(), "no-such-reader");
}
