//! Asking for a deletion: what goes, and why.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Fact, Link, facts};
use crate::shell::{Frame, Shell, document};

/// What would be asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AskDeletionPage {
    /// The object or file, by its identifier.
    pub what: String,
    /// The name of the form's field that says it: `object` or `file`.
    pub kind: String,
    /// The number that goes with it.
    pub number: String,
    /// How much it is.
    pub facts: Vec<Fact>,
    /// What follows, one line each.
    pub consequences: Vec<String>,
    /// The reason that was typed before.
    pub reason: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
    /// The way back.
    pub back: Link,
}

/// Renders the form; it changes nothing but writes the wish down.
pub fn ask_deletion_page(shell: &Shell, page: &AskDeletionPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Ask for deletion" }
            p.lead { bdi { (page.what) } }
            @if let Some(problem) = &page.problem {
                p.notice.bad #problem role="alert" { (problem) }
            }
            (facts(&page.facts))
            h2 { "What follows" }
            ul { @for line in &page.consequences { li { (line) } } }
            form.entry method="post" action="/deletions" {
                input type="hidden" name=(page.kind) value=(page.number);
                div.field {
                    label for="reason" { "Why it has to go" }
                    textarea #reason name="reason" maxlength="1000" required
                        aria-describedby="reason-hint" { (page.reason) }
                    p.hint #reason-hint {
                        "The second person reads it, and it stays on the certificate."
                    }
                }
                div.actions {
                    button.danger.solid type="submit" { "Ask for deletion" }
                    a.button href=(page.back.href) { (page.back.label) }
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}
