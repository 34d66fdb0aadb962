//! Where a clip occurs.

use serde::{Deserialize, Serialize};

/// The part of a clip that is heard, as times within the clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Where the heard part begins, 0 if the clip's beginning is there.
    pub start_ns: i64,
    /// Where it ends, the clip's duration if its end is there.
    pub end_ns: i64,
}

impl Extent {
    /// How much of the clip was found.
    #[must_use]
    pub fn length_ns(&self) -> i64 {
        self.end_ns - self.start_ns
    }
}

/// One place in an episode where a clip, or a part of it, is heard.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// Where the clip's first sample falls in the episode. Negative if the episode begins in the
    /// middle of the clip.
    pub offset_ns: i64,
    /// From 0.5, at the threshold, to 1.
    pub confidence: f64,
    /// The part of the clip that is heard.
    pub extent: Extent,
    /// Above 1 where the episode plays the clip faster than the clip itself.
    pub speed: f64,
    /// Whether the episode plays it with the sign of every sample changed, which nobody hears.
    #[serde(default)]
    pub inverted: bool,
    /// Cosine of the heard part and the clip, laid over one another: near 1 for a clean copy, inverted
    /// or not, lower where others speak over it. Zero where silence leaves nothing to compare.
    pub similarity: f64,
}

impl Occurrence {
    /// Where in the episode the heard part begins: the place to play from.
    #[must_use]
    pub fn heard_from_ns(&self) -> i64 {
        self.in_episode(self.extent.start_ns).max(0)
    }

    /// Where in the episode the heard part ends.
    #[must_use]
    pub fn heard_to_ns(&self) -> i64 {
        self.in_episode(self.extent.end_ns).max(0)
    }

    #[expect(clippy::cast_possible_truncation, reason = "days in nanoseconds fit many times over")]
    fn in_episode(&self, clip_ns: i64) -> i64 {
        self.offset_ns + (clip_ns as f64 / self.speed) as i64
    }
}

/// All that was found of one clip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Found {
    /// In the order of the episode; empty if the clip does not occur.
    pub occurrences: Vec<Occurrence>,
    /// There were more than are kept: the strongest are here.
    pub more: bool,
}
