//! Joins pieces that follow one another to occurrences, and drops what stronger ones explain.

use std::ops::Range;

use super::line::Line;
use super::piece::Piece;
use super::probe::{SPEEDS, STRIDE, WIDTH};
use super::scan::Place;
use crate::audio::hearing::HOP;

/// A piece that is heard in the episode. Places are in samples at the working rate.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// A place in the clip, and where it is heard in the episode.
    pub(super) clip_at: f64,
    pub(super) episode_at: f64,
    pub(super) speed: f64,
    /// What is heard of the clip.
    pub(super) heard: Range<f64>,
    /// What bands and waveforms say together: of two that explain the same, the heavier is right.
    pub(super) weight: f32,
    /// How many times better than the least that is believed.
    pub(super) strength: f32,
}

impl Hit {
    pub(super) fn new(
        piece: &Piece,
        place: Place,
        (line, speed): (&Line, usize),
        strength: f32,
    ) -> Hit {
        let middle = piece.len as f64 / 2.0;
        let off = 1.0 + f64::from(SPEEDS[speed]) / 1e3;
        let heard = line.heard();
        // The middle of the windows is what the line turns around; that of the piece what is
        // stretched.
        let turn = ((line.windows.len() - 1) * STRIDE + WIDTH) as f64 / 2.0;
        let lag = line.lag + line.slope * (middle - turn);
        let in_clip = |window: usize| {
            let place = (window * STRIDE) as f64;
            (piece.start as f64 + middle + (place - middle) * off).max(0.0)
        };
        let mut heard_clip = in_clip(heard.start)..in_clip(heard.end + 1);
        if heard.start == 0 {
            heard_clip.start = piece.start as f64;
        }
        if heard.end == line.windows.len() {
            heard_clip.end = (piece.start + piece.len) as f64;
        }
        Hit {
            clip_at: piece.start as f64 + middle,
            episode_at: place.frame as f64 * HOP as f64 + middle + lag,
            speed: off / (1.0 + line.slope),
            heard: heard_clip,
            weight: place.score * line.windows[heard.clone()].iter().sum::<f32>(),
            strength,
        }
    }

    /// Where a place of the clip falls in the episode.
    pub(super) fn in_episode(&self, clip_at: f64) -> f64 {
        self.episode_at + (clip_at - self.clip_at) / self.speed
    }

    fn heard_in_episode(&self) -> Range<f64> {
        self.in_episode(self.heard.start)..self.in_episode(self.heard.end)
    }

    /// Whether another piece of the clip lies where this one says that it has to.
    fn continues(&self, other: &Hit) -> bool {
        let expected = self.in_episode(other.clip_at);
        // 20 ms, and half a thousandth of what lies between for the error of a speed.
        let slack = 110.0 + 2e-3 * (other.clip_at - self.clip_at).abs();
        (other.episode_at - expected).abs() < slack
    }

    fn join(&mut self, other: &Hit) {
        let far = other.clip_at - self.clip_at;
        if far.abs() > 2.0 * WIDTH as f64 {
            // Two pieces far apart tell the speed better than either alone.
            let took = other.episode_at - self.episode_at;
            self.speed = (far / took).clamp(0.97, 1.03);
        }
        self.heard.start = self.heard.start.min(other.heard.start);
        self.heard.end = self.heard.end.max(other.heard.end);
        self.weight += other.weight;
        self.strength = self.strength.max(other.strength);
    }
}

/// Occurrences of one clip from the hits of its pieces, in the order of the episode.
pub(super) fn chain(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut chains: Vec<Hit> = Vec::new();
    let mut used = vec![false; hits.len()];
    for first in 0..hits.len() {
        if used[first] {
            continue;
        }
        let mut whole = hits[first].clone();
        for (at, other) in hits.iter().enumerate().skip(first + 1) {
            if !used[at] && hits[first].clip_at != other.clip_at && whole.continues(other) {
                whole.join(other);
                used[at] = true;
            }
        }
        chains.push(whole);
    }
    chains.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut kept: Vec<Hit> = Vec::new();
    for hit in chains {
        if !kept.iter().any(|better| explains(better, &hit)) {
            kept.push(hit);
        }
    }
    kept.sort_by(|a, b| a.in_episode(0.0).total_cmp(&b.in_episode(0.0)));
    kept
}

/// Whether a good part of what a hit hears is already heard by a better one: music that repeats
/// itself agrees with itself at every bar.
fn explains(better: &Hit, hit: &Hit) -> bool {
    let (a, b) = (better.heard_in_episode(), hit.heard_in_episode());
    let common = a.end.min(b.end) - a.start.max(b.start);
    common > 0.3 * (a.end - a.start).min(b.end - b.start)
}
