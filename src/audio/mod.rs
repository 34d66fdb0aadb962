//! Finds where short clips occur in long recordings.
//!
//! [`Episode::prepare`] decodes a recording once for all clips, [`Clip::prepare`] a clip once for
//! all episodes, [`find`] tells every occurrence of every clip, [`match_files`] does all of it. No
//! queue, no clock, no network: files in, values out, on the pool of whoever calls.
//!
//! In reading order: `hearing` makes of a file what is compared, `search` compares. A sound is
//! recognised by how the energy of its bands rises and falls, which bears other loudness, other
//! equalisation, another voice and a speed up to one percent off; it is believed when every
//! frequency agrees along one line and nothing of the clip is missing, which chance and other music in
//! the same key do not do.
//!
//! Thresholds are measured on speech-like and music-like sound (the bench prints it anew). Bands: what
//! is 3.3 times what is usual around it, or 0.2, is worth a look. A proof is a figure that has the
//! same meaning for every loudness, length and codec: on clips of 4 s true occurrences have 13 to 100,
//! all else in 80 hours of clips at most 9.5, and 10.5 is believed; pieces of 2 s need 12, of 1 s 14. At
//! least a fifth of a piece has to be heard.
//!
//! Conditions that hold for clips of 4 s and more, each with 99 % found and none in a thousand wrong:
//! gain, equalisation, telephone band, noise at 10 dB, speech over it as loud as it or 4 dB louder,
//! half of it lost at either end, up to one percent faster or slower; all of that as well through MP3
//! at 64 and 32 kbit/s, AAC at 48 kbit/s, Vorbis at quality 0. For clips of 2 s: gain, equalisation,
//! noise and speed; of those spoken over or cut in half 97 in a hundred are found, 92 through Vorbis
//! at quality 0. For clips of 1 s the same, with 99 % of gain, equalisation, noise and speed, and 75
//! to 90 in a hundred of the rest. Below half a second nothing is looked for.
//!
//! Hazards: an encoder's delay is trimmed where the file tells of it (MP3, Vorbis, FLAC, AAC in MP4 by
//! its edit list or the comment of Apple's encoders). A bare AAC stream does not, so that its offsets
//! are late by the 20 to 50 ms that its encoder put before the sound. Music that repeats itself
//! exactly agrees with itself at every bar: of hits that explain the same sound only the best is kept.

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
pub const ANALYST_VERSION: u32 = 2;
