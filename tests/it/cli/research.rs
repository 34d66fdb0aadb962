//! Catalogues brought in by command, where research is served and where nothing runs.

use crate::command::{folder, open, run};
use crate::house::House;

#[test]
fn catalogues_are_added_and_their_bad_lines_told() {
    let (folder, data) = folder();
    drop(open(&data));
    let file = folder.path().join("clips.csv");
    let text = "title,url,priority\nOne,https://example.org/1.mp3,2\nTwo,nowhere,0\n";
    byteio::durable::write(&file, text.as_bytes(), false).unwrap();
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
    byteio::durable::write(&file, text.as_bytes(), false).unwrap();
    let told = run(&house.data(), &["research", "add-episodes", file.to_str().unwrap()]).is(0);
    assert!(told.out.contains("1 new episode"), "{told:?}");
    let listed = house.get("/api/v1/research/episodes").is(200).json();
    assert_eq!(listed["results"][0]["date_aired"], "2021-02-28T00:00:00.000Z");
    let status = run(&house.data(), &["research", "status"]).is(0).out;
    assert!(status.contains("1 episode, 0 clips") && !status.contains("could not"), "{status}");
}

#[test]
fn what_is_put_right_in_a_feed_is_told_and_leaves_nothing_out() {
    let (folder, data) = folder();
    drop(open(&data));
    let file = folder.path().join("show.rss");
    let text = "<rss><channel><title>Show</title>\n<item><title>One</title>\
        <pubDate>28.02.2021 8:00</pubDate><enclosure url=\"https://a.org/1.mp3\"/></item>\n\
        <item><title>Two</title><pubDate>some day</pubDate>\
        <enclosure url=\"https://a.org/2.mp3\"/></item></channel></rss>";
    byteio::durable::write(&file, text.as_bytes(), false).unwrap();
    let file = file.to_str().unwrap();
    let told = run(&data, &["research", "add-episodes", file]).is(0);
    assert!(told.out.contains("2 new episodes"), "{told:?}");
    assert!(told.err.contains(":2: the date \"28.02.2021 8:00\""), "{told:?}");
    assert!(told.err.contains(":3: no date after 1970 can be read in \"some day\""), "{told:?}");
    let again = run(&data, &["research", "add-episodes", file, "--json"]).is(0).json();
    assert_eq!(
        (&again["same"], &again["left_out"], &again["noted"]),
        (&2.into(), &0.into(), &2.into())
    );
    assert_eq!(again["notes"][0]["line"], 2, "{again}");
}
