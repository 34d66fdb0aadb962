//! What comes next, against a plain sort; and what is told twice.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{Added, NewRecording, RecordingKind};

use super::rig::{ANALYST, CONFIG, Rig, recording, report};
use crate::config::ResearchConfig;
use crate::research::{Scope, Work};

/// A curated catalogue with many ties.
fn catalogue(random: &mut fastrand::Rng, word: &str, count: usize) -> Vec<NewRecording> {
    let made = |number| NewRecording {
        priority: random.i32(-1..=1),
        first_curated_at: Some(Timestamp(1_000 + random.u64(0..4))),
        date_aired: Some(Timestamp(5_000 + random.u64(0..3))),
        last_curated_at: Some(Timestamp(1_000_000 + random.u64(0..1_000_000))),
        ..recording(&format!("{word} {number}"))
    };
    (0..count).map(made).collect()
}

/// Numbers in the order of the note.
fn sorted(all: &[NewRecording], aired_first: bool) -> Vec<u32> {
    let mut numbers: Vec<u32> = (1..).take(all.len()).collect();
    numbers.sort_by_key(|number| {
        let it = &all[*number as usize - 1];
        let aired = it.date_aired.filter(|_| aired_first).map_or(0, |it| it.0);
        let first = it.first_curated_at.unwrap().0;
        (-i64::from(it.priority), u64::MAX - aired, u64::MAX - first, *number)
    });
    numbers
}

#[test]
fn work_comes_in_the_order_of_the_note() {
    for (seed, aired_first) in [(1, false), (2, true), (3, false)] {
        let mut random = fastrand::Rng::with_seed(seed);
        let rig = Rig::new(ResearchConfig { clips: 7, aired_first, ..CONFIG });
        let (episodes, clips) = (catalogue(&mut random, "e", 5), catalogue(&mut random, "c", 23));
        rig.bureau().add(RecordingKind::Clip, &clips).unwrap();
        rig.bureau().add(RecordingKind::Episode, &episodes).unwrap();
        let (episodes, clips) = (sorted(&episodes, aired_first), sorted(&clips, false));
        for episode in episodes {
            for wanted in clips.chunks(7) {
                let work = rig.ask("ann").unwrap();
                assert_eq!(
                    (work.episode.id, ids(&work)),
                    (episode, wanted.to_vec()),
                    "seed {seed}"
                );
                for clip in wanted {
                    rig.bureau()
                        .record("ann", &report(&work.lease, (episode, *clip), &[]))
                        .unwrap();
                }
            }
        }
        assert_eq!(rig.ask("ann"), None, "everything was looked for");
    }
}

fn ids(work: &Work) -> Vec<u32> {
    work.clips.iter().map(|clip| clip.id).collect()
}

#[test]
fn what_is_told_again_keeps_its_number_and_its_first_date() {
    let rig = Rig::new(CONFIG);
    let add = |all: &[NewRecording]| rig.bureau().add(RecordingKind::Clip, all).unwrap();
    let first = NewRecording { first_curated_at: Some(Timestamp(7)), ..recording("drop") };
    assert_eq!(add(&[first, recording("other")]), Added { new: 2, changed: 0, same: 0 });
    rig.clock.advance(Duration::from_secs(9));
    let later = NewRecording {
        first_curated_at: Some(Timestamp(99)),
        priority: 5,
        description: "new words".into(),
        ..recording("drop")
    };
    assert_eq!(add(&[later.clone(), recording("other")]), Added { new: 0, changed: 1, same: 1 });
    let known = rig.bureau().recording(RecordingKind::Clip, 1).unwrap().unwrap();
    assert_eq!((known.first_curated_at, known.priority), (Timestamp(7), 5));
    assert_eq!((known.last_curated_at, known.description.as_str()), (rig.now(), "new words"));
    // An episode of the same title on another day is another one; a clip is the same.
    let aired = |at| NewRecording { date_aired: Some(Timestamp(at)), ..recording("drop") };
    let episodes = [aired(1), aired(2), recording("drop"), aired(1), recording("drop")];
    let added = rig.bureau().add(RecordingKind::Episode, &episodes).unwrap();
    assert_eq!(added, Added { new: 3, changed: 0, same: 2 });
    // All or nothing: a bad one among good ones.
    let bad = NewRecording { title: " \n".into(), ..recording("x") };
    let refused = rig.bureau().add(RecordingKind::Clip, &[recording("good"), bad]);
    let sentence = refused.unwrap_err().to_string();
    assert_eq!(sentence, "the title must be one line of 1 to 250 letters");
    assert_eq!(rig.bureau().recordings(RecordingKind::Clip, 0, 10).unwrap().len(), 2);
    let backward = NewRecording { last_curated_at: Some(Timestamp(3)), ..later };
    let refused = rig.bureau().add(RecordingKind::Clip, &[backward]).unwrap_err().to_string();
    assert_eq!(refused, "the latest curation date must not be before the first");
}

#[test]
fn a_newer_analyst_looks_again_at_what_it_is_asked_to() {
    let rig = Rig::new(CONFIG);
    rig.add(RecordingKind::Clip, (1..=3).map(|it| format!("c{it}")));
    rig.add(RecordingKind::Episode, (1..=2).map(|it| format!("e{it}")));
    let finish = |analyst: u32, offsets: &[i64]| {
        let mut pairs = Vec::new();
        let who = crate::research::Researcher { name: "ann".into(), analyst };
        while let Some(work) = rig.bureau().next_work(&who).unwrap() {
            for clip in ids(&work) {
                let it = report(&work.lease, (work.episode.id, clip), offsets);
                let it = crate::research::Report { analyst, ..it };
                rig.bureau().record("ann", &it).unwrap();
                pairs.push((work.episode.id, clip));
            }
        }
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(finish(ANALYST, &[5]).len(), 6);
    let refused = rig.bureau().again(Scope::All, ANALYST + 1).unwrap_err().to_string();
    assert!(refused.starts_with("nobody here has version 4 of the analyst"), "{refused}");
    for analyst in [ANALYST + 1, ANALYST + 2] {
        let newer = crate::research::Researcher { name: format!("newer {analyst}"), analyst };
        assert_eq!(rig.bureau().next_work(&newer).unwrap(), None);
    }
    rig.bureau().again(Scope::Clip(2), ANALYST + 1).unwrap();
    assert_eq!(rig.ask("ann"), None, "the old analyst is not given what it cannot settle");
    assert_eq!(finish(ANALYST + 1, &[]), [(1, 2), (2, 2)]);
    let told = rig.bureau().of_episode(1).unwrap().unwrap();
    let found: Vec<u32> = told.found.iter().map(|pair| pair.clip).collect();
    assert_eq!(found, [1, 3], "what the newer one did not find does not count any more");
    rig.bureau().again(Scope::Episode(2), ANALYST + 2).unwrap();
    assert_eq!(finish(ANALYST + 2, &[7, 9]), [(2, 1), (2, 2), (2, 3)]);
    let clip = rig.bureau().of_clip(2).unwrap().unwrap();
    assert_eq!(clip.found.len(), 1);
    assert_eq!(clip.found[0].occurrences.len(), 2);
    rig.bureau().again(Scope::All, ANALYST + 2).unwrap();
    let refused = rig.bureau().next_work(&super::rig::researcher("ann")).unwrap_err();
    assert!(refused.to_string().ends_with("work asks for version 5 at least: update it"));
    assert_eq!(finish(ANALYST + 2, &[]), [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(rig.bureau().progress().unwrap().searched_pairs, 6);
}
