//! Events as they are listed: with an object, with a file, and all of them.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Badge, Link, badge, cell, time};

/// One event in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventLine {
    /// Where its page is.
    pub href: String,
    /// What kind of thing it was, for people.
    pub kind: String,
    /// When, as RFC 3339 in UTC.
    pub when: String,
    /// What was done, and what came of it.
    pub words: String,
    /// How it went.
    pub outcome: Badge,
    /// What it is about, for people; empty where all are about the same.
    pub about: String,
    /// The object, where the list is about several.
    pub object: Option<Link>,
}

/// Renders events as a table, in the order given; `when` heads the times where they can be sorted.
pub(super) fn timeline(lines: &[EventLine], when: Option<Markup>) -> Markup {
    let objects = lines.iter().any(|line| line.object.is_some());
    let abouts = lines.iter().any(|line| !line.about.is_empty());
    html! {
        table.events {
            thead { tr {
                @if let Some(when) = when { (when) } @else { th scope="col" { "When" } }
                th scope="col" { "What" }
                @if objects { th scope="col" { "Object" } }
                @if abouts { th scope="col" { "About" } }
                th scope="col" { "Outcome" }
                th scope="col" { "In words" }
            } }
            tbody { @for line in lines { (row(line, (objects, abouts))) } }
        }
    }
}

fn row(line: &EventLine, (objects, abouts): (bool, bool)) -> Markup {
    html! {
        tr {
            (cell("When", time(&line.when)))
            th scope="row" { a href=(line.href) { (line.kind) } }
            @if objects {
                td.place data-label="Object" {
                    @if let Some(object) = &line.object {
                        a href=(object.href) { bdi { (object.label) } }
                    }
                }
            }
            @if abouts { td.place data-label="About" { bdi { (line.about) } } }
            td { (badge(&line.outcome)) }
            @if line.words.is_empty() { td {} } @else { td.say { bdi { (line.words) } } }
        }
    }
}
