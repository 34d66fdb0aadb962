//! Finds every occurrence of many clips in one episode.
//!
//! In reading order: `played` is a clip at a speed, `piece` cuts it into pieces of a few seconds, `scan`
//! lays all pieces over the bands of the episode and notes likely places, `probe` compares waveforms at
//! such a place and `line` judges whether they agree, in either `polarity`, `chain` joins pieces to
//! occurrences, `find` drives them all.

mod between;
mod chain;
mod claim;
mod find;
mod line;
mod missing;
mod piece;
mod played;
mod polarity;
mod probe;
mod proof;
mod scan;

pub use find::{Speeds, find};
