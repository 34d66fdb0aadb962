//! The files of all objects: a search, filters, a table and the pages around it.

use maud::{Markup, html};
use serde::Serialize;

use super::files_filter::{FileFilter, filter_form};
use super::objects_filter::ObjectChoices;
use crate::parts::{
    Badge, Column, Link, Pager, Sort, badge, cell, empty, human_size, pager, query, sort_heading,
    time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the files page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FilesPage {
    /// What was asked for.
    pub filter: FileFilter,
    /// What the selects offer; files have those of their objects.
    pub choices: ObjectChoices,
    /// The order of the rows: by `size`, `created_at` or `updated_at`; else by object.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<FileLine>,
}

/// One file in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileLine {
    /// Where its page is.
    pub href: String,
    /// Its path in the object.
    pub path: String,
    /// A word when it is not there any more.
    pub state: Option<Badge>,
    /// Its object.
    pub object: Link,
    /// Its format in a word.
    pub format: String,
    /// Its bytes.
    pub size: u64,
    /// When it last changed, as RFC 3339 in UTC.
    pub updated: String,
    /// When its copies were last read; empty when they were not since the deposit.
    pub checked: String,
}

impl FilesPage {
    fn href(&self, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("page", &*page)]);
        format!("/files{}", query(&pairs))
    }
}

/// Renders the files page.
pub fn files_page(shell: &Shell, page: &FilesPage) -> Markup {
    let main = html! {
        h1 { "Files" }
        p.lead { "The files of all objects, each as it is in the newest version of its object." }
        (filter_form(&page.filter, &page.choices, &page.sort.param()))
        @if page.rows.is_empty() { (nothing(page)) } @else { (table(page)) }
    };
    document(shell, Frame::Still, main)
}

fn table(page: &FilesPage) -> Markup {
    let heading = |label, name, numeric| {
        let column = Column { label, name, numeric };
        sort_heading(column, &page.sort, |sort| page.href(sort, 1))
    };
    html! {
        table.held {
            thead { tr {
                th scope="col" { "File" }
                th scope="col" { "Object" }
                th scope="col" { "Format" }
                (heading("Size", "size", true))
                (heading("Changed", "updated_at", false))
                th scope="col" { "Last checked" }
            } }
            tbody { @for row in &page.rows { (line(row)) } }
        }
        (pager(&page.pager, |number| page.href(&page.sort, number)))
    }
}

fn line(row: &FileLine) -> Markup {
    html! {
        tr {
            th.place scope="row" {
                a href=(row.href) { bdi { (row.path) } }
                @if let Some(state) = &row.state { " " (badge(state)) }
            }
            td.place data-label="Object" { a href=(row.object.href) { bdi { (row.object.label) } } }
            (cell("Format", &row.format))
            td.num data-label="Size" { (human_size(row.size)) }
            (cell("Changed", time(&row.updated)))
            @if row.checked.is_empty() {
                (cell("Last checked", "at its deposit"))
            } @else { (cell("Last checked", time(&row.checked))) }
        }
    }
}

fn nothing(page: &FilesPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(&page.sort, 1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No file matches.",
            html! {
                "Try the start of another word, ask for less, or "
                a href="/files" { "show all files" } "."
            },
        );
    }
    empty(
        "No file is held yet.",
        html! { "Files come with " a href="/deposits" { "deposits" } "." },
    )
}
