//! The form by which somebody declares what no program can see.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::time;
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeclarePage {
    /// The requirement's name.
    pub requirement: String,
    /// What it asks for.
    pub asks: String,
    /// What to say.
    pub hint: String,
    /// What was typed before.
    pub sentence: String,
    /// What was wrong with the last try.
    pub problem: Option<String>,
    /// What was declared before, the latest first.
    pub declared: Vec<DeclaredLine>,
}

/// What somebody declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeclaredLine {
    /// Its number.
    pub id: i64,
    /// Who.
    pub by: String,
    /// When.
    pub at: String,
    /// What.
    pub sentence: String,
    /// Who took it back, and when.
    pub withdrawn: Option<(String, String)>,
}

/// Renders the form.
pub fn declare_page(shell: &Shell, page: &DeclarePage) -> Markup {
    let main = html! {
        div.sheet {
            p.eyebrow { a href="/reports/ndsa" { "NDSA Levels" } }
            h1 { "Declare" }
            p.lead { (page.asks) }
            @if let Some(problem) = &page.problem {
                p.notice.bad #problem role="alert" { (problem) }
            }
            form.entry method="post" action="/reports/ndsa/declare" {
                input type="hidden" name="requirement" value=(page.requirement);
                div.field {
                    label for="sentence" { "What is so" }
                    textarea #sentence name="sentence" maxlength="1000" required
                        aria-describedby="sentence-hint" { (page.sentence) }
                    p.hint #sentence-hint {
                        (page.hint) " It is written down under your name with the date, and counts \
                         until it is too old."
                    }
                }
                div.actions {
                    button.solid type="submit" { "Declare" }
                    a.button href="/reports/ndsa" { "Back" }
                }
            }
            @if !page.declared.is_empty() {
                h2 { "Declared before" }
                @for line in &page.declared { (before(line)) }
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn before(line: &DeclaredLine) -> Markup {
    html! {
        div.said {
            p { bdi { (line.by) } ", " (time(&line.at)) ": " bdi { (line.sentence) } }
            @match &line.withdrawn {
                Some((by, at)) => p.quiet { "Withdrawn by " bdi { (by) } ", " (time(at)) "." },
                None => {
                    form method="post"
                        action={ "/reports/ndsa/declarations/" (line.id) "/withdraw" } {
                        button type="submit" {
                            "Withdraw" span.unseen { " what " (line.by) " declared" }
                        }
                    }
                }
            }
        }
    }
}
