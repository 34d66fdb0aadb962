//! What research keeps survives the loss of the registry, and comes back as it was.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    EXPORTED_TABLES, Ending, Error, FeedRead, LeaseEnd, Location, MediaFacts, NewFeed,
    NewRecording, NewResult, Noted, Occurrence, PEAKS_MAX, Recorded, RecordingKind, RecordingOrder,
    RecordingQuestion, RecordingState, Registry, SearchOutcome, TroubleAbout,
};

const NOW: Timestamp = Timestamp(1_794_813_641_000);

fn recording(title: String) -> NewRecording {
    NewRecording {
        title,
        description: "words".into(),
        date_aired: Some(Timestamp(5)),
        location: Location::Vault { object: "a.org/bag".into(), path: "data/a.wav".into() },
        media_type: "audio/wav".into(),
        curator: "ann".into(),
        priority: -3,
        first_curated_at: None,
        last_curated_at: None,
    }
}

fn filled(registry: &Registry) {
    for kind in [RecordingKind::Episode, RecordingKind::Clip] {
        let all: Vec<_> = (1..=3).map(|it| recording(format!("number {it}"))).collect();
        registry.add_recordings(kind, &all, NOW).unwrap();
    }
    let found = SearchOutcome::Searched {
        occurrences: [9, -1]
            .map(|offset_ns| Occurrence {
                offset_ns,
                extent_ns: 5,
                confidence_ppm: 1_000_000,
                heard_ns: Some(offset_ns + 2),
            })
            .to_vec(),
    };
    let nothing = SearchOutcome::Searched { occurrences: Vec::new() };
    let failed = SearchOutcome::Failed {
        about: TroubleAbout::Episode,
        code: "fetch".into(),
        why: "nobody answered".into(),
    };
    let facts = MediaFacts {
        duration_ns: 60,
        sha256: "0f".repeat(32),
        peaks: Vec::new(),
        notes: Vec::new(),
    };
    for (episode, clip, outcome, recorded) in [
        (1, 1, &found, Recorded::New),
        (1, 2, &nothing, Recorded::New),
        (1, 2, &found, Recorded::Again),
        (2, 3, &failed, Recorded::New),
        (2, 3, &failed, Recorded::Again),
    ] {
        let result = NewResult {
            episode,
            clip,
            analyst: 1,
            researcher: "bob",
            lease: "ended",
            outcome,
            episode_facts: Some(&facts),
            clip_facts: Some(&facts),
            tries_max: 5,
            is_leased: true,
            is_of_house: true,
        };
        let noted = registry.record_result(&result, NOW).unwrap();
        assert_eq!(noted, Noted { recorded, has_voided: false, other: None }, "{episode} {clip}");
    }
    let end = LeaseEnd {
        name: "ended",
        episode: 1,
        researcher: "bob",
        clip_count: 3,
        done_count: 2,
        renewals: 1,
        taken_at: NOW,
        ending: Ending::Finished,
    };
    registry.note_lease_ends(&[end.clone(), end], NOW).unwrap();
    registry.raise_floor((None, Some(2)), 4).unwrap();
    let feed = |kind, every_h| NewFeed { kind, url: "https://a.org/feed".into(), every_h };
    registry.add_feed(&feed(RecordingKind::Clip, 1), "ann", NOW).unwrap();
    registry.add_feed(&feed(RecordingKind::Episode, 24), "ann", NOW).unwrap();
    registry.remove_feed(1, NOW).unwrap();
}

#[test]
fn what_a_person_has_removed_is_not_brought_back_by_a_feed() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    filled(&registry);
    let kind = RecordingKind::Clip;
    assert_eq!(registry.found_of(1, 0, 9).unwrap().len(), 1);
    registry.remove_recording(kind, 1, NOW).unwrap();
    assert!(matches!(registry.remove_recording(kind, 1, NOW), Err(Error::NotFound { .. })));
    assert_eq!(registry.found_of(1, 0, 9).unwrap(), []);
    assert_eq!(searched(&registry, 1), [2]);
    let told = [recording("number 1".into())];
    let listed = registry.add_listed(kind, &told, NOW).unwrap();
    assert_eq!((listed.new, listed.changed, listed.same), (0, 0, 1));
    assert_eq!(registry.recording(kind, 1).unwrap(), None);
    assert_eq!(registry.add_recordings(kind, &told, NOW).unwrap().new, 1);
    let back = registry.recording(kind, 1).unwrap().unwrap();
    assert_eq!((back.id, back.sha256), (1, None));
    assert_eq!(registry.found_of(1, 0, 9).unwrap(), [], "and it is searched anew");
}

