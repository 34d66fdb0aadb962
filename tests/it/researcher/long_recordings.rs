//! A tape that was left running: twelve hours in a soak, a minute otherwise.

use std::f32::consts::TAU;

use serde_json::json;

use super::{Shelf, add, found, search_all, sound};
use crate::house::House;

/// The lowest rate that is taken: twelve hours are 43 megabytes.
const RATE: u32 = 1000;
const CLIP_S: usize = 4;

/// Eight bits a sample.
fn wav(samples: &[u8]) -> Vec<u8> {
    let size = u32::try_from(samples.len()).unwrap();
    let mut bytes = Vec::with_capacity(samples.len() + 44);
    bytes.extend(b"RIFF");
    bytes.extend((36 + size).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(RATE.to_le_bytes());
    bytes.extend(RATE.to_le_bytes());
    bytes.extend(b"\x01\0\x08\0data");
    bytes.extend(size.to_le_bytes());
    bytes.extend(samples);
    bytes
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within a byte")]
fn tune() -> Vec<u8> {
    let mut chance = fastrand::Rng::with_seed(12);
    let mut samples = Vec::new();
    while samples.len() < CLIP_S * RATE as usize {
        let notes: Vec<(f32, f32)> =
            (0..4).map(|_| (60.0 + 380.0 * chance.f32(), 8.0 + 14.0 * chance.f32())).collect();
        for at in 0..150 {
            let turn = TAU * at as f32 / RATE as f32;
            let level: f32 = notes.iter().map(|(pitch, loud)| loud * (turn * pitch).sin()).sum();
            samples.push((128.0 + level + 6.0 * chance.f32()).clamp(0.0, 255.0) as u8);
        }
    }
    samples
}

#[test]
fn twelve_hours_are_searched_to_the_end_and_hold_up_nobody() {
    let is_soak = std::env::var_os("STRONGROOM_SOAK_ROUNDS").is_some();
    let seconds = if is_soak { 12 * 3600 } else { 60 };
    let (tune, mut chance) = (tune(), fastrand::Rng::with_seed(1));
    let mut tape: Vec<u8> = (0..seconds * RATE as usize).map(|_| chance.u8(108..=148)).collect();
    let last = seconds - 10;
    tape[last * RATE as usize..][..tune.len()].copy_from_slice(&tune);
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    add(
        &house,
        "clips",
        &[shelf.put("tune.wav", &wav(&tune)), shelf.put("b.wav", &sound::clip(1))],
    );
    let tape = shelf.put("tape.wav", &wav(&tape));
    let show = shelf.put("show.wav", &sound::episode(1, 6.0, &[(1, 2.0)]));
    add(&house, "episodes", &[tape, show]);
    search_all(&house);
    let told = |id: u32| house.get(format!("/api/v1/research/episodes/{id}")).is(200).json();
    let tape = told(1);
    assert_eq!((&tape["searched_count"], &tape["troubles"]), (&json!(2), &json!([])), "{tape}");
    assert_eq!(tape["episode"]["duration_ns"], seconds as u64 * 1_000_000_000);
    assert_eq!(found(&tape), [(1, last as f64)], "{tape}");
    assert_eq!(found(&told(2)), [(2, 2.0)]);
}
