//! The pages of research over the wire: added by every form, searched for real, shown and taken away.

use storage::registry::Role;

use super::{Shelf, hold_back, search_all, sound};
use crate::house::House;
use crate::ingest::bag;
use crate::wire::{get, post};

const ANN: &str = "ann@archive.example";
const TABLE: &str = "title,location\nJingle,vault:archive.local/show#data/a.wav\n";

/// A form with a file, as a browser sends it.
fn form(name: &str, content: &str) -> String {
    format!(
        "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n\
         {content}\r\n--xyz--\r\n"
    )
}

#[test]
fn research_is_added_by_forms_shown_on_pages_and_taken_away_as_files() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::of_the_program(&shelf.toml("researchers = 0\n[ingest]\nsweep_s = 1"));
    let (episode, clip) = (sound::episode(1, 9.0, &[(1, 1.0), (1, 6.0)]), sound::clip(1));
    let files: [(&str, &[u8]); 3] =
        [("one.wav", &episode), ("a.wav", &clip), ("notes.txt", b"no sound")];
    house.receive("show", &bag(&files), 1);
    house.person(ANN, Role::Admin);
    let ann = house.sign_in(ANN);
    let look = |path: &str| house.ask(&get(path).with("cookie", &*ann)).is(200).text();
    let send = |path: &str, body: &str| house.ask(&post(path, body).with("cookie", &*ann));
    let import = |name: &str, content: &str| {
        let kind = "multipart/form-data; boundary=xyz";
        let ask = post("/research/clips/import", form(name, content));
        house.ask(&ask.with("content-type", kind).with("cookie", &*ann))
    };

    // Every audio file of the object, and no other.
    send("/research/episodes/from-object", "object=archive.local/show").is(303);
    let list = look("/research/episodes?sort=title__asc");
    assert!(list.contains("archive.local/show/one.wav"), "{list}");
    assert!(!list.contains("notes.txt"), "{list}");
    let none = send("/research/episodes/from-object", "object=archive.local/nothing").is(422);
    assert!(none.text().contains("archive.local/nothing"), "{}", none.text());
    // What is good in a file is taken, and what is bad is named.
    let bad = import("clips.csv", "title,url\nNowhere,\n").is(422).text();
    assert!(bad.contains("1 entry of the file cannot be used") && bad.contains("Line 2"), "{bad}");
    assert!(bad.contains("Nothing was added."), "{bad}");
    assert!(import("clips.doc", TABLE).is(422).text().contains(".json"));
    assert!(!look("/research/clips").contains("Jingle"));
    let half = import("clips.csv", &format!("{TABLE}Nowhere,\n")).is(200).text();
    assert!(half.contains("Added 1 clip.") && half.contains("Line 3"), "{half}");
    assert!(look("/research/clips").contains("Jingle"));
    import("clips.csv", TABLE).is(303);
    // By hand, with what was typed kept when it is wrong.
    let typed = "title=Other&location_kind=url&location=nowhere&priority=";
    assert!(send("/research/clips", typed).is(422).text().contains("value=\"nowhere\""));
    assert!(send("/research/clips", &format!("{typed}x")).is(422).text().contains("priority"));

    search_all(&house);
    let page = look("/research/episodes/2");
    assert!(page.contains("Jingle") && page.contains("class=\"sound\""), "{page}");
    assert!(page.contains("data-seek=\"5.99") || page.contains("data-seek=\"6.0"), "{page}");
    assert!(look("/research/clips/1").contains("archive.local/show/one.wav"));
    assert!(look("/research/episodes?state=searched&find=one").contains("Row 1 of 1"));
    assert!(look("/research/clips?state=trouble").contains("No clip matches"));
    house.ask(&get("/research/clips?state=odd").with("cookie", &*ann)).is(400);
    house.ask(&get("/research/episodes/99").with("cookie", &*ann)).is(404);

    let file = |end: &str| house.get(format!("/api/v1/research/{end}")).is(200).text();
    assert_eq!(file("episodes/2/occurrences.csv").lines().count(), 3);
    assert!(file("episodes/2/occurrences.vtt").starts_with("WEBVTT archive.local/show/one.wav"));
    assert_eq!(file("episodes/2/occurrences.cue").matches("INDEX 01 ").count(), 3);
    assert!(file("episodes/2/occurrences.json").contains("\"is_cut\":false"));
    assert_eq!(file("clips/1/occurrences.csv").lines().count(), 4);

    let lease = hold_back(&house, &shelf.put("later.wav", &episode));
    let ask = format!("/research/leases/{lease}/revoke");
    assert!(look("/research/leases").contains("cellar"));
    assert!(look(&ask).contains("held by cellar"));
    send(&ask, "").is(303);
    house.ask(&get(&ask).with("cookie", &*ann)).is(404);
    assert!(look("/research/leases").contains("Revoked"));
    for part in ["research", "leases", "researchers"] {
        look(&format!("/fragments/{part}"));
    }
    // What is put right in a feed is told with what was taken.
    let feed = "<rss><channel>\n<item><title>Fed</title><pubDate>once</pubDate>\
        <enclosure url=\"https://a.org/1.mp3\"/></item></channel></rss>";
    let told = import("feed.rss", feed).is(303).header("set-cookie").unwrap().replace("%20", " ");
    assert!(told.contains("Added 1 clip. Put right in line 2"), "{told}");
}

#[test]
fn research_is_for_those_who_look_after_the_house() {
    let house = House::of_the_program("");
    house.person(ANN, Role::InstitutionalAdmin);
    let ann = house.sign_in(ANN);
    for path in ["/research", "/research/episodes", "/research/leases", "/fragments/research"] {
        house.ask(&get(path).with("cookie", &*ann)).is(403);
    }
    house.ask(&post("/research/episodes", "title=x").with("cookie", &*ann)).is(403);
}
