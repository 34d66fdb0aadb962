//! Research: episodes and clips, what was looked for where, and what was found.
//!
//! This room promises:
//!
//! - An episode or clip that is told again keeps its number and the date it was first curated.
//! - A pair that was searched by one version of the analyst is recorded once; told again, nothing
//!   changes, unless one of the two has become another recording. A result is whole or not there.
//! - What was not found costs a bit, not a row: 10,000 clips in one episode are a few runs of a
//!   compressed bitmap.

mod browse;
mod catalogue;
mod changed;
mod clip_set;
mod feed;
mod found;
mod lease;
mod outline;
mod recording;
mod removed;
mod report;
mod searched;
mod trouble;

pub use browse::{Browsed, RecordingOrder, RecordingQuestion, RecordingState};
pub use catalogue::{Added, Rank};
pub use clip_set::ClipSet;
pub use feed::{FeedRead, FeedRow, NewFeed};
pub use found::FoundPair;
pub use lease::{Ending, LeaseEnd, LeaseRow};
pub use recording::{Location, NewRecording, Recording, RecordingKind};
pub use report::{
    MediaFacts, NOTES_MAX, NewResult, Noted, OCCURRENCES_MAX, Occurrence, PEAKS_MAX, Recorded,
    SearchOutcome, TroubleAbout,
};
pub use searched::{Floors, Searched};
pub use trouble::{Trouble, TroubleCounts, Troubles};
