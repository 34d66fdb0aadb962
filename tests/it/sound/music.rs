//! Something like music: chords in one key and tempo, a bass, a melody, and drums that are the same
//! sample each time, as drum machines have it. All pieces share the tuning of 440 Hz.

use super::{RATE, level, samples};

pub(crate) fn music(seed: u64, seconds: f64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    let wanted = samples(seconds);
    let mut out = vec![0.0_f32; wanted];
    let beat = samples(60.0 / (80.0 + 80.0 * random.f64()));
    let key = random.i32(-9..3);
    let bright = 0.3 + 0.5 * random.f32();
    let scale = [0, 2, 4, 5, 7, 9, 11];
    let progression: Vec<usize> = (0..4).map(|_| random.usize(..7)).collect();
    let (kick, snare) = (drum(&mut random, 60.0, 0.15), drum(&mut random, 900.0, 0.1));
    let hat = drum(&mut random, 3_000.0, 0.03);
    let degree = |step: usize| key + scale[step % 7] + 12 * (step / 7) as i32;
    for (count, start) in (0..wanted).step_by(beat.max(1)).enumerate() {
        let root = progression[count / 4 % 4];
        if count % 2 == 0 {
            add(&mut out, start, &kick, 0.8);
        } else {
            add(&mut out, start, &snare, 0.6);
        }
        add(&mut out, start + beat / 2, &hat, 0.3);
        if count % 4 == 0 {
            for third in [0, 2, 4] {
                note(&mut out, start, 4 * beat, (degree(root + third), 0.25, bright));
            }
        }
        note(&mut out, start, beat, (degree(root) - 24, 0.4, 0.3));
        if random.u8(0..4) > 0 {
            let step = root + random.usize(..10);
            let late = if random.bool() { 0 } else { beat / 2 };
            note(
                &mut out,
                start + late,
                beat / 2 + beat * random.usize(..2),
                (degree(step) + 12, 0.3, bright),
            );
        }
    }
    level(&mut out, 0.1);
    out
}

/// A decaying noise or thump.
fn drum(random: &mut fastrand::Rng, hertz: f32, seconds: f64) -> Vec<f32> {
    let length = samples(seconds);
    let mut smooth = 0.0;
    let blend = (hertz / RATE as f32 * 6.0).min(1.0);
    let pitch = hertz * (0.8 + 0.4 * random.f32());
    let make = |at: usize| {
        let t = at as f32 / length as f32;
        smooth += blend * (random.f32() - 0.5 - smooth);
        let thump =
            (std::f32::consts::TAU * pitch * (1.0 - 0.4 * t) * at as f32 / RATE as f32).sin();
        (smooth * 2.0 + if hertz < 500.0 { thump } else { 0.0 }) * (1.0 - t).powi(3)
    };
    (0..length).map(make).collect()
}

fn add(out: &mut [f32], start: usize, part: &[f32], gain: f32) {
    for (out, part) in out.iter_mut().skip(start).zip(part) {
        *out += gain * part;
    }
}

fn note(out: &mut [f32], start: usize, length: usize, (semitone, gain, bright): (i32, f32, f32)) {
    let hertz = 440.0 * (semitone as f32 / 12.0).exp2();
    for partial in 1..=8_u8 {
        let frequency = hertz * f32::from(partial);
        if frequency > RATE as f32 / 2.2 {
            break;
        }
        let strength = gain * bright.powi(i32::from(partial) - 1);
        let step = std::f32::consts::TAU * frequency / RATE as f32;
        // A rotation is quicker than a sine for each sample.
        let (turn_sin, turn_cos) = step.sin_cos();
        let (mut sin, mut cos) = (0.0_f32, strength);
        for (at, out) in out.iter_mut().skip(start).take(length).enumerate() {
            let t = at as f32 / length as f32;
            *out += sin * (t * 60.0).min(1.0) * (1.0 - t);
            (sin, cos) = (sin * turn_cos + cos * turn_sin, cos * turn_cos - sin * turn_sin);
        }
    }
}
