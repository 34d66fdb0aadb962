//! The feeds: where episodes and clips come from by themselves.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Badge, Choice, Field, badge, cell, choose_one, counted, empty, path, post_button, time,
    time_from,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page of feeds shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeedsPage {
    /// The feeds, in the order they were added.
    pub rows: Vec<FeedLine>,
    /// What was typed, when something was wrong with it.
    pub form: FeedForm,
    /// What was wrong.
    pub problem: Option<String>,
    /// Whether who looks may add and remove.
    pub may_keep: bool,
    /// The moment that others are compared with, as RFC 3339 in UTC.
    pub now: String,
}

/// What was typed for a feed, as it was typed. Sent by POST to `/research/feeds`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeedForm {
    /// Its address.
    pub url: String,
    /// What it lists: `episode` or `clip`.
    pub kind: String,
    /// How often it is read, in hours.
    pub every_h: String,
}

/// One feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeedLine {
    /// Its number; removed by POST to `/research/feeds/{id}/remove`, read now by `.../read`.
    pub id: u64,
    /// What it lists, in a word.
    pub kind: String,
    /// Its address.
    pub url: String,
    /// How often it is read, in hours.
    pub every_h: u64,
    /// How it is.
    pub state: Badge,
    /// What came of the last reading, in a sentence.
    pub outcome: String,
    /// When that was, as RFC 3339 in UTC.
    pub read: Option<String>,
    /// When it is read next, as RFC 3339 in UTC.
    pub next: String,
}

/// Renders the page of feeds.
pub fn feeds_page(shell: &Shell, page: &FeedsPage) -> Markup {
    let main = html! {
        h1 { "Feeds" }
        p.lead {
            "A feed lists episodes or clips at a web address, as podcasts do. It is read page by \
             page, with pauses; what is new in it is added, and what is known keeps its number and \
             the date it was first known of."
        }
        @if let Some(problem) = &page.problem {
            p.notice.bad #problem role="alert" { (problem) }
        }
        section aria-labelledby="feeds-heading" {
            h2 #feeds-heading { "Read from time to time" }
            @if page.rows.is_empty() {
                (empty("No feed is read.", html! { "Episodes and clips may be added by other ways." }))
            } @else { (table(page)) }
        }
        @if page.may_keep { (form(&page.form)) }
    };
    document(shell, Frame::Still, main)
}

fn table(page: &FeedsPage) -> Markup {
    html! {
        table.items.held.slim {
            thead { tr {
                th scope="col" { "Address" }
                th scope="col" { "Lists" }
                th scope="col" { "Every" }
                th scope="col" { "State" }
                th scope="col" { "Last read" }
                th scope="col" { "Next" }
                @if page.may_keep { th scope="col" { "Actions" } }
            } }
            tbody { @for row in &page.rows { (line(row, page)) } }
        }
    }
}

fn line(row: &FeedLine, page: &FeedsPage) -> Markup {
    let (id, about) = (row.id.to_string(), format!("the feed {}", row.url));
    html! {
        tr {
            th scope="row" {
                bdi { (row.url) }
                @if !row.outcome.is_empty() { div.quiet { bdi { (row.outcome) } } }
            }
            td data-label="Lists" { (row.kind) }
            td data-label="Every" { (counted(row.every_h, "hour")) }
            (cell("State", badge(&row.state)))
            td data-label="Last read" {
                @match &row.read { Some(read) => (time(read)), None => span.quiet { "never" } }
            }
            (cell("Next", time_from(&page.now, &row.next)))
            @if page.may_keep {
                td data-label="Actions" {
                    (post_button(&format!("read-{id}"), &path(&["research", "feeds", &id, "read"]),
                        "Read now", &about))
                    (post_button(&format!("remove-{id}"),
                        &path(&["research", "feeds", &id, "remove"]), "Remove", &about))
                }
            }
        }
    }
}

fn form(form: &FeedForm) -> Markup {
    let kinds = [Choice::new("episode", "Episodes"), Choice::new("clip", "Clips")];
    let every_h = if form.every_h.is_empty() { "24" } else { &form.every_h };
    html! {
        section.panel aria-labelledby="add-heading" {
            h2 #add-heading { "Add a feed" }
            form.entry.narrow method="post" action="/research/feeds" {
                div.field {
                    label for="url" { "Address of an RSS or Atom feed" }
                    input #url name="url" type="url" value=(form.url) required maxlength="4096"
                        autocomplete="off" aria-describedby="url-hint";
                    p.hint #url-hint {
                        "Addresses of this machine and its own networks are not asked unless the \
                         configuration allows them."
                    }
                }
                (choose_one(Field { label: "It lists", name: "kind", value: &form.kind }, &kinds))
                div.field {
                    label for="every_h" { "Read every so many hours" }
                    input #every_h name="every_h" type="number" min="1" max="8760" value=(every_h)
                        required;
                }
                div.actions { button.solid type="submit" { "Add the feed" } }
            }
        }
    }
}
