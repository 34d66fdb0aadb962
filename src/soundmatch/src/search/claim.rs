//! Where a piece of a clip is said to be, before it is believed.

use std::ops::Range;

use super::line::Line;
use super::piece::Piece;
use super::polarity::Polarity;
use super::probe::{SPEEDS, STRIDE, WIDTH};
use super::scan::Place;
use crate::hearing::HOP;

/// Where a piece of a clip is said to be. All places are in samples at the working rate.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// A place in the clip, and the same in the episode.
    pub(super) clip_at: f64,
    pub(super) episode_at: f64,
    pub(super) speed: f64,
    pub(super) polarity: Polarity,
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
            polarity: line.polarity,
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
