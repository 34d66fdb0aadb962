//! Where occurrences are, at the edges and when there are many; what stops a search.

use std::fs::File;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use soundmatch::{
    AudioError, Clip, ClipOutcome, Episode, Found, Media, Occurrence, Progress, Speeds, find,
    match_files,
};

use crate::sound::mishap::plant;
use crate::sound::music::music;
use crate::sound::speech::speech;
use crate::sound::{RATE, calm, channels, media, samples, wav};

fn found(episode: &[f32], clip: &[f32]) -> Vec<Occurrence> {
    found_at(Speeds::FarIfNotFound, media(episode), media(clip))
}

fn found_at(speeds: Speeds, episode: Media, clip: Media) -> Vec<Occurrence> {
    let episode = Episode::prepare(episode, &calm).unwrap();
    let clip = Clip::prepare(clip, &calm).unwrap();
    let all = Mutex::new(Vec::new());
    let keep = |_, found: Found| all.lock().unwrap().push(found);
    find(&episode, &[&clip], speeds, &calm, &keep).unwrap();
    let mut all: Vec<Found> = all.into_inner().unwrap();
    assert_eq!(all.len(), 1, "each clip is told of once");
    all.remove(0).occurrences
}

fn near(occurrence: &Occurrence, seconds: f64) {
    let at = occurrence.offset_ns as f64 / 1e9;
    assert!((at - seconds).abs() < 0.002, "at {at} s, not at {seconds} s");
}

#[test]
fn the_first_and_the_last_sample_count() {
    // The described matchers lose clips before their anchor and within it of the end.
    let clip = speech(1, 1.5);
    let mut episode = speech(2, 12.0);
    plant(&mut episode, 0, &clip);
    let end = episode.len() - clip.len();
    plant(&mut episode, end, &clip);
    let all = found(&episode, &clip);
    assert_eq!(all.len(), 2, "{all:?}");
    near(&all[0], 0.0);
    near(&all[1], end as f64 / f64::from(RATE));
}

#[test]
fn leading_silence_moves_nothing() {
    let clip = speech(1, 1.5);
    let mut episode = vec![0.0; samples(4.0)];
    episode.extend(speech(2, 6.0));
    plant(&mut episode, samples(6.0), &clip);
    let all = found(&episode, &clip);
    assert_eq!(all.len(), 1, "{all:?}");
    near(&all[0], 6.0);
}

#[test]
fn repetitions_do_not_drift_into_one() {
    // Peaks of the described matcher drift along a chain of close hits.
    let clip = speech(1, 1.0);
    let mut episode = speech(2, 12.0);
    for at in 0..4 {
        plant(&mut episode, samples(3.0) + at * clip.len(), &clip);
    }
    let all = found(&episode, &clip);
    assert_eq!(all.len(), 4, "{all:?}");
    for (at, occurrence) in all.iter().enumerate() {
        near(occurrence, 3.0 + at as f64);
    }
}

#[test]
fn a_clip_cut_by_the_edges_is_found_with_its_extent() {
    let clip = speech(1, 4.0);
    let mut episode = speech(2, 12.0);
    plant(&mut episode, 0, &clip[samples(2.0)..]);
    let end = episode.len() - samples(2.0);
    plant(&mut episode, end, &clip[..samples(2.0)]);
    let all = found(&episode, &clip);
    assert_eq!(all.len(), 2, "{all:?}");
    near(&all[0], -2.0);
    assert!((0..50_000_000).contains(&all[0].heard_from_ns()), "{:?}", all[0]);
    assert!((all[0].extent.start_ns - 2_000_000_000).abs() < 200_000_000, "{:?}", all[0].extent);
    assert_eq!(all[0].extent.end_ns, 4_000_000_000);
    near(&all[1], 10.0);
    assert_eq!(all[1].extent.start_ns, 0);
    assert!((all[1].extent.end_ns - 2_000_000_000).abs() < 200_000_000, "{:?}", all[1].extent);
}

#[test]
fn a_clip_longer_than_the_episode_is_found_by_its_part() {
    let clip = speech(1, 9.0);
    let all = found(&clip[samples(3.0)..samples(6.0)], &clip);
    assert_eq!(all.len(), 1, "{all:?}");
    near(&all[0], -3.0);
    assert!(found(&speech(2, 2.0), &clip).is_empty());
}