fn exported(registry: &Registry) -> Vec<(String, serde_json::Value)> {
    let mut rows = Vec::new();
    for table in EXPORTED_TABLES.iter().filter(|table| table.starts_with("research_")) {
        registry
            .export_rows(table, &mut |row| {
                rows.push(((*table).to_owned(), row));
                Ok::<_, Error>(())
            })
            .unwrap();
    }
    rows
}

#[test]
fn the_ledger_and_an_export_bring_all_of_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| Registry::open(&folder.path().join(name), NOW).unwrap();
    let registry = open("registry.sqlite");
    filled(&registry);
    let rows = exported(&registry);
    let count = |table: &str| rows.iter().filter(|(name, _)| name == table).count();
    assert_eq!(count("research_searched"), 1);
    assert_eq!((count("research_findings"), count("research_occurrences")), (1, 2));
    assert_eq!((count("research_leases"), count("research_troubles")), (1, 1));

    let untold = registry.untold(1000).unwrap().lines;
    let row = |line: &String| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        (line["table"].as_str().unwrap().to_owned(), line["row"].take())
    };
    // Twice, as after a kill between a page and the note that it is written.
    let again = open("again.sqlite");
    let mut lines = untold.iter().chain(&untold).map(row);
    let retold = again.retell(&mut || Ok::<_, Error>(lines.next())).unwrap();
    assert_eq!(retold.left_out, 0);
    assert_eq!(exported(&again), rows);
    assert_eq!(again.untold(10).unwrap().lines, [""; 0]);

    let imported = open("imported.sqlite");
    let mut lines = rows.clone().into_iter();
    imported.import_rows(&mut || Ok::<_, Error>(lines.next())).unwrap();
    assert_eq!(exported(&imported), rows);
    assert_eq!(imported.searched(1).unwrap(), registry.searched(1).unwrap());
}

#[test]
fn what_comes_without_a_lease_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::open(&folder.path().join("registry.sqlite"), NOW).unwrap();
    filled(&registry);
    let upto = registry.untold(1000).unwrap();
    let page = storage::registry::LedgerPage { number: 1, line_count: 1, sha512: [0; 64] };
    registry.told(upto.upto, &page).unwrap();
    let outcome = SearchOutcome::Searched { occurrences: Vec::new() };
    let mut result = NewResult {
        episode: 3,
        clip: 1,
        analyst: 1,
        researcher: "eve",
        lease: "unknown",
        outcome: &outcome,
        episode_facts: None,
        clip_facts: None,
        tries_max: 5,
        is_leased: true,
        is_of_house: true,
    };
    registry.record_result(&result, NOW).unwrap();
    assert_eq!(registry.untold(10).unwrap().lines, [""; 0], "its lease will tell");
    (result.is_leased, result.clip) = (false, 3);
    registry.record_result(&result, NOW).unwrap();
    let told = registry.untold(10).unwrap().lines;
    assert!(told.len() == 1 && told[0].contains("research_searched"), "{told:?}");
}

#[test]
fn people_look_through_recordings_by_words_state_and_order() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    filled(&registry);
    let asked = |question: &RecordingQuestion, page| {
        let found = registry.browse_recordings(RecordingKind::Episode, question, page).unwrap();
        (found.rows.iter().map(|it| it.id).collect::<Vec<_>>(), found.count)
    };
    let all = RecordingQuestion::default();
    let by = |order, descending| RecordingQuestion { order, descending, ..all.clone() };
    let found = |find: &str| RecordingQuestion { find: find.into(), ..all.clone() };
    let state = |state| RecordingQuestion { state: Some(state), ..all.clone() };
    assert_eq!(asked(&all, (0, 2)), (vec![1, 2], 3));
    assert_eq!(asked(&all, (2, 2)), (vec![3], 3));
    assert_eq!(asked(&all, (u64::MAX, 2)), (vec![], 3));
    assert_eq!(asked(&by(RecordingOrder::Title, true), (0, 9)), (vec![3, 2, 1], 3));
    assert_eq!(asked(&by(RecordingOrder::DateAired, false), (0, 9)), (vec![1, 2, 3], 3));
    assert_eq!(asked(&by(RecordingOrder::FirstCurated, true), (0, 9)), (vec![3, 2, 1], 3));
    assert_eq!(asked(&found("WORDS 2"), (0, 9)), (vec![2], 1));
    assert_eq!(asked(&found("number_2"), (0, 9)), (vec![], 0));
    assert_eq!(asked(&state(RecordingState::Searched), (0, 9)), (vec![1], 1));
    assert_eq!(asked(&state(RecordingState::Trouble), (0, 9)), (vec![2], 1));
    assert_eq!(asked(&state(RecordingState::Waiting), (0, 9)), (vec![3], 1));
    let late = RecordingQuestion { from: Some(Timestamp(6)), ..all.clone() };
    assert_eq!(asked(&late, (0, 9)), (vec![], 0));
    let urgent = RecordingQuestion { priority: Some(-2), ..all };
    assert_eq!(asked(&urgent, (0, 9)), (vec![], 0));
    let counts = |kind| registry.occurrence_counts(kind, &[1, 2]).unwrap();
    assert_eq!(counts(RecordingKind::Episode), [2, 0]);
    assert_eq!(counts(RecordingKind::Clip), [2, 0]);
    let leases = |offset| registry.ended_leases(offset, 5).unwrap();
    assert_eq!((leases(0).rows.len(), leases(0).count), (1, 1));
    assert_eq!((leases(1).rows.len(), leases(9).rows.len()), (0, 0));
}

