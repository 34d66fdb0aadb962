//! One file: what it is, its digests, its versions, its copies, and what happened to it.

use maud::{Markup, html};
use serde::Serialize;

use super::copies::{CopyLine, Safety, copies};
use super::restoring::{RestoreWish, restore_button};
use super::timeline::{EventLine, timeline};
use crate::pages::deletion::{DeletionOffer, offer};
use crate::parts::{Badge, Fact, Link, badge, cell, count, digest, empty, facts, human_size, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one file shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FilePage {
    /// Its name without the folders.
    pub name: String,
    /// Its object.
    pub object: Link,
    /// The folder it is in; none at the top.
    pub folder: Option<Link>,
    /// A word when it is not there any more.
    pub state: Option<Badge>,
    /// Whether it is safe.
    pub safety: Safety,
    /// How it is restored, unless it is gone.
    pub restore: Option<RestoreWish>,
    /// Its copies.
    pub copies: Vec<CopyLine>,
    /// Where a lost file is sent; none if nothing of it is lost, or not for whoever looks at it.
    pub replacement: Option<ReplaceForm>,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// What the archivist should know about its format.
    pub warnings: Vec<String>,
    /// Its digests.
    pub digests: Vec<Fact>,
    /// Its versions, the newest first.
    pub versions: Vec<FileVersionRow>,
    /// What happened to it, the newest first.
    pub events: Vec<EventLine>,
    /// The address of all its events.
    pub all_events_href: String,
    /// Whether it may be deleted.
    pub deletion: DeletionOffer,
}

/// The form that takes a lost file: sent as `multipart/form-data` to `action`, with the file in `file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplaceForm {
    /// Where it is sent.
    pub action: String,
    /// The versions that are lost.
    pub lost: Vec<LostVersion>,
    /// How a copy is brought from cold storage, where there is one.
    pub in_cold: Option<String>,
}

/// A version of a file that no hot replica has an intact copy of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LostVersion {
    /// The version.
    pub version: u64,
    /// Its bytes.
    pub size: u64,
    /// Its sha256.
    pub sha256: String,
}

/// One version of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileVersionRow {
    /// The version of the object that brought it.
    pub version: u64,
    /// When that was recorded.
    pub recorded: String,
    /// Its bytes.
    pub size: u64,
    /// Its format, for people.
    pub format: String,
    /// Its sha256.
    pub sha256: String,
    /// A word for how it stands.
    pub state: Badge,
    /// How it is restored, unless it is gone.
    pub restore: Option<RestoreWish>,
}

/// Renders the page of one file.
pub fn file_page(shell: &Shell, page: &FilePage) -> Markup {
    let main = html! {
        p.eyebrow {
            a href="/objects" { "Objects" } " / "
            a href=(page.object.href) { bdi { (page.object.label) } }
            @if let Some(folder) = &page.folder {
                " / " a href=(folder.href) { bdi { (folder.label) } }
            }
        }
        h1.item-name { bdi { (page.name) } }
        @if let Some(state) = &page.state { p.item-state { (badge(state)) } }
        (restore_button(page.restore.as_ref()))
        div.halves {
            div {
                (copies(&page.safety, &page.copies, html! {}))
                @if let Some(form) = &page.replacement { (replace(form)) }
                section aria-labelledby="digests-heading" {
                    h2 #digests-heading { "Digests" }
                    (facts(&page.digests))
                }
                (versions(&page.versions))
            }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                    @for warning in &page.warnings { p.notice.warn { bdi { (warning) } } }
                }
                (offer(&page.deletion))
            }
        }
        section #events aria-labelledby="events-heading" {
            h2 #events-heading { "What happened" }
            @if page.events.is_empty() {
                (empty("No events are known about this file.", html! {
                    "Look at the events of its object."
                }))
            } @else {
                (timeline(&page.events, None))
                p { a href=(page.all_events_href) { "All events of this file" } }
            }
        }
    };
    document(shell, Frame::Still, main)
}

fn replace(form: &ReplaceForm) -> Markup {
    html! {
        section.panel aria-labelledby="replace-heading" {
            h2 #replace-heading { "Replace from a file" }
            p {
                "No hot replica has an intact copy any more. Send the file as it was deposited, from \
                 the depositor or from another archive: its digests are compared, and every hot \
                 replica is repaired with it. Another file is rejected, and nothing is changed."
            }
            @if let Some(advice) = &form.in_cold { p #replace-in-cold { (advice) } }
            ul {
                @for lost in &form.lost {
                    li {
                        "Version " (count(lost.version)) ": " (human_size(lost.size)) ", SHA-256 "
                        (digest(&lost.sha256))
                    }
                }
            }
            form.entry method="post" action=(form.action) enctype="multipart/form-data" {
                div.field {
                    label for="replacement" { "The file" }
                    input #replacement name="file" type="file" required;
                }
                div.actions { button.solid type="submit" { "Replace from a file" } }
            }
        }
    }
}

fn versions(rows: &[FileVersionRow]) -> Markup {
    html! {
        section aria-labelledby="versions-heading" {
            h2 #versions-heading { "Versions" }
            table.versions {
                thead { tr {
                    th scope="col" { "Version" }
                    th scope="col" { "Recorded" }
                    th.num scope="col" { "Size" }
                    th scope="col" { "Format" }
                    th scope="col" { "SHA-256" }
                    th scope="col" { "State" }
                    th scope="col" { "Give back" }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { "Version " (count(row.version)) }
                    (cell("Recorded", time(&row.recorded)))
                    td.num data-label="Size" { (human_size(row.size)) }
                    (cell("Format", &row.format))
                    td.place data-label="SHA-256" { (digest(&row.sha256)) }
                    td { (badge(&row.state)) }
                    td data-label="Give back" { (restore_button(row.restore.as_ref())) }
                } } }
            }
        }
    }
}
