//! Work that is carried away in a folder and comes back, and files that are matched without any
//! appliance.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::json;

use super::{Shelf, add, found, recording, sound};
use crate::command::{folder, program, ran, run};
use crate::house::House;
use crate::sound::mishap::{faster, plant};
use crate::sound::speech::speech;
use crate::sound::{RATE, samples, wav};

#[test]
fn a_pack_is_searched_offline_and_its_results_are_taken_also_late() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    let clips = [
        shelf.put("a.wav", &sound::clip(1)),
        shelf.put("b.wav", &sound::clip(2)),
        recording("gone", &json!({"kind": "file", "path": shelf.folder.join("gone.wav")})),
    ];
    add(&house, "clips", &clips);
    add(&house, "episodes", &[shelf.put("show.wav", &sound::episode(1, 8.0, &[(2, 4.0)]))]);
    let data = house.data();
    let pack = dir.path().join("pack");
    let pack = pack.to_str().unwrap();
    let exporting = ["research", "pack", "--researcher", "stick", "--to"];
    let exported = run(&data, &[&exporting[..], &[pack]].concat()).is(0);
    assert!(exported.out.contains("3 clips to look for in show.wav"), "{exported:?}");
    assert!(exported.out.contains("Without clip 3: "), "{exported:?}");
    run(&data, &[&exporting[..], &[pack]].concat()).refused("is there already");

    // Where the appliance is out of reach.
    let (_folder, nowhere) = folder();
    let work = ["research", "work", "--pack", pack, "--threads", "1"];
    let worked = run(&nowhere, &work).is(0);
    assert!(worked.out.contains("searched 2 clips, found 1, 1 failed"), "{worked:?}");
    assert!(run(&nowhere, &work).is(0).out.contains("There is nothing to do."));

    // Back home the lease is gone, and a line was torn.
    for lease in house.get("/api/v1/research/leases").is(200).json().as_array().unwrap() {
        let lease = lease["lease"].as_str().unwrap();
        house.command(&format!("/api/v1/research/leases/{lease}/revoke"), "").is(200);
    }
    let results = dir.path().join("pack/results.jsonl");
    let mut file = OpenOptions::new().append(true).open(&results).unwrap();
    file.write_all(b"{\"lease\": \"r1").unwrap();
    let import = ["research", "unpack", pack];
    let imported = run(&data, &import).is(1);
    let told = "2 results recorded, 1 failure not counted because the lease is over, 1 refused";
    assert!(imported.out.contains(told), "{imported:?}");
    let again = run(&data, &import).is(1).out;
    assert!(again.contains("nothing new, 2 recorded before and unchanged, 1 failure"), "{again}");
    let told = house.get("/api/v1/research/episodes/1").is(200).json();
    assert_eq!(found(&told), [(2, 4.0)], "{told}");
    assert_eq!(told["searched_count"], 2, "{told}");
    assert_eq!(told["found"][0]["researcher"], "stick", "{told}");
    run(&nowhere, &["research", "work", "--pack", shelf.folder.to_str().unwrap()])
        .refused("work.json");
}

#[test]
fn clips_are_matched_where_nothing_runs() {
    let (folder, _) = folder();
    let shelf = Shelf::at(folder.path());
    shelf.put("show.wav", &sound::episode(1, 8.0, &[(1, 1.5), (1, 5.0)]));
    shelf.put("in.wav", &sound::clip(1));
    shelf.put("out.wav", &sound::clip(2));
    shelf.put("bad.wav", b"nothing of the kind");
    let run = |arguments: &[&str]| {
        let mut command = program(folder.path(), &[&["research", "match"], arguments].concat());
        command.current_dir(&shelf.folder);
        ran(command)
    };
    let told = run(&["show.wav", "in.wav", "out.wav", "--json"]).is(0).json();
    let offsets = told["clips"][0]["found"]["occurrences"].as_array().unwrap();
    let tenths = |it: &serde_json::Value| (it["offset_ns"].as_f64().unwrap() / 1e8).round();
    assert_eq!(offsets.iter().map(tenths).collect::<Vec<_>>(), [15.0, 50.0], "{told}");
    let shown = run(&["show.wav", "out.wav", "bad.wav"]).is(1).out;
    assert!(shown.contains("not found") && shown.contains("MP3, AAC, FLAC"), "{shown}");
    run(&["bad.wav", "in.wav"]).refused("bad.wav: this is not a recording");
    run(&["gone.wav", "in.wav"]).refused("cannot be read");
    let shown = run(&["show.wav", "in.wav"]).is(0).out;
    assert!(shown.contains("heard 0:00:01.") && shown.contains("; offset 0:00:01."), "{shown}");
    run(&["/dev/zero", "in.wav"]).refused("it is not a regular file");
}

#[test]
fn clips_are_matched_at_the_speeds_that_are_asked_for() {
    let (folder, _) = folder();
    let shelf = Shelf::at(folder.path());
    let clip = speech(1, 3.0);
    let mut episode = speech(2, 12.0);
    plant(&mut episode, samples(6.0), &faster(&clip, 1.05).sound);
    shelf.put("clip.wav", &wav(&clip, RATE));
    shelf.put("fast.wav", &wav(&episode, RATE));
    plant(&mut episode, samples(1.0), &clip);
    shelf.put("both.wav", &wav(&episode, RATE));
    let seconds = |episode: &str, speeds: &[&str]| -> Vec<f64> {
        let asked = ["research", "match", episode, "clip.wav", "--json"];
        let mut command = program(folder.path(), &[&asked[..], speeds].concat());
        command.current_dir(&shelf.folder);
        let told = ran(command).is(0).json();
        let all = told["clips"][0]["found"]["occurrences"].as_array().unwrap();
        all.iter().map(|it| (it["offset_ns"].as_f64().unwrap() / 1e8).round() / 10.0).collect()
    };
    assert_eq!(seconds("fast.wav", &["--speeds", "near"]), [0.0; 0]);
    assert_eq!(seconds("fast.wav", &[]), [6.0]);
    assert_eq!(seconds("both.wav", &["--speeds", "far-if-not-found"]), [1.0]);
    assert_eq!(seconds("both.wav", &["--speeds", "far"]), [1.0, 6.0]);
}

#[test]
fn researchers_look_at_other_speeds_for_clips_that_they_do_not_find() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    let clip = speech(1, 3.0);
    let mut episode = speech(2, 12.0);
    plant(&mut episode, samples(6.0), &faster(&clip, 1.05).sound);
    add(&house, "clips", &[shelf.put("clip.wav", &wav(&clip, RATE))]);
    add(&house, "episodes", &[shelf.put("fast.wav", &wav(&episode, RATE))]);
    super::search_all(&house);
    let told = house.get("/api/v1/research/episodes/1").is(200).json();
    assert_eq!(found(&told), [(1, 6.0)], "{told}");
}