#[test]
fn how_an_episode_sounds_is_kept_when_it_makes_sense() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    filled(&registry);
    let tell = |clip, peaks: Vec<i8>| {
        let facts =
            MediaFacts { duration_ns: 60, sha256: "0f".repeat(32), peaks, notes: Vec::new() };
        let result = NewResult {
            episode: 1,
            clip,
            analyst: 2,
            researcher: "bob",
            lease: "ended",
            outcome: &SearchOutcome::Searched { occurrences: Vec::new() },
            episode_facts: Some(&facts),
            clip_facts: None,
            tries_max: 5,
            is_leased: true,
            is_of_house: true,
        };
        registry.record_result(&result, NOW)
    };
    for bad in [vec![1], vec![2, 1], vec![0; 2 * PEAKS_MAX + 2]] {
        assert!(matches!(tell(1, bad), Err(Error::Invalid { field: "an outline", .. })));
    }
    assert_eq!(registry.outline(1).unwrap(), []);
    tell(1, vec![-127, 127, -3, 0]).unwrap();
    // Nothing told is not silence.
    tell(2, Vec::new()).unwrap();
    assert_eq!(registry.outline(1).unwrap(), [(-127, 127), (-3, 0)]);
}

/// A result about a pair, heard in some bytes.
fn tell(
    registry: &Registry,
    (episode, clip): (u32, u32),
    heard: (&str, &str),
    at: &[i64],
) -> Noted {
    let facts = |byte: &str| MediaFacts {
        duration_ns: 60,
        sha256: byte.repeat(32),
        peaks: Vec::new(),
        notes: Vec::new(),
    };
    let occurrences = at.iter().map(|offset_ns| Occurrence {
        offset_ns: *offset_ns,
        extent_ns: 1,
        confidence_ppm: 1,
        heard_ns: None,
    });
    let result = NewResult {
        episode,
        clip,
        analyst: 1,
        researcher: "bob",
        lease: "ended",
        outcome: &SearchOutcome::Searched { occurrences: occurrences.collect() },
        episode_facts: Some(&facts(heard.0)),
        clip_facts: Some(&facts(heard.1)),
        tries_max: 5,
        is_leased: true,
        is_of_house: true,
    };
    registry.record_result(&result, NOW).unwrap()
}

fn searched(registry: &Registry, episode: u32) -> Vec<u32> {
    registry.searched(episode).unwrap().iter().flat_map(|it| it.clips.iter()).collect()
}

