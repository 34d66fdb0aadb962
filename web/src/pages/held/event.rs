//! One event, with every part that PREMIS asks for.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Fact, Link, badge, facts, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one event shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EventPage {
    /// What kind of thing it was, for people.
    pub kind: String,
    /// What that kind means, in a sentence.
    pub meaning: String,
    /// When, as RFC 3339 in UTC.
    pub when: String,
    /// How it went.
    pub outcome: Badge,
    /// The object.
    pub object: Link,
    /// What was done, what came of it, who did it.
    pub told: Vec<Fact>,
    /// What it is called by and where it belongs.
    pub facts: Vec<Fact>,
    /// What the words in braces mean, when there are some.
    pub braces: Option<String>,
}

/// Renders the page of one event.
pub fn event_page(shell: &Shell, page: &EventPage) -> Markup {
    let main = html! {
        p.eyebrow {
            a href="/events" { "Events" } " / "
            a href=(page.object.href) { bdi { (page.object.label) } }
        }
        h1.item-name { (page.kind) }
        p.item-state { (badge(&page.outcome)) " " (time(&page.when)) }
        p.lead { (page.meaning) }
        div.halves {
            div {
                section.panel aria-labelledby="told-heading" {
                    h2 #told-heading { "What happened" }
                    (facts(&page.told))
                    @if let Some(braces) = &page.braces { p.quiet { (braces) } }
                }
            }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}
