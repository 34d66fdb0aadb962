//! What could not be searched, and why.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Link, cell, num, post_button, time};

/// Something that could not be searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResearchTrouble {
    /// What it is about: the recording itself, or the other one of a pair.
    pub about: Link,
    /// Its stable name, such as `not_audio`.
    pub code: String,
    /// What happened, in a sentence.
    pub why: String,
    /// How often it was tried.
    pub tries: u64,
    /// When it was tried last, as RFC 3339 in UTC.
    pub at: String,
    /// When it is tried again, as RFC 3339 in UTC; none when a person has to ask.
    pub retry: Option<String>,
    /// Where another try is asked for by POST; none when nothing can be asked.
    pub retry_action: Option<String>,
}

/// Renders what could not be searched; nothing when all could.
pub(super) fn troubles(rows: &[ResearchTrouble]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section aria-labelledby="troubles-heading" {
                h2 #troubles-heading { "What could not be searched" }
                table {
                    thead { tr {
                        th scope="col" { "About" }
                        th scope="col" { "What happened" }
                        th.num scope="col" { "Tries" }
                        th scope="col" { "Last try" }
                        th scope="col" { "Next try" }
                    } }
                    tbody { @for (at, row) in rows.iter().enumerate() { (line(row, at)) } }
                }
            }
        }
    }
}

fn line(row: &ResearchTrouble, at: usize) -> Markup {
    html! {
        tr {
            th.name scope="row" {
                @if row.about.href.is_empty() { bdi { (row.about.label) } }
                @else { a href=(row.about.href) { bdi { (row.about.label) } } }
            }
            td.say data-label="What happened" {
                bdi { (row.why) } div.quiet { code { (row.code) } }
            }
            (num("Tries", row.tries))
            (cell("Last try", time(&row.at)))
            td data-label="Next try" {
                @match &row.retry {
                    Some(moment) => (time(moment)),
                    None => span.quiet { "when somebody asks" },
                }
                @if let Some(action) = &row.retry_action {
                    " " (post_button(&format!("retry-{at}"), action, "Try again", &row.about.label))
                }
            }
        }
    }
}
