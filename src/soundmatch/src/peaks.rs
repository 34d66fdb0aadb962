//! The outline of a recording for drawing: the lowest and the highest sample of each stretch.
//!
//! How long a recording is shows only at its end, so stretches grow: when there are too many, two
//! neighbours become one. Memory is the same for a second and for a day.

use serde::{Deserialize, Serialize};

/// Most pairs that are kept and given.
pub(super) const MOST: usize = 1024;

/// The lowest and the highest sample of a stretch, from -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// The lowest sample.
    pub low: f32,
    /// The highest sample.
    pub high: f32,
}

impl Peak {
    const NOTHING: Peak = Peak { low: f32::MAX, high: f32::MIN };

    fn with(self, other: Peak) -> Peak {
        Peak { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// An outline that grows with what is heard.
#[derive(Debug)]
pub(super) struct Outline {
    pairs: Vec<Peak>,
    /// Samples in each pair.
    stretch: usize,
    open: Peak,
    filled: usize,
}

impl Outline {
    pub(super) fn new() -> Outline {
        Outline { pairs: Vec::new(), stretch: 64, open: Peak::NOTHING, filled: 0 }
    }

    pub(super) fn push(&mut self, mut samples: &[f32]) {
        while !samples.is_empty() {
            let (now, later) = samples.split_at(samples.len().min(self.stretch - self.filled));
            let mut open = self.open;
            for &sample in now {
                open.low = open.low.min(sample);
                open.high = open.high.max(sample);
            }
            self.fill(open, now.len());
            samples = later;
        }
    }

    /// So many samples of silence.
    pub(super) fn rest(&mut self, mut samples: usize) {
        while samples > 0 {
            let now = samples.min(self.stretch - self.filled);
            self.fill(self.open.with(Peak { low: 0.0, high: 0.0 }), now);
            samples -= now;
        }
    }

    fn fill(&mut self, open: Peak, samples: usize) {
        self.open = open;
        self.filled += samples;
        if self.filled < self.stretch {
            return;
        }
        self.pairs.push(std::mem::replace(&mut self.open, Peak::NOTHING));
        self.filled = 0;
        if self.pairs.len() == 2 * MOST {
            self.pairs = self.pairs.chunks(2).map(together).collect();
            self.stretch *= 2;
        }
    }

    /// At most so many pairs that cover everything evenly.
    pub(super) fn pairs(&self, wanted: usize) -> Vec<Peak> {
        let mut all = self.pairs.clone();
        all.extend((self.filled > 0).then_some(self.open));
        let wanted = wanted.clamp(1, MOST).min(all.len());
        let edge = |at: usize| at * all.len() / wanted.max(1);
        (0..wanted).map(|at| together(&all[edge(at)..edge(at + 1)])).collect()
    }
}

fn together(peaks: &[Peak]) -> Peak {
    let all = peaks.iter().fold(Peak::NOTHING, |all, &peak| all.with(peak));
    Peak { low: all.low.clamp(-1.0, 1.0), high: all.high.clamp(-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extreme_survives_growth() {
        let mut outline = Outline::new();
        let mut samples = vec![0.0_f32; 1_000_000];
        samples[0] = -0.5;
        samples[654_321] = 0.75;
        samples[999_999] = 0.25;
        for part in samples.chunks(777) {
            outline.push(part);
        }
        let pairs = outline.pairs(400);
        assert_eq!(pairs.len(), 400);
        assert_eq!(pairs[0].low, -0.5);
        assert_eq!(pairs[261].high, 0.75);
        assert_eq!(pairs[399].high, 0.25);
        assert_eq!(pairs.iter().filter(|pair| pair.high > 0.0 || pair.low < 0.0).count(), 3);
    }

    #[test]
    fn a_rest_is_as_many_zeros() {
        let (mut rested, mut pushed) = (Outline::new(), Outline::new());
        for samples in [0, 1, 63, 64, 65, 1_000_000] {
            for outline in [&mut rested, &mut pushed] {
                outline.push(&[0.25, -0.5]);
            }
            rested.rest(samples);
            pushed.push(&vec![0.0; samples]);
            assert_eq!(rested.pairs(1024), pushed.pairs(1024));
        }
    }

    #[test]
    fn little_gives_little() {
        assert_eq!(Outline::new().pairs(300), []);
        let mut outline = Outline::new();
        outline.push(&[0.5]);
        assert_eq!(outline.pairs(300), [Peak { low: 0.5, high: 0.5 }]);
        assert_eq!(outline.pairs(0).len(), 1);
    }
}
