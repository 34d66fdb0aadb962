//! Whether the windows of a piece agree with the episode along one straight line.
//!
//! A true occurrence shifts all windows by the same lag, or by one that grows evenly where the speed
//! is a little off. Each window alone says little; along the right line all of them say the same.

use super::probe::{Agreement, LAGS, STRIDE};

/// Lags in the middle of a piece, in samples to either side: a little more than a frame.
const REACH: usize = 180;

/// Thousandths of speed that lines cover on either side of a tried speed.
const SLOPE: f64 = 3.8e-3;

/// Lags that belong to the same peak: 1.5 ms.
const NEXT: usize = 8;

/// What a window has to agree, for its part, to count as heard.
const HEARD: f32 = 0.10;

/// The best line through the windows of a piece.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Samples that the middle of the piece is later than expected.
    pub(super) lag: f64,
    /// How much the lag grows from one sample to the next.
    pub(super) slope: f64,
    /// Mean agreement of all windows.
    pub(super) score: f32,
    /// The same for the best other lag at this slope. Tones agree at many lags, sounds at one.
    pub(super) rival: f32,
    /// Agreement of each window.
    pub(super) windows: Vec<f32>,
}

impl Line {
    pub(super) fn best(agreement: &Agreement) -> Line {
        let windows = agreement.rows.len() / LAGS;
        let half = (windows * STRIDE) as f64 / 2.0;
        let mut sums = vec![0.0; 2 * REACH + 1];
        let mut best = (f32::MIN, 0.0, 0);
        let mut attempt = |slope: f64, best: &mut (f32, f64, usize)| {
            add_up(agreement, slope, &mut sums);
            for (lag, &sum) in sums.iter().enumerate() {
                if sum > best.0 {
                    *best = (sum, slope, lag);
                }
            }
        };
        // Ends move by two samples from one line to the next: no window is more than one off.
        let steps = (SLOPE * half / 2.0).ceil();
        let mut step = -steps;
        while step <= steps {
            attempt(2.0 * step / half, &mut best);
            step += 1.0;
        }
        let near = best.1;
        for finer in [-1.0, -0.5, 0.5, 1.0] {
            attempt(near + finer / half, &mut best);
        }
        Line::read(agreement, best.1, best.2)
    }

    /// The line at a slope and lag, with its middle between samples.
    fn read(agreement: &Agreement, slope: f64, lag: usize) -> Line {
        let windows = agreement.rows.len() / LAGS;
        let sum = |lag: usize| -> f32 {
            let rows = agreement.rows.chunks_exact(LAGS).enumerate();
            rows.map(|(window, row)| row[shift(window, windows, slope) + lag]).sum()
        };
        let (before, here) = (sum(lag.saturating_sub(1)), sum(lag));
        let after = sum((lag + 1).min(2 * REACH));
        let bend = f64::from(before - 2.0 * here + after);
        let off = if bend < 0.0 { 0.5 * f64::from(before - after) / bend } else { 0.0 };
        let rows = agreement.rows.chunks_exact(LAGS).enumerate();
        let heard = rows.map(|(window, row)| {
            let at = shift(window, windows, slope) + lag;
            let near = &row[at.saturating_sub(1)..(at + 2).min(LAGS)];
            near.iter().fold(f32::MIN, |most, &it| most.max(it))
        });
        Line {
            lag: lag as f64 - REACH as f64 + off.clamp(-0.5, 0.5),
            slope,
            score: here / windows as f32,
            rival: rival(agreement, slope, lag) / windows as f32,
            windows: heard.collect(),
        }
    }

    /// The windows from the first to the last that is heard: where agreement above the least adds
    /// up to most.
    pub(super) fn heard(&self) -> std::ops::Range<usize> {
        let (mut best, mut found) = (0.0, 0..0);
        let (mut sum, mut from) = (0.0_f32, 0);
        for (at, agreement) in self.windows.iter().enumerate() {
            if sum <= 0.0 {
                (sum, from) = (0.0, at);
            }
            sum += agreement - HEARD;
            if sum > best {
                (best, found) = (sum, from..at + 1);
            }
        }
        found
    }
}

/// The most that lags say that are not next to the best one.
fn rival(agreement: &Agreement, slope: f64, best: usize) -> f32 {
    let mut sums = vec![0.0; 2 * REACH + 1];
    add_up(agreement, slope, &mut sums);
    let others = sums.iter().enumerate().filter(|(lag, _)| lag.abs_diff(best) > NEXT);
    others.fold(0.0, |most, (_, &sum)| most.max(sum))
}

/// Agreement along all lines of one slope, by their lags in the middle.
fn add_up(agreement: &Agreement, slope: f64, sums: &mut [f32]) {
    let windows = agreement.rows.len() / LAGS;
    sums.fill(0.0);
    for (window, row) in agreement.rows.chunks_exact(LAGS).enumerate() {
        let from = shift(window, windows, slope);
        for (sum, lag) in sums.iter_mut().zip(&row[from..from + 2 * REACH + 1]) {
            *sum += lag;
        }
    }
}

/// Where the lags of a window begin that belong to a line.
#[expect(clippy::cast_possible_truncation, reason = "lags within a field")]
fn shift(window: usize, windows: usize, slope: f64) -> usize {
    let from_middle = (window as f64 + 0.5 - windows as f64 / 2.0) * STRIDE as f64;
    let shift = (slope * from_middle).round() as i64 + (LAGS / 2 - REACH) as i64;
    usize::try_from(shift.clamp(0, (LAGS - 2 * REACH - 1) as i64)).unwrap_or(0)
}
