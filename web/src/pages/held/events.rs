//! The events: a filter, a table and the pages around it.

use maud::{Markup, html};
use serde::Serialize;

use super::timeline::{EventLine, timeline};
use crate::parts::{
    Choice, Column, Field, Pager, Sort, choose, date_field, empty, pager, query, sort_heading,
    text_field,
};
use crate::shell::{Frame, Shell, document};

/// Everything the events page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventsPage {
    /// What was asked for.
    pub filter: EventFilter,
    /// What the selects offer.
    pub choices: EventChoices,
    /// The order of the rows: by `date_time`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<EventLine>,
}

/// Which events are wanted; an empty text asks for any. The names are those of the registry's API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventFilter {
    /// The kind.
    pub event_type: String,
    /// How it went.
    pub outcome: String,
    /// Identifier of the object.
    #[serde(rename = "intellectual_object_identifier")]
    pub object: String,
    /// The object's number.
    pub intellectual_object_id: String,
    /// The file's number.
    pub generic_file_id: String,
    /// The first day.
    #[serde(rename = "date_time__gteq")]
    pub from: String,
    /// The last day.
    #[serde(rename = "date_time__lteq")]
    pub to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventChoices {
    /// The kinds.
    pub kinds: Vec<Choice>,
    /// How it may go.
    pub outcomes: Vec<Choice>,
}

impl EventFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 7] {
        [
            ("event_type", &self.event_type),
            ("outcome", &self.outcome),
            ("intellectual_object_identifier", &self.object),
            ("intellectual_object_id", &self.intellectual_object_id),
            ("generic_file_id", &self.generic_file_id),
            ("date_time__gteq", &self.from),
            ("date_time__lteq", &self.to),
        ]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl EventsPage {
    fn href(&self, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("page", &*page)]);
        format!("/events{}", query(&pairs))
    }
}

/// Renders the events page.
pub fn events_page(shell: &Shell, page: &EventsPage) -> Markup {
    let when = Column { label: "When", name: "date_time", numeric: false };
    let when = sort_heading(when, &page.sort, |sort| page.href(sort, 1));
    let main = html! {
        h1 { "Events" }
        p.lead {
            "What was done to objects and files, as PREMIS asks it to be told. An event about all \
             files of a deposit is one event here; the page of a file tells it about that file."
        }
        (filter_form(&page.filter, &page.choices, &page.sort.param()))
        @if page.rows.is_empty() { (nothing(page)) } @else {
            (timeline(&page.rows, Some(when)))
            (pager(&page.pager, |number| page.href(&page.sort, number)))
        }
    };
    document(shell, Frame::Still, main)
}

fn filter_form(filter: &EventFilter, choices: &EventChoices, sort: &str) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/events" role="search" aria-label="Events" {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            // What came in through a link of an object or a file stays.
            @for (name, value) in [("intellectual_object_id", &filter.intellectual_object_id),
                ("generic_file_id", &filter.generic_file_id)] {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
            div.fields {
                (choose(field("Kind", "event_type", &filter.event_type), &choices.kinds))
                (choose(field("Outcome", "outcome", &filter.outcome), &choices.outcomes))
                (text_field(field("Identifier of the object", "intellectual_object_identifier",
                    &filter.object)))
                (date_field(field("From", "date_time__gteq", &filter.from)))
                (date_field(field("To", "date_time__lteq", &filter.to)))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/events" { "Clear" } }
                }
            }
        }
    }
}

fn nothing(page: &EventsPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(&page.sort, 1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No event matches.",
            html! { "Ask for less, or " a href="/events" { "show all events" } "." },
        );
    }
    empty("Nothing has happened yet.", html! { "Events are written when a deposit is preserved." })
}
