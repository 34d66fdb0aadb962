//! From any sample rate to the working rate, piece by piece.
//!
//! A windowed sinc at each of the exact fractional positions. The filter is symmetric around the
//! position it computes, so there is no delay: sample `n` that comes out stands at `n / 5500` s of
//! what goes in. A stream whose rate changes gets a new resampler that starts between two samples
//! where the old one ended.

use super::WORKING_RATE;

/// Lobes of the sinc on either side.
const LOBES: f64 = 6.0;

/// The pass band, as a part of what the lower rate can carry.
const PASS: f64 = 0.9;

/// Shape of the Kaiser window: about 60 dB down.
const BETA: f64 = 6.0;

/// Rates that are taken; filters stay below 10 MiB.
pub(super) const RATES: std::ops::RangeInclusive<u32> = 1_000..=384_000;

pub(super) struct Resampler {
    /// One filter of `len` taps for each position between two samples.
    taps: Vec<f32>,
    len: usize,
    /// Positions between two samples of the input, and how many of them one step of the output is.
    up: usize,
    down: usize,
    /// What is still needed of the input, the first `len / 2` of it before the next position.
    input: Vec<f32>,
    /// Next position, counted from the sample `len / 2 - 1` of `input`.
    next: usize,
    /// Positions until the end of the input, once it is known.
    rate: u32,
}

impl Resampler {
    /// `late` is how long after the first sample of the input the first one of the output stands,
    /// as a part of one sample of the input.
    pub(super) fn new(rate: u32, late: f64) -> Resampler {
        let common = gcd(rate as usize, WORKING_RATE as usize);
        let (up, down) = (WORKING_RATE as usize / common, rate as usize / common);
        let cutoff = PASS * (f64::from(WORKING_RATE) / f64::from(rate)).min(1.0);
        // Lengths in eights suit the inner loop.
        let half = ceil(LOBES / cutoff).next_multiple_of(4);
        let mut taps = Vec::with_capacity(up * 2 * half);
        for phase in 0..up {
            let between = phase as f64 / up as f64;
            taps.extend(filter(half, between, cutoff));
        }
        let next = ceil(late.max(0.0) * up as f64 - 0.5);
        let input = vec![0.0; half - 1];
        Resampler { taps, len: 2 * half, up, down, input, next, rate }
    }

    pub(super) fn rate(&self) -> u32 {
        self.rate
    }

    /// Takes samples and appends all that can be computed from them. Says whether it is silence.
    pub(super) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) -> bool {
        self.input.extend_from_slice(samples);
        // Recordings that wait for hours are not worth a sum for every sample.
        let silent = self.input.iter().all(|&sample| sample == 0.0);
        if silent {
            self.rest(out);
        }
        self.drain(self.input.len(), out);
        silent
    }

    /// Appends silence for all of the input that is there.
    fn rest(&mut self, out: &mut Vec<f32>) {
        let Some(last) = self.input.len().checked_sub(self.len) else { return };
        // The last position that still has all its input.
        let end = last * self.up + self.up - 1;
        let steps = end.checked_sub(self.next).map_or(0, |left| left / self.down + 1);
        out.resize(out.len() + steps, 0.0);
        self.next += steps * self.down;
    }

    /// Appends what the end of the input still hides: beyond it there is silence.
    pub(super) fn finish(mut self, out: &mut Vec<f32>) {
        let real = self.input.len();
        self.input.resize(real + self.len / 2, 0.0);
        self.drain(real + self.len / 2, out);
    }

    fn drain(&mut self, end: usize, out: &mut Vec<f32>) {
        let mut at = self.next / self.up;
        while at + self.len <= end {
            let phase = self.next % self.up * self.len;
            let taps = &self.taps[phase..phase + self.len];
            out.push(dot(&self.input[at..at + self.len], taps));
            self.next += self.down;
            at = self.next / self.up;
        }
        let spent = at.min(self.input.len());
        self.input.drain(..spent);
        self.next -= spent * self.up;
    }
}

