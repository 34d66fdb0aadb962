//! What is recorded about a recording besides what occurs in it.

use serde::{Deserialize, Serialize};

use super::Note;

/// What a recording is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// How long it sounds, codec delay and padding left out, leading silence kept.
    pub duration_ns: i64,
    /// SHA-256 of the file's bytes, as 64 lowercase hexadecimal digits.
    pub sha256: String,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Samples a second where it begins.
    pub sample_rate: u32,
    /// Channels where it begins; all of them are mixed.
    pub channels: usize,
    /// The short name of its codec: `mp3`, `aac`, `flac`, `vorbis`, `pcm_s16le` and so on.
    pub codec: String,
    /// What was wrong with it and did not stop us.
    pub notes: Vec<Note>,
}
