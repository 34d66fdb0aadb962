//! The house closed for maintenance: the switch for administrators, and what everybody else sees.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::time;
use crate::shell::{Frame, Shell, document};

/// Whether the house is closed, and the form that changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MaintenancePage {
    /// Since when it is closed, as RFC 3339 in UTC; none while it is open.
    pub since: Option<String>,
    /// Who closed it.
    pub by: String,
    /// What people are told, or would be.
    pub sentence: String,
    /// The longest sentence, in characters.
    pub longest: u64,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// What everybody sees who comes while the house is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClosedPage {
    /// What an administrator wrote.
    pub sentence: String,
    /// Whether whoever looks has signed in already.
    pub is_known: bool,
}

/// Renders the switch.
pub fn maintenance_page(shell: &Shell, page: &MaintenancePage) -> Markup {
    let is_closed = page.since.is_some();
    let main = html! {
        div.sheet {
            h1 { "Maintenance" }
            @match &page.since {
                Some(since) => p.lead {
                    "Closed since " (time(since)) " by " bdi { (page.by) } ". Only administrators \
                     come in, no work is begun and no sweep looks."
                },
                None => p.lead {
                    "Open. While it is closed, only administrators come in, no work is begun and no \
                     sweep looks. What is under way ends its stage. Nothing is lost."
                },
            }
            @if let Some(text) = &page.problem {
                p.notice.bad #problem role="alert" { (text) }
            }
            form.entry method="post" action="/maintenance" {
                input type="hidden" name="on" value="true";
                div.field {
                    label for="sentence" { "What people are told" }
                    input id="sentence" name="sentence" type="text" value=(page.sentence)
                        maxlength=(page.longest) autocomplete="off" dir="auto"
                        aria-describedby="sentence-hint";
                    p.hint #sentence-hint {
                        "One sentence: what is done, and when they can come back."
                    }
                }
                div.actions {
                    button.solid.danger[!is_closed] type="submit" {
                        @if is_closed { "Tell people this instead" } @else { "Close the house" }
                    }
                }
            }
            @if is_closed {
                form.entry method="post" action="/maintenance" {
                    input type="hidden" name="on" value="false";
                    div.actions { button.solid type="submit" { "Open the house again" } }
                }
            }
            p.quiet {
                "By command: " code { "strongroom maintenance on --sentence \"Back at noon.\"" }
                " and " code { "strongroom maintenance off" } "."
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders what is said at a closed door.
pub fn closed_page(shell: &Shell, page: &ClosedPage) -> Markup {
    let main = html! {
        div.sheet {
            p.eyebrow { "Closed for maintenance" }
            h1 { "Please come back later" }
            p.lead #problem { (page.sentence) }
            dl.answers {
                dt { "What was kept" }
                dd { "Everything. Nothing was changed by your visit." }
                dt { "What to do next" }
                dd {
                    "Open this page again in a while."
                    @if !page.is_known { " Administrators sign in and go on." }
                }
            }
            @if !page.is_known { p { a.button href="/sign-in" { "Sign in" } } }
        }
    };
    document(shell, Frame::Still, main)
}
