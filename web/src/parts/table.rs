//! Tables: cells that carry their column's name for narrow screens, sorting and paging.

use maud::{Markup, Render, html};
use serde::Serialize;

use super::figures::count;

/// Which column orders the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sort {
    /// The column's name in the query, for example `date_processed`.
    pub column: String,
    /// Whether the largest or newest row comes first.
    pub descending: bool,
}

impl Sort {
    /// Writes the order as the query has it: `name__asc`.
    pub fn param(&self) -> String {
        let way = if self.descending { "desc" } else { "asc" };
        if self.column.is_empty() { String::new() } else { format!("{}__{way}", self.column) }
    }
}

/// Which rows of a longer list are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pager {
    /// This page, from 1.
    pub page: u64,
    /// Rows on a full page.
    pub per_page: u64,
    /// Rows on this page.
    pub shown: u64,
    /// Rows counted in all.
    pub total: u64,
    /// Whether counting stopped at `total` with more rows behind it.
    pub at_least: bool,
    /// Where all rows are to be had as a table; empty when nowhere.
    pub export: String,
}

impl Pager {
    /// Says which rows are shown, as in "Rows 51–100 of 10,000+".
    pub fn words(&self) -> String {
        let plus = if self.at_least { "+" } else { "" };
        // The page comes from an address anybody can type, so nothing here may overflow.
        let first = self.page.saturating_sub(1).saturating_mul(self.per_page).saturating_add(1);
        match self.shown {
            0 => format!("No rows of {}{plus}", count(self.total)),
            1 => format!("Row {} of {}{plus}", count(first), count(self.total)),
            shown => {
                let last = count(first.saturating_add(shown - 1));
                format!("Rows {}\u{2013}{last} of {}{plus}", count(first), count(self.total))
            }
        }
    }

    fn has_next(&self) -> bool {
        self.at_least || self.page.max(1).saturating_mul(self.per_page) < self.total
    }
}

/// Renders the row range with links to the pages around it; `href` makes the address of a page.
pub fn pager(pager: &Pager, href: impl Fn(u64) -> String) -> Markup {
    let pages = pager.total.div_ceil(pager.per_page.max(1)).max(1);
    let plus = if pager.at_least { "+" } else { "" };
    html! {
        nav.pager aria-label="Pages" {
            span.pager-rows { (pager.words()) }
            @if pager.page > 1 {
                a.button href=(href(pager.page - 1)) rel="prev" { "Previous" }
            } @else { span.button.off { "Previous" } }
            span { "Page " (count(pager.page.max(1))) " of " (count(pages)) (plus) }
            @if pager.has_next() {
                a.button href=(href(pager.page.max(1).saturating_add(1))) rel="next" { "Next" }
            } @else { span.button.off { "Next" } }
            @if !pager.export.is_empty() {
                a #export-csv href=(pager.export) { "Export as CSV" }
            }
        }
    }
}

/// A column that rows can be ordered by.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its heading.
    pub label: &'a str,
    /// Its name in the query.
    pub name: &'a str,
    /// Whether it holds numbers, which stand to the right.
    pub numeric: bool,
}

/// Renders a column heading that sorts; choosing the sorted column again turns its order round.
pub fn sort_heading(column: Column<'_>, sort: &Sort, href: impl Fn(&Sort) -> String) -> Markup {
    let here = sort.column == column.name;
    let turned = Sort { column: column.name.to_owned(), descending: here && !sort.descending };
    let order = match (here, sort.descending) {
        (false, _) => None,
        (true, false) => Some("ascending"),
        (true, true) => Some("descending"),
    };
    html! {
        th scope="col" class=[column.numeric.then_some("num")] aria-sort=[order] {
            a.sort id={ "sort-" (column.name) } href=(href(&turned)) { (column.label) }
        }
    }
}

/// Renders a cell that names its column when rows are stacked.
pub fn cell(label: &str, content: impl Render) -> Markup {
    html! { td data-label=(label) { (content) } }
}

/// Renders a right-aligned number; zero is dimmed so that the other numbers stand out.
pub fn num(label: &str, number: u64) -> Markup {
    let class = if number == 0 { "num zero" } else { "num" };
    html! { td class=(class) data-label=(label) { (count(number)) } }
}

/// Renders what stands where a list would be: what is so, and what to do.
pub fn empty(what: &str, then: Markup) -> Markup {
    html! { div.empty { p { (what) } p.quiet { (then) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_says_its_rows_and_offers_what_is_there() {
        let middle = Pager {
            page: 2,
            per_page: 50,
            shown: 50,
            total: 10_000,
            at_least: true,
            ..Pager::default()
        };
        assert_eq!(middle.words(), "Rows 51–100 of 10,000+");
        assert!(middle.has_next());
        let last = Pager {
            page: 3,
            per_page: 50,
            shown: 1,
            total: 101,
            at_least: false,
            ..Pager::default()
        };
        assert_eq!(last.words(), "Row 101 of 101");
        assert!(!last.has_next());
        assert_eq!(Pager::default().words(), "No rows of 0");
        let far = Pager { page: u64::MAX, per_page: u64::MAX, shown: 2, ..last };
        assert!(far.words().ends_with("of 101") && !far.has_next());
    }

    #[test]
    fn a_sorted_column_turns_round() {
        let sort = Sort { column: "name".into(), descending: false };
        let column = Column { label: "Name", name: "name", numeric: false };
        let heading = sort_heading(column, &sort, Sort::param).into_string();
        assert!(heading.contains(r#"aria-sort="ascending""#));
        assert!(heading.contains(r#"href="name__desc""#));
    }
}
