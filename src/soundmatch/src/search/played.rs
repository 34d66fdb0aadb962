//! A clip as it sounds at a speed.
//!
//! A search bears a speed one percent off. Where an episode is played faster or slower than that, or
//! higher or lower, which is the same thing, the clip is brought to a speed within one percent of it
//! first, and looked for as if it were another clip.

use super::between::Between;
use crate::Clip;
use crate::hearing::{Bands, HOP, Wave};

/// Speeds besides that of the clip: with a percent to either side they reach from 0.93 to 1.07.
pub(super) const FAR: [f64; 6] = [0.98, 1.02, 0.96, 1.04, 0.94, 1.06];

/// So many times more a proof has to say of a clip at another speed: each of them is one more chance to
/// be deceived.
const STRICTER: f32 = 1.25;

/// What of a clip is compared.
#[derive(Clone, Copy)]
pub(super) struct Played<'a> {
    /// Above 1 where it is faster than the clip.
    pub(super) speed: f64,
    /// So many times as much as usual a proof has to say.
    pub(super) strictness: f32,
    pub(super) wave: &'a Wave,
    pub(super) bands: &'a Bands,
}

impl<'a> Played<'a> {
    pub(super) fn as_it_is(clip: &'a Clip) -> Played<'a> {
        let (wave, bands) = (&clip.sound.wave, &clip.sound.bands);
        Played { speed: 1.0, strictness: 1.0, wave, bands }
    }
}

/// A clip that was brought to another speed.
pub(super) struct Altered {
    speed: f64,
    wave: Wave,
    bands: Bands,
}

impl Altered {
    #[expect(clippy::cast_possible_truncation, reason = "samples of half an hour")]
    #[expect(clippy::cast_sign_loss, reason = "not below zero")]
    pub(super) fn new(clip: &Clip, speed: f64, between: &Between) -> Altered {
        let own = clip.sound.wave.restored();
        let samples = (own.len() as f64 / speed) as usize;
        let played: Vec<f32> =
            (0..samples).map(|at| between.read(&own, at as f64 * speed)).collect();
        let (mut wave, mut bands) = (Wave::default(), Bands::new());
        wave.push(&played);
        bands.push(&played);
        // The last frames need something behind them.
        bands.push(&[0.0; HOP]);
        Altered { speed, wave, bands }
    }

    pub(super) fn played(&self) -> Played<'_> {
        let (wave, bands) = (&self.wave, &self.bands);
        Played { speed: self.speed, strictness: STRICTER, wave, bands }
    }
}
