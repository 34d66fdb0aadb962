//! Research: where short recordings, clips, occur in long ones, episodes, and who looks for them.

mod adding;
mod clip;
mod episode;
mod feeds;
mod leases;
mod overview;
mod player;
mod recordings;
mod recordings_filter;
mod researchers;
mod troubles;
mod waveform;

pub use adding::{AddRecordings, ImportFinding, RecordingForm};
pub use clip::{ClipOccurrenceRow, ClipPage, clip_page};
pub use episode::{EpisodePage, OccurrenceRow, episode_page};
pub use feeds::{FeedForm, FeedLine, FeedsPage, feeds_page};
pub use leases::{EndedLeaseRow, LeaseRow, LeasesPage, leases_fragment, leases_page};
pub use overview::{ResearchPage, research_fragment, research_page};
pub use player::Player;
pub use recordings::{RecordingKind, RecordingRow, RecordingsPage, recordings_page};
pub use recordings_filter::{RecordingChoices, RecordingFilter};
pub use researchers::{
    CommandLine, ResearcherRow, ResearchersPage, researchers_fragment, researchers_page,
};
pub use troubles::ResearchTrouble;
pub use waveform::WavePair;
