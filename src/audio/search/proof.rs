//! Lays a piece over the episode, sample on sample, and asks every frequency whether it agrees.
//!
//! A line tells where a piece would have to be. Here both are cut into the same short windows at that
//! place, at the right speed, so that nothing but the sound itself is compared. Each frequency says
//! for itself, over all windows, how much more it agrees than chance would: that is a figure with the
//! same meaning for every loudness, length and codec. Two pieces of music that share tones agree in
//! those only, and not at one lag; the same sound under another voice, or through a codec that left
//! holes, agrees a little everywhere.

use std::ops::Range;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

use super::between::Between;
use super::line::Line;
use super::piece::Piece;
use super::probe::{NOISE, SPEEDS, STRIDE, WIDTH, hann};
use super::scan::Place;
use crate::audio::hearing::{HOP, Wave};

/// Bins of a window that count: 107 to 2,524 Hz.
const BINS: Range<usize> = 10..235;

/// Samples around the claimed place that are tried, and between them.
const LATE: f64 = 1.5;
const STEP: f64 = 0.25;

/// Where a piece of a clip is said to be. All places are in samples at the working rate.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// A place in the clip, and the same in the episode.
    pub(super) clip_at: f64,
    pub(super) episode_at: f64,
    pub(super) speed: f64,
    /// The piece, as a part of the clip.
    pub(super) part: Range<f64>,
}

impl Claim {
    pub(super) fn new(
        piece: &Piece,
        place: Place,
        (line, speed): (&Line, usize),
        windows: usize,
    ) -> Claim {
        let (start, middle) = (piece.start as f64, piece.len as f64 / 2.0);
        let off = 1.0 + f64::from(SPEEDS[speed]) / 1e3;
        // The middle of the windows is what the line turns around; that of the piece what is
        // stretched.
        let turn = ((windows - 1) * STRIDE + WIDTH) as f64 / 2.0;
        let lag = line.lag + line.slope * (middle - turn);
        Claim {
            clip_at: start + middle,
            episode_at: place.frame as f64 * HOP as f64 + middle + lag,
            speed: off / (1.0 + line.slope),
            part: start..start + piece.len as f64,
        }
    }

    pub(super) fn in_episode(&self, clip_at: f64) -> f64 {
        self.episode_at + (clip_at - self.clip_at) / self.speed
    }

    pub(super) fn in_clip(&self, episode_at: f64) -> f64 {
        self.clip_at + (episode_at - self.episode_at) * self.speed
    }

    /// Where windows begin in the episode, and how many there are.
    #[expect(clippy::cast_possible_truncation, reason = "windows of a piece")]
    #[expect(clippy::cast_sign_loss, reason = "not below zero")]
    pub(super) fn windows(&self) -> (f64, usize) {
        let (from, to) = (self.in_episode(self.part.start).floor(), self.in_episode(self.part.end));
        let windows = ((to - from - WIDTH as f64) / STRIDE as f64).max(0.0) as usize + 1;
        (from, windows)
    }
}

/// What came of a claim.
#[derive(Debug, Clone)]
pub(super) struct Proof {
    /// How much all frequencies agree, in what chance would make of it.
    pub(super) score: f32,
    /// Samples that the claim was too early.
    pub(super) late: f64,
    /// Agreement of each window, from -1 to 1.
    pub(super) windows: Vec<f32>,
}

pub(super) struct Court {
    forward: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    pub(super) between: Between,
}

impl Court {
    pub(super) fn new() -> Court {
        let forward = RealFftPlanner::new().plan_fft_forward(WIDTH);
        Court { forward, window: hann(WIDTH), between: Between::new() }
    }

    /// `clip` is all of the clip.
    #[expect(clippy::cast_possible_truncation, reason = "samples of a day")]
    pub(super) fn prove(&self, episode: &Wave, clip: &[f32], claim: &Claim) -> Proof {
        let (from, windows) = claim.windows();
        let (mut heard, mut own) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        let (mut left, mut right) = (self.forward.make_output_vec(), self.forward.make_output_vec());
        let mut products = Vec::with_capacity(windows * BINS.len());
        for window in 0..windows {
            let start = from + (window * STRIDE) as f64;
            episode.window(start as i64, &mut heard);
            for (at, out) in own.iter_mut().enumerate() {
                *out = self.between.read(clip, claim.in_clip(start + at as f64));
            }
            self.flattened(&mut own, &mut left);
            self.flattened(&mut heard, &mut right);
            products.extend(left[BINS].iter().zip(&right[BINS]).map(|(own, it)| own.conj() * it));
        }
        judge(&products)
    }

    fn flattened(&self, samples: &mut [f32], turned: &mut [Complex<f32>]) {
        samples.iter_mut().zip(&self.window).for_each(|(sample, window)| *sample *= window);
        let done = self.forward.process(samples, turned);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        let bins = &mut turned[BINS];
        let mean = bins.iter().map(Complex::norm_sqr).sum::<f32>() / BINS.len() as f32;
        let floor = NOISE * mean + 1e-12;
        bins.iter_mut().for_each(|bin| *bin *= (bin.norm_sqr() + floor).sqrt().recip());
    }
}

fn judge(products: &[Complex<f32>]) -> Proof {
    let mut sums = vec![Complex::<f32>::default(); BINS.len()];
    let mut chance = vec![0.0_f32; BINS.len()];
    for row in products.chunks_exact(BINS.len()) {
        for ((sum, chance), product) in sums.iter_mut().zip(&mut chance).zip(row) {
            *sum += product;
            *chance += product.norm_sqr() / 2.0;
        }
    }
    for (sum, chance) in sums.iter_mut().zip(&chance) {
        *sum = if *chance > 0.0 { *sum / chance.sqrt() } else { Complex::default() };
    }
    let (mut best, mut late) = ((f32::MIN, 0.0), -LATE);
    while late <= LATE {
        let score = score(&sums, &turns(late));
        if score > best.0 {
            best = (score, late);
        }
        late += STEP;
    }
    let (score, late) = best;
    let turns = turns(late);
    let agreement = |row: &[Complex<f32>]| {
        let own: f32 = row.iter().zip(&turns).map(|(it, turn)| (it * turn).re).sum();
        let most: f32 = row.iter().map(|it| it.norm()).sum();
        if most > 0.0 { own / most } else { 0.0 }
    };
    let windows = products.chunks_exact(BINS.len()).map(agreement).collect();
    Proof { score, late, windows }
}

/// What turns each bin back by so many samples.
#[expect(clippy::cast_possible_truncation, reason = "turns are in single precision")]
fn turns(late: f64) -> Vec<Complex<f32>> {
    let step = std::f64::consts::TAU * late / WIDTH as f64;
    let turn = |angle: f64| Complex::new(angle.cos() as f32, angle.sin() as f32);
    BINS.map(|bin| turn(step * bin as f64)).collect()
}

/// What all bins say together, times the part of it that says yes at this very lag: shared tones say
/// much and contradict one another.
fn score(sums: &[Complex<f32>], turns: &[Complex<f32>]) -> f32 {
    let agreed: f32 = sums.iter().zip(turns).map(|(sum, turn)| (sum * turn).re).sum();
    let said: f32 = sums.iter().map(|sum| sum.norm()).sum();
    if agreed <= 0.0 {
        return 0.0;
    }
    agreed / (sums.len() as f32).sqrt() * agreed / said
}
