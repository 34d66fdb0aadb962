//! The list of deletion requests.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Badge, Choice, Field, Pager, badge, cell, choose, date_field, empty, human_size, pager, path,
    query, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeletionsPage {
    /// What was asked for.
    pub filter: DeletionFilter,
    /// The states.
    pub states: Vec<Choice>,
    /// The institutions.
    pub institutions: Vec<Choice>,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows, the newest first.
    pub rows: Vec<DeletionLine>,
}

/// Which requests are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeletionFilter {
    /// The state.
    pub state: String,
    /// The institution's number.
    pub institution_id: String,
    /// The first day.
    #[serde(rename = "requested_at__gteq")]
    pub from: String,
    /// The last day.
    #[serde(rename = "requested_at__lteq")]
    pub to: String,
}

/// One request in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeletionLine {
    /// Its number.
    pub id: i64,
    /// How it stands.
    pub state: Badge,
    /// What it names, for people.
    pub what: String,
    /// Bytes of it.
    pub size: u64,
    /// Whose it is.
    pub institution: String,
    /// Why.
    pub reason: String,
    /// Who asked.
    pub requested_by: String,
    /// When, as RFC 3339 in UTC.
    pub requested: String,
}

impl DeletionFilter {
    fn pairs(&self) -> [(&'static str, &str); 4] {
        [
            ("state", &self.state),
            ("institution_id", &self.institution_id),
            ("requested_at__gteq", &self.from),
            ("requested_at__lteq", &self.to),
        ]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl DeletionsPage {
    fn href(&self, page: u64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let mut pairs = self.filter.pairs().to_vec();
        pairs.push(("page", &page));
        format!("/deletions{}", query(&pairs))
    }
}

/// Renders the list.
pub fn deletions_page(shell: &Shell, page: &DeletionsPage) -> Markup {
    let main = html! {
        h1 { "Deletions" }
        p.lead {
            "An administrator of an institution asks, another one agrees, if there is another; then \
             the bytes go from every replica, and what is known about them stays."
        }
        (filter_form(page))
        @if page.rows.is_empty() { (nothing(page)) } @else {
            table.deletions {
                thead { tr {
                    th scope="col" { "Request" }
                    th scope="col" { "State" }
                    th scope="col" { "What" }
                    th.num scope="col" { "Size" }
                    th scope="col" { "Institution" }
                    th scope="col" { "Asked by" }
                    th scope="col" { "Asked" }
                    th scope="col" { "Why" }
                } }
                tbody { @for row in &page.rows { (line(row)) } }
            }
            (pager(&page.pager, |number| page.href(number)))
        }
    };
    document(shell, Frame::Still, main)
}

fn line(row: &DeletionLine) -> Markup {
    let id = row.id.to_string();
    html! {
        tr {
            th scope="row" { a href=(path(&["deletions", &id])) { "Request " (id) } }
            td { (badge(&row.state)) }
            (cell("What", &row.what))
            td.num data-label="Size" { (human_size(row.size)) }
            (cell("Institution", &row.institution))
            (cell("Asked by", &row.requested_by))
            (cell("Asked", time(&row.requested)))
            td.note { span dir="auto" { (row.reason) } }
        }
    }
}

fn filter_form(page: &DeletionsPage) -> Markup {
    let filter = &page.filter;
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/deletions" role="search" aria-label="Deletions" {
            div.fields {
                (choose(field("State", "state", &filter.state), &page.states))
                (choose(field("Institution", "institution_id", &filter.institution_id),
                    &page.institutions))
                (date_field(field("Asked from", "requested_at__gteq", &filter.from)))
                (date_field(field("Asked to", "requested_at__lteq", &filter.to)))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/deletions" { "Clear" } }
                }
            }
        }
    }
}

fn nothing(page: &DeletionsPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No request matches.",
            html! { "Ask for less, or " a href="/deletions" { "show all requests" } "." },
        );
    }
    empty(
        "Nobody has asked for a deletion.",
        html! { "The page of an object or a file is where one is asked for." },
    )
}
