//! The assessments: a filter, a table and the pages around it.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Amount, Badge, Choice, Column, Field, Pager, Sort, amount, badge, cell, choose, date_field,
    empty, num, pager, query, sort_heading, text_field, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the list of assessments shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssessmentsPage {
    /// What was asked for.
    pub filter: AssessmentFilter,
    /// What the selects offer.
    pub choices: AssessmentChoices,
    /// The order of the rows: by `reference` or `created_at`.
    pub sort: Sort,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<AssessmentRow>,
    /// Whether who looks may ask for one.
    pub may_assess: bool,
    /// Whether reference data is there; without it nothing can be assessed.
    pub has_reference: bool,
}

/// Which assessments are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentFilter {
    /// The reference, or its beginning.
    pub reference: String,
    /// How far it is.
    pub state: String,
    /// What came of it.
    pub outcome: String,
    /// The method, such as `C/2026-04`.
    pub method: String,
    /// The first day it was asked for.
    #[serde(rename = "created_at__gteq")]
    pub from: String,
    /// The last day it was asked for.
    #[serde(rename = "created_at__lteq")]
    pub to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssessmentChoices {
    /// How far one may be.
    pub states: Vec<Choice>,
    /// What may come of it.
    pub outcomes: Vec<Choice>,
    /// The methods.
    pub methods: Vec<Choice>,
}

/// One assessment in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AssessmentRow {
    /// Where its page is.
    pub href: String,
    /// What the asker calls it.
    pub reference: String,
    /// Its name, where it differs from the reference.
    pub name: String,
    /// How far it is.
    pub state: Badge,
    /// What came of it, in a few words; empty while nothing has.
    pub outcome: String,
    /// Dwellings.
    pub dwellings: u64,
    /// Hectares.
    pub area_ha: Option<Amount>,
    /// Nitrogen, kilograms a year.
    pub nitrogen: Option<Amount>,
    /// Phosphorus, kilograms a year.
    pub phosphorus: Option<Amount>,
    /// The method.
    pub method: String,
    /// When it was asked for, as RFC 3339 in UTC.
    pub created: String,
}

impl AssessmentFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 6] {
        [
            ("reference", &self.reference),
            ("state", &self.state),
            ("outcome", &self.outcome),
            ("method", &self.method),
            ("created_at__gteq", &self.from),
            ("created_at__lteq", &self.to),
        ]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl AssessmentsPage {
    fn href(&self, sort: &Sort, page: u64) -> String {
        let (sort, page) = (sort.param(), if page > 1 { page.to_string() } else { String::new() });
        let mut pairs = self.filter.pairs().to_vec();
        pairs.extend([("sort", &*sort), ("page", &*page)]);
        format!("/assessments{}", query(&pairs))
    }
}

/// Renders the list of assessments.
pub fn assessments_page(shell: &Shell, page: &AssessmentsPage) -> Markup {
    let main = html! {
        div.title-row {
            h1 { "Assessments" }
            @if page.may_assess && page.has_reference {
                a.button href="/assessments/new" { "New assessment" }
            }
        }
        p.lead {
            "What a development adds to the nitrogen and phosphorus that reach protected waters, \
             in kilograms a year. A minus means that less reaches them than today."
        }
        (filter_form(&page.filter, &page.choices, &page.sort.param()))
        @if page.rows.is_empty() { (nothing(page)) } @else { (table(page)) }
    };
    document(shell, Frame::Still, main)
}

fn filter_form(filter: &AssessmentFilter, choices: &AssessmentChoices, sort: &str) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/assessments" role="search" aria-label="Assessments" {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            div.fields {
                (text_field(field("Reference", "reference", &filter.reference)))
                (choose(field("State", "state", &filter.state), &choices.states))
                (choose(field("Outcome", "outcome", &filter.outcome), &choices.outcomes))
                (choose(field("Method", "method", &filter.method), &choices.methods))
                (date_field(field("Asked from", "created_at__gteq", &filter.from)))
                (date_field(field("Asked to", "created_at__lteq", &filter.to)))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/assessments" { "Clear" } }
                }
            }
        }
    }
}

fn table(page: &AssessmentsPage) -> Markup {
    let heading = |label, name| {
        let column = Column { label, name, numeric: false };
        sort_heading(column, &page.sort, |sort| page.href(sort, 1))
    };
    html! {
        table.items.held.slim {
            thead { tr {
                (heading("Reference", "reference"))
                th scope="col" { "State" }
                th.num scope="col" { "Dwellings" }
                th.num scope="col" { "Hectares" }
                th.num scope="col" { "Nitrogen, kg/yr" }
                th.num scope="col" { "Phosphorus, kg/yr" }
                th scope="col" { "Method" }
                (heading("Asked", "created_at"))
            } }
            tbody { @for row in &page.rows { (line(row)) } }
        }
        (pager(&page.pager, |number| page.href(&page.sort, number)))
    }
}

fn line(row: &AssessmentRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(row.href) { bdi { (row.reference) } }
                @if !row.name.is_empty() && row.name != row.reference {
                    div.quiet { bdi { (row.name) } }
                }
            }
            td data-label="State" {
                (badge(&row.state))
                @if !row.outcome.is_empty() { div.quiet { (row.outcome) } }
            }
            (num("Dwellings", row.dwellings))
            (figure("Hectares", row.area_ha.as_ref()))
            (figure("Nitrogen, kg/yr", row.nitrogen.as_ref()))
            (figure("Phosphorus, kg/yr", row.phosphorus.as_ref()))
            (cell("Method", &row.method))
            (cell("Asked", time(&row.created)))
        }
    }
}

fn figure(label: &str, figure: Option<&Amount>) -> Markup {
    html! {
        td.num data-label=(label) {
            @match figure {
                Some(figure) => (amount(figure)),
                None => span.quiet { "\u{2013}" },
            }
        }
    }
}

fn nothing(page: &AssessmentsPage) -> Markup {
    if page.pager.page > 1 {
        return empty(
            "There are no rows this far down.",
            html! { a href=(page.href(&page.sort, 1)) { "Go to the first page" } "." },
        );
    }
    if page.filter.is_set() {
        return empty(
            "No assessment matches.",
            html! { "Ask for less, or " a href="/assessments" { "show all assessments" } "." },
        );
    }
    let then = match (page.has_reference, page.may_assess) {
        (false, _) => html! {
            "Sites are compared with layers of land and water, and none are here yet. Load them on \
             the page " a href="/reference-data" { "Reference data" } "."
        },
        (true, true) => html! {
            a href="/assessments/new" { "Send the boundary of a site" } ", or run "
            code { "strongroom assess SITES --reference DIR --output OUT.csv" } " for many."
        },
        (true, false) => html! { "Those who may ask for one are told so by an administrator." },
    };
    empty("Nothing was assessed yet.", then)
}
