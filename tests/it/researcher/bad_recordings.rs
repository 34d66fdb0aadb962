//! Recordings that are none, or hardly: each is told with its reason, and keeps nobody from the others.

use serde_json::Value;

use super::{Shelf, add, found, search_all, sound};
use crate::house::House;

/// What became of a recording: the code of what stood in its way, or nothing.
fn trouble(house: &House, kind: &str, id: usize) -> Option<String> {
    let told = house.get(format!("/api/v1/research/{kind}/{id}")).is(200).json();
    let first = told["troubles"].as_array().unwrap().first().cloned()?;
    assert!(first["why"].as_str().unwrap().len() > 10, "in a sentence: {first}");
    Some(first["code"].as_str().unwrap().to_owned())
}

#[test]
fn bad_recordings_are_told_one_by_one_and_block_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    let (good, show) = (sound::clip(1), sound::episode(1, 6.0, &[(1, 2.0)]));
    let mut noise = show.clone();
    noise[..64].fill(0x5a);
    let clips: [(&str, Vec<u8>, Option<&str>); 8] = [
        ("good.wav", good.clone(), None),
        ("empty.wav", Vec::new(), Some("empty")),
        ("header.wav", good[..30].to_vec(), Some("not-audio")),
        ("sample.wav", sound::wav(&[0.4]), Some("too-short")),
        ("silent.wav", sound::wav(&[0.0; 22_050]), Some("silent")),
        ("text.mp3", b"a letter to the editor, and no sound".repeat(50), Some("not-audio")),
        ("corrupt.wav", noise.clone(), Some("not-audio")),
        // Longer than every episode: searched, and not there.
        ("long.wav", sound::episode(9, 20.0, &[]), None),
    ];
    let episodes: [(&str, Vec<u8>, Option<&str>); 7] = [
        ("show.wav", show.clone(), None),
        ("cut.wav", show[..show.len() * 3 / 4].to_vec(), None),
        ("nothing.wav", Vec::new(), Some("empty")),
        ("one.wav", sound::wav(&[0.4]), None),
        ("silence.wav", sound::wav(&[0.0; 66_150]), None),
        ("words.mp3", b"more words".repeat(200), Some("not-audio")),
        ("broken.wav", noise, Some("not-audio")),
    ];
    let put = |all: &[(&str, Vec<u8>, Option<&str>)]| -> Vec<Value> {
        all.iter().map(|(name, bytes, _)| shelf.put(name, bytes)).collect()
    };
    add(&house, "clips", &put(&clips));
    add(&house, "episodes", &put(&episodes));
    search_all(&house);
    for (kind, all) in [("clips", &clips[..]), ("episodes", &episodes[..])] {
        for (at, (name, _, code)) in all.iter().enumerate() {
            assert_eq!(trouble(&house, kind, at + 1).as_deref(), *code, "{kind} {name}");
        }
    }
    let told = |id: u32| house.get(format!("/api/v1/research/episodes/{id}")).is(200).json();
    // Whatever could be searched was, for every clip that can be looked for.
    for id in [1, 2, 4, 5] {
        assert_eq!(told(id)["searched_count"], 2, "{}", told(id));
    }
    assert_eq!(found(&told(1)), [(1, 2.0)], "{}", told(1));
    assert_eq!(found(&told(2)), [(1, 2.0)], "what is left of it is searched: {}", told(2));
    assert_eq!(found(&told(5)), []);
    let note = &told(2)["episode"]["notes"];
    assert!(note[0].as_str().is_some_and(|it| it.len() > 10), "what was met is kept: {note}");
    let page = house.get("/research/episodes/2").is(200).text();
    assert!(page.contains(note[0].as_str().unwrap()), "{page}");
    assert_eq!(told(1)["episode"]["notes"], serde_json::json!([]));
    assert_eq!(house.get("/api/v1/research/leases").json().as_array().unwrap().len(), 0);
}
