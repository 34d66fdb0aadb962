//! How a long analysis stays in touch with who asked for it.

use std::ops::ControlFlow;

use super::AudioError;

/// How far an analysis is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// The digest is being taken.
    Reading {
        /// Bytes so far.
        bytes: u64,
    },
    /// The recording is being decoded.
    Decoding {
        /// Nanoseconds of sound so far.
        decoded_ns: i64,
    },
    /// The episode is being looked through for all clips together.
    Scanning {
        /// From 0 to 1.
        share: f64,
    },
    /// Clips are being verified one by one.
    Verifying {
        /// Clips that are done.
        done: usize,
        /// Clips in all.
        clips: usize,
    },
}

/// Called at least every few hundred milliseconds of work, from any thread of the pool: the place
/// for a heartbeat. `Break` ends the analysis with [`AudioError::Stopped`].
pub type Pulse<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

pub(super) fn beat(pulse: Pulse<'_>, progress: Progress) -> Result<(), AudioError> {
    match pulse(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(AudioError::Stopped),
    }
}
