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
use super::claim::Claim;
use super::missing::missing;
use super::probe::{NOISE, STRIDE, WIDTH, hann};
use crate::hearing::Wave;

/// Bins of a window that count: 107 to 2,524 Hz.
const BINS: Range<usize> = 10..235;

/// How much of a score a blunt edge takes.
const MISSING: f32 = 1.5;

/// What a window has to agree, for its part, to count as heard, and as a part of what good ones do.
const HEARD: f32 = 0.15;
const HEARD_PART: f32 = 0.4;
const HEARD_WITHIN: f32 = 0.5;

/// Windows next to a cut that are not asked what is missing.
const EDGE: usize = 3;

/// Samples around the claimed place that are tried, and between them.
const LATE: f64 = 1.5;
const STEP: f64 = 0.25;

/// What came of a claim.
#[derive(Debug, Clone)]
pub(super) struct Proof {
    /// How much all frequencies agree, in what chance would make of it.
    pub(super) score: f32,
    /// Samples that the claim was too early.
    pub(super) late: f64,
    /// Agreement of each window, from -1 to 1.
    pub(super) windows: Vec<f32>,
    /// The windows from the first to the last that is heard.
    pub(super) heard: Range<usize>,
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
        let sign = claim.polarity.sign();
        let (mut theirs, mut own) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        let mut turned = self.forward.make_output_vec();
        let mut products = Vec::with_capacity(windows * BINS.len());
        let (mut clip_cells, mut episode_cells) = (Vec::new(), Vec::new());
        for window in 0..windows {
            let start = from + (window * STRIDE) as f64;
            for (at, out) in own.iter_mut().enumerate() {
                *out = self.between.read(clip, claim.in_clip(start + at as f64));
            }
            self.turn(&mut own, &mut turned, &mut clip_cells);
            let row = products.len();
            products.extend(turned[BINS].iter().map(|bin| bin.conj() * sign));
            episode.window(start as i64, &mut theirs);
            self.turn(&mut theirs, &mut turned, &mut episode_cells);
            products[row..].iter_mut().zip(&turned[BINS]).for_each(|(own, other)| *own *= other);
        }
        // What is not there has no say: all windows tell which of them are heard, and those decide.
        let (_, late) = judge(&products);
        let heard = heard(&agreements(&products, late));
        let (score, late) = judge(rows(&products, &heard));
        let inside = inside(&heard, windows);
        let missing =
            missing(rows(&clip_cells, &inside), rows(&episode_cells, &inside), BINS.len());
        let score = score * (-MISSING * missing).exp();
        Proof { score, late, windows: agreements(&products, late), heard }
    }

    /// The flattened spectrum of a window; its magnitudes are appended to `cells`.
    fn turn(&self, samples: &mut [f32], turned: &mut [Complex<f32>], cells: &mut Vec<f32>) {
        samples.iter_mut().zip(&self.window).for_each(|(sample, window)| *sample *= window);
        let done = self.forward.process(samples, turned);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        let bins = &mut turned[BINS];
        cells.extend(bins.iter().map(|bin| bin.norm()));
        let mean = bins.iter().map(Complex::norm_sqr).sum::<f32>() / BINS.len() as f32;
        let floor = NOISE * mean + 1e-12;
        bins.iter_mut().for_each(|bin| *bin *= (bin.norm_sqr() + floor).sqrt().recip());
    }
}

/// What belongs to some of the windows.
fn rows<'a, T>(all: &'a [T], windows: &Range<usize>) -> &'a [T] {
    &all[windows.start * BINS.len()..windows.end * BINS.len()]
}

/// How much all frequencies agree, and at how many samples after the claimed place.
fn judge(products: &[Complex<f32>]) -> (f32, f64) {
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
    best
}

/// Agreement of each window so many samples after the claimed place.
fn agreements(products: &[Complex<f32>], late: f64) -> Vec<f32> {
    let turns = turns(late);
    let agreement = |row: &[Complex<f32>]| {
        let own: f32 = row.iter().zip(&turns).map(|(it, turn)| (it * turn).re).sum();
        let most: f32 = row.iter().map(|it| it.norm()).sum();
        if most > 0.0 { own / most } else { 0.0 }
    };
    products.chunks_exact(BINS.len()).map(agreement).collect()
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

/// What is heard without the edges of a cut: nobody knows them to a window, and behind them everything
/// is missing.
fn inside(heard: &Range<usize>, windows: usize) -> Range<usize> {
    let edge = (heard.len() / 6).min(EDGE);
    let start = if heard.start > 0 { heard.start + edge } else { 0 };
    let end = if heard.end < windows { heard.end - edge } else { windows };
    start..end
}

/// The windows from the first to the last that is heard. A codec and music in the same key agree a
/// little beside a cut too: what is heard there has to be half of what is usual within.
fn heard(windows: &[f32]) -> Range<usize> {
    let good = quantile(windows, 3, 4).max(0.0);
    let wide = longest(windows, (HEARD_PART * good).min(HEARD));
    let usual = quantile(&windows[wide.clone()], 1, 2).max(0.0);
    let within = longest(&windows[wide.clone()], HEARD_WITHIN * usual);
    wide.start + within.start..wide.start + within.end
}

fn quantile(windows: &[f32], part: usize, of: usize) -> f32 {
    let mut sorted = windows.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() * part / of).copied().unwrap_or(0.0)
}

/// Where agreement above the least adds up to most.
fn longest(windows: &[f32], least: f32) -> Range<usize> {
    let (mut best, mut found) = (0.0, 0..windows.len());
    let (mut sum, mut from) = (0.0_f32, 0);
    for (at, agreement) in windows.iter().enumerate() {
        if sum <= 0.0 {
            (sum, from) = (0.0, at);
        }
        sum += agreement - least;
        if sum > best {
            (best, found) = (sum, from..at + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_not_blurred_by_what_is_a_little_alike_beside_it() {
        let cut: Vec<f32> = [[0.25; 40], [0.7; 40]].concat();
        assert_eq!(heard(&cut), 40..80);
        let mut drowned = vec![0.6; 80];
        drowned[30..40].fill(0.05);
        assert_eq!(heard(&drowned), 0..80, "a loud word in the middle cuts nothing");
        assert_eq!(heard(&[0.0; 5]), 0..5);
        assert_eq!(heard(&[0.4]), 0..1);
    }
}
