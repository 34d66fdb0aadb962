//! What comes out of files of every kind, and of files that are no good.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Mutex;

use soundmatch::{AudioError, Clip, Episode, Found, Media, Note, Occurrence, Speeds, find};

use crate::sound::speech::speech;
use crate::sound::{RATE, calm, channels, samples, wav};

/// Two seconds of synthetic speech, encoded by programs of others.
const FILES: [(&str, &str, f64); 19] = [
    ("speech.mp3", "mp3", 0.002),
    ("speech.ogg", "vorbis", 0.002),
    ("speech.flac", "flac", 0.002),
    ("speech.wav", "pcm_s16le", 0.002),
    ("speech.m4a", "aac", 0.002),
    // Its encoder puts 46 ms before the sound, and a bare stream does not tell.
    ("speech.aac", "aac", 0.06),
    ("speech.aiff", "pcm_s8", 0.002),
    ("speech.rf64", "pcm_u8", 0.002),
    ("alac.m4a", "alac", 0.002),
    ("alac.caf", "alac", 0.002),
    // The last block is filled up, which makes 41 ms at most.
    ("ima.wav", "adpcm_ima_wav", 0.021),
    ("ms.wav", "adpcm_ms", 0.021),
    // What fills up the last packet is left in.
    ("speech.mka", "vorbis", 0.011),
    ("speech.webm", "opus", 0.011),
    ("speech.opus", "opus", 0.002),
    // Its packets are shorter than what is dropped before the sound.
    ("short.opus", "opus", 0.002),
    ("opus.m4a", "opus", 0.002),
    // In six channels that say the same.
    ("six.opus", "opus", 0.002),
    // Its encoder puts 22 ms before the sound, and a bare stream does not tell.
    ("speech.mp2", "mp2", 0.06),
];

fn file(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/audio/files");
    std::fs::read(folder.join(name)).unwrap()
}

fn episode(bytes: Vec<u8>) -> Result<Episode, AudioError> {
    Episode::prepare(Media::from_reader(Cursor::new(bytes)), &calm)
}

/// Where a second of the speech, from its middle, is in a recording.
fn middle(episode: &Episode) -> Vec<Occurrence> {
    let sound = speech(40, 2.0);
    let clip = wav(&sound[samples(0.5)..samples(1.5)], RATE);
    let clip = Clip::prepare(Media::from_reader(Cursor::new(clip)), &calm).unwrap();
    let all = Mutex::new(Vec::new());
    let keep = |_, found: Found| *all.lock().unwrap() = found.occurrences;
    find(episode, &[&clip], Speeds::Near, &calm, &keep).unwrap();
    all.into_inner().unwrap()
}

#[test]
fn every_format_keeps_its_time() {
    for (name, codec, slack) in FILES {
        let episode = episode(file(name)).unwrap();
        let facts = episode.facts();
        let seconds = facts.duration_ns as f64 / 1e9;
        assert!((seconds - 2.0).abs() < 0.002 + 2.0 * slack, "{name} lasts {seconds} s");
        assert_eq!((facts.codec.as_str(), facts.notes.as_slice()), (codec, &[][..]), "{name}");
        let all = middle(&episode);
        assert_eq!(all.len(), 1, "{name}: {all:?}");
        let off = all[0].offset_ns as f64 / 1e9 - 0.5;
        assert!(off.abs() < slack, "{name} is off by {off} s");
        let peaks = episode.peaks(200);
        assert!(peaks.len() > 100 && peaks.iter().any(|peak| peak.high > 0.2), "{name}");
    }
}

/// What is noted of a recording, and how many seconds it lasts.
fn noted(bytes: Vec<u8>) -> (Vec<Note>, f64) {
    let facts = episode(bytes).unwrap().facts().clone();
    (facts.notes, facts.duration_ns as f64 / 1e9)
}

#[test]
fn sizes_of_64_bits_are_read_as_they_are_meant() {
    let whole = file("speech.rf64");
    let bw64 = [b"BW64", &whole[4..]].concat();
    assert_eq!(noted(bw64), (vec![], 2.0));
    // What follows the sound is not heard, whatever it is.
    assert_eq!(noted([&whole[..], b"axml", &[64, 0, 0, 0], &[77; 64]].concat()), (vec![], 2.0));
    let (notes, seconds) = noted(whole[..whole.len() - 4_000].to_vec());
    assert!(matches!(notes[..], [Note::CutShort { .. }]), "{notes:?}");
    assert!((1.3..1.51).contains(&seconds), "{seconds} s");
    // A recorder that was switched off has not written how much it recorded.
    let mut off = whole.clone();
    off[28..36].fill(0);
    assert!((noted(off).1 - 2.0).abs() < 0.001);
    // Five gigabytes are claimed, and the rest is missing.
    let mut long = whole.clone();
    long[28..36].copy_from_slice(&(5_u64 << 30).to_le_bytes());
    let (notes, seconds) = noted(long);
    assert!(matches!(notes[..], [Note::CutShort { .. }]), "{notes:?}");
    assert!((seconds - 2.0).abs() < 0.001, "{seconds} s");
}

#[test]
fn channels_of_opus_are_counted_and_its_rate_is_48_khz() {
    for (name, channels) in [("speech.opus", 1), ("six.opus", 6)] {
        let facts = episode(file(name)).unwrap().facts().clone();
        assert_eq!((facts.sample_rate, facts.channels), (48_000, channels), "{name}");
    }
}

