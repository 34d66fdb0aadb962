//! The researchers of the house, over recordings in a vault and in a folder.

use serde_json::json;

use super::{Shelf, add, found, recording, sound};
use crate::house::{House, until};
use crate::ingest::bag;

#[test]
fn what_is_held_is_searched_by_the_house_itself_and_heard_by_range() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::of_the_program(&shelf.toml("researchers = 1\n[ingest]\nsweep_s = 1"));
    let episode = sound::episode(1, 9.0, &[(1, 1.0), (1, 6.0), (2, 3.5)]);
    house.receive("show", &bag(&[("one.wav", &episode), ("two.wav", b"no sound")]), 1);
    let held = |path: &str| {
        recording(path, &json!({"kind": "vault", "object": "archive.local/show", "path": path}))
    };
    add(
        &house,
        "clips",
        &[
            shelf.put("a.wav", &sound::clip(1)),
            shelf.put("b.wav", &sound::clip(2)),
            shelf.put("c.wav", &sound::clip(3)),
            shelf.put("bad.wav", b"this is no recording"),
            recording("elsewhere", &json!({"kind": "file", "path": "/etc/hostname"})),
        ],
    );
    add(&house, "episodes", &[held("data/one.wav"), held("data/two.wav"), held("data/gone.wav")]);
    let told = |id: u32| house.get(format!("/api/v1/research/episodes/{id}")).is(200).json();
    until("the episode was searched for every clip that can be", || told(1)["searched_count"] == 3);
    let one = told(1);
    assert_eq!(found(&one), [(1, 1.0), (1, 6.0), (2, 3.5)], "{one}");
    assert_eq!(one["episode"]["duration_ns"], 9_000_000_000_u64, "{one}");
    until("the others are told to be in trouble", || {
        [2, 3].iter().all(|id| !told(*id)["troubles"].as_array().unwrap().is_empty())
    });
    let clip = |id: u32| house.get(format!("/api/v1/research/clips/{id}")).is(200).text();
    assert!(clip(4).contains("not-audio"), "{}", clip(4));
    assert!(clip(5).contains("research.media_folders"), "{}", clip(5));
    assert!(told(2).to_string().contains("not-audio"), "{}", told(2));
    assert!(told(3).to_string().contains("is not held"), "{}", told(3));
    // Heard by range, out of the vault.
    let part = crate::wire::get("/api/v1/research/episodes/1/media").with("range", "bytes=44-143");
    let part = house.ask(&part).is(206);
    assert_eq!(part.body, episode[44..144]);
    // A stage as any other.
    let health = house.get("/health").json();
    assert_eq!(health["details"]["research01_search"]["healthy"], true, "{health}");
}

#[test]
fn nothing_is_done_by_a_house_that_has_no_researchers() {
    let house = House::of_the_program("[research]\nresearchers = 0\n");
    until("it has looked for work", || {
        house.get("/api/v1/schedules").text().contains("this house has no researchers")
    });
}
