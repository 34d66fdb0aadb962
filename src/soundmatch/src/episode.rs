//! An episode, prepared once for all clips.

use super::hearing::{Media, Sound, listen};
use super::peaks::Peak;
use super::{AudioError, Facts, Pulse};

/// Seconds of an episode that are analysed: a day. Half a gigabyte stands for that.
pub const EPISODE_LIMIT_S: u64 = 24 * 3600;

/// An episode in which clips are to be found: about 25 MB an hour.
pub struct Episode {
    pub(super) sound: Sound,
}

impl Episode {
    /// Decodes a recording and keeps what comparing needs. Runs on the pool it is called in.
    ///
    /// # Errors
    ///
    /// If it cannot be read or decoded, or the pulse says stop.
    pub fn prepare(media: Media, pulse: Pulse<'_>) -> Result<Episode, AudioError> {
        Ok(Episode { sound: listen(media, EPISODE_LIMIT_S, pulse)? })
    }

    /// What is recorded about it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.sound.facts
    }

    /// Its outline in at most so many pairs, and at most 1,024.
    #[must_use]
    pub fn peaks(&self, pairs: usize) -> Vec<Peak> {
        self.sound.outline.pairs(pairs)
    }
}