#[test]
fn facts_are_exact() {
    let episode = episode(file("speech.flac")).unwrap();
    let facts = episode.facts();
    assert_eq!((facts.duration_ns, facts.sample_rate, facts.channels), (2_000_000_000, 22_050, 1));
    assert_eq!(facts.size_bytes, file("speech.flac").len() as u64);
    assert_eq!(facts.sha256.len(), 64);
}

#[test]
fn every_channel_is_heard() {
    // The described decoder knows the left one only.
    let (sound, silence) = (speech(40, 2.0), vec![0.0; samples(2.0)]);
    for sounds in [[&silence[..], &sound], [&sound, &silence]] {
        let episode = episode(channels(&sounds)).unwrap();
        assert_eq!(episode.facts().channels, 2);
        assert_eq!(middle(&episode).len(), 1);
    }
    let all: Vec<&[f32]> = std::iter::repeat_n(&silence[..], 5).chain([&sound[..]]).collect();
    assert_eq!(middle(&episode(channels(&all)).unwrap()).len(), 1);
}

#[test]
fn a_change_of_rate_loses_nothing() {
    // The described decoder drops the first frame after a change.
    for first in [file("low.mp3"), file("bare.mp3")] {
        rates_in_turn(first, file("speech.mp3"));
    }
}

/// One file behind another, whether or not the header of the first knows of no more.
fn rates_in_turn(first: Vec<u8>, second: Vec<u8>) {
    let alone = |bytes: &Vec<u8>| episode(bytes.clone()).unwrap().facts().duration_ns;
    let (one, two) = (alone(&first), alone(&second));
    let both = episode([first, second].concat()).unwrap();
    let facts = both.facts();
    assert!(facts.notes.contains(&Note::RateChanged { times: 1 }), "{:?}", facts.notes);
    // What the second file says of its padding is only looked for at the start of a file.
    let off = facts.duration_ns - one - two;
    assert!((-30_000_000..120_000_000).contains(&off), "off by {off} ns");
    let all = middle(&both);
    assert_eq!(all.len(), 1, "{all:?}");
    let off = all[0].offset_ns - one - 500_000_000;
    assert!((-30_000_000..120_000_000).contains(&off), "off by {off} ns");
}

#[test]
fn streams_chained_in_one_file_are_one_recording() {
    // Ogg files are joined by laying one behind the other, whatever their rates. The decoder loses a
    // part of the first packet of each.
    for (name, changes) in [("speech.ogg", 0), ("low.ogg", 1)] {
        let both = episode([file("speech.ogg"), file(name)].concat()).unwrap();
        let facts = both.facts();
        let seconds = facts.duration_ns as f64 / 1e9;
        assert!((seconds - 4.0).abs() < 0.01, "{name}: {seconds} s");
        let changed = facts.notes.contains(&Note::RateChanged { times: 1 });
        assert_eq!((u32::from(changed), facts.notes.len()), (changes, usize::from(changed)));
        let all = middle(&both);
        assert_eq!(all.len(), 2, "{name}: {all:?}");
        for (found, at) in all.iter().zip([0.5, 2.5]) {
            let off = found.offset_ns as f64 / 1e9 - at;
            assert!(off.abs() < 0.01, "{name} is off by {off} s");
        }
    }
}

#[test]
fn bad_files_are_refused_with_a_sentence() {
    let said = |bytes: Vec<u8>| episode(bytes).err().map(|error| error.to_string());
    assert!(said(Vec::new()).unwrap().contains("empty"));
    assert!(said(b"just a few words, again and again".repeat(50)).unwrap().contains("not a rec"));
    assert!(said(wav(&[], RATE)).unwrap().contains("not one sample"));
    assert!(said(file("speech.mp3")[..20].to_vec()).is_some());
    let folder = Media::open(std::path::Path::new("."));
    assert!(matches!(folder.err(), Some(AudioError::Unreadable(_))));
}

#[test]
fn odd_files_are_analysed_with_a_note() {
    let one = episode(wav(&[0.5], RATE)).unwrap();
    assert_eq!(one.facts().duration_ns, 45_351);
    let silent = episode(wav(&vec![0.0; samples(1.0)], RATE)).unwrap();
    assert_eq!(silent.facts().notes, [Note::Silent]);
    for (name, _, _) in FILES {
        let whole = file(name);
        let cut = episode(whole[..whole.len() * 3 / 4].to_vec());
        let Ok(cut) = cut else { continue };
        let seconds = cut.facts().duration_ns as f64 / 1e9;
        assert!((0.7..2.05).contains(&seconds), "{name}: {seconds} s, {:?}", cut.facts().notes);
    }
}

#[test]
fn damage_in_the_middle_leaves_the_rest_in_its_place() {
    let mut bytes = file("speech.mp3");
    let at = bytes.len() / 5;
    bytes[at..at + 300].fill(0x55);
    let episode = episode(bytes).unwrap();
    let seconds = episode.facts().duration_ns as f64 / 1e9;
    assert!((1.8..2.1).contains(&seconds), "{seconds} s, {:?}", episode.facts().notes);
}

#[test]
fn no_damage_whatever_is_fatal() {
    let mut random = fastrand::Rng::with_seed(8);
    for (name, _, _) in FILES {
        let whole = file(name);
        for _ in 0..6 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..40) {
                let most = if random.bool() { 400 } else { usize::MAX };
                let at = random.usize(..bytes.len().min(most));
                bytes[at] = random.u8(..);
            }
            // Refused or analysed, but always one of them.
            drop(episode(bytes).map(|episode| episode.facts().duration_ns));
        }
    }
}
