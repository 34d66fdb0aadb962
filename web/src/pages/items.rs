//! The items: a filter, a table and the pages around it.

use maud::{Markup, html};
use serde::Serialize;

use super::items_filter::{ItemChoices, ItemFilter, filter_form};
use crate::parts::{
    Badge, Column, Pager, Sort, badge, cell, empty, num, pager, path, query, sort_heading, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the items page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ItemsPage {
    /// What was asked for.
    pub filter: ItemFilter,
    /// What the selects offer.
    pub choices: ItemChoices,
    /// The order of the rows: by `id`, `name`, `status` or `date_processed`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<ItemRow>,
}

/// One item in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ItemRow {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Who deposited it.
    pub institution: String,
    /// Its flow, for people.
    pub flow: String,
    /// Its stage, for people.
    pub label: String,
    /// Its state in a word.
    pub status: Badge,
    /// Attempts made at this stage.
    pub attempts: u64,
    /// What was last said about it.
    pub note: String,
    /// When it last changed, as RFC 3339 in UTC.
    pub updated: String,
}

impl ItemsPage {
    fn href(&self, base: &str, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let per_page = match self.pager.per_page {
            0 | 50 => String::new(),
            rows => rows.to_string(),
        };
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("per_page", &*per_page), ("page", &*page)]);
        format!("{base}{}", query(&pairs))
    }
}

/// Renders the items page.
pub fn items_page(shell: &Shell, page: &ItemsPage) -> Markup {
    let refresh = page.href("/fragments/items", &page.sort, page.pager.page);
    let main = html! {
        h1 { "Items" }
        (filter_form(&page.filter, &page.choices, &page.sort.param()))
        div #items data-refresh=(refresh) data-every="30" { (items_fragment(page)) }
    };
    document(shell, Frame::Live, main)
}

/// Renders the table and its pager alone; served at `/fragments/items` with the page's query.
pub fn items_fragment(page: &ItemsPage) -> Markup {
    if page.rows.is_empty() {
        return nothing(page);
    }
    let heading = |label, name, numeric| {
        let column = Column { label, name, numeric };
        sort_heading(column, &page.sort, |sort| page.href("/items", sort, 1))
    };
    html! {
        table.items {
            thead { tr {
                (heading("Item", "id", true))
                (heading("Name", "name", false))
                th scope="col" { "Institution" }
                th scope="col" { "Flow" }
                th scope="col" { "Stage" }
                (heading("Status", "status", false))
                th.num scope="col" { "Attempts" }
                th scope="col" { "Note" }
                (heading("Updated", "date_processed", false))
            } }
            tbody { @for row in &page.rows { (item_row(row)) } }
        }
        (pager(&page.pager, |number| page.href("/items", &page.sort, number)))
    }
}

/// Fifty of these make most of a page of 30 KB, so cells that speak for themselves carry no label.
fn item_row(row: &ItemRow) -> Markup {
    let id = row.id.to_string();
    html! {
        tr {
            td.num data-label="Item" { (id) }
            th scope="row" { a href=(path(&["items", &id])) { bdi { (row.name) } } }
            td { (row.institution) }
            (cell("Flow", &row.flow))
            (cell("Stage", &row.label))
            td { (badge(&row.status)) }
            (num("Attempts", row.attempts))
            @if row.note.is_empty() { td {} }
            @else { td.note { span dir="auto" { (row.note) } } }
            (cell("Updated", time(&row.updated)))
        }
    }
}

fn nothing(page: &ItemsPage) -> Markup {
    if page.pager.page > 1 {
        let first = page.href("/items", &page.sort, 1);
        return empty(
            "There are no rows this far down.",
            html! { a href=(first) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No item matches.",
            html! { "Ask for less, or " a href="/items" { "show all items" } "." },
        );
    }
    empty(
        "There are no items yet.",
        html! { "Sweeps make items when there is something to do; look at the overview for when they run." },
    )
}
