//! The front page, as each of those sees it who may; and the help that pages lead to.

use serde_json::json;
use storage::registry::Role;

use crate::house::House;
use crate::ingest::bag;
use crate::wire::get;

#[test]
fn the_front_page_tells_people_what_is_theirs() {
    let house = House::ingesting();
    let people = [
        ("ann@a.example", Role::InstitutionalAdmin),
        ("eve@a.example", Role::InstitutionalAdmin),
        ("uma@a.example", Role::InstitutionalUser),
        ("keeper@a.example", Role::Admin),
    ];
    for (email, role) in people {
        house.person(email, role);
    }
    let page = |email: &str, path: &str| {
        let cookie = house.sign_in(email);
        house.ask(&get(path).with("cookie", cookie)).is(200).text()
    };
    let empty = page("uma@a.example", "/");
    for words in
        ["Nothing waits for you.", "Nothing is held yet.", "Send a first bag", "Send a bag"]
    {
        assert!(empty.contains(words), "{words}: {empty}");
    }
    assert!(empty.contains("There are no items yet."), "{empty}");

    house.receive("letters", &bag(&[("a.txt", b"hello")]), 1);
    let cookie = house.sign_in("ann@a.example");
    let wish = json!({"objects": ["archive.local/letters"], "reason": "Deposited twice."});
    let ask = crate::wire::post("/api/v1/deletions", wish.to_string()).with("cookie", cookie);
    house.ask(&ask).is(200);

    let uma = page("uma@a.example", "/");
    for words in ["Standard", "letters", "Last items", "Running now", "Replicas"] {
        assert!(uma.contains(words), "{words}: {uma}");
    }
    for words in ["State of the house", "Needs a person", "Recently finished", "Deletion request"] {
        assert!(!uma.contains(words), "{words}: {uma}");
    }
    let waits = "waits for your word: <bdi>Deposited twice.</bdi>";
    assert!(page("eve@a.example", "/").contains(waits));
    assert!(!page("ann@a.example", "/").contains(waits), "her own wish needs another's word");
    let keeper = page("keeper@a.example", "/");
    for words in ["Standard", "State of the house", "Needs a person", "Recently finished"] {
        assert!(keeper.contains(words), "{words}: {keeper}");
    }
    assert!(!keeper.contains(waits) && !keeper.contains("Last items"), "{keeper}");
}

#[test]
fn every_page_leads_to_its_own_help() {
    let house = House::new();
    house.person("uma@a.example", Role::InstitutionalUser);
    let cookie = house.sign_in("uma@a.example");
    let help = house.ask(&get("/help").with("cookie", &*cookie)).is(200).text();
    for path in ["/", "/objects", "/items", "/events", "/deletions", "/alerts", "/deposits"] {
        let page = house.ask(&get(path).with("cookie", &*cookie)).is(200).text();
        let anchor = page.split("href=\"/help#").nth(1).unwrap_or_else(|| panic!("{path}"));
        let anchor = anchor.split('"').next().unwrap();
        assert!(help.contains(&format!("id=\"{anchor}\"")), "{path}: {anchor}");
    }
    assert!(!help.contains("href=\"/settings\""), "what is not open is not explained");
    house.ask(&get("/help/accessibility").with("cookie", &*cookie)).is(200);
    house.ask_as_stranger(&get("/help")).is(303);
}
