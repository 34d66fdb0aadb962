//! The page shown when a request could not be met.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::Link;
use crate::shell::{Frame, Shell, document};

/// What went wrong and what a person can do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProblemPage {
    /// The HTTP status.
    pub status: u16,
    /// What went wrong, in a few words.
    pub title: String,
    /// What went wrong, in a sentence.
    pub sentence: String,
    /// What was kept: what the reader need not worry about.
    pub kept: String,
    /// What to do next.
    pub next: String,
    /// The way back.
    pub back: Link,
}

/// Renders a problem; `#problem` is what the script shows when a form sent in place is refused.
pub fn problem_page(shell: &Shell, page: &ProblemPage) -> Markup {
    let main = html! {
        div.sheet {
            p.eyebrow { "Problem " (page.status) }
            h1 { (page.title) }
            p.lead #problem { (page.sentence) }
            dl.answers {
                @if !page.kept.is_empty() { dt { "What was kept" } dd { (page.kept) } }
                @if !page.next.is_empty() { dt { "What to do next" } dd { (page.next) } }
            }
            @if !page.back.href.is_empty() {
                p { a.button href=(page.back.href) { (page.back.label) } }
            }
        }
    };
    document(shell, Frame::Still, main)
}
