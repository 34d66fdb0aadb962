//! The search: one field, and what was found by it, kind by kind.

use maud::{Markup, html};
use serde::Serialize;

use super::held::{FoundFile, found_files};
use crate::parts::{Badge, badge, cell, empty, human_size, num, time};
use crate::shell::{Frame, Shell, document};

/// Everything the search page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SearchPage {
    /// What was typed.
    pub text: String,
    /// The words that were looked for.
    pub words: Vec<String>,
    /// Objects found.
    pub objects: Vec<FoundObject>,
    /// Files found.
    pub files: Vec<FoundFile>,
    /// Items found.
    pub items: Vec<FoundItem>,
    /// Whether there is more of a kind than is shown.
    pub more: bool,
}

/// One object that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundObject {
    /// Where its page is.
    pub href: String,
    /// Its title, or the name of its bag when it has none.
    pub title: String,
    /// Its identifier.
    pub identifier: String,
    /// A word when it is not there any more.
    pub state: Option<Badge>,
    /// Name of the owner.
    pub institution: String,
    /// Files that are there.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

/// One item that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundItem {
    /// Where its page is.
    pub href: String,
    /// Its name.
    pub name: String,
    /// What is done.
    pub action: String,
    /// How it stands.
    pub status: String,
    /// When something last happened to it, as RFC 3339 in UTC.
    pub date: String,
}

/// Renders the search page. The field itself is in the frame, with what was typed still in it.
pub fn search_page(shell: &Shell, page: &SearchPage) -> Markup {
    let shell = Shell { sought: page.text.clone(), ..shell.clone() };
    let main = html! {
        h1 { "Search" }
        @if page.words.is_empty() {
            (ask(page))
        } @else {
            p { (searched(page)) }
            @if page.objects.is_empty() && page.files.is_empty() && page.items.is_empty() {
                (nothing())
            } @else {
                @if page.more {
                    p.quiet { "There is more than is shown here. Another word finds fewer." }
                }
                @if !page.objects.is_empty() { (objects(page)) }
                @if !page.files.is_empty() {
                    section aria-labelledby="files-heading" {
                        h2 #files-heading { "Files" }
                        (found_files(&page.files))
                    }
                }
                @if !page.items.is_empty() { (items(page)) }
            }
        }
    };
    document(&shell, Frame::Still, main)
}

/// What was looked for, and where.
fn searched(page: &SearchPage) -> Markup {
    html! {
        "Looked for " @for (at, word) in page.words.iter().enumerate() {
            @if at > 0 { " and " } strong { bdi { (word) } }
        }
        " in titles and identifiers of objects, paths of files, and names of items; the last word may "
        "be the beginning of one. Identifiers, UUIDs and digests are found as a whole, digests by "
        "their first 8 digits, too."
    }
}

fn ask(page: &SearchPage) -> Markup {
    let what = if page.text.is_empty() {
        "Nothing was looked for yet."
    } else {
        "There is no letter or digit in what was typed."
    };
    empty(
        what,
        html! {
            "Type words of a title, an identifier, a file name, or a digest into the field above."
        },
    )
}

fn nothing() -> Markup {
    empty(
        "Nothing was found.",
        html! {
            "All words must be there: try fewer, or only the beginning of one. Or look through the "
            a href="/objects" { "objects" } " and the " a href="/items" { "items" } "."
        },
    )
}

fn objects(page: &SearchPage) -> Markup {
    html! {
        section aria-labelledby="objects-heading" {
            h2 #objects-heading { "Objects" }
            table.items.held {
                thead { tr {
                    th scope="col" { "Object" }
                    th scope="col" { "Institution" }
                    th.num scope="col" { "Files" }
                    th.num scope="col" { "Size" }
                } }
                tbody { @for row in &page.objects { tr {
                    th scope="row" {
                        a href=(row.href) { bdi { (row.title) } }
                        @if let Some(state) = &row.state { " " (badge(state)) }
                        div.quiet { bdi { (row.identifier) } }
                    }
                    (cell("Institution", &row.institution))
                    (num("Files", row.file_count))
                    td.num data-label="Size" { (human_size(row.size)) }
                } } }
            }
        }
    }
}

fn items(page: &SearchPage) -> Markup {
    html! {
        section aria-labelledby="items-heading" {
            h2 #items-heading { "Items" }
            table.items {
                thead { tr {
                    th scope="col" { "Item" }
                    th scope="col" { "Action" }
                    th scope="col" { "Status" }
                    th scope="col" { "Last step" }
                } }
                tbody { @for row in &page.items { tr {
                    th scope="row" { a href=(row.href) { bdi { (row.name) } } }
                    (cell("Action", &row.action))
                    (cell("Status", &row.status))
                    (cell("Last step", time(&row.date)))
                } } }
            }
        }
    }
}
