//! The episodes, or the clips: a filter, a table, and the forms that add more.

use maud::{Markup, html};
use serde::Serialize;

use super::adding::{AddRecordings, forms, troubles};
use super::recordings_filter::{RecordingChoices, RecordingFilter, filter_form};
use crate::parts::{
    Badge, Column, Pager, Sort, badge, cell, count, empty, num, pager, play_time, query,
    sort_heading, time,
};
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

impl RecordingKind {
    /// The address of the list.
    pub(super) fn address(self) -> &'static str {
        match self {
            RecordingKind::Episode => "/research/episodes",
            RecordingKind::Clip => "/research/clips",
        }
    }

    /// Its word for one, in a sentence.
    pub(super) fn word(self) -> &'static str {
        match self {
            RecordingKind::Episode => "episode",
            RecordingKind::Clip => "clip",
        }
    }

    /// Its word for many, at the beginning of a sentence.
    pub(super) fn plural(self) -> &'static str {
        match self {
            RecordingKind::Episode => "Episodes",
            RecordingKind::Clip => "Clips",
        }
    }

    fn lead(self) -> &'static str {
        match self {
            RecordingKind::Episode => {
                "Long recordings in which clips are looked for. The most urgent come first, then \
                 those that were added last."
            }
            RecordingKind::Clip => {
                "Short recordings that are looked for in every episode. The most urgent come \
                 first, then those that were added last."
            }
        }
    }
}

impl RecordingsPage {
    fn href(&self, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("page", &*page)]);
        format!("{}{}", self.kind.address(), query(&pairs))
    }
}

/// Renders the list of episodes or clips.
pub fn recordings_page(shell: &Shell, page: &RecordingsPage) -> Markup {
    let main = html! {
        h1 { (page.kind.plural()) }
        p.lead { (page.kind.lead()) }
        @if let Some(adding) = &page.adding { (troubles(adding)) }
        (filter_form(page))
        @if page.rows.is_empty() { (nothing(page)) } @else { (table(page)) }
        @if let Some(adding) = &page.adding { (forms(page.kind, adding)) }
    };
    document(shell, Frame::Still, main)
}

fn table(page: &RecordingsPage) -> Markup {
    let heading = |label, name, numeric| {
        let column = Column { label, name, numeric };
        sort_heading(column, &page.sort, |sort| page.href(sort, 1))
    };
    html! {
        table.items.held.slim {
            thead { tr {
                (heading("Title", "title", false))
                (heading("Aired", "date_aired", false))
                th.num scope="col" { "Length" }
                (heading("Priority", "priority", true))
                th scope="col" { "State" }
                th.num scope="col" { "Searched" }
                th.num scope="col" { "Found" }
                (heading("Added", "first_curated_at", false))
            } }
            tbody { @for row in &page.rows { (line(page.kind, row)) } }
        }
        (pager(&page.pager, |number| page.href(&page.sort, number)))
    }
}

fn line(kind: RecordingKind, row: &RecordingRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ (kind.address()) "/" (row.id) } { bdi { (row.title) } }
            }
            td data-label="Aired" {
                @match &row.aired {
                    Some(aired) => (time(aired)),
                    None => span.quiet { "not known" },
                }
            }
            td.num data-label="Length" {
                @match row.duration_ns {
                    Some(length) => (play_time(length)),
                    None => span.quiet { "not yet" },
                }
            }
            td.num data-label="Priority" { (row.priority) }
            td data-label="State" { (badge(&row.state)) }
            td.num data-label="Searched" {
                (count(row.searched_count)) " of " (count(row.all_count))
            }
            (num("Found", row.found_count))
            (cell("Added", time(&row.curated)))
        }
    }
}

fn nothing(page: &RecordingsPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(&page.sort, 1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            &format!("No {} matches.", page.kind.word()),
            html! { "Ask for less, or " a href=(page.kind.address()) { "show all" } "." },
        );
    }
    empty(
        &format!("There is no {} yet.", page.kind.word()),
        html! {
            @if page.adding.is_some() {
                "Add one below: by hand, from a file, or from an object that is held."
            } @else { "Ask an administrator to add some." }
        },
    )
}
