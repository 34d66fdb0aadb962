//! Whether the windows of a piece agree with the episode along one straight line.
//!
//! A true occurrence shifts all windows by the same lag, or by one that grows evenly where the speed
//! is a little off. Each window alone says little; along the right line all of them say the same. No
//! frequency may say much more than chance would: the few tones that two pieces of music share agree
//! at many lags, and loudly. An inverted sound agrees as clearly, with the other sign.

use realfft::num_complex::Complex;

use super::polarity::Polarity;
use super::probe::{Agreement, BINS, FIELD, LAGS, STRIDE, TOGETHER, Workshop};

/// Lags in the middle of a piece, in samples to either side: a little more than a frame.
const REACH: usize = 250;

/// Thousandths of speed that lines cover on either side of a tried speed.
const SLOPE: f64 = 3.8e-3;

/// How many times as much as chance a frequency may say.
const LOUDEST: f32 = 4.0;

/// The best line of one polarity through the windows of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) polarity: Polarity,
    /// Samples that the middle of the piece is later than expected.
    pub(super) lag: f64,
    /// How much the lag grows from one sample to the next.
    pub(super) slope: f64,
    /// How much all frequencies agree, in what chance would make of it.
    pub(super) score: f32,
}

/// Finds lines; what it works on is kept from one to the next.
pub(super) struct Ruler<'a> {
    workshop: &'a Workshop,
    sums: Vec<f32>,
    turned: Vec<Complex<f32>>,
    profile: Vec<f32>,
}

impl<'a> Ruler<'a> {
    pub(super) fn new(workshop: &'a Workshop) -> Ruler<'a> {
        let turned = workshop.forward.make_output_vec();
        Ruler { workshop, sums: vec![0.0; FIELD], turned, profile: vec![0.0; FIELD] }
    }

    /// The best line of each polarity.
    pub(super) fn best(&mut self, agreement: &Agreement) -> [Line; 2] {
        let half = (agreement.windows * STRIDE) as f64 / 2.0;
        // Ends move by two samples from one line to the next: no window is more than one off.
        let steps = (SLOPE * half / 2.0).ceil();
        let mut best =
            Polarity::BOTH.map(|polarity| Line { polarity, lag: 0.0, slope: 0.0, score: f32::MIN });
        let mut step = -steps;
        while step <= steps {
            self.attempt(agreement, 2.0 * step / half, &mut best);
            step += 1.0;
        }
        for line in &mut best {
            let near = line.slope;
            for finer in [-1.0, -0.5, 0.5, 1.0] {
                self.attempt(agreement, near + finer / half, std::slice::from_mut(line));
            }
        }
        best
    }

    /// Tries all lines of one slope.
    fn attempt(&mut self, agreement: &Agreement, slope: f64, best: &mut [Line]) {
        self.add_up(agreement, slope);
        self.weigh(agreement);
        for line in best {
            self.improve(slope, line);
        }
    }

    /// Takes the best lag of the profile if it is better than what is known of its polarity.
    fn improve(&self, slope: f64, best: &mut Line) {
        let (polarity, sign) = (best.polarity, best.polarity.sign());
        let from = LAGS / 2 - REACH;
        let lags = &self.profile[from..from + 2 * REACH + 1];
        let (mut at, mut most) = (0, f32::MIN);
        for (lag, &score) in lags.iter().enumerate() {
            if score * sign > most {
                (at, most) = (lag, score * sign);
            }
        }
        if most > best.score {
            let near = [from + at - 1, from + at, from + at + 1];
            let lag = at as f64 - REACH as f64 + vertex(near.map(|lag| self.profile[lag] * sign));
            *best = Line { polarity, lag, slope, score: most };
        }
    }

    /// Agreement along all lines of one slope, by their lags in the middle.
    fn add_up(&mut self, agreement: &Agreement, slope: f64) {
        self.sums.fill(0.0);
        for (group, row) in agreement.rows.chunks_exact(FIELD).enumerate() {
            let shift = shift(group, agreement.windows, slope);
            let (late, early) = row.split_at(shift);
            let (first, second) = self.sums.split_at_mut(FIELD - shift);
            first.iter_mut().zip(early).for_each(|(sum, lag)| *sum += lag);
            second.iter_mut().zip(late).for_each(|(sum, lag)| *sum += lag);
        }
    }

    /// Makes of sums what every frequency says, none of them too loudly.
    fn weigh(&mut self, agreement: &Agreement) {
        let done = self.workshop.forward.process(&mut self.sums, &mut self.turned);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        self.turned[..BINS.start].fill(Complex::default());
        self.turned[BINS.end..].fill(Complex::default());
        for (bin, chance) in self.turned[BINS].iter_mut().zip(&agreement.chance) {
            let own = *bin * *chance;
            let loudness = own.norm();
            *bin = if loudness > LOUDEST { own * (LOUDEST / loudness) } else { own };
        }
        let done = self.workshop.inverse.process(&mut self.turned, &mut self.profile);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        // Every bin counts twice in the inverse transform.
        let scale = 0.5 / (BINS.len() as f32).sqrt();
        self.profile.iter_mut().for_each(|score| *score *= scale);
    }
}

/// Where between samples the top of three scores is, counted from the middle one.
fn vertex([before, here, after]: [f32; 3]) -> f64 {
    let bend = f64::from(before - 2.0 * here + after);
    if bend < 0.0 { (0.5 * f64::from(before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}

/// How far the lags of a group of windows are turned for a line.
#[expect(clippy::cast_possible_truncation, reason = "lags within a field")]
fn shift(group: usize, windows: usize, slope: f64) -> usize {
    let first = group * TOGETHER;
    let last = (first + TOGETHER).min(windows) - 1;
    let middle = (first + last) as f64 / 2.0 + 0.5 - windows as f64 / 2.0;
    let shift = (slope * middle * STRIDE as f64).round() as i64;
    usize::try_from(shift.rem_euclid(FIELD as i64)).unwrap_or(0)
}
