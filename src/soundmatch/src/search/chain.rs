//! Joins pieces that follow one another to occurrences, and drops what stronger ones explain.

use std::ops::Range;

use super::claim::Claim;
use super::polarity::Polarity;
use super::probe::{STRIDE, WIDTH};
use super::proof::Proof;

/// A piece that is heard in the episode. Places are in samples at the working rate.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// A place in the clip, and where it is heard in the episode.
    pub(super) clip_at: f64,
    pub(super) episode_at: f64,
    pub(super) speed: f64,
    pub(super) polarity: Polarity,
    /// What is heard of the clip.
    pub(super) heard: Range<f64>,
    /// What all heard windows say together: of two that explain the same, the heavier is right.
    pub(super) weight: f32,
    /// How many times better than the least that is believed.
    pub(super) strength: f32,
}

impl Hit {
    pub(super) fn new(claim: &Claim, proof: &Proof, strength: f32) -> Hit {
        let (from, windows) = claim.windows();
        let heard = proof.heard.clone();
        let in_clip = |window: usize| claim.in_clip(from + (window * STRIDE) as f64);
        let mut heard_clip = in_clip(heard.start)..in_clip(heard.end + 1);
        if heard.start == 0 {
            heard_clip.start = claim.part.start;
        }
        if heard.end == windows {
            heard_clip.end = claim.part.end;
        }
        Hit {
            clip_at: claim.clip_at,
            episode_at: claim.episode_at + proof.late,
            speed: claim.speed,
            polarity: claim.polarity,
            heard: heard_clip,
            weight: proof.windows[heard].iter().sum(),
            strength,
        }
    }

    /// The same hit in samples of the clip, where it is in those of the clip played at a speed.
    pub(super) fn at_own_speed(self, played: f64) -> Hit {
        Hit {
            clip_at: self.clip_at * played,
            speed: self.speed * played,
            heard: self.heard.start * played..self.heard.end * played,
            ..self
        }
    }

    /// Where a place of the clip falls in the episode.
    pub(super) fn in_episode(&self, clip_at: f64) -> f64 {
        self.episode_at + (clip_at - self.clip_at) / self.speed
    }

    /// Where a place of the episode falls in the clip.
    pub(super) fn in_clip(&self, episode_at: f64) -> f64 {
        self.clip_at + (episode_at - self.episode_at) * self.speed
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
            self.speed = (far / took).clamp(0.97 * self.speed, 1.03 * self.speed);
        }
        self.heard.start = self.heard.start.min(other.heard.start);
        self.heard.end = self.heard.end.max(other.heard.end);
        self.weight += other.weight;
        self.strength = self.strength.max(other.strength);
    }
}

/// Joins hits of one clip at one speed that follow one another.
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
    chains
}

/// Occurrences of one clip, in the order of the episode: what no stronger one explains.
pub(super) fn strongest(mut chains: Vec<Hit>) -> Vec<Hit> {
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
