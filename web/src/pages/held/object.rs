//! One object: is it safe, what is it, what is in it, and what happened to it.

use maud::{Markup, html};
use serde::Serialize;

use super::checking::{CheckWish, check_button};
use super::copies::{CopyLine, Safety, copies};
use super::folder::{FolderView, folder};
use super::formats::{FormatBar, formats};
use super::restoring::{RestoreWish, restore_button};
use super::timeline::{EventLine, timeline};
use super::versions::{TagGroup, VersionRow, tags, versions};
use crate::pages::deletion::{DeletionOffer, offer};
use crate::parts::{Badge, Fact, Pager, badge, empty, facts, pager};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one object shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ObjectPage {
    /// Its title, or the name of its bag when it has none.
    pub title: String,
    /// Its identifier.
    pub identifier: String,
    /// What it says of itself.
    pub description: String,
    /// A word when it is not there any more.
    pub state: Option<Badge>,
    /// Whether it is safe.
    pub safety: Safety,
    /// How it is looked at out of turn, unless it is gone.
    pub check: Option<CheckWish>,
    /// How it is restored, unless it is gone.
    pub restore: Option<RestoreWish>,
    /// What every replica has of it.
    pub copies: Vec<CopyLine>,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// Its versions, the newest first.
    pub versions: Vec<VersionRow>,
    /// Versions beyond those listed.
    pub versions_unshown_count: u64,
    /// The folder that is looked into.
    pub folder: FolderView,
    /// The formats of its files, the most frequent first.
    pub formats: Vec<FormatBar>,
    /// Formats beyond those listed.
    pub formats_unshown_count: u64,
    /// Files it has in its newest version.
    pub file_count: u64,
    /// The tags of the version that is shown, by tag file.
    pub tags: Vec<TagGroup>,
    /// Tags beyond those listed.
    pub tags_unshown_count: u64,
    /// What happened to it, the newest first.
    pub events: Vec<EventLine>,
    /// Which of its events these are.
    pub events_pager: Pager,
    /// The address of a page of its events, without the number at its end.
    pub events_href: String,
    /// The address of all its events.
    pub all_events_href: String,
    /// Whether it may be deleted.
    pub deletion: DeletionOffer,
}

/// Renders the page of one object.
pub fn object_page(shell: &Shell, page: &ObjectPage) -> Markup {
    let main = html! {
        p.eyebrow { a href="/objects" { "Objects" } " / " bdi { (page.identifier) } }
        h1.item-name { bdi { (page.title) } }
        @if let Some(state) = &page.state { p.item-state { (badge(state)) } }
        @if !page.description.is_empty() { p.lead { bdi { (page.description) } } }
        (restore_button(page.restore.as_ref()))
        div.halves {
            div {
                (copies(&page.safety, &page.copies, check_button(page.check.as_ref())))
                (folder(&page.folder))
                (formats(&page.formats, page.formats_unshown_count, page.file_count))
                (versions(&page.versions, page.versions_unshown_count))
            }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                }
                (tags(&page.tags, page.tags_unshown_count))
                (offer(&page.deletion))
            }
        }
        (happened(page))
    };
    document(shell, Frame::Still, main)
}

fn happened(page: &ObjectPage) -> Markup {
    html! {
        section #events aria-labelledby="events-heading" {
            h2 #events-heading { "What happened" }
            @if page.events.is_empty() {
                (empty("No events are shown here.", html! {
                    a href=(page.all_events_href) { "All events of this object" } "."
                }))
            } @else {
                (timeline(&page.events, None))
                (pager(&page.events_pager, |number| format!("{}{number}#events", page.events_href)))
                p { a href=(page.all_events_href) { "All events of this object, with filters" } }
            }
        }
    }
}
