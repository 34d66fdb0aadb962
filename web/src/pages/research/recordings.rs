//! The episodes, or the clips: a filter, a table, and the forms that add more.

use maud::{Markup, html};
use serde::Serialize;

use super::adding::AddRecordings;
use super::recordings_filter::{RecordingChoices, RecordingFilter};
use crate::parts::{Badge, Pager, Sort};
use crate::shell::{Frame, Shell, document};

/// Which of the two kinds of recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingKind {
    /// A long one, in which is searched.
    #[default]
    Episode,
    /// A short one, which is searched for.
    Clip,
}

/// Everything the list of episodes or clips shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingsPage {
    /// Which of the two.
    pub kind: RecordingKind,
    /// What was asked for.
    pub filter: RecordingFilter,
    /// What the selects offer.
    pub choices: RecordingChoices,
    /// The order of the rows: by `title`, `date_aired`, `priority` or `first_curated_at`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<RecordingRow>,
    /// The forms that add more; none for those who may not.
    pub adding: Option<AddRecordings>,
}

/// One episode or clip in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingRow {
    /// Its number.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// When it was aired, as RFC 3339 in UTC.
    pub aired: Option<String>,
    /// When it was first heard of, as RFC 3339 in UTC.
    pub curated: String,
    /// How urgent it is; the highest comes first.
    pub priority: i32,
    /// How long it is, once that was measured.
    pub duration_ns: Option<i64>,
    /// How far it is.
    pub state: Badge,
    /// Of an episode the clips, of a clip the episodes that were searched.
    pub searched_count: u64,
    /// Of an episode the clips, of a clip the episodes that there are.
    pub all_count: u64,
    /// Occurrences that were found.
    pub found_count: u64,
}

/// Renders the list of episodes or clips.
pub fn recordings_page(shell: &Shell, page: &RecordingsPage) -> Markup {
    let _ = page;
    document(shell, Frame::Still, html! { h1 { "Recordings" } })
}
