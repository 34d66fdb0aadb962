//! Finds where short clips occur in long recordings.
//!
//! [`Episode::prepare`] decodes a recording once for all clips, [`Clip::prepare`] a clip once for
//! all episodes, [`find`] tells every occurrence of every clip, [`match_files`] does all of it. No
//! queue, no clock, no network: files in, values out, on the pool of whoever calls.
//!
//! In reading order: `hearing` makes of a file what is compared, `search` compares. A sound is
//! recognised by how the energy of its bands rises and falls, which bears other loudness, other
//! equalisation, another voice and a speed up to one percent off; it is believed when the waveforms
//! of its short windows agree along one line, which chance and other music in the same key do not.
//!
//! Thresholds are measured on speech-like and music-like sound (the bench prints it anew), on clips
//! of 4 s: bands of true occurrences score 0.10 to 1.0, and 0.11 that is three and a half times what
//! is usual around it, or 0.16, is worth a look; waveforms of true occurrences agree by 0.075 to
//! 0.5, those of all else by at most 0.074, and 0.0745 is believed; weak agreement must also be half
//! as much again as at any other lag. Fewer windows need more: 0.55 over the root of their number.
//!
//! Conditions that hold for clips of 4 s and more: gain, equalisation, telephone band, noise at
//! 10 dB, speech over it as loud as it or 4 dB louder, half of it lost at either end, up to one
//! percent faster or slower, MP3 at 64 kbit/s. For clips of 1 s: gain, equalisation and speed; of
//! those that are spoken over or cut some are missed. Below half a second nothing is looked for.
//!
//! Hazards: an encoder's delay is trimmed where the file tells of it (MP3, Vorbis, FLAC); AAC does
//! not, so its offsets are late by the 20 to 50 ms that its encoder put before the sound. Music that
//! repeats itself exactly agrees with itself at every bar: of hits that explain the same sound only
//! the best is kept.

mod clip;
mod episode;
mod error;
mod facts;
mod hearing;
mod measure;
mod occurrence;
mod peaks;
mod pulse;
mod report;
mod search;

pub use clip::{CLIP_LEAST_MS, CLIP_LIMIT_S, Clip};
pub use episode::{EPISODE_LIMIT_S, Episode};
pub use error::{AudioError, Note};
pub use facts::Facts;
pub use hearing::{Media, WORKING_RATE};
pub use measure::{cosine, nanoseconds};
pub use occurrence::{Extent, Found, Occurrence};
pub use peaks::Peak;
pub use pulse::{Progress, Pulse};
pub use report::{ClipMatch, ClipOutcome, MatchReport, match_files};
pub use search::find;

/// Results of another version may differ, and may be asked for again.
pub const ANALYST_VERSION: u32 = 1;
