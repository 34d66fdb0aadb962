//! Institutions: the list, one of them, and the form to add one.

use maud::{Markup, html};
use serde::Serialize;

use crate::pages::account::problem;
use crate::parts::{
    Asked, Badge, Choice, Fact, Field, Link, Pager, ask_field, badge, cell, choose_or, empty,
    facts, pager, path, query, tick,
};
use crate::shell::{Frame, Shell, document};

/// Institutions, a page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InstitutionsPage {
    /// Part of a name that is asked for.
    pub name: String,
    /// The rows.
    pub rows: Vec<InstitutionLine>,
    /// Which of them.
    pub pager: Pager,
    /// Whether who looks may add one.
    pub may_add: bool,
}

/// One institution in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InstitutionLine {
    /// The number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The identifier.
    pub identifier: String,
    /// Member, or account of which member.
    pub kind: String,
    /// Whether it takes part.
    pub state: Badge,
}

/// One institution.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InstitutionPage {
    /// The number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// Whether it takes part.
    pub state: Badge,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// Accounts under it.
    pub accounts: Vec<Link>,
    /// Days between restoration tests.
    pub spot_restore_days: i64,
    /// Whether everybody there signs in with a second factor.
    pub asks_second_factor: bool,
    /// Whether who looks may change what it chooses for itself.
    pub may_choose: bool,
    /// Whether who looks may rename it and shut it out.
    pub may_keep: bool,
    /// Whether it takes part.
    pub is_active: bool,
    /// What was wrong with what was just sent.
    pub problem: Option<String>,
}

/// The form to add an institution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewInstitutionPage {
    /// The name that was typed before.
    pub name: String,
    /// The identifier that was typed before.
    pub identifier: String,
    /// The member that was chosen.
    pub member: String,
    /// Members to choose from.
    pub members: Vec<Choice>,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// Renders the list.
pub fn institutions_page(shell: &Shell, page: &InstitutionsPage) -> Markup {
    let href = |number: u64| {
        let number = if number > 1 { number.to_string() } else { String::new() };
        format!("/institutions{}", query(&[("name__contains", &page.name), ("page", &number)]))
    };
    let main = html! {
        h1 { "Institutions" }
        @if page.may_add {
            div.actions { a.button href="/institutions/new" { "Add an institution" } }
        }
        form.filter method="get" action="/institutions" role="search" aria-label="Institutions" {
            div.fields {
                (crate::parts::text_field(Field {
                    label: "Name has", name: "name__contains", value: &page.name,
                }))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if !page.name.is_empty() { a.button href="/institutions" { "Clear" } }
                }
            }
        }
        @if page.rows.is_empty() {
            (empty("No institution matches.", html! {
                a href="/institutions" { "Show all institutions" } "."
            }))
        } @else {
            table {
                thead { tr {
                    th scope="col" { "Name" }
                    th scope="col" { "Identifier" }
                    th scope="col" { "Kind" }
                    th scope="col" { "State" }
                } }
                tbody { @for row in &page.rows { tr {
                    th scope="row" {
                        a href=(path(&["institutions", &row.id.to_string()])) { bdi { (row.name) } }
                    }
                    (cell("Identifier", &row.identifier))
                    (cell("Kind", &row.kind))
                    td { (badge(&row.state)) }
                } } }
            }
            (pager(&page.pager, href))
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders one institution.
pub fn institution_page(shell: &Shell, page: &InstitutionPage) -> Markup {
    let id = page.id.to_string();
    let main = html! {
        p.quiet { a href="/institutions" { "All institutions" } }
        h1 { bdi { (page.name) } }
        p { (badge(&page.state)) }
        (problem(page.problem.as_deref()))
        section aria-labelledby="facts" {
            h2 #facts { "Details" }
            (facts(&page.facts))
            @if !page.accounts.is_empty() {
                h3 { "Accounts under it" }
                ul { @for link in &page.accounts { li { a href=(link.href) { (link.label) } } } }
            }
        }
        @if page.may_choose { (choices(&id, page)) }
        @if page.may_keep { (door(&id, page)) }
    };
    document(shell, Frame::Still, main)
}

fn choices(id: &str, page: &InstitutionPage) -> Markup {
    let days = page.spot_restore_days.to_string();
    html! {
        section aria-labelledby="choices" {
            h2 #choices { "What it chooses" }
            form.entry.narrow method="post" action=(path(&["institutions", id])) {
                @if page.may_keep {
                    (ask_field(Asked::text("Name", "name", "off", &page.name)))
                }
                (ask_field(Asked {
                    kind: "number",
                    hint: Some("An object that nobody asked for is restored, to see that it can be. \
                        0 for never by this rule."),
                    ..Asked::text("Days between restoration tests", "spot_restore_frequency", "off",
                        &days)
                }))
                (tick(
                    Field {
                        label: "Everybody here signs in with a second factor",
                        name: "otp_enabled",
                        value: "true",
                    },
                    page.asks_second_factor,
                ))
                div.actions { button.solid type="submit" { "Change" } }
            }
        }
    }
}

fn door(id: &str, page: &InstitutionPage) -> Markup {
    let (word, label) = match page.is_active {
        true => ("deactivate", "Shut out, with its users"),
        false => ("reactivate", "Let in again"),
    };
    html! {
        section aria-labelledby="door" {
            h2 #door { "The door" }
            form.actions method="post" action=(path(&["institutions", id, word])) {
                button type="submit" { (label) }
            }
            p.quiet { "What it holds stays, whether it is shut out or not." }
        }
    }
}

/// Renders the form to add an institution.
pub fn new_institution_page(shell: &Shell, page: &NewInstitutionPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Add an institution" }
            p.lead { "Its deposits are received from then on." }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/institutions" {
                (ask_field(Asked::text("Name", "name", "off", &page.name)))
                (ask_field(Asked {
                    hint: Some("A DNS name, with which the identifiers of all it owns begin. It \
                        cannot be changed."),
                    ..Asked::text("Identifier", "identifier", "off", &page.identifier)
                }))
                @if !page.members.is_empty() {
                    (choose_or(
                        Field { label: "Account of", name: "member", value: &page.member },
                        "Nobody: it is a member itself",
                        &page.members,
                    ))
                }
                div.actions {
                    button.solid type="submit" { "Add" }
                    a.button href="/institutions" { "Back" }
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}
