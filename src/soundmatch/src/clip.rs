//! A clip, prepared once for all episodes.

use super::hearing::{Media, Sound, WORKING_RATE, listen};
use super::{AudioError, Facts, Note, Pulse};

/// The shortest clip that can be told from chance.
pub const CLIP_LEAST_MS: u64 = 500;

/// The longest clip.
pub const CLIP_LIMIT_S: u64 = 30 * 60;

/// A clip to be found: about 7 KB a second.
pub struct Clip {
    pub(super) sound: Sound,
}

impl Clip {
    /// Decodes a clip. Runs on the pool it is called in.
    ///
    /// # Errors
    ///
    /// If it cannot be read or decoded, is too short, too long or silent, or the pulse says stop.
    pub fn prepare(media: Media, pulse: Pulse<'_>) -> Result<Clip, AudioError> {
        let sound = listen(media, CLIP_LIMIT_S, pulse)?;
        if sound.facts.notes.contains(&Note::OverLimit { limit_s: CLIP_LIMIT_S }) {
            return Err(AudioError::ClipTooLong { limit_s: CLIP_LIMIT_S });
        }
        let found_ms = sound.wave.len() as u64 * 1000 / u64::from(WORKING_RATE);
        // Half a millisecond of rounding is not the clip's fault.
        if found_ms + 1 < CLIP_LEAST_MS {
            return Err(AudioError::ClipTooShort { found_ms, needed_ms: CLIP_LEAST_MS });
        }
        if sound.is_silent() {
            return Err(AudioError::ClipSilent);
        }
        Ok(Clip { sound })
    }

    /// What is recorded about it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.sound.facts
    }
}
