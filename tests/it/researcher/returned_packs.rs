//! Packs that come back late, twice, from somebody else, torn or as garbage.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use soundmatch::ANALYST_VERSION;
use strongroom::research::{Work, pack};
use strongroom::researcher::{InHouse, Office};

use super::{Shelf, add, found, sound};
use crate::command::{folder, run};
use crate::house::{House, until};

/// A house with an episode and two clips, of which the second is in it.
fn furnished(shelf: &Shelf, toml: &str) -> House {
    let mut house = House::closed(&shelf.toml(toml), &[]);
    house.start();
    stock(&house, shelf);
    house
}

fn stock(house: &House, shelf: &Shelf) {
    let clips = [1, 2].map(|it| shelf.put(&format!("clip-{it}.wav"), &sound::clip(it)));
    add(house, "clips", &clips);
    add(house, "episodes", &[shelf.put("show.wav", &sound::episode(1, 6.0, &[(2, 2.0)]))]);
}

fn exported(house: &House, folder: &Path) -> PathBuf {
    let to = folder.join("pack");
    let export = ["research", "pack", "--researcher", "stick", "--to", to.to_str().unwrap()];
    run(&house.data(), &export).is(0);
    to
}

/// Searches a pack where the appliance is out of reach.
fn searched(pack: &Path) {
    let (_folder, nowhere) = folder();
    let pack = pack.to_str().unwrap();
    run(&nowhere, &["research", "work", "--pack", pack, "--threads", "1"]).is(0);
}

fn import(house: &House, pack: &Path) -> crate::command::Ran {
    run(&house.data(), &["research", "unpack", pack.to_str().unwrap()])
}

fn told(house: &House) -> Value {
    house.get("/api/v1/research/episodes/1").is(200).json()
}

#[test]
fn a_pack_ends_its_lease_when_it_comes_back_and_changes_nothing_the_second_time() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), "");
    let pack = exported(&house, dir.path());
    let out = house.get("/api/v1/research/leases").is(200).json();
    assert_eq!(out[0]["holder"], "stick", "{out}");
    searched(&pack);
    let first = import(&house, &pack).is(0);
    assert!(first.out.ends_with("pack: 2 results recorded\n"), "{first:?}");
    assert_eq!(found(&told(&house)), [(2, 2.0)], "{}", told(&house));
    assert_eq!(house.get("/api/v1/research/leases").json(), json!([]));
    let history = house.get("/api/v1/research/history").json();
    assert_eq!(history["results"][0]["ending"], "finished", "{history}");
    let before = told(&house);
    let again = import(&house, &pack).is(0).out;
    assert!(again.ends_with("pack: nothing new, 2 recorded before and unchanged\n"), "{again}");
    assert_eq!(told(&house), before);
}

#[test]
fn what_is_refused_takes_no_work_and_a_pack_says_how_long_it_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), "");
    let leases = || house.get("/api/v1/research/leases").is(200).json();
    let to = dir.path().join("pack");
    let wish = ["research", "pack", "--researcher", "stick", "--to", to.to_str().unwrap()];
    for hours in ["0", "721", "many"] {
        let told = run(&house.data(), &[&wish[..], &["--hours", hours]].concat()).is(2);
        assert!(told.err.contains("--hours"), "{told:?}");
    }
    assert_eq!(leases(), json!([]), "nothing was leased");
    assert!(!to.try_exists().unwrap());
    run(&house.data(), &[&wish[..], &["--hours", "3"]].concat()).is(0);
    let held = leases();
    let work: Value = serde_json::from_slice(&fs::read(to.join("work.json")).unwrap()).unwrap();
    assert_eq!(work["work"]["expires"], held[0]["expires"], "{held}");
    let other = dir.path().join("other");
    let second = ["research", "pack", "--researcher", "stick", "--to", other.to_str().unwrap()];
    run(&house.data(), &second).refused("stick has work already");
    assert_eq!(leases(), held, "the first pack keeps its lease");
}

#[test]
fn a_pack_that_comes_back_after_its_time_is_recorded_and_disturbs_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::tuned(&shelf.toml(""), |config| {
        config.research.lease = Duration::from_millis(400);
        config.research.offer = Duration::from_millis(300);
    });
    stock(&house, &shelf);
    // As `research pack` writes it, with a lease that nobody extends.
    let office = InHouse::new(house.app(), "stick");
    let work = office.next_work().unwrap().unwrap();
    let pack = dir.path().join("pack");
    pack::write(&pack, "stick", work, &mut |kind, recording| {
        let opened = office.open(kind, recording, &|| std::ops::ControlFlow::Continue(()));
        Ok(Box::new(opened.map_err(|_| "not there".to_owned())?.reader()))
    })
    .unwrap();
    searched(&pack);
    // Its time is over, and somebody else has the same pairs.
    let wish = json!({"researcher": "ann", "analyst": ANALYST_VERSION}).to_string();
    let mut work = Value::Null;
    until("the pairs are offered again", || {
        work = house.command("/api/v1/research/work", &wish).is(200).json()["work"].clone();
        !work.is_null()
    });
    let theirs: Work = serde_json::from_value(work).unwrap();
    assert_eq!(theirs.clips.len(), 2);
    let late = import(&house, &pack).is(0);
    assert!(late.out.contains("2 results recorded"), "{late:?}");
    assert_eq!(found(&told(&house)), [(2, 2.0)], "{}", told(&house));
    let report = json!({
        "lease": theirs.lease, "episode": 1, "clip": 2, "analyst": ANALYST_VERSION,
        "result": {"outcome": "searched", "occurrences": []},
    });
    let report = json!({"researcher": "ann", "report": report}).to_string();
    let receipt = house.command("/api/v1/research/results", &report).is(200).json();
    assert_eq!(receipt["recorded"], "again", "the first counts: {receipt}");
    assert_eq!(found(&told(&house)), [(2, 2.0)]);
}

