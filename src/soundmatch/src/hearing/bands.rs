//! What a sound is recognised by: how the energy of each band rises and falls.
//!
//! Every 32 ms the logarithm of the energy in each of 32 bands is taken, compared with that of two
//! steps before, freed of what all bands share, and squeezed into a byte. Loudness and equalisation
//! add constants to logarithms, so they vanish; another voice covers some cells and leaves others;
//! a speed one percent off moves cells by less than their own width.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

use super::WORKING_RATE;

/// Bands of one frame.
pub(crate) const BANDS: usize = 32;

/// Samples from one frame to the next: 32 ms.
pub(crate) const HOP: usize = 176;

/// Samples that one frame looks at: 93 ms.
pub(crate) const WINDOW: usize = 512;

/// The lowest and highest frequency that count: what every codec keeps.
const FROM_HZ: f64 = 120.0;
const TO_HZ: f64 = 2_450.0;

/// Energy that counts as none: a tone 92 dB below the loudest gives about this.
const FLOOR: f32 = 1e-5;

/// A change of this much, as a logarithm of energy, is half of the largest byte.
const SOFTNESS: f32 = 1.5;

/// Frames of a sound, each one of [`BANDS`] bytes.
pub(crate) struct Bands {
    cells: Vec<i8>,
    edges: [usize; BANDS + 1],
    window: Vec<f32>,
    fft: Arc<dyn RealToComplex<f32>>,
    /// Samples that later frames still need.
    waiting: Vec<f32>,
    /// Logarithms of the last two frames.
    before: [[f32; BANDS]; 2],
    frames: usize,
    spectrum: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    frame: Vec<f32>,
}

impl Bands {
    pub(crate) fn new() -> Bands {
        let fft = RealFftPlanner::new().plan_fft_forward(WINDOW);
        Bands {
            cells: Vec::new(),
            edges: edges(),
            window: hann(),
            waiting: Vec::new(),
            before: [[0.0; BANDS]; 2],
            frames: 0,
            spectrum: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            frame: vec![0.0; WINDOW],
            fft,
        }
    }

    pub(crate) fn reserve(&mut self, samples: usize) {
        self.cells.reserve(samples / HOP * BANDS);
    }

    pub(crate) fn push(&mut self, samples: &[f32]) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.extend_from_slice(samples);
        let mut start = 0;
        while start + WINDOW <= waiting.len() {
            self.add(&waiting[start..start + WINDOW]);
            start += HOP;
        }
        waiting.drain(..start);
        self.waiting = waiting;
    }

    /// So many samples of silence. Once a frame and those before it hear nothing else, nothing changes
    /// any more.
    pub(crate) fn rest(&mut self, samples: usize) {
        let first = samples.min(WINDOW + 3 * HOP);
        self.push(&[0.0; WINDOW + 3 * HOP][..first]);
        let waiting = self.waiting.len() + samples - first;
        let frames = if waiting < WINDOW { 0 } else { (waiting - WINDOW) / HOP + 1 };
        self.cells.resize(self.cells.len() + frames * BANDS, 0);
        self.frames += frames;
        self.waiting.resize(waiting - frames * HOP, 0.0);
    }

    /// Frame `t` tells how the sound changes from sample `t * HOP` to two hops later.
    pub(crate) fn cells(&self) -> &[i8] {
        &self.cells
    }

    fn add(&mut self, samples: &[f32]) {
        for ((out, sample), window) in self.frame.iter_mut().zip(samples).zip(&self.window) {
            *out = sample * window;
        }
        let done =
            self.fft.process_with_scratch(&mut self.frame, &mut self.spectrum, &mut self.scratch);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        let mut now = [0.0; BANDS];
        for (band, now) in now.iter_mut().enumerate() {
            let bins = &self.spectrum[self.edges[band]..self.edges[band + 1]];
            *now = (bins.iter().map(Complex::norm_sqr).sum::<f32>() + FLOOR).ln();
        }
        if self.frames >= 2 {
            self.keep(&now);
        }
        self.before = [self.before[1], now];
        self.frames += 1;
    }

    #[expect(clippy::cast_possible_truncation, reason = "below 127 by its making")]
    fn keep(&mut self, now: &[f32; BANDS]) {
        let mut change = [0.0; BANDS];
        for (band, change) in change.iter_mut().enumerate() {
            *change = now[band] - self.before[0][band];
        }
        let shared = change.iter().sum::<f32>() / BANDS as f32;
        self.cells.extend(change.iter().map(|change| {
            let own = change - shared;
            (own / (own.abs() + SOFTNESS) * 127.0) as i8
        }));
    }
}

/// The first bin of each band: even steps on a scale that is linear below 700 Hz and logarithmic
/// above, as ears have it.
#[expect(clippy::cast_possible_truncation, reason = "bins of one window")]
pub(crate) fn edges() -> [usize; BANDS + 1] {
    let mel = |hertz: f64| (1.0 + hertz / 700.0).ln();
    let (from, to) = (mel(FROM_HZ), mel(TO_HZ));
    std::array::from_fn(|band| {
        let at = from + (to - from) * band as f64 / BANDS as f64;
        let hertz = 700.0 * (at.exp() - 1.0);
        (hertz * WINDOW as f64 / f64::from(WORKING_RATE)).round() as usize
    })
}

#[expect(clippy::cast_possible_truncation, reason = "windows are in single precision")]
fn hann() -> Vec<f32> {
    let step = std::f64::consts::TAU / WINDOW as f64;
    (0..WINDOW).map(|at| (0.5 - 0.5 * (step * at as f64).cos()) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_is_as_many_zeros() {
        let (mut rested, mut pushed) = (Bands::new(), Bands::new());
        let mut random = fastrand::Rng::with_seed(1);
        for samples in [0, 1, 500, 1_039, 1_040, 1_041, 5_000, 20, 100_000, 10] {
            let sound: Vec<f32> = (0..700).map(|_| random.f32() - 0.5).collect();
            for bands in [&mut rested, &mut pushed] {
                bands.push(&sound);
            }
            rested.rest(samples);
            pushed.push(&vec![0.0; samples]);
            assert_eq!((&rested.cells, rested.frames), (&pushed.cells, pushed.frames));
            assert_eq!((&rested.waiting, rested.before), (&pushed.waiting, pushed.before));
        }
    }
}
