//! Something like speech: a pulse train or noise through three formants, syllable by syllable, with
//! pauses, at the pitch of one speaker.

use super::{RATE, level, samples};

/// Formants of some vowels and of some consonants, in hertz.
const VOWELS: [[f32; 3]; 8] = [
    [730.0, 1090.0, 2440.0],
    [270.0, 2290.0, 3010.0],
    [300.0, 870.0, 2240.0],
    [530.0, 1840.0, 2480.0],
    [660.0, 1720.0, 2410.0],
    [570.0, 840.0, 2410.0],
    [440.0, 1020.0, 2240.0],
    [490.0, 1350.0, 1690.0],
];

/// A resonator of two poles.
#[derive(Default)]
struct Formant {
    last: [f32; 2],
}

impl Formant {
    fn ring(&mut self, input: f32, hertz: f32, width: f32) -> f32 {
        let radius = (-std::f32::consts::PI * width / RATE as f32).exp();
        let angle = std::f32::consts::TAU * hertz / RATE as f32;
        let gain = 1.0 - radius;
        let out = gain * input + 2.0 * radius * angle.cos() * self.last[0]
            - radius * radius * self.last[1];
        self.last = [out, self.last[0]];
        out
    }
}

pub(crate) fn speech(seed: u64, seconds: f64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    let wanted = samples(seconds);
    let mut out = Vec::with_capacity(wanted);
    let (mut formants, mut phase) =
        ([Formant::default(), Formant::default(), Formant::default()], 0.0);
    let base = 85.0 + 130.0 * random.f32();
    let tract = 0.9 + 0.25 * random.f32();
    let mut from = VOWELS[0];
    while out.len() < wanted {
        let length = samples(0.05 + 0.16 * random.f64());
        let to = VOWELS[random.usize(..VOWELS.len())]
            .map(|hertz| hertz * tract * (0.93 + 0.14 * random.f32()));
        let kind = random.u8(0..10);
        let loud = 0.4 + 0.8 * random.f32();
        let pitch = base * (0.85 + 0.35 * random.f32());
        let bend = 0.2 * (random.f32() - 0.5);
        for at in 0..length {
            let t = at as f32 / length as f32;
            let envelope = (t * 8.0).min(1.0) * ((1.0 - t) * 6.0).min(1.0) * loud;
            phase += pitch * (1.0 + bend * t) * (1.0 + 0.01 * (random.f32() - 0.5)) / RATE as f32;
            let pulse = if phase >= 1.0 { 8.0 } else { 0.0 };
            phase %= 1.0;
            let noise = random.f32() - 0.5;
            let source = match kind {
                0 => 0.0,
                1 | 2 => noise * 1.5,
                _ => pulse + 0.08 * noise,
            };
            let glide = (t * 3.0).min(1.0);
            let mut sum = 0.004 * (random.f32() - 0.5);
            for (place, formant) in formants.iter_mut().enumerate() {
                let hertz = from[place] + (to[place] - from[place]) * glide;
                let rise = if kind == 1 || kind == 2 { 1.6 } else { 1.0 };
                sum += formant.ring(source * envelope, hertz * rise, 70.0 + 40.0 * place as f32);
            }
            out.push(sum);
        }
        from = to;
        if random.u8(0..9) == 0 {
            let pause = samples(0.1 + 0.35 * random.f64());
            out.extend((0..pause).map(|_| 0.002 * (random.f32() - 0.5)));
        }
    }
    out.truncate(wanted);
    level(&mut out, 0.1);
    out
}
