//! What can go wrong with a recording, by what the caller can do about it.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a recording cannot be analysed. Every one is about this one file: others go on.
#[derive(Debug, Error)]
pub enum AudioError {
    /// The medium failed, or the file is not there: the same file may be read later.
    #[error("the recording cannot be read; nothing was analysed, try again when it can be")]
    Unreadable(#[source] io::Error),
    /// Nothing in it: fetch it again.
    #[error("the file is empty; nothing was analysed, fetch it again")]
    Empty,
    /// Not one of the formats that are read.
    #[error(
        "this is not a recording that can be decoded ({reason}); give MP3, AAC, FLAC, Vorbis, Opus, \
         WAV, AIFF, ALAC, MP2, CAF or Matroska"
    )]
    NotAudio {
        /// What the decoder said.
        reason: String,
    },
    /// The container is known and not one piece of it could be decoded.
    #[error("not one sample could be decoded ({reason}); fetch the recording again")]
    NoSound {
        /// What the decoder said last.
        reason: String,
    },
    /// The decoder itself fell over: a defect of ours, kept away from everything else.
    #[error("the decoder failed on this recording ({reason}); keep the file and report it")]
    DecoderFailed {
        /// What it said as it fell.
        reason: String,
    },
    /// Too short to be told from chance.
    #[error("the clip is {found_ms} ms long; at least {needed_ms} ms are needed to find it")]
    ClipTooShort {
        /// How long it is.
        found_ms: u64,
        /// How long it has to be.
        needed_ms: u64,
    },
    /// Longer than a clip may be; as an episode it would be fine.
    #[error("the clip is longer than {limit_s} s; cut it, or add it as an episode")]
    ClipTooLong {
        /// The longest that is taken.
        limit_s: u64,
    },
    /// Nothing to find: there is no sound in it.
    #[error("the clip is silent, so that it cannot be found anywhere; replace it")]
    ClipSilent,
    /// The pulse said stop.
    #[error("stopped on request; clips reported so far are whole")]
    Stopped,
}

/// Something worth knowing about a recording that was analysed all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "note")]
pub enum Note {
    /// Pieces in the middle could not be decoded and are missing.
    Damaged {
        /// How many.
        pieces: u64,
    },
    /// It ended before its end.
    CutShort {
        /// What the decoder said.
        reason: String,
    },
    /// Only the beginning was analysed.
    OverLimit {
        /// Seconds that were analysed.
        limit_s: u64,
    },
    /// The sample rate changed on the way; the time line was kept.
    RateChanged {
        /// How often.
        times: u64,
    },
    /// There is no sound in it, or next to none.
    Silent,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Damaged { pieces } => {
                write!(f, "{pieces} damaged pieces could not be decoded; silence stands for them")
            }
            Note::CutShort { reason } => {
                write!(f, "the recording ends early ({reason}); all before that was analysed")
            }
            Note::OverLimit { limit_s } => {
                write!(f, "only the first {limit_s} s were analysed; split the recording")
            }
            Note::RateChanged { times } => {
                write!(f, "the sample rate changes {times} times; offsets allow for it")
            }
            Note::Silent => write!(f, "the recording is silent; nothing can be found in it"),
        }
    }
}
