//! Sounds that nobody has to own: speech-like and music-like material from a seed, what happens to
//! clips on their way into an episode, and how well they are found again. Tests and the bench share
//! it.
#![allow(dead_code, reason = "each of those who share it uses a part")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of our own")]

pub(crate) mod encoding;
pub(crate) mod evaluation;
pub(crate) mod mishap;
pub(crate) mod music;
pub(crate) mod speech;

use std::io::Cursor;
use std::ops::ControlFlow;

use soundmatch::{Media, Progress};

/// Samples a second of all that is made here.
pub(crate) const RATE: u32 = 22_050;

pub(crate) fn samples(seconds: f64) -> usize {
    (seconds * f64::from(RATE)) as usize
}

/// A pulse that never stops anything.
pub(crate) fn calm(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A WAV file of 16 bits in channels that say different things.
pub(crate) fn channels(sounds: &[&[f32]]) -> Vec<u8> {
    let frames = (0..sounds[0].len()).flat_map(|at| sounds.iter().map(move |sound| sound[at]));
    let mut file = wav(&frames.collect::<Vec<f32>>(), RATE);
    file[22] = u8::try_from(sounds.len()).unwrap();
    file[32] = 2 * file[22];
    file
}

/// A WAV file of 16 bits in one channel.
pub(crate) fn wav(sound: &[f32], rate: u32) -> Vec<u8> {
    let bytes = u32::try_from(sound.len() * 2).unwrap();
    let mut file = Vec::with_capacity(sound.len() * 2 + 44);
    file.extend(b"RIFF");
    file.extend((bytes + 36).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(rate.to_le_bytes());
    file.extend((rate * 2).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    let level = |sample: f32| (sample.clamp(-1.0, 1.0) * 32_767.0) as i16;
    file.extend(sound.iter().flat_map(|&sample| level(sample).to_le_bytes()));
    file
}

pub(crate) fn media(sound: &[f32]) -> Media {
    Media::from_reader(Cursor::new(wav(sound, RATE)))
}

/// Root of the mean square.
pub(crate) fn rms(sound: &[f32]) -> f32 {
    (sound.iter().map(|it| it * it).sum::<f32>() / sound.len().max(1) as f32).sqrt()
}

/// Brings a sound to a loudness.
pub(crate) fn level(sound: &mut [f32], wanted: f32) {
    let scale = wanted / rms(sound).max(1e-6);
    sound.iter_mut().for_each(|it| *it *= scale);
}

/// Speech and music by turns, a stretch of 20 to 60 s each.
pub(crate) fn programme(seed: u64, seconds: f64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut all, wanted) = (Vec::with_capacity(samples(seconds) + 1), samples(seconds));
    while all.len() < wanted {
        let length =
            (20.0 + 40.0 * random.f64()).min((wanted - all.len()) as f64 / f64::from(RATE) + 0.1);
        let part = match random.u8(0..3) {
            0 => music::music(random.u64(..), length),
            _ => speech::speech(random.u64(..), length),
        };
        all.extend(part);
    }
    all.truncate(wanted);
    all
}
