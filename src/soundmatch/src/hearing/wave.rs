//! The waveform of a whole episode in one byte a sample.
//!
//! A byte is a small float: a sign, four bits of exponent, three of mantissa. Noise lies 29 dB below
//! the sound whatever its loudness, over a range of 96 dB: far more than verification needs, and six
//! hours fit into 114 MiB.

/// How much of a sample the next one is expected to be. Sounds are strong in their low notes, and
/// the noise of packing would cover the high ones: what is kept is the change.
const TILT: f32 = 0.9;

/// The exponent of the smallest value but zero: just under -96 dB.
const LOWEST: u32 = 127 - 16;

#[derive(Debug, Default)]
pub(crate) struct Wave {
    bytes: Vec<u8>,
    last: f32,
}

impl Wave {
    pub(crate) fn push(&mut self, samples: &[f32]) {
        let mut last = self.last;
        self.bytes.extend(samples.iter().map(|&sample| {
            let own = sample - TILT * last;
            last = sample;
            packed(own)
        }));
        self.last = last;
    }

    /// So many samples of silence.
    pub(crate) fn rest(&mut self, samples: usize) {
        self.push(&[0.0][..samples.min(1)]);
        self.bytes.resize(self.bytes.len() + samples.saturating_sub(1), 0);
    }

    pub(crate) fn reserve(&mut self, samples: usize) {
        self.bytes.reserve(samples);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The sound itself, which the kept changes add up to.
    pub(crate) fn restored(&self) -> Vec<f32> {
        let mut last = 0.0;
        let sample = |&byte: &u8| {
            last = unpacked(byte) + TILT * last;
            last
        };
        self.bytes.iter().map(sample).collect()
    }

    /// Fills a window that begins at `start`, which may lie outside: there is silence.
    pub(crate) fn window(&self, start: i64, out: &mut [f32]) {
        out.fill(0.0);
        let before = usize::try_from(-start).unwrap_or(0).min(out.len());
        let from = usize::try_from(start).unwrap_or(0).min(self.bytes.len());
        for (out, &byte) in out[before..].iter_mut().zip(&self.bytes[from..]) {
            *out = unpacked(byte);
        }
    }
}

/// Rounds to the nearest small float; what is below the range becomes zero, what is above its top.
#[expect(clippy::cast_possible_truncation, reason = "seven bits are kept")]
fn packed(sample: f32) -> u8 {
    let bits = sample.to_bits();
    let sign = (bits >> 24) & 0x80;
    let magnitude = ((bits & 0x7fff_ffff) + (1 << 19)) >> 20;
    // The exponent and three bits of mantissa, counted from the smallest value.
    let kept = magnitude.saturating_sub(LOWEST << 3).min(0x7f);
    (sign | kept) as u8
}

fn unpacked(byte: u8) -> f32 {
    let kept = u32::from(byte & 0x7f);
    if kept == 0 {
        return 0.0;
    }
    f32::from_bits((kept + (LOWEST << 3)) << 20 | u32::from(byte & 0x80) << 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_stands_for_itself() {
        for byte in 0..=255_u8 {
            let sample = unpacked(byte);
            assert!(sample.abs() < 1.0);
            assert_eq!(unpacked(packed(sample)), sample);
        }
        for odd in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -0.0, 1e-30] {
            assert!(unpacked(packed(odd)).is_finite(), "{odd}");
        }
    }

    #[test]
    fn error_is_small_whatever_the_loudness() {
        for at in 1..10_000_u16 {
            let sample = f32::from(at) / 10_001.0;
            assert!((unpacked(packed(sample)) - sample).abs() <= sample / 15.0, "{sample}");
        }
    }

    #[test]
    fn a_rest_is_as_many_zeros() {
        let (mut rested, mut pushed) = (Wave::default(), Wave::default());
        for samples in [0, 1, 2, 100] {
            for wave in [&mut rested, &mut pushed] {
                wave.push(&[0.25, -0.5]);
            }
            rested.rest(samples);
            pushed.push(&vec![0.0; samples]);
            assert_eq!(rested.bytes, pushed.bytes);
        }
    }

    #[test]
    fn what_is_restored_is_what_was_kept() {
        let tone: Vec<f32> = (0..2_000_u16).map(|at| (f32::from(at) * 0.3).sin() * 0.5).collect();
        let mut wave = Wave::default();
        wave.push(&tone);
        let restored = wave.restored();
        assert_eq!(restored.len(), tone.len());
        let off = restored.iter().zip(&tone).map(|(own, it)| (own - it).powi(2)).sum::<f32>();
        let all = tone.iter().map(|it| it.powi(2)).sum::<f32>();
        assert!(off < 0.01 * all, "{off} of {all} is noise");
    }

    #[test]
    fn windows_outside_are_silent() {
        let wave = Wave { bytes: vec![packed(0.5); 10], last: 0.0 };
        let mut out = [9.0; 4];
        for (start, expected) in [
            (-2, [0.0, 0.0, 0.5, 0.5]),
            (8, [0.5, 0.5, 0.0, 0.0]),
            (100, [0.0; 4]),
            (-100, [0.0; 4]),
            (i64::MIN + 1, [0.0; 4]),
            (i64::MAX, [0.0; 4]),
        ] {
            wave.window(start, &mut out);
            assert_eq!(out, expected, "at {start}");
        }
    }
}