/// Eight sums side by side, which the compiler keeps in wide registers.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

/// The taps for a position `between` two samples, of unit gain for a constant.
#[expect(clippy::cast_possible_truncation, reason = "taps are used in single precision")]
fn filter(half: usize, between: f64, cutoff: f64) -> impl Iterator<Item = f32> {
    let tap = move |at: usize| {
        let distance = at as f64 - (half as f64 - 1.0) - between;
        let angle = std::f64::consts::PI * cutoff * distance;
        let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
        let edge = (distance / half as f64).clamp(-1.0, 1.0);
        sinc * bessel(BETA * (1.0 - edge * edge).sqrt())
    };
    let gain: f64 = (0..2 * half).map(tap).sum();
    (0..2 * half).map(move |at| (tap(at) / gain) as f32)
}

/// The modified Bessel function of order zero, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..25 {
        term *= (x / 2.0 / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[expect(clippy::cast_possible_truncation, reason = "filters and phases are a few thousand long")]
fn ceil(value: f64) -> usize {
    value.ceil().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(rate: u32, hertz: f64, len: usize) -> Vec<f32> {
        let step = std::f64::consts::TAU * hertz / f64::from(rate);
        #[expect(clippy::cast_possible_truncation, reason = "sound is in single precision")]
        (0..len).map(|at| (step * at as f64).sin() as f32).collect()
    }

    fn resampled(rate: u32, samples: &[f32], part: usize) -> Vec<f32> {
        let (mut resampler, mut out) = (Resampler::new(rate, 0.0), Vec::new());
        for part in samples.chunks(part) {
            resampler.push(part, &mut out);
        }
        resampler.finish(&mut out);
        out
    }

    #[test]
    fn a_tone_keeps_its_time_at_every_rate() {
        for rate in [8_000, 11_025, 22_050, 44_100, 48_000, 44_101, 96_000] {
            let samples = sine(rate, 440.0, rate as usize / 2);
            let out = resampled(rate, &samples, 1000);
            let expected = sine(WORKING_RATE, 440.0, out.len());
            assert!(out.len().abs_diff(WORKING_RATE as usize / 2) <= 1, "{rate}: {}", out.len());
            for at in 200..out.len() - 200 {
                let off = (out[at] - expected[at]).abs();
                assert!(off < 0.01, "{rate}: sample {at} is off by {off}");
            }
        }
    }

    #[test]
    fn pieces_make_no_difference() {
        let samples = sine(44_100, 700.0, 10_000);
        assert_eq!(resampled(44_100, &samples, 1), resampled(44_100, &samples, 10_000));
        assert_eq!(resampled(44_100, &[], 1), Vec::<f32>::new());
        assert_eq!(resampled(44_100, &[0.5], 1).len(), 1);
    }

    #[test]
    fn silence_takes_as_long_as_sound() {
        for rate in [1_000, 8_000, 22_050, 44_101, 96_000] {
            let (mut silence, mut sound) = (Resampler::new(rate, 0.3), Resampler::new(rate, 0.3));
            for part in [1, 7, 300, 5_000, 2, 40_000, 64] {
                let (mut nothing, mut something) = (Vec::new(), Vec::new());
                assert!(silence.push(&vec![0.0; part], &mut nothing));
                assert!(!sound.push(&vec![0.5; part], &mut something));
                assert_eq!(nothing, vec![0.0; something.len()], "{part} samples at {rate} Hz");
            }
            assert_eq!((silence.next, silence.input.len()), (sound.next, sound.input.len()));
        }
    }

    #[test]
    fn what_the_working_rate_cannot_carry_is_gone() {
        let out = resampled(44_100, &sine(44_100, 4_000.0, 44_100), 4096);
        let loudest = out[200..out.len() - 200].iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        assert!(loudest < 0.01, "an alias of {loudest}");
    }
}
