//! The objects: a search, filters, a table, and the files that were found by the same words.

use maud::{Markup, html};
use serde::Serialize;

use super::objects_filter::{ObjectChoices, ObjectFilter, filter_form};
use crate::parts::{
    Badge, Column, Link, Pager, Sort, badge, cell, count, empty, human_size, num, pager, query,
    sort_heading, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the objects page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectsPage {
    /// What was asked for.
    pub filter: ObjectFilter,
    /// What the selects offer.
    pub choices: ObjectChoices,
    /// The order of the rows: by `title`, `file_count`, `size` or `updated_at`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<ObjectRow>,
    /// Files that were found by the same words; none when nothing was looked for.
    pub files: Option<FoundFiles>,
    /// Where deposits are put, for those who hold nothing yet.
    pub receiving: String,
}

/// One object in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectRow {
    /// Where its page is.
    pub href: String,
    /// Its title, or the name of its bag when it has none.
    pub title: String,
    /// Its identifier.
    pub identifier: String,
    /// A word when it is not there any more.
    pub state: Option<Badge>,
    /// Where it is kept.
    pub storage_option: String,
    /// Who may see it.
    pub access: String,
    /// Its newest version.
    pub version: u64,
    /// Files that are there.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
    /// When it last changed, as RFC 3339 in UTC.
    pub updated: String,
}

/// Files that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundFiles {
    /// The files.
    pub rows: Vec<FoundFile>,
    /// Whether there are more.
    pub more: bool,
}

/// One file that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundFile {
    /// Where its page is.
    pub href: String,
    /// Its path in the object.
    pub path: String,
    /// Its object.
    pub object: Link,
    /// Its format in a word.
    pub format: String,
    /// Its bytes.
    pub size: u64,
    /// A word when it is not what is there now: deleted, or an earlier version.
    pub state: Option<Badge>,
}

impl ObjectsPage {
    fn href(&self, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("page", &*page)]);
        format!("/objects{}", query(&pairs))
    }
}

/// Renders the objects page.
pub fn objects_page(shell: &Shell, page: &ObjectsPage) -> Markup {
    let main = html! {
        h1 { "Objects" }
        (filter_form(&page.filter, &page.choices, &page.sort.param()))
        section {
            @if page.files.is_some() { h2 { "Objects found" } }
            (objects(page))
        }
        @if let Some(files) = &page.files { (found(files)) }
    };
    document(shell, Frame::Still, main)
}

fn objects(page: &ObjectsPage) -> Markup {
    if page.rows.is_empty() {
        return nothing(page);
    }
    let heading = |label, name, numeric| {
        let column = Column { label, name, numeric };
        sort_heading(column, &page.sort, |sort| page.href(sort, 1))
    };
    html! {
        table.items.held {
            thead { tr {
                (heading("Object", "title", false))
                th scope="col" { "Storage option" }
                th scope="col" { "Access" }
                th.num scope="col" { "Version" }
                (heading("Files", "file_count", true))
                (heading("Size", "size", true))
                (heading("Changed", "updated_at", false))
            } }
            tbody { @for row in &page.rows { (object_row(row)) } }
        }
        (pager(&page.pager, |number| page.href(&page.sort, number)))
    }
}

fn object_row(row: &ObjectRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(row.href) { bdi { (row.title) } }
                @if let Some(state) = &row.state { " " (badge(state)) }
                div.quiet { bdi { (row.identifier) } }
            }
            (cell("Storage option", &row.storage_option))
            (cell("Access", &row.access))
            td.num data-label="Version" { (count(row.version)) }
            (num("Files", row.file_count))
            td.num data-label="Size" { (human_size(row.size)) }
            (cell("Changed", time(&row.updated)))
        }
    }
}

fn nothing(page: &ObjectsPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(&page.sort, 1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No object matches.",
            html! {
                "Try the start of another word, ask for less, or "
                a href="/objects" { "show all objects" } "."
            },
        );
    }
    empty(
        "Nothing is held yet.",
        html! {
            "Put a bag (a .tar, say) into the folder of an institution in "
            code { (page.receiving) }
            @if !page.receiving.starts_with("s3:") {
                ", or run " code { "strongroom ingest BAG" }
            }
            ". What becomes of it is among the " a href="/items" { "items" } "."
        },
    )
}

fn found(files: &FoundFiles) -> Markup {
    html! {
        section aria-labelledby="files-heading" {
            h2 #files-heading { "Files found" }
            @if files.rows.is_empty() {
                (empty("No file matches.", html! {
                    "Words of paths are looked for by their beginning, digests by 8 digits or more."
                }))
            } @else {
                (found_files(&files.rows))
                @if files.more {
                    p.quiet { "There are more. Type more of the name to find fewer." }
                }
            }
        }
    }
}

/// A table of files that were found.
pub(in crate::pages) fn found_files(rows: &[FoundFile]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "File" }
                th scope="col" { "Object" }
                th scope="col" { "Format" }
                th.num scope="col" { "Size" }
            } }
            tbody { @for row in rows { (file_row(row)) } }
        }
    }
}

fn file_row(row: &FoundFile) -> Markup {
    html! {
        tr {
            th.place scope="row" {
                a href=(row.href) { bdi { (row.path) } }
                @if let Some(state) = &row.state { " " (badge(state)) }
            }
            td.place data-label="Object" { a href=(row.object.href) { bdi { (row.object.label) } } }
            (cell("Format", &row.format))
            td.num data-label="Size" { (human_size(row.size)) }
        }
    }
}