#[test]
fn a_recording_that_lies_elsewhere_is_searched_anew() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    filled(&registry);
    let first = registry.untold(1000).unwrap();
    let page = storage::registry::LedgerPage { number: 1, line_count: 1, sha512: [0; 64] };
    registry.told(first.upto, &page).unwrap();
    tell(&registry, (3, 1), ("0f", "0f"), &[]);
    let (known, clip) = (searched(&registry, 1), searched(&registry, 3));
    assert_eq!((known.as_slice(), clip.as_slice()), (&[1, 2][..], &[1][..]));
    let again = |kind, id, place: Location| {
        let known = registry.recording(kind, id).unwrap().unwrap();
        let told = NewRecording {
            title: known.title,
            description: known.description,
            date_aired: known.date_aired,
            location: place,
            media_type: known.media_type,
            curator: known.curator,
            priority: known.priority,
            first_curated_at: None,
            last_curated_at: None,
        };
        let added = registry.add_recordings(kind, &[told], NOW).unwrap();
        let now = registry.recording(kind, id).unwrap().unwrap();
        assert_eq!(now.first_curated_at, known.first_curated_at);
        (added.changed, now.sha256.is_some())
    };
    let same = registry.recording(RecordingKind::Clip, 1).unwrap().unwrap().location;
    assert_eq!(again(RecordingKind::Clip, 1, same), (0, true), "told again is no change");
    let elsewhere = Location::File { path: "/elsewhere.wav".into() };
    assert_eq!(again(RecordingKind::Clip, 1, elsewhere.clone()), (1, false));
    assert_eq!(searched(&registry, 1), [2], "the others count");
    assert_eq!(searched(&registry, 3), [0; 0]);
    // What was found stays until it is searched again, and then it is what was found now.
    assert_eq!(registry.found_of(1, 0, 9).unwrap().len(), 1);
    assert_eq!(tell(&registry, (1, 1), ("0f", "0e"), &[7]).recorded, Recorded::New);
    let found = registry.found_of(1, 0, 9).unwrap();
    assert_eq!(found[0].occurrences.iter().map(|it| it.offset_ns).collect::<Vec<_>>(), [7]);
    assert_eq!(again(RecordingKind::Episode, 1, elsewhere), (1, false));
    assert_eq!(searched(&registry, 1), [0; 0]);
    assert_eq!(tell(&registry, (1, 1), ("0d", "0e"), &[]).recorded, Recorded::New);
    assert_eq!(registry.found_of(1, 0, 9).unwrap(), [], "it is not there any more");
    // The ledger tells all of it, in its order.
    let second = registry.untold(1000).unwrap().lines;
    let mut lines = first.lines.iter().chain(&second).map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        (line["table"].as_str().unwrap().to_owned(), line["row"].take())
    });
    let again = Registry::open(&room.path().join("again"), NOW).unwrap();
    let retold = again.retell(&mut || Ok::<_, Error>(lines.next())).unwrap();
    assert_eq!(retold.left_out, 0, "{second:#?}");
    assert_eq!(exported(&again), exported(&registry));
}

#[test]
fn feeds_are_due_when_it_is_time_and_read_whole_before_they_are_skipped() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    let new = |url: &str, every_h| NewFeed { kind: RecordingKind::Clip, url: url.into(), every_h };
    for bad in [new("ftp://a.org/", 1), new("https://a.org/", 0), new("https://a.org/", 8761)] {
        assert!(matches!(registry.add_feed(&bad, "ann", NOW), Err(Error::Invalid { .. })));
    }
    let feed = registry.add_feed(&new("https://a.org/", 2), "ann", NOW).unwrap();
    let due = |at: Timestamp| registry.due_feeds(at).unwrap().len();
    let later = |hours: u64| Timestamp(NOW.0 + hours * 3_600_000);
    assert_eq!(due(NOW), 1);
    let read = |mark| FeedRead { outcome: "read", is_well: true, mark: (mark, None), again: None };
    registry.note_feed(feed.id, &read(Some("tag")), NOW).unwrap();
    assert_eq!((due(later(1)), due(later(2))), (0, 1));
    assert_eq!(registry.feed(feed.id).unwrap().unwrap().etag.as_deref(), Some("tag"));
    registry.note_feed(feed.id, &read(None), later(2)).unwrap();
    assert_eq!(registry.feed(feed.id).unwrap().unwrap().etag, None, "all of it is read next time");
    // Its site may ask for another time, within bounds.
    for (asked_s, waits_s) in [(7200, 7200), (0, 60), (u64::MAX, 7 * 86_400)] {
        let again = Some(Duration::from_secs(asked_s));
        registry.note_feed(feed.id, &FeedRead { again, ..read(None) }, NOW).unwrap();
        let next_at = registry.feed(feed.id).unwrap().unwrap().next_at;
        assert_eq!(next_at.since(NOW), Duration::from_secs(waits_s));
    }
    registry.note_feed(feed.id, &read(None), later(2)).unwrap();
    // Told again, it is the same feed; removed and told again, another one.
    assert_eq!(registry.add_feed(&new("https://a.org/", 9), "bob", NOW).unwrap().id, feed.id);
    assert!(registry.remove_feed(feed.id, NOW).unwrap().is_some());
    assert!(registry.remove_feed(feed.id, NOW).unwrap().is_none());
    assert_eq!((due(later(99)), registry.feeds().unwrap().len()), (0, 0));
    assert_ne!(registry.add_feed(&new("https://a.org/", 9), "bob", NOW).unwrap().id, feed.id);
}

