//! Recordings over the wire, in ranges.

use serde_json::json;

use super::{Shelf, add, recording, sound};
use crate::house::House;
use crate::wire::get;

const MEDIA: &str = "/api/v1/research/clips/1/media";

#[test]
fn a_recording_is_given_whole_or_in_the_range_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    let bytes = sound::clip(1);
    let clip = shelf.put("a.wav", &bytes);
    add(&house, "clips", &[clip, shelf.put("empty.wav", b"")]);

    let all = house.get(MEDIA).is(200);
    assert!(all.body == bytes);
    assert_eq!(all.header("accept-ranges"), Some("bytes"));
    assert_eq!(all.header("content-type"), Some("audio/wav"));
    let tag = all.header("etag").unwrap().to_owned();
    let asked = |range: &str, known: &str| {
        let ask = get(MEDIA).with("range", range);
        house.ask(&if known.is_empty() { ask } else { ask.with("if-range", known) })
    };
    let size = bytes.len();
    let part = asked("bytes=100-199", &tag).is(206);
    assert!(part.body == bytes[100..200]);
    assert_eq!(part.header("content-range"), Some(format!("bytes 100-199/{size}").as_str()));
    assert_eq!(part.header("content-length"), Some("100"));
    assert!(asked("bytes=-7", "").is(206).body == bytes[size - 7..]);
    assert!(asked("bytes=5-6,8-9", "").is(200).body == bytes);
    assert!(asked("bytes=100-199", "\"another\"").is(200).body == bytes);
    let beyond = asked(&format!("bytes={size}-"), "");
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("content-range"), Some(format!("bytes */{size}").as_str()));
    assert!(beyond.text().contains("no-such-range"), "{}", beyond.text());
    let nothing = house.ask(&get("/api/v1/research/clips/2/media").with("range", "bytes=0-9"));
    assert_eq!((nothing.status, nothing.header("content-range")), (416, Some("bytes */0")));
    assert_eq!(house.get("/api/v1/research/clips/99/media").status, 404);
    assert_eq!(house.ask_as_stranger(&get(MEDIA)).status, 401);

    // Another recording under the same name has another tag.
    shelf.put("a.wav", &sound::clip(2));
    assert!(asked("bytes=100-199", &tag).is(200).body == sound::clip(2));
}

#[test]
fn what_cannot_be_had_is_told_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let own = "media_timeout_s = 5\nown_networks = [\"127.0.0.1\"]";
    let house = House::configured(&shelf.toml(own));
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let path = shelf.folder.join("gone.wav");
    add(
        &house,
        "episodes",
        &[
            recording("a", &json!({"kind": "file", "path": "/etc/passwd"})),
            recording("b", &json!({"kind": "file", "path": path})),
            recording("c", &json!({"kind": "url", "url": format!("http://{nobody}/x.mp3?key=1")})),
            recording("d", &json!({"kind": "vault", "object": "a.b/c", "path": "data/x.mp3"})),
            recording("e", &json!({"kind": "url", "url": "http://169.254.169.254/x?key=1"})),
        ],
    );
    for (id, status, words) in [
        (1, 409, "research.media_folders"),
        (2, 404, "cannot be read"),
        (3, 424, "could not be fetched"),
        (4, 404, "is not held"),
        (5, 409, "research.own_networks"),
    ] {
        let told = house.get(format!("/api/v1/research/episodes/{id}/media"));
        let text = told.text();
        assert_eq!(told.status, status, "{text}");
        assert!(text.contains(words) && !text.contains("key=1"), "{text}");
    }
}

#[test]
fn a_recording_on_the_network_is_fetched_by_the_appliance() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    // One appliance is the network of the other.
    let there = House::configured(&shelf.toml(""));
    let page = there.ask_as_stranger(&get("/sign-in")).text();
    let asset = page.split('"').find(|it| it.starts_with("/assets/")).unwrap();
    let bytes = there.get(asset).is(200).body;
    let url = format!("http://{}{asset}", there.address());
    let own = "own_networks = [\"127.0.0.0/8\"]";
    let here = House::configured(&format!("[research]\nmedia_limit_mb = 1\n{own}\n"));
    add(&here, "episodes", &[recording("a", &json!({"kind": "url", "url": url}))]);
    let ask = get("/api/v1/research/episodes/1/media").with("range", "bytes=1-20");
    assert!(here.ask(&ask).is(206).body == bytes[1..21]);
}
