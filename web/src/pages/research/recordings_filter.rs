//! The filter of the lists of episodes and clips.

use maud::{Markup, html};
use serde::Serialize;

use super::recordings::RecordingsPage;
use crate::parts::{Choice, Field, choose, date_field, text_field};

/// Which episodes or clips are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingFilter {
    /// Words of title or description.
    pub find: String,
    /// The least priority.
    #[serde(rename = "priority__gteq")]
    pub priority: String,
    /// How far it is.
    pub state: String,
    /// The first day it was aired.
    #[serde(rename = "date_aired__gteq")]
    pub from: String,
    /// The last day it was aired.
    #[serde(rename = "date_aired__lteq")]
    pub to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingChoices {
    /// How far one may be.
    pub states: Vec<Choice>,
    /// Priorities in use; none makes it a line for a number.
    pub priorities: Vec<Choice>,
}

impl RecordingFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 5] {
        [
            ("find", &self.find),
            ("priority__gteq", &self.priority),
            ("state", &self.state),
            ("date_aired__gteq", &self.from),
            ("date_aired__lteq", &self.to),
        ]
    }

    /// Says whether anything is asked for at all.
    pub fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

/// Renders the filter as a GET form, so that every view of the list has an address.
pub(super) fn filter_form(page: &RecordingsPage) -> Markup {
    let (filter, choices, action) = (&page.filter, &page.choices, page.kind.address());
    let sort = page.sort.param();
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action=(action) role="search" aria-label=(page.kind.plural()) {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            div.fields {
                (text_field(field("Words of title or description", "find", &filter.find)))
                (choose(field("Priority at least", "priority__gteq", &filter.priority),
                    &choices.priorities))
                (choose(field("State", "state", &filter.state), &choices.states))
                (date_field(field("Aired from", "date_aired__gteq", &filter.from)))
                (date_field(field("Aired to", "date_aired__lteq", &filter.to)))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href=(action) { "Clear" } }
                }
            }
        }
    }
}