#[test]
fn a_long_clip_is_one_occurrence_at_its_own_speed() {
    let clip = music(1, 9.0);
    let changed = crate::sound::mishap::faster(&clip, 1.007);
    let mut episode = speech(2, 20.0);
    plant(&mut episode, samples(8.0), &changed.sound);
    let all = found(&episode, &clip);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!((all[0].offset_ns - 8_000_000_000).abs() < 10_000_000, "{:?}", all[0]);
    assert!((all[0].speed - 1.007).abs() < 0.0005, "{:?}", all[0]);
    assert!(all[0].extent.length_ns() > 8_500_000_000, "{:?}", all[0]);
}

#[test]
fn an_inverted_clip_is_found_and_called_inverted() {
    let (clip, episode) = (speech(1, 3.0), speech(2, 12.0));
    for (sign, is_inverted) in [(1.0, false), (-1.0, true)] {
        let mut episode = episode.clone();
        plant(&mut episode, samples(5.0), &clip.iter().map(|it| sign * it).collect::<Vec<f32>>());
        let all = found_at(Speeds::Near, media(&episode), media(&clip));
        assert_eq!(all.len(), 1, "{all:?}");
        near(&all[0], 5.0);
        assert_eq!(all[0].inverted, is_inverted, "{:?}", all[0]);
        assert!(all[0].similarity > 0.9 && all[0].confidence > 0.9, "{:?}", all[0]);
    }
}

#[test]
fn channels_in_antiphase_are_heard_in_episodes_and_in_clips() {
    let (clip, mut episode) = (speech(1, 3.0), speech(2, 12.0));
    plant(&mut episode, samples(5.0), &clip);
    let antiphase = |sound: &[f32]| {
        let other: Vec<f32> = sound.iter().map(|it| -it).collect();
        Media::from_reader(Cursor::new(channels(&[sound, &other])))
    };
    let silent = Episode::prepare(antiphase(&episode), &calm).unwrap();
    assert_eq!(silent.facts().notes, [], "an episode in antiphase is not silent");
    for (episode, clip) in [
        (antiphase(&episode), media(&clip)),
        (media(&episode), antiphase(&clip)),
        (antiphase(&episode), antiphase(&clip)),
    ] {
        let all = found_at(Speeds::Near, episode, clip);
        assert_eq!(all.len(), 1, "{all:?}");
        near(&all[0], 5.0);
    }
}

#[test]
fn other_speeds_are_looked_at_where_asked_or_where_nothing_was_found() {
    let clip = speech(1, 3.0);
    let faster = crate::sound::mishap::faster(&clip, 1.05);
    let mut episode = speech(2, 12.0);
    plant(&mut episode, samples(6.0), &faster.sound);
    let at = |speeds, episode: &[f32]| found_at(speeds, media(episode), media(&clip));
    assert!(at(Speeds::Near, &episode).is_empty());
    let far = at(Speeds::FarIfNotFound, &episode);
    assert_eq!(far.len(), 1, "{far:?}");
    near(&far[0], 6.0);
    assert!((far[0].speed - 1.05).abs() < 0.001, "{:?}", far[0]);
    assert!(far[0].extent.length_ns() > 2_900_000_000, "{:?}", far[0]);
    assert!(far[0].similarity > 0.5, "{:?}", far[0]);
    // Found as it is, it is found at another speed where that is asked for only.
    plant(&mut episode, samples(1.0), &clip);
    assert_eq!(at(Speeds::FarIfNotFound, &episode).len(), 1);
    let both = at(Speeds::Far, &episode);
    assert_eq!(both.len(), 2, "{both:?}");
    near(&both[0], 1.0);
    near(&both[1], 6.0);
}

#[test]
fn a_long_clip_at_another_speed_is_one_occurrence() {
    let clip = music(1, 9.0);
    for speed in [0.945, 1.055] {
        let mut episode = speech(2, 20.0);
        plant(&mut episode, samples(8.0), &crate::sound::mishap::faster(&clip, speed).sound);
        let all = found(&episode, &clip);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!((all[0].offset_ns - 8_000_000_000).abs() < 10_000_000, "{:?}", all[0]);
        assert!((all[0].speed - speed).abs() < 0.001, "{:?}", all[0]);
        assert!(all[0].extent.length_ns() > 8_500_000_000, "{:?}", all[0]);
    }
}

