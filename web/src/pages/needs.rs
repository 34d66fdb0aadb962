//! What needs a person: parked items by reason, on the front page.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{count, counted, empty, query};

/// Parked items that share a reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ParkedGroup {
    /// The reason's code, as the filter takes it.
    pub reason: String,
    /// What is so, in a sentence.
    pub sentence: String,
    /// What a person should do next.
    pub next: String,
    /// How many items are parked for it.
    pub count: u64,
}

/// Renders the parked groups as a section of the front page.
pub fn needs_fragment(groups: &[ParkedGroup]) -> Markup {
    let total = groups.iter().fold(0, |sum: u64, group| sum.saturating_add(group.count));
    html! {
        section aria-labelledby="needs-heading" {
            h2 #needs-heading { "Needs a person " span.tally { (count(total)) } }
            @if groups.is_empty() {
                (empty("Nothing needs you.", html! {
                    "An item that cannot go on by itself is parked and listed here, with what to do."
                }))
            } @else {
                ul.needs { @for group in groups { li { (parked(group)) } } }
            }
        }
    }
}

fn parked(group: &ParkedGroup) -> Markup {
    let filter = query(&[("needs_admin_review", "true"), ("reason", &group.reason)]);
    html! {
        p.needs-what { (group.sentence) }
        p { strong { "What to do next: " } (group.next) }
        div.needs-foot {
            a.button id={ "see-" (group.reason) } href={ "/items" (filter) } {
                "See " (counted(group.count, "item"))
                span.unseen { " parked for " (group.reason) }
            }
            form method="post" action="/items/requeue" data-inplace {
                input type="hidden" name="reason" value=(group.reason);
                button type="submit" id={ "requeue-" (group.reason) } {
                    "Requeue all of these" span.unseen { " for " (group.reason) }
                }
            }
            code { (group.reason) }
        }
    }
}
