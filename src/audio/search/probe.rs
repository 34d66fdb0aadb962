//! Compares waveforms at a place, in short windows, at several speeds.
//!
//! Spectra are flattened before they are multiplied, so that a loud tone or an equaliser says no
//! more than any other part of the sound, and what is left is when things happen.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::piece::Piece;
use crate::audio::hearing::{HOP, Wave};

/// Samples of a window of the clip: 93 ms. A speed 0.35 % off moves its ends by less
/// than a sample.
pub(super) const WIDTH: usize = 512;

/// Samples from one window to the next: half a window, so that nothing falls between two.
pub(super) const STRIDE: usize = WIDTH / 2;

/// Samples of the episode that a window is compared with.
const FIELD: usize = 2 * WIDTH;

/// Lags of a window: half of them before the expected place, half after.
pub(super) const LAGS: usize = FIELD - WIDTH;

/// Speeds that are tried, in thousandths off the right one; lines cover what lies between.
pub(super) const SPEEDS: [i32; 3] = [0, 7, -7];

/// Bins of a field that count: 107 to 2,524 Hz.
const BINS: std::ops::Range<usize> = 20..470;

/// Bins far below the mean are noise: this part of the mean is where flattening ends.
const NOISE: f32 = 0.0003;

/// Transforms for windows of all pieces.
pub(super) struct Workshop {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    /// Edges would smear over the whole spectrum, and flattening would raise what they smear.
    narrow: Vec<f32>,
    wide: Vec<f32>,
}

/// A piece as it would sound at each speed, window by window.
pub(super) struct Probe {
    /// Windows of each speed, one after another; made when they are first asked for.
    spectra: Vec<Option<Vec<Complex<f32>>>>,
    samples: Vec<f32>,
    pub(super) windows: usize,
}

/// How a piece agrees with the episode: a row of lags for each window.
pub(super) struct Agreement {
    pub(super) rows: Vec<f32>,
}

/// The fields of the episode at a place.
pub(super) struct Fields {
    spectra: Vec<Complex<f32>>,
}

impl Workshop {
    pub(super) fn new() -> Workshop {
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(FIELD), planner.plan_fft_inverse(FIELD));
        Workshop { forward, inverse, narrow: hann(WIDTH), wide: hann(FIELD) }
    }

    pub(super) fn probe(&self, clip: &Wave, piece: &Piece) -> Probe {
        let mut samples = vec![0.0; piece.len];
        clip.window(i64::try_from(piece.start).unwrap_or(0), &mut samples);
        let spectra = SPEEDS.iter().map(|_| None).collect();
        Probe { spectra, samples, windows: piece.len.saturating_sub(WIDTH) / STRIDE + 1 }
    }

    #[expect(clippy::cast_possible_wrap, reason = "samples of a day")]
    pub(super) fn fields(&self, episode: &Wave, frame: i64, windows: usize) -> Fields {
        let mut samples = vec![0.0; FIELD];
        let mut spectra = Vec::with_capacity(windows * BINS.len());
        let mut turned = self.forward.make_output_vec();
        for window in 0..windows {
            let start = frame * HOP as i64 + (window * STRIDE) as i64 - (LAGS / 2) as i64;
            episode.window(start, &mut samples);
            samples.iter_mut().zip(&self.wide).for_each(|(sample, window)| *sample *= window);
            self.flattened(&mut samples, &mut turned, &mut spectra);
        }
        Fields { spectra }
    }

    /// The agreement of a piece, at a speed, with the episode.
    pub(super) fn agreement(&self, probe: &mut Probe, fields: &Fields, speed: usize) -> Agreement {
        let windows = probe.windows;
        let samples = &probe.samples;
        let spectra = probe.spectra[speed]
            .get_or_insert_with(|| self.windows(samples, windows, f64::from(SPEEDS[speed]) / 1e3));
        let mut rows = vec![0.0; windows * LAGS];
        let mut product = self.inverse.make_input_vec();
        let mut lags = self.inverse.make_output_vec();
        let mut scratch = self.inverse.make_scratch_vec();
        let pairs = spectra.chunks_exact(BINS.len()).zip(fields.spectra.chunks_exact(BINS.len()));
        for (row, (clip, field)) in rows.chunks_exact_mut(LAGS).zip(pairs) {
            product.fill(Complex::default());
            for ((product, clip), field) in product[BINS].iter_mut().zip(clip).zip(field) {
                *product = clip.conj() * field;
            }
            let done = self.inverse.process_with_scratch(&mut product, &mut lags, &mut scratch);
            debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
            row.copy_from_slice(&lags[..LAGS]);
        }
        Agreement { rows }
    }

    /// Windows of a piece that is stretched around its middle.
    fn windows(&self, samples: &[f32], windows: usize, off: f64) -> Vec<Complex<f32>> {
        let mut spectra = Vec::with_capacity(windows * BINS.len());
        let mut turned = self.forward.make_output_vec();
        let middle = samples.len() as f64 / 2.0;
        let mut field = vec![0.0; FIELD];
        for window in 0..windows {
            field.fill(0.0);
            for (at, out) in field[..WIDTH].iter_mut().enumerate() {
                let place = (window * STRIDE + at) as f64;
                let sample = between(samples, middle + (place - middle) * (1.0 + off));
                *out = sample * self.narrow[at];
            }
            self.flattened(&mut field, &mut turned, &mut spectra);
        }
        spectra
    }

    /// Appends the bins that count, flattened and of unit energy; none where there is silence.
    fn flattened(
        &self,
        samples: &mut [f32],
        turned: &mut [Complex<f32>],
        out: &mut Vec<Complex<f32>>,
    ) {
        let done = self.forward.process(samples, turned);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        let bins = &mut turned[BINS];
        let mean = bins.iter().map(Complex::norm_sqr).sum::<f32>() / BINS.len() as f32;
        let mut energy = 0.0;
        for bin in bins.iter_mut() {
            let strength = bin.norm_sqr();
            let scale = (strength + NOISE * mean + 1e-12).sqrt().recip();
            *bin *= scale;
            energy += strength * scale * scale;
        }
        // The inverse transform counts every bin twice: half of that goes to either factor.
        let scale = if energy > 0.0 { (2.0 * energy).sqrt().recip() } else { 0.0 };
        out.extend(bins.iter().map(|bin| bin * scale));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "windows are in single precision")]
fn hann(len: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU / len as f64;
    (0..len).map(|at| (0.5 - 0.5 * (step * (at as f64 + 0.5)).cos()) as f32).collect()
}

/// A sample between samples, by the cubic through four of them.
#[expect(clippy::cast_possible_truncation, reason = "positions within a piece")]
pub(super) fn between(samples: &[f32], place: f64) -> f32 {
    let floor = place.floor();
    let t = (place - floor) as f32;
    let at = |step: i64| {
        let index = usize::try_from(floor as i64 + step).ok();
        index.and_then(|index| samples.get(index)).copied().unwrap_or(0.0)
    };
    if t == 0.0 {
        return at(0);
    }
    let (a, b, c, d) = (at(-1), at(0), at(1), at(2));
    let slope = (c - a) * 0.5;
    let square = a - 2.5 * b + 2.0 * c - 0.5 * d;
    let cube = (d - a) * 0.5 + (b - c) * 1.5;
    ((cube * t + square) * t + slope) * t + b
}
