//! The page that asks before something is done that cannot be undone.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::Link;
use crate::shell::{Frame, Shell, document};

/// A question with its consequences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConfirmPage {
    /// The question, for example "Empty the queue of Validate?".
    pub title: String,
    /// What will happen, in a sentence.
    pub sentence: String,
    /// What follows from it, one line each.
    pub consequences: Vec<String>,
    /// Where the form is posted.
    pub action: String,
    /// Values the form carries.
    pub hidden: Vec<HiddenField>,
    /// The button's words, which name the deed: "Empty 12 items", never "OK".
    pub button: String,
    /// The way back.
    pub back: Link,
}

/// A value a form carries unseen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HiddenField {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Renders a question that works without script.
pub fn confirm_page(shell: &Shell, page: &ConfirmPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { (page.title) }
            p.lead { (page.sentence) }
            @if !page.consequences.is_empty() {
                h2 { "What follows" }
                ul { @for line in &page.consequences { li { (line) } } }
            }
            form.actions method="post" action=(page.action) {
                @for field in &page.hidden {
                    input type="hidden" name=(field.name) value=(field.value);
                }
                button.danger.solid type="submit" { (page.button) }
                a.button href=(page.back.href) { (page.back.label) }
            }
        }
    };
    document(shell, Frame::Still, main)
}
