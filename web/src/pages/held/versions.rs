//! The versions of an object, each of them a deposit, and what a deposit said of itself.

use maud::{Markup, html};
use serde::Serialize;

use super::restoring::{RestoreWish, restore_button};
use crate::parts::{Link, count, human_size, time};

/// One version: the deposit that made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// Its number.
    pub version: u64,
    /// Where its files are shown.
    pub href: String,
    /// Whether its files are shown now.
    pub is_shown: bool,
    /// The name of the received file.
    pub deposit: String,
    /// Its bytes.
    pub size: u64,
    /// When it was received.
    pub received: Option<String>,
    /// When it was sealed.
    pub sealed: Option<String>,
    /// The profile it was checked by.
    pub profile: String,
    /// The program that took it in, and the signatures it told formats by.
    pub program: String,
    /// The item that took it in.
    pub item: Link,
    /// How it is restored, unless it is gone.
    pub restore: Option<RestoreWish>,
}

/// Renders the versions as a section, in the order given.
pub(super) fn versions(rows: &[VersionRow], unshown: u64) -> Markup {
    html! {
        section aria-labelledby="versions-heading" {
            h2 #versions-heading { "Versions" }
            table.versions {
                thead { tr {
                    th scope="col" { "Version" }
                    th scope="col" { "Deposit" }
                    th scope="col" { "Received, preserved" }
                    th scope="col" { "Judged and taken in by" }
                    th scope="col" { "Give back" }
                } }
                tbody { @for row in rows { (version_row(row)) } }
            }
            @if unshown > 0 { p.quiet { "and " (count(unshown)) " older versions." } }
        }
    }
}

fn version_row(row: &VersionRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(row.href) aria-current=[row.is_shown.then_some("true")] {
                    "Version " (count(row.version))
                }
            }
            td.place data-label="Deposit" {
                bdi { (row.deposit) } span.quiet { ", " (human_size(row.size)) } br;
                a href=(row.item.href) { (row.item.label) }
            }
            td data-label="Received, preserved" {
                @for at in row.received.iter().chain(&row.sealed) { div { (time(at)) } }
            }
            td.place data-label="Judged and taken in by" {
                @if !row.profile.is_empty() { bdi { (row.profile) } br; }
                span.quiet { (row.program) }
            }
            td data-label="Give back" { (restore_button(row.restore.as_ref())) }
        }
    }
}

/// The tags of one tag file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagGroup {
    /// The tag file.
    pub file: String,
    /// Its tags, as they stood.
    pub tags: Vec<TagRow>,
}

/// One tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagRow {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Renders the tags as a section, or nothing when there are none.
pub(super) fn tags(groups: &[TagGroup], unshown: u64) -> Markup {
    html! {
        @if !groups.is_empty() {
            section.panel aria-labelledby="tags-heading" {
                h2 #tags-heading { "Tags" }
                @for group in groups {
                    h3 { bdi { (group.file) } }
                    dl.facts {
                        @for tag in &group.tags {
                            div { dt { bdi { (tag.name) } } dd { (tag_value(&tag.value)) } }
                        }
                    }
                }
                @if unshown > 0 { p.quiet { "and " (count(unshown)) " more tags." } }
            }
        }
    }
}

fn tag_value(value: &str) -> Markup {
    html! { @if value.is_empty() { span.quiet { "none" } } @else { bdi { (value) } } }
}
