//! A recording drawn: how loud it is over time, with a mark for every occurrence.

use serde::Serialize;

/// The lowest and the highest sample of one part of a recording, from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WavePair {
    /// The lowest.
    pub low: f32,
    /// The highest.
    pub high: f32,
}
