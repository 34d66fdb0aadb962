//! Filters that people save for themselves.

use storage::registry::Role;

use crate::house::House;
use crate::wire::{Ask, get, post};

const LISTS: [&str; 5] = ["/objects", "/items", "/events", "/deletions", "/alerts"];

#[test]
fn a_filter_is_saved_shown_to_its_owner_and_removed() {
    let house = House::new();
    house.person("ann@a.example", Role::InstitutionalAdmin);
    house.person("bob@a.example", Role::InstitutionalUser);
    let (ann, bob) = (house.sign_in("ann@a.example"), house.sign_in("bob@a.example"));
    let as_ann = |ask: Ask| house.ask(&ask.with("cookie", &*ann));
    let as_bob = |ask: Ask| house.ask(&ask.with("cookie", &*bob));

    let page =
        as_ann(get("/items?status=Failed&name__contains=&page=2&per_page=10")).is(200).text();
    assert!(page.contains(r#"name="query" value="status=Failed""#), "{page}");
    assert!(!as_ann(get("/items")).text().contains("Save the filter"), "nothing is asked");
    let saved =
        as_ann(post("/filters", "page=/items&query=status%3DFailed&name=What+%3Cfailed%3E"));
    assert_eq!(saved.is(303).header("location"), Some("/items?status=Failed"));
    let page = as_ann(get("/items")).is(200).text();
    let link = r#"<a href="/items?status=Failed"><bdi>What &lt;failed&gt;</bdi></a>"#;
    assert!(page.contains(link), "{page}");
    assert!(!as_ann(get("/objects")).text().contains("failed&gt;"), "it is of another list");
    assert!(!as_bob(get("/items")).text().contains("failed&gt;"), "it is somebody else's");

    // The same name again is the same filter, changed.
    as_ann(post("/filters", "page=/items&query=status%3DSuccess&name=What+%3Cfailed%3E")).is(303);
    let page = as_ann(get("/items")).text();
    assert!(page.contains("/items?status=Success") && !page.contains(link), "{page}");

    let id = page.split("/filters/").nth(1).unwrap().split('/').next().unwrap().to_owned();
    as_bob(post(format!("/filters/{id}/remove"), "")).is(404);
    assert!(as_ann(get("/items")).text().contains("status=Success"));
    as_ann(post(format!("/filters/{id}/remove"), "")).is(303);
    assert!(!as_ann(get("/items")).text().contains("status=Success"));
    as_ann(post(format!("/filters/{id}/remove"), "")).is(404);
    as_ann(post("/filters/x/remove", "")).is(404);
    for list in LISTS {
        assert!(as_ann(get(list)).is(200).text().contains("Saved filters"), "{list}");
    }
}

#[test]
fn what_may_be_saved_is_bounded() {
    let house = House::new();
    house.person("ann@a.example", Role::InstitutionalAdmin);
    let ann = house.sign_in("ann@a.example");
    let save = |page: &str, query: &str, name: &str| {
        let form = format!("page={page}&query={query}&name={name}");
        house.ask(&post("/filters", form).with("cookie", &*ann))
    };
    for (page, query, name) in [
        ("//evil.example", "a%3Db", "x"),
        ("/settings", "a%3Db", "x"),
        ("/items", "", "x"),
        ("/items", "a%3Db%0D%0Ax%3A+y", "x"),
        ("/items", "a%3D%3Cb%3E", "x"),
        ("/items", &"a".repeat(2001), "x"),
        ("/items", "a%3Db", ""),
        ("/items", "a%3Db", &"n".repeat(81)),
        ("/items", "a%3Db", "one%0Atwo"),
    ] {
        let refused = save(page, query, name).is(422).text();
        assert!(refused.contains("Nothing was changed."), "{page} {query} {name}");
    }
    house.ask(&post("/filters", "page=/items").with("cookie", &*ann)).is(422);
    for number in 0..50 {
        save("/items", "status%3DFailed", &format!("filter-{number}")).is(303);
    }
    assert!(save("/events", "x%3Dy", "one+more").is(409).text().contains("remove one first"));
    save("/items", "status%3DSuccess", "filter-7").is(303);
    // A key is no person: it keeps nothing for itself.
    house.post("/filters", "page=/items&query=a%3Db&name=x").is(403);
    house.ask_as_stranger(&post("/filters", "page=/items&query=a%3Db&name=x")).is(401);
}
