//! Recordings that tests make: notes by chance over a little noise, and pieces of one in another.

use std::f32::consts::TAU;

pub(crate) const RATE: u32 = 11_025;
/// How long every clip is.
pub(crate) const CLIP_S: f32 = 2.0;

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "samples of seconds")]
fn samples(seconds: f32) -> usize {
    (seconds * RATE as f32) as usize
}

/// A tune that no other seed has.
fn tune(seed: u64, seconds: f32) -> Vec<f32> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut sound = vec![0.0; samples(seconds)];
    for part in sound.chunks_mut(samples(0.15)) {
        for _ in 0..4 {
            let (pitch, loud) = (200.0 + 1900.0 * chance.f32(), 0.05 + 0.12 * chance.f32());
            let turn = TAU * pitch / RATE as f32;
            for (at, sample) in part.iter_mut().enumerate() {
                *sample += loud * (turn * at as f32).sin();
            }
        }
        for sample in part {
            *sample += 0.1 * (chance.f32() - 0.5);
        }
    }
    sound
}

/// The clip with this number.
pub(crate) fn clip(number: u64) -> Vec<u8> {
    wav(&tune(1000 + number, CLIP_S))
}

/// An episode in which clips begin at these seconds.
pub(crate) fn episode(number: u64, seconds: f32, planted: &[(u64, f32)]) -> Vec<u8> {
    let mut sound = tune(number, seconds);
    for (clip, at) in planted {
        let at = samples(*at);
        for (sample, heard) in sound[at..].iter_mut().zip(tune(1000 + clip, CLIP_S)) {
            *sample = heard;
        }
    }
    wav(&sound)
}

#[expect(clippy::cast_possible_truncation, reason = "within the range by its clamp")]
pub(crate) fn wav(sound: &[f32]) -> Vec<u8> {
    let size = u32::try_from(sound.len() * 2).unwrap();
    let mut bytes = Vec::new();
    bytes.extend(b"RIFF");
    bytes.extend((36 + size).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(RATE.to_le_bytes());
    bytes.extend((RATE * 2).to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend(size.to_le_bytes());
    for sample in sound {
        let sample = (sample.clamp(-1.0, 1.0) * 32_767.0) as i16;
        bytes.extend(sample.to_le_bytes());
    }
    bytes
}
