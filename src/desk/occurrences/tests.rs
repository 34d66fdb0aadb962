use storage::clock::Timestamp;
use storage::registry::{Location, Recording};

use super::{OccurrenceList, OccurrenceTold};

fn list(occurrences: &[(&str, i64, i64)]) -> OccurrenceList {
    let recording = Recording {
        id: 7,
        title: "Say \"hello\" --> <b>\n".into(),
        description: String::new(),
        date_aired: None,
        location: Location::File { path: "/srv/Show \"1\".MP3".into() },
        media_type: String::new(),
        curator: String::new(),
        priority: 0,
        first_curated_at: Timestamp(0),
        last_curated_at: Timestamp(0),
        duration_ns: Some(7_200_000_000_000),
        sha256: None,
        notes: Vec::new(),
    };
    let told = |&(clip_title, offset_ns, extent_ns): &(&str, i64, i64)| OccurrenceTold {
        episode: 7,
        episode_title: "=show".into(),
        clip: 3,
        clip_title: clip_title.into(),
        offset_ns,
        heard_ns: offset_ns.max(0),
        extent_ns,
        confidence_ppm: 990_000,
        analyst: 1,
        researcher: "house-1".into(),
        recorded_at: Timestamp(0),
    };
    OccurrenceList { recording, occurrences: occurrences.iter().map(told).collect(), is_cut: false }
}

fn text(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const S: i64 = 1_000_000_000;

#[test]
fn a_track_of_captions_has_rising_times_and_no_markup() {
    let found = list(&[
        ("cut & short", -S, 3 * S),
        ("<i>jingle</i> --> x\ny", 61 * S + 500_000_000, 4 * S),
        ("at the end", 7199 * S, 9 * S),
        ("no length", 7199 * S, 0),
    ]);
    assert_eq!(
        text(|out| found.vtt(out)),
        "WEBVTT Say \"hello\" --&gt; &lt;b&gt; \n\n\
         1\n00:00:00.000 --> 00:00:03.000\ncut &amp; short\n\n\
         2\n00:01:01.500 --> 00:01:05.500\n&lt;i&gt;jingle&lt;/i&gt; --&gt; x y\n\n\
         3\n01:59:59.000 --> 01:59:59.001\nno length\n\n\
         4\n01:59:59.000 --> 02:00:00.000\nat the end\n\n"
    );
    assert!(text(|out| list(&[]).vtt(out)).starts_with("WEBVTT "));
}

#[test]
fn a_clip_whose_beginning_was_cut_off_is_where_it_is_heard() {
    let mut found = list(&[("late", 10 * S, 3 * S)]);
    found.occurrences[0].heard_ns = 12 * S;
    assert!(text(|out| found.vtt(out)).contains("00:00:12.000 --> 00:00:15.000"));
    assert!(text(|out| found.cue(out)).contains("INDEX 01 00:12:00"));
    let row = "10000000000,00:00:10.000,12000000000,00:00:12.000,3000000000";
    assert!(text(|out| found.csv(out)).contains(row));
}

#[test]
fn a_moment_before_the_beginning_is_none_in_a_table() {
    let table = text(|out| list(&[("a", -300_000, S), ("b", -1_000_000, S)]).csv(out));
    assert!(table.contains(",-300000,00:00:00.000,0,00:00:00.000,"), "{table}");
    assert!(table.contains(",-1000000,-00:00:00.001,"), "{table}");
}

#[test]
fn a_cue_sheet_begins_at_the_beginning_and_rises() {
    let found = list(&[
        ("a \"b\"", 61 * S + 500_000_000, S),
        ("c", 61 * S + 505_000_000, S),
        ("d", 6000 * S, S),
    ]);
    assert_eq!(
        text(|out| found.cue(out)),
        "TITLE \"Say 'hello' --> <b> \"\r\n\
         FILE \"Show '1'.MP3\" MP3\r\n  \
         TRACK 01 AUDIO\r\n    TITLE \"Say 'hello' --> <b> \"\r\n    INDEX 01 00:00:00\r\n  \
         TRACK 02 AUDIO\r\n    TITLE \"a 'b' / c\"\r\n    INDEX 01 01:01:37\r\n  \
         TRACK 03 AUDIO\r\n    TITLE \"d\"\r\n    INDEX 01 100:00:00\r\n"
    );
}

#[test]
fn a_cue_sheet_has_no_track_behind_99() {
    let many: Vec<_> = (0..150).map(|at| ("x", at * S, S)).collect();
    let sheet = text(|out| list(&many).cue(out));
    assert_eq!(sheet.matches("TRACK ").count(), 99);
    assert!(sheet.starts_with("REM COMMENT \"51 more"), "{sheet}");
    // At the very beginning there is no need of a track before it.
    assert!(sheet.contains("TRACK 01 AUDIO\r\n    TITLE \"x\"\r\n    INDEX 01 00:00:00"));
    assert_eq!(text(|out| list(&[]).cue(out)).matches("TRACK ").count(), 1);
}

#[test]
fn a_table_runs_nothing_in_a_spreadsheet() {
    let table = text(|out| list(&[("@a,b", -1_500_000_000, S)]).csv(out));
    let row = table.lines().nth(1).unwrap();
    assert_eq!(
        row,
        "7,'=show,3,\"'@a,b\",-1500000000,-00:00:01.500,0,00:00:00.000,1000000000,990000,1,house-1,\
         1970-01-01T00:00:00.000Z"
    );
}
