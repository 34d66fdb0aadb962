//! The filter of the items page; its names are those of the registry's API.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Choice, Field, choose, date_field, text_field};

/// Which items are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ItemFilter {
    /// Part of the name.
    #[serde(rename = "name__contains")]
    pub name_contains: String,
    /// The state's name.
    pub status: String,
    /// The flow's name.
    pub flow: String,
    /// The topic.
    pub topic: String,
    /// The institution's id.
    pub institution_id: String,
    /// The reason an item is parked for.
    pub reason: String,
    /// The first day, or moment, of the last change.
    #[serde(rename = "date_processed__gteq")]
    pub processed_from: String,
    /// The last day, or moment, of the last change.
    #[serde(rename = "date_processed__lteq")]
    pub processed_to: String,
    /// Only items that wait for a person.
    pub needs_admin_review: bool,
}

/// What the selects offer; a select without choices becomes a line of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ItemChoices {
    /// The states.
    pub statuses: Vec<Choice>,
    /// The flows.
    pub flows: Vec<Choice>,
    /// The topics.
    pub topics: Vec<Choice>,
    /// The institutions.
    pub institutions: Vec<Choice>,
    /// The reasons items can be parked for.
    pub reasons: Vec<Choice>,
}

impl ItemFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 9] {
        [
            ("name__contains", &self.name_contains),
            ("status", &self.status),
            ("flow", &self.flow),
            ("topic", &self.topic),
            ("institution_id", &self.institution_id),
            ("reason", &self.reason),
            ("date_processed__gteq", &self.processed_from),
            ("date_processed__lteq", &self.processed_to),
            ("needs_admin_review", if self.needs_admin_review { "true" } else { "" }),
        ]
    }

    /// Says whether anything is asked for at all.
    pub fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }

    /// Says whether one of the fields folded away is set, so that the fold opens.
    fn is_detailed(&self) -> bool {
        let folded = [&self.topic, &self.institution_id, &self.reason];
        folded.iter().any(|value| !value.is_empty())
            || !self.processed_from.is_empty()
            || !self.processed_to.is_empty()
    }
}

/// Renders the filter as a GET form, so that every view of the items has an address.
pub(super) fn filter_form(filter: &ItemFilter, choices: &ItemChoices, sort: &str) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/items" role="search" aria-label="Items" {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            div.fields {
                (text_field(field("Name contains", "name__contains", &filter.name_contains)))
                (choose(field("Status", "status", &filter.status), &choices.statuses))
                (choose(field("Flow", "flow", &filter.flow), &choices.flows))
                div.field.check {
                    input id="needs_admin_review" name="needs_admin_review" type="checkbox"
                        value="true" checked[filter.needs_admin_review];
                    label for="needs_admin_review" { "Needs a person" }
                }
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/items" { "Clear" } }
                }
            }
            details open[filter.is_detailed()] {
                summary { "More filters" }
                div.fields {
                    (choose(field("Stage", "topic", &filter.topic), &choices.topics))
                    (choose(field("Institution", "institution_id", &filter.institution_id),
                        &choices.institutions))
                    (choose(field("Parked for", "reason", &filter.reason), &choices.reasons))
                    (date_field(field("Changed from", "date_processed__gteq",
                        &filter.processed_from)))
                    (date_field(field("Changed to", "date_processed__lteq",
                        &filter.processed_to)))
                }
            }
        }
    }
}
