//! The log of who did what.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Badge, Choice, Field, Pager, badge, cell, choose, date_field, empty, pager, query, text_field,
    time,
};
use crate::shell::{Frame, Shell, document};

/// The log, a page of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditPage {
    /// What is asked for.
    pub filter: AuditFilter,
    /// Deeds to choose from.
    pub deeds: Vec<Choice>,
    /// Outcomes to choose from.
    pub outcomes: Vec<Choice>,
    /// The rows.
    pub rows: Vec<AuditLine>,
    /// Which of them.
    pub pager: Pager,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditFilter {
    /// Part of who.
    pub who: String,
    /// A deed.
    pub deed: String,
    /// An outcome.
    pub outcome: String,
    /// Part of what it was done to.
    pub about: String,
    /// From this day.
    pub from: String,
    /// To this day.
    pub to: String,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditLine {
    /// When.
    pub at: String,
    /// Who.
    pub who: String,
    /// How we know, and from where.
    pub how: String,
    /// What was done.
    pub deed: String,
    /// To what.
    pub about: String,
    /// What came of it.
    pub outcome: Badge,
    /// What else there is to say.
    pub detail: String,
}

impl AuditFilter {
    fn pairs(&self) -> [(&'static str, &str); 6] {
        [
            ("who__contains", &self.who),
            ("deed", &self.deed),
            ("outcome", &self.outcome),
            ("about__contains", &self.about),
            ("at__gteq", &self.from),
            ("at__lteq", &self.to),
        ]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl AuditPage {
    fn href(&self, page: u64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let mut pairs = self.filter.pairs().to_vec();
        pairs.push(("page", &page));
        format!("/audit{}", query(&pairs))
    }
}

/// Renders the log.
pub fn audit_page(shell: &Shell, page: &AuditPage) -> Markup {
    let main = html! {
        h1 { "Log" }
        p.lead {
            "Who did what: signing in, people, tokens, deletions, queues, and what was refused. \
             Lines are added and never changed."
        }
        (filter_form(page))
        @if page.rows.is_empty() {
            (empty("No line matches.", html! { a href="/audit" { "Show the whole log" } "." }))
        } @else {
            table {
                thead { tr {
                    th scope="col" { "When" }
                    th scope="col" { "Who" }
                    th scope="col" { "How" }
                    th scope="col" { "Deed" }
                    th scope="col" { "To what" }
                    th scope="col" { "Outcome" }
                    th scope="col" { "Details" }
                } }
                tbody { @for row in &page.rows { tr {
                    th scope="row" { (time(&row.at)) }
                    td data-label="Who" { bdi { (row.who) } }
                    (cell("How", &row.how))
                    (cell("Deed", &row.deed))
                    td data-label="To what" { bdi { (row.about) } }
                    td { (badge(&row.outcome)) }
                    td.note { span dir="auto" { (row.detail) } }
                } } }
            }
            (pager(&page.pager, |number| page.href(number)))
        }
    };
    document(shell, Frame::Still, main)
}

fn filter_form(page: &AuditPage) -> Markup {
    let filter = &page.filter;
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/audit" role="search" aria-label="Log" {
            div.fields {
                (text_field(field("Who has", "who__contains", &filter.who)))
                (choose(field("Deed", "deed", &filter.deed), &page.deeds))
                (choose(field("Outcome", "outcome", &filter.outcome), &page.outcomes))
                (text_field(field("To what has", "about__contains", &filter.about)))
                (date_field(field("From", "at__gteq", &filter.from)))
                (date_field(field("To", "at__lteq", &filter.to)))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/audit" { "Clear" } }
                }
            }
        }
    }
}
