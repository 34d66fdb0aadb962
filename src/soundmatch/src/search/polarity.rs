//! Whether the episode plays a clip as it is, or with the sign of every sample changed.
//!
//! A crossed cable or a plug-in inverts a sound. Nobody hears that, and energies stay the same, so that
//! the same places are likely; only there is the sign decided.

/// The sign of an episode's samples, compared with those of the clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Same,
    Inverted,
}

impl Polarity {
    /// The usual one first.
    pub(super) const BOTH: [Polarity; 2] = [Polarity::Same, Polarity::Inverted];

    /// What makes agreement of this polarity positive.
    pub(super) fn sign(self) -> f32 {
        match self {
            Polarity::Same => 1.0,
            Polarity::Inverted => -1.0,
        }
    }
}
