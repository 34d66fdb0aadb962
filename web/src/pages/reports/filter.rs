//! What is asked of a report, as a form whose answers stand in the address.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Choice, Field, choose, query};

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReportFilter {
    /// An institution, by identifier.
    pub institution: String,
    /// A storage option.
    pub storage_option: String,
    /// The beginning of a month.
    pub date: String,
    /// From which month on.
    pub start: String,
    /// Until which month.
    pub end: String,
    /// What is drawn: `bytes`, `files` or `objects`.
    pub metric: String,
}

/// What can be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReportChoices {
    /// Institutions; none when there is no choice.
    pub institutions: Vec<Choice>,
    /// Storage options.
    pub storage_options: Vec<Choice>,
    /// Months that are written down.
    pub months: Vec<Choice>,
}

impl ReportFilter {
    fn pairs(&self) -> [(&'static str, &str); 6] {
        [
            ("institution", &self.institution),
            ("storage_option", &self.storage_option),
            ("date", &self.date),
            ("start", &self.start),
            ("end", &self.end),
            ("metric", &self.metric),
        ]
    }

    /// The address of something with the same questions.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{path}{}", query(&self.pairs()))
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

/// Renders the form; `over_time` asks for a range of months instead of one.
pub(super) fn filter_form(
    path: &str,
    filter: &ReportFilter,
    choices: &ReportChoices,
    over_time: bool,
) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    let metrics = ["bytes", "files", "objects"].map(|name| Choice::new(name, name));
    html! {
        form.filter method="get" action=(path) aria-label="What the report is about" {
            div.fields {
                @if choices.institutions.len() > 1 {
                    (choose(field("Institution", "institution", &filter.institution),
                        &choices.institutions))
                }
                @if !choices.storage_options.is_empty() {
                    (choose(field("Storage option", "storage_option", &filter.storage_option),
                        &choices.storage_options))
                }
                @if over_time {
                    (months(field("From", "start", &filter.start), choices, "the beginning"))
                    (months(field("Until", "end", &filter.end), choices, "now"))
                } @else {
                    (months(field("When", "date", &filter.date), choices, "now"))
                }
                (one_of(field("Drawn", "metric", &filter.metric), &metrics))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href=(path) { "Clear" } }
                }
            }
        }
    }
}

/// A month of those that are written down, or none of them.
fn months(field: Field<'_>, choices: &ReportChoices, none: &str) -> Markup {
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            select id=(field.name) name=(field.name) {
                option value="" { (none) }
                @for choice in &choices.months {
                    option value=(choice.value) selected[choice.value == field.value] {
                        (choice.label)
                    }
                }
            }
        }
    }
}

fn one_of(field: Field<'_>, choices: &[Choice]) -> Markup {
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            select id=(field.name) name=(field.name) {
                @for choice in choices {
                    option value=(choice.value) selected[choice.value == field.value] {
                        (choice.label)
                    }
                }
            }
        }
    }
}
