//! Catalogues brought in by command, where research is served and where nothing runs.

use crate::command::{folder, open, run};
use crate::house::House;

#[test]
fn catalogues_are_added_and_their_bad_lines_told() {
    let (folder, data) = folder();
    drop(open(&data));
    let file = folder.path().join("clips.csv");
    let text = "title,url,priority\nOne,https://example.org/1.mp3,2\nTwo,nowhere,0\n";
    storage::durable::write(&file, text.as_bytes(), false).unwrap();
    let file = file.to_str().unwrap();
    let told = run(&data, &["research", "add-clips", file]).is(1);
    assert!(told.out.contains("1 new clip, 0 changed, 0 as before"), "{told:?}");
    assert!(told.err.contains(":3: the location \"nowhere\" is neither"), "{told:?}");
    let again = run(&data, &["research", "add-clips", file, "--json"]).is(1).json();
    assert_eq!((&again["same"], &again["findings"][0]["line"]), (&1.into(), &3.into()));
    let status = run(&data, &["research", "status", "--json"]).is(0).json();
    assert_eq!((&status["clips"], &status["episodes"]), (&1.into(), &0.into()));
    let strange = run(&data, &["research", "add-clips", "clips.mp3"]).is(2);
    assert!(strange.err.contains("use --format"), "{strange:?}");
}

#[test]
fn catalogues_are_added_while_it_is_served() {
    let house = House::new();
    let file = house.data().with_file_name("episodes.json");
    let text = r#"[{"title": "One", "path": "/srv/one.flac", "date_aired": "2021-02-28"}]"#;
    storage::durable::write(&file, text.as_bytes(), false).unwrap();
    let told = run(&house.data(), &["research", "add-episodes", file.to_str().unwrap()]).is(0);
    assert!(told.out.contains("1 new episode"), "{told:?}");
    let listed = house.get("/api/v1/research/episodes").is(200).json();
    assert_eq!(listed["results"][0]["date_aired"], "2021-02-28T00:00:00.000Z");
    let status = run(&house.data(), &["research", "status"]).is(0).out;
    assert!(status.contains("1 episode, 0 clips") && !status.contains("could not"), "{status}");
}
