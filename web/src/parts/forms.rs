//! Form controls, each with its label; a form that changes something is always a POST.

use maud::{Markup, html};
use serde::Serialize;

/// One entry of a select.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The value sent.
    pub value: String,
    /// The words shown.
    pub label: String,
}

impl Choice {
    /// Pairs a value with its words.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Choice {
        Choice { value: value.into(), label: label.into() }
    }
}

/// What every control of a form has.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The words of its label.
    pub label: &'a str,
    /// Its name in the query, which is also its id.
    pub name: &'a str,
    /// What is in it now.
    pub value: &'a str,
}

/// Renders a line of text.
pub fn text_field(field: Field<'_>) -> Markup {
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            input id=(field.name) name=(field.name) type="text" value=(field.value)
                autocomplete="off" dir="auto";
        }
    }
}

/// A line that must be filled in.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The words of its label.
    pub label: &'a str,
    /// Its name in the form, which is also its id.
    pub name: &'a str,
    /// What browsers call it: `text`, `email`, `password`.
    pub kind: &'a str,
    /// What a program that keeps passwords may put in.
    pub autocomplete: &'a str,
    /// What is in it now; never a password.
    pub value: &'a str,
    /// What it has to be.
    pub hint: Option<&'a str>,
}

impl<'a> Asked<'a> {
    /// A line of text.
    pub fn text(label: &'a str, name: &'a str, autocomplete: &'a str, value: &'a str) -> Asked<'a> {
        Asked { label, name, kind: "text", autocomplete, value, hint: None }
    }

    /// Who somebody is.
    pub fn email(value: &'a str) -> Asked<'a> {
        Asked { kind: "email", ..Asked::text("E-mail", "email", "username", value) }
    }

    /// A password, which is never shown again.
    pub fn password(label: &'a str, name: &'a str, autocomplete: &'a str) -> Asked<'a> {
        Asked { kind: "password", ..Asked::text(label, name, autocomplete, "") }
    }
}

/// Renders a line that must be filled in.
pub fn ask_field(asked: Asked<'_>) -> Markup {
    let hint = asked.hint.map(|_| format!("{}-hint", asked.name));
    html! {
        div.field {
            label for=(asked.name) { (asked.label) }
            input id=(asked.name) name=(asked.name) type=(asked.kind) value=(asked.value)
                autocomplete=(asked.autocomplete) aria-describedby=[hint.as_deref()] required;
            @if let (Some(id), Some(hint)) = (&hint, asked.hint) { p.hint id=(id) { (hint) } }
        }
    }
}

/// Renders a day; a full timestamp is shortened to its day.
pub fn date_field(field: Field<'_>) -> Markup {
    let day = field.value.get(..10).unwrap_or_default();
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            input id=(field.name) name=(field.name) type="date" value=(day);
        }
    }
}

/// Renders a select that starts with "Any"; without choices it is a line of text instead.
///
/// A value that is not among the choices is kept as its own entry: a filter that came in through
/// a link must not vanish when the form is sent again.
pub fn choose(field: Field<'_>, choices: &[Choice]) -> Markup {
    choose_or(field, "Any", choices)
}

/// Renders a select that starts with these words for no choice.
pub fn choose_or(field: Field<'_>, none: &str, choices: &[Choice]) -> Markup {
    if choices.is_empty() {
        return text_field(field);
    }
    let stray = !field.value.is_empty() && choices.iter().all(|c| c.value != field.value);
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            select id=(field.name) name=(field.name) {
                option value="" { (none) }
                @if stray { option value=(field.value) selected { (field.value) } }
                @for choice in choices {
                    option value=(choice.value) selected[choice.value == field.value] {
                        (choice.label)
                    }
                }
            }
        }
    }
}

/// Renders a select of which one must be chosen.
pub fn choose_one(field: Field<'_>, choices: &[Choice]) -> Markup {
    html! {
        div.field {
            label for=(field.name) { (field.label) }
            select id=(field.name) name=(field.name) required {
                @for choice in choices {
                    option value=(choice.value) selected[choice.value == field.value] {
                        (choice.label)
                    }
                }
            }
        }
    }
}

/// Renders a box to tick.
pub fn tick(field: Field<'_>, is_set: bool) -> Markup {
    html! {
        div.field.check {
            input id=(field.name) name=(field.name) type="checkbox" value=(field.value)
                checked[is_set];
            label for=(field.name) { (field.label) }
        }
    }
}

/// Renders a form that is one button; `about` completes the button's name for those who hear it.
///
/// The id lets focus stay on the button when the fragment around it is replaced.
pub fn post_button(id: &str, action: &str, label: &str, about: &str) -> Markup {
    html! {
        form method="post" action=(action) data-inplace {
            button id=(id) type="submit" { (label) span.unseen { " " (about) } }
        }
    }
}
