//! Compares waveforms at a place, in short windows, at several speeds.
//!
//! Spectra are flattened before they are multiplied, so that a loud tone or an equaliser says no
//! more than any other part of the sound, and what is left is when things happen.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::between::Between;
use super::piece::Piece;
use crate::hearing::{HOP, Wave};

/// Samples of a window of the clip: 93 ms. A speed 0.35 % off moves its ends by less
/// than a sample.
pub(super) const WIDTH: usize = 512;

/// Samples from one window to the next: half a window, so that nothing falls between two.
pub(super) const STRIDE: usize = WIDTH / 2;

/// Samples of the episode that a window is compared with.
pub(super) const FIELD: usize = 2 * WIDTH;

/// Lags of a window: half of them before the expected place, half after.
pub(super) const LAGS: usize = FIELD - WIDTH;

/// Speeds that are tried, in thousandths off the right one; lines cover what lies between.
pub(super) const SPEEDS: [i32; 3] = [0, 7, -7];

/// Bins of a field that count: 107 to 2,524 Hz.
pub(super) const BINS: std::ops::Range<usize> = 20..470;

/// Windows whose agreement is added up before lines are laid: within two of them a line moves by half
/// a sample.
pub(super) const TOGETHER: usize = 2;

/// What is this much weaker than the mean of a window is what a codec puts there, or noise: flattening
/// ends there.
pub(super) const NOISE: f32 = 0.01;

/// Transforms for windows of all pieces.
pub(super) struct Workshop {
    pub(super) forward: Arc<dyn RealToComplex<f32>>,
    pub(super) inverse: Arc<dyn ComplexToReal<f32>>,
    /// Edges would smear over the whole spectrum, and flattening would raise what they smear.
    narrow: Vec<f32>,
    wide: Vec<f32>,
    between: Between,
}

/// A piece as it would sound at each speed, window by window.
pub(super) struct Probe {
    /// Windows of each speed, one after another; made when they are first asked for.
    spectra: Vec<Option<Vec<Complex<f32>>>>,
    samples: Vec<f32>,
    pub(super) windows: usize,
}

/// How a piece agrees with the episode.
pub(super) struct Agreement {
    pub(super) windows: usize,
    /// A row of a field's lags for each group of windows.
    pub(super) rows: Vec<f32>,
    /// For each bin what makes one of what chance would give it in the sum of all rows.
    pub(super) chance: Vec<f32>,
}

/// The fields of the episode at a place.
pub(super) struct Fields {
    spectra: Vec<Complex<f32>>,
}

impl Workshop {
    pub(super) fn new() -> Workshop {
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(FIELD), planner.plan_fft_inverse(FIELD));
        // Half a sine: what is heard early or late in a field counts almost as much.
        let wide = hann(FIELD).into_iter().map(f32::sqrt).collect();
        let between = Between::new();
        Workshop { forward, inverse, narrow: hann(WIDTH), wide, between }
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
        let mut rows = vec![0.0; windows.div_ceil(TOGETHER) * FIELD];
        let mut chance = vec![0.0_f32; BINS.len()];
        let mut product = self.inverse.make_input_vec();
        let mut scratch = self.inverse.make_scratch_vec();
        let groups =
            spectra.chunks(TOGETHER * BINS.len()).zip(fields.spectra.chunks(TOGETHER * BINS.len()));
        for (row, (clips, fields)) in rows.chunks_exact_mut(FIELD).zip(groups) {
            product.fill(Complex::default());
            let pairs = clips.chunks_exact(BINS.len()).zip(fields.chunks_exact(BINS.len()));
            for (clip, field) in pairs {
                let bins = product[BINS].iter_mut().zip(&mut chance).zip(clip.iter().zip(field));
                for ((product, chance), (clip, field)) in bins {
                    let own = clip.conj() * field;
                    *product += own;
                    *chance += own.norm_sqr();
                }
            }
            let done = self.inverse.process_with_scratch(&mut product, row, &mut scratch);
            debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        }
        // Half of it is in either part of a number; there and back again makes it a field longer.
        for chance in &mut chance {
            *chance = if *chance > 0.0 { (*chance / 2.0).sqrt().recip() } else { 0.0 };
            *chance /= FIELD as f32;
        }
        Agreement { windows, rows, chance }
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
                let sample = self.between.read(samples, middle + (place - middle) * (1.0 + off));
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
pub(super) fn hann(len: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU / len as f64;
    (0..len).map(|at| (0.5 - 0.5 * (step * (at as f64 + 0.5)).cos()) as f32).collect()
}