#[test]
fn silence_and_strangers_give_nothing() {
    let clip = speech(1, 2.0);
    assert!(found(&vec![0.0; samples(5.0)], &clip).is_empty());
    assert!(found(&[0.5], &clip).is_empty());
    assert!(found(&music(5, 8.0), &clip).is_empty());
    // A clip of silence with a click in it has next to nothing to be found by.
    let mut click = vec![0.0; samples(1.0)];
    click[samples(0.5)] = 0.9;
    assert!(found(&speech(2, 8.0), &click).is_empty());
}

#[test]
fn a_pulse_can_stop_every_part() {
    let (sound, clip) = (speech(2, 6.0), speech(1, 1.0));
    let stop = |_: Progress| ControlFlow::Break(());
    assert!(matches!(Episode::prepare(media(&sound), &stop), Err(AudioError::Stopped)));
    let late = AtomicUsize::new(0);
    let later = |_: Progress| match late.fetch_add(1, Ordering::Relaxed) {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    assert!(matches!(Episode::prepare(media(&sound), &later), Err(AudioError::Stopped)));
    let episode = Episode::prepare(media(&sound), &calm).unwrap();
    let clip = Clip::prepare(media(&clip), &calm).unwrap();
    let near = Speeds::Near;
    let stopped = find(&episode, &[&clip], near, &stop, &|_, _| panic!("nothing is known yet"));
    assert!(matches!(stopped, Err(AudioError::Stopped)));
    find(&episode, &[], Speeds::Far, &calm, &|_, _| panic!("there is no clip")).unwrap();
    // The second pass scans again, once for each speed.
    let scans = AtomicUsize::new(0);
    let second = |progress: Progress| {
        let is_scan = matches!(progress, Progress::Scanning { .. });
        match is_scan && scans.fetch_add(1, Ordering::Relaxed) > 0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let speeds = Speeds::FarIfNotFound;
    let stopped = find(&episode, &[&clip], speeds, &second, &|_, _| panic!("it is nowhere yet"));
    assert!(matches!(stopped, Err(AudioError::Stopped)));
    assert_eq!(scans.into_inner(), 2);
}

#[test]
fn files_are_matched_and_bad_clips_are_outcomes() {
    let room = tempfile::tempdir().unwrap();
    let path = |name: &str| room.path().join(name);
    let clip = speech(1, 1.5);
    let mut episode = speech(2, 8.0);
    plant(&mut episode, samples(3.0), &clip);
    for (name, bytes) in [
        ("episode.wav", wav(&episode, RATE)),
        ("clip.wav", wav(&clip, RATE)),
        ("short.wav", wav(&clip[..100], RATE)),
        ("silent.wav", wav(&vec![0.0; RATE as usize], RATE)),
        ("empty.wav", Vec::new()),
        ("text.mp3", b"this is not a recording".repeat(100)),
    ] {
        File::create(path(name)).unwrap().write_all(&bytes).unwrap();
    }
    let names = ["short.wav", "clip.wav", "silent.wav", "empty.wav", "text.mp3", "missing.ogg"];
    let clips: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
    let report = match_files(&path("episode.wav"), &clips, Speeds::Near, &calm).unwrap();
    let said: Vec<String> = report
        .clips
        .iter()
        .map(|clip| match &clip.outcome {
            ClipOutcome::Searched { found, .. } => {
                assert_eq!(found.occurrences.len(), 1);
                near(&found.occurrences[0], 3.0);
                "found".to_owned()
            }
            ClipOutcome::Refused { reason } => reason.clone(),
        })
        .collect();
    for (said, part) in said.iter().zip([
        "at least 500 ms",
        "found",
        "silent",
        "empty",
        "not a recording",
        "cannot be read",
    ]) {
        assert!(said.contains(part), "{said:?} does not say {part:?}");
    }
    let text = report.to_string();
    assert!(text.contains("  0:00:03.000 to 0:00:04.5"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["clips"][1]["outcome"], "searched");
    assert_eq!(json["episode"]["duration_ns"], 8_000_000_000_i64);
}