#[test]
fn other_bytes_at_the_same_place_are_searched_anew_but_not_on_the_network() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    let recording = |title: &str, location| NewRecording {
        title: title.into(),
        description: String::new(),
        date_aired: None,
        location,
        media_type: String::new(),
        curator: String::new(),
        priority: 0,
        first_curated_at: None,
        last_curated_at: None,
    };
    let file = Location::File { path: "/a.wav".into() };
    let url = Location::Url { url: "https://a.org/a.mp3".into() };
    let episodes = [recording("file", file.clone()), recording("network", url)];
    registry.add_recordings(RecordingKind::Episode, &episodes, NOW).unwrap();
    let clips: Vec<_> = ["1", "2", "3"].map(|it| recording(it, file.clone())).into();
    registry.add_recordings(RecordingKind::Clip, &clips, NOW).unwrap();
    for episode in [1, 2] {
        for clip in [1, 2] {
            assert!(!tell(&registry, (episode, clip), ("0a", "0c"), &[]).has_voided);
        }
    }
    assert!(tell(&registry, (1, 3), ("0b", "0c"), &[]).has_voided);
    assert_eq!(searched(&registry, 1), [3]);
    assert!(!tell(&registry, (2, 3), ("0b", "0c"), &[]).has_voided, "it differs for everybody");
    assert_eq!(searched(&registry, 2), [1, 2, 3]);
    // A clip that has changed is looked for again everywhere.
    assert!(tell(&registry, (1, 1), ("0b", "0e"), &[]).has_voided);
    assert_eq!((searched(&registry, 1), searched(&registry, 2)), (vec![1, 3], vec![2, 3]));
}

#[test]
fn results_that_heard_another_recording_change_nothing() {
    let room = tempfile::tempdir().unwrap();
    let registry = Registry::open(&room.path().join("registry"), NOW).unwrap();
    filled(&registry);
    let facts = |byte: &str| MediaFacts {
        duration_ns: 7,
        sha256: byte.repeat(32),
        peaks: vec![-1, 1],
        notes: vec!["ends early".into()],
    };
    let tell = |clip, heard: Option<(&str, &str)>, is_leased| {
        let both = heard.map(|(episode, clip)| (facts(episode), facts(clip)));
        let result = NewResult {
            episode: 1,
            clip,
            analyst: 2,
            researcher: "mallory",
            lease: "none",
            outcome: &SearchOutcome::Searched { occurrences: Vec::new() },
            episode_facts: both.as_ref().map(|it| &it.0),
            clip_facts: both.as_ref().map(|it| &it.1),
            tries_max: 5,
            is_leased,
            is_of_house: false,
        };
        registry.record_result(&result, NOW).unwrap()
    };
    let known = |kind, id| {
        let it = registry.recording(kind, id).unwrap().unwrap();
        (it.duration_ns, it.sha256, it.notes)
    };
    let before = known(RecordingKind::Episode, 1);
    assert_eq!(before.1, Some("0f".repeat(32)));
    let searched_before = searched(&registry, 1);
    for (heard, is_leased) in
        [(Some(("0a", "0f")), false), (None, false), (Some(("0a", "0f")), true)]
    {
        assert_eq!(tell(1, heard, is_leased).other, Some(RecordingKind::Episode), "{heard:?}");
        assert_eq!(known(RecordingKind::Episode, 1), before);
        assert_eq!(searched(&registry, 1), searched_before);
        assert_eq!(registry.outline(1).unwrap(), []);
    }
    let told = registry.troubles_of((Some(1), None)).unwrap();
    assert_eq!(told.len(), 1, "once, under the lease: {told:?}");
    assert_eq!((told[0].code.as_str(), told[0].clip), ("episode-other-recording", Some(1)));
    // Late, and it heard what is known: it is kept. What is not known is not set by it.
    assert_eq!(known(RecordingKind::Clip, 3).1, None);
    assert_eq!(tell(3, Some(("0f", "0c")), false).recorded, Recorded::New);
    assert_eq!(known(RecordingKind::Clip, 3).1, None);
    assert_eq!(known(RecordingKind::Episode, 1), before);
    // Asked for by a person, whoever searches next under a lease says which recording it is.
    registry.search_again(RecordingKind::Episode, 1, NOW).unwrap();
    assert_eq!(
        (searched(&registry, 1), registry.troubles_of((Some(1), None)).unwrap().len()),
        (vec![], 0)
    );
    assert_eq!(tell(3, Some(("0a", "0c")), true).recorded, Recorded::New);
    assert_eq!(known(RecordingKind::Episode, 1).1, Some("0a".repeat(32)));
    assert_eq!(known(RecordingKind::Episode, 1).2, ["ends early"]);
    assert_eq!(registry.research_house().unwrap().len(), 32);
}
