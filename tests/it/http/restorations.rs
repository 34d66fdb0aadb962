//! Restorations over the wire: asked for by a button or a program, followed, and taken away.

use crate::house::{House, until};
use crate::ingest::{LETTERS, bag};
use crate::wire::get;

const PROGRAM: &str = "[ingest]\nsweep_s = 1\nstill_s = 0\n";

fn holding() -> House {
    let house = House::of_the_program(PROGRAM);
    house.receive("letters", &bag(LETTERS), 1);
    house
}

#[test]
fn a_button_asks_and_the_page_leads_to_the_bag() {
    let house = holding();
    let page = house.get("/objects/archive.local/letters").is(200).text();
    assert!(page.contains(r#"action="/restorations""#), "{page}");
    assert!(page.contains("version 1"), "{page}");
    let number = house.get("/api/v1/objects/archive.local/letters").json()["object"]["id"].clone();
    let asked = house.post("/restorations", &format!("object={number}")).is(303);
    assert_eq!(asked.header("location"), Some("/restorations"));
    let list = || house.get("/api/v1/restorations").is(200).json();
    until("it is restored", || list()["restorations"].as_array().unwrap().len() == 1);
    let restored = list()["restorations"][0].clone();
    let path = restored["path"].as_str().unwrap().to_owned();
    assert!(path.ends_with("restoration/archive.local/letters.tar"), "{restored}");
    assert_eq!((&restored["is_there"], &restored["expires_soon"]), (&true.into(), &false.into()));
    let page = house.get("/restorations").is(200).text();
    assert!(page.contains(&path) && page.contains("will be removed on"), "{page}");
    assert!(page.len() < 30 << 10);
    assert!(house.get("/fragments/restorations").is(200).text().contains("Ready"));
    let item = &restored["item"];
    for address in
        [format!("/restorations/{item}/download"), format!("/api/v1/restorations/{item}/content")]
    {
        let reply = house.get(address).is(200);
        assert_eq!(reply.body, std::fs::read(&path).unwrap());
        let named = reply.header("content-disposition").unwrap();
        assert!(named.starts_with("attachment; filename=\"letters.tar\""), "{named}");
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(house.get(format!("/restorations/{item}/download")).is(404).status, 404);
    assert!(house.get("/restorations").text().contains("Not there"));
}

#[test]
fn programs_ask_for_objects_and_files_in_their_versions() {
    let house = holding();
    let file = "archive.local/letters/data/copy%20of%20a.txt";
    for (address, body, action) in [
        ("/api/v1/objects/archive.local/letters/restore".to_owned(), "", "Restore Object"),
        (
            "/api/v1/objects/archive.local%2Fletters/restore".to_owned(),
            "{\"version\": 1}",
            "Restore Object",
        ),
        (format!("/api/v1/files/{file}/restore"), "", "Restore File"),
    ] {
        let reply = house.command(&address, body).is(202).json();
        assert_eq!(reply["item"]["action"], action, "{reply}");
        let id = reply["item"]["id"].as_u64().unwrap();
        house.until_state(id, "finished");
    }
    let code =
        |address: &str, body: &str, status: u16| house.command(address, body).is(status).code();
    let letters = "/api/v1/objects/archive.local/letters";
    assert_eq!(code(&format!("{letters}/restore"), "{\"version\": 7}", 409), "cannot-be-restored");
    assert_eq!(code(&format!("{letters}/restore"), "{\"when\": 7}", 400), "bad-body");
    assert_eq!(code(letters, "", 405), "wrong-method");
    assert_eq!(code("/api/v1/objects/archive.local/none/restore", "", 404), "no-such-object");
    assert_eq!(code("/api/v1/files/archive.local/letters/none/restore", "", 404), "no-such-file");
    assert_eq!(house.get("/api/v1/restorations/99/content").is(404).code(), "not-restored");
    assert_eq!(house.get("/api/v1/restorations/x/content").is(404).code(), "no-such-item");
    house.post("/restorations", "").is(400);
    house.post("/restorations", "object=1&file=1").is(400);
    // Without the key nobody asks for anything.
    let stranger = house.ask_as_stranger(&get(format!("{letters}/restore")).method("POST"));
    assert!(stranger.status >= 400, "{}", stranger.status);
}