#[test]
fn a_pack_in_the_name_of_somebody_else_is_recorded_and_leaves_the_lease_alone() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), "");
    let pack = exported(&house, dir.path());
    searched(&pack);
    let path = pack.join("work.json");
    let text = fs::read_to_string(&path).unwrap().replace("\"stick\"", "\"mallory\"");
    byteio::durable::write(&path, text.as_bytes(), false).unwrap();
    import(&house, &pack).is(0);
    assert_eq!(told(&house)["found"][0]["researcher"], "mallory");
    let out = house.get("/api/v1/research/leases").is(200).json();
    assert_eq!((&out[0]["holder"], &out[0]["left"]), (&json!("stick"), &json!(2)), "{out}");
}

#[test]
fn torn_files_and_garbage_are_told_line_by_line_and_the_rest_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), "");
    let pack = exported(&house, dir.path());
    searched(&pack);
    let results = pack.join("results.jsonl");
    let mut file = OpenOptions::new().append(true).open(&results).unwrap();
    let strange = |clip: i64, lease: &str| {
        json!({"lease": lease, "episode": 1, "clip": clip, "analyst": 1,
            "result": {"outcome": "searched", "occurrences": []}})
    };
    file.write_all(b"\x00\xff\xfe garbage\n[1,2,3]\n{\"lease\": \"r1").unwrap();
    writeln!(file, "\n{}\n{}", strange(99, "r1-1-1"), strange(-1, "x")).unwrap();
    file.write_all(&vec![b'x'; 5 << 20]).unwrap();
    let told_first = import(&house, &pack).is(1);
    assert!(told_first.out.contains("2 results recorded"), "{}", told_first.out);
    assert!(told_first.err.contains("clip 99: "), "{}", told_first.err);
    assert!(told_first.err.contains("results.jsonl:"), "{}", told_first.err);
    assert_eq!(found(&told(&house)), [(2, 2.0)]);
    // A pack without its first page is none.
    let work = pack.join("work.json");
    let text = fs::read_to_string(&work).unwrap();
    byteio::durable::write(&work, &text.as_bytes()[..text.len() / 2], false).unwrap();
    import(&house, &pack).refused("is not a pack");
    byteio::durable::write(&work, text.replace("\"format\": 1", "\"format\": 7").as_bytes(), false)
        .unwrap();
    import(&house, &pack).refused("format 7 is not known here");
    fs::remove_file(&work).unwrap();
    import(&house, &pack).refused("work.json");
}

#[test]
fn a_pack_with_damaged_copies_or_results_holds_up_its_own_pairs_alone() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = furnished(&shelf, "");
    let pack = exported(&house, dir.path());
    fs::remove_file(pack.join("media/clip-1.wav")).unwrap();
    let copy = pack.join("media/clip-2.wav");
    let mut bytes = fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    byteio::durable::write(&copy, &bytes, false).unwrap();
    searched(&pack);
    // Of the last result, only a part was saved.
    let results = pack.join("results.jsonl");
    let text = fs::read(&results).unwrap();
    byteio::durable::write(&results, &text[..text.len() - 40], false).unwrap();
    let told_back = import(&house, &pack).is(1);
    assert!(told_back.out.contains("what has no result is offered again"), "{told_back:?}");
    assert_eq!(house.get("/api/v1/research/leases").json(), json!([]));
    let lost = house.get("/api/v1/research/clips/1").is(200).json();
    let trouble = &lost["troubles"][0];
    assert_eq!(
        (&trouble["code"], &trouble["episode"]),
        (&json!("clip-missing"), &json!(1)),
        "{lost}"
    );
    // What the appliance has is whole, and nobody has to wait for it.
    let other = [shelf.put("other.wav", &sound::episode(2, 6.0, &[(1, 3.0)]))];
    add(&house, "episodes", &other);
    super::search_all(&house);
    let other = house.get("/api/v1/research/episodes/2").is(200).json();
    assert_eq!(found(&other), [(1, 3.0)], "{other}");
    assert_eq!(found(&told(&house)), [(2, 2.0)], "the torn result is found again");
}

#[test]
fn copies_that_changed_on_their_way_are_not_searched() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), "");
    let pack = exported(&house, dir.path());
    let copy = pack.join("media/clip-2.wav");
    let mut bytes = fs::read(&copy).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    byteio::durable::write(&copy, &bytes, false).unwrap();
    searched(&pack);
    import(&house, &pack).is(0);
    let told = house.get("/api/v1/research/clips/2").is(200).json();
    assert_eq!(told["troubles"][0]["code"], "clip-damaged", "{told}");
    assert_eq!(told["clip"]["sha256"], Value::Null, "and nothing of it is kept");
}
