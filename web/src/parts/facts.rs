//! Definition lists: a name and what it is.

use maud::{Markup, html};
use serde::Serialize;

use super::figures::{count, digest, duration, size_with_bytes, time};
use super::links::Link;

/// One named fact of an item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// What the fact is called, for example "Received".
    pub name: String,
    /// The fact itself.
    pub value: FactValue,
}

impl Fact {
    /// Names a value.
    pub fn new(name: impl Into<String>, value: FactValue) -> Fact {
        Fact { name: name.into(), value }
    }

    /// Names a plain text.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Fact {
        Fact::new(name, FactValue::Text(text.into()))
    }
}

/// What a fact holds, so that it is shown the way its kind is read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FactValue {
    /// Words, shown as they are.
    Text(String),
    /// A name from a machine, in fixed-width type.
    Code(String),
    /// A moment as RFC 3339 in UTC.
    Time(String),
    /// A size in bytes.
    Bytes(u64),
    /// A plain number.
    Count(u64),
    /// A duration in seconds.
    Seconds(f64),
    /// A digest, shown whole and allowed to wrap.
    Digest(String),
    /// A way to something else.
    Link(Link),
}

/// Renders facts as a definition list, in the order given.
pub fn facts(facts: &[Fact]) -> Markup {
    html! {
        dl.facts {
            @for fact in facts {
                div { dt { (fact.name) } dd { (value(&fact.value)) } }
            }
        }
    }
}

fn value(value: &FactValue) -> Markup {
    match value {
        FactValue::Text(text) if text.is_empty() => html! { span.quiet { "none" } },
        FactValue::Text(text) => html! { bdi { (text) } },
        FactValue::Code(text) => html! { code { (text) } },
        FactValue::Time(moment) => time(moment),
        FactValue::Bytes(bytes) => size_with_bytes(*bytes),
        FactValue::Count(number) => html! { (count(*number)) },
        FactValue::Seconds(seconds) => html! { (duration(*seconds)) },
        FactValue::Digest(hex) => digest(hex),
        FactValue::Link(link) => html! { a href=(link.href) { (link.label) } },
    }
}
