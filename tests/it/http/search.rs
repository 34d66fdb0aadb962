//! The search over HTTP: page and API, for people and for hostile text. Who finds what stands in
//! `rights.rs`.

use crate::house::{House, until};
use crate::ingest::bag;
use crate::wire::get;

fn holding() -> House {
    let house = House::ingesting();
    house.receive("letters-1790", &bag(&[("Été/folio 1.tif", b"1"), ("b.txt", b"2")]), 1);
    house
}

#[test]
fn what_is_held_is_found_on_the_page_and_in_the_api() {
    let house = holding();
    until("its item is listed", || house.get("/api/v1/items").json()["count"] == 1);
    let found = house.get("/api/v1/search?q=LETTERS").is(200).json();
    assert_eq!(found["objects"][0]["identifier"], "archive.local/letters-1790", "{found}");
    assert_eq!(found["items"][0]["object_identifier"], "archive.local/letters-1790");
    assert_eq!(found["words"], serde_json::json!(["letters"]));
    let found = house.get("/api/v1/search?q=ete%20fol").is(200).json();
    assert_eq!(found["files"][0]["path"], "data/Été/folio 1.tif");
    assert!(found["objects"].as_array().unwrap().is_empty());
    let uuid = found["files"][0]["uuid"].as_str().unwrap().to_owned();
    let digest = found["files"][0]["sha256"].as_str().unwrap()[..12].to_owned();
    for name in [&uuid, &digest] {
        let page = house.get(format!("/search?q={name}")).is(200).text();
        assert!(page.contains(&format!("/files/{uuid}")), "{page}");
    }
    let page = house.get("/search?q=letters+1790").is(200).text();
    for part in ["/objects/archive.local/letters-1790", "Looked for", ">letters<", ">1790<"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains(r#"value="letters 1790""#), "the field keeps what was typed: {page}");
    for (path, says) in [
        ("/search", "Nothing was looked for yet."),
        ("/search?q=", "Nothing was looked for yet."),
        ("/search?q=%2A%22", "There is no letter or digit"),
        ("/search?q=zebra", "Nothing was found."),
    ] {
        let page = house.get(path).is(200).text();
        assert!(page.contains(says), "{path}: {page}");
    }
    let everywhere = house.get("/").is(200).text();
    assert!(everywhere.contains(r#"action="/search""#), "{everywhere}");
}

#[test]
fn any_text_is_looked_for_and_any_other_parameter_is_refused() {
    let house = holding();
    for text in [
        "%00",
        "%22",
        "%27%3B--",
        "AND",
        "NOT",
        "NEAR(",
        "%2A",
        "words:x",
        "%EE%80%801+letters",
        "%3Cscript%3Ealert(1)%3C/script%3E",
        "%FF",
        "%F0%9F%99%82",
        &"a+".repeat(3000),
        &"%C3%BC".repeat(3000),
    ] {
        for path in [format!("/search?q={text}"), format!("/api/v1/search?q={text}")] {
            let reply = house.get(path.as_str());
            assert!([200, 400, 414, 431].contains(&reply.status), "{path:.80}: {}", reply.status);
            assert!(!reply.text().contains("<script>alert"), "{path:.80}");
        }
    }
    for (path, says) in [
        ("/api/v1/search", "is missing"),
        ("/api/v1/search?q=a&q=b", "more than once"),
        ("/api/v1/search?q=a&limit=0", "from 1 to 100"),
        ("/api/v1/search?q=a&limit=101", "from 1 to 100"),
        ("/api/v1/search?q=a&limit=x", "from 1 to 100"),
        ("/api/v1/search?q=a&institution_id=1", "is not known here"),
    ] {
        let reply = house.ask(&get(path));
        assert_eq!(reply.status, 400, "{path}");
        assert!(reply.text().contains(says), "{path}: {}", reply.text());
    }
}
