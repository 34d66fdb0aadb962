//! The list of users.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Badge, Choice, Field, Link, Pager, badge, cell, choose, empty, pager, path, query, text_field,
};
use crate::shell::{Frame, Shell, document};

/// Users, a page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UsersPage {
    /// What is asked for.
    pub filter: UserFilter,
    /// Roles to choose from.
    pub roles: Vec<Choice>,
    /// Institutions to choose from; none when there is one only.
    pub institutions: Vec<Choice>,
    /// Those who have forgotten their password and wait for a link.
    pub waiting: Vec<Link>,
    /// The rows.
    pub rows: Vec<UserLine>,
    /// Which of them.
    pub pager: Pager,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UserFilter {
    /// Part of the name.
    pub name: String,
    /// Part of the e-mail.
    pub email: String,
    /// A role.
    pub role: String,
    /// The number of an institution.
    pub institution_id: String,
    /// `true` for those who were not shut out, `false` for those who were.
    pub active: String,
}

/// One user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UserLine {
    /// The number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The e-mail.
    pub email: String,
    /// The role, in words.
    pub role: String,
    /// The institution's identifier.
    pub institution: String,
    /// Whether they may come in.
    pub state: Badge,
}

impl UserFilter {
    fn pairs(&self) -> [(&'static str, &str); 5] {
        [
            ("name__contains", &self.name),
            ("email__contains", &self.email),
            ("role", &self.role),
            ("institution_id", &self.institution_id),
            ("deactivated_at__is_null", &self.active),
        ]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl UsersPage {
    fn href(&self, page: u64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let mut pairs = self.filter.pairs().to_vec();
        pairs.push(("page", &page));
        format!("/users{}", query(&pairs))
    }
}

/// Renders the list.
pub fn users_page(shell: &Shell, page: &UsersPage) -> Markup {
    let main = html! {
        h1 { "Users" }
        @if !page.waiting.is_empty() {
            div.notice.warn {
                p { "Forgot their password and wait for a link:" }
                ul { @for link in &page.waiting { li { a href=(link.href) { (link.label) } } } }
            }
        }
        div.actions { a.button href="/users/new" { "Add a user" } }
        (filter_form(page))
        @if page.rows.is_empty() {
            (empty("No user matches.", html! { a href="/users" { "Show all users" } "." }))
        } @else {
            table {
                thead { tr {
                    th scope="col" { "Name" }
                    th scope="col" { "E-mail" }
                    th scope="col" { "Role" }
                    th scope="col" { "Institution" }
                    th scope="col" { "State" }
                } }
                tbody { @for row in &page.rows { (line(row)) } }
            }
            (pager(&page.pager, |number| page.href(number)))
        }
    };
    document(shell, Frame::Still, main)
}

fn line(row: &UserLine) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(path(&["users", &row.id.to_string()])) { bdi { (row.name) } }
            }
            (cell("E-mail", &row.email))
            (cell("Role", &row.role))
            (cell("Institution", &row.institution))
            td { (badge(&row.state)) }
        }
    }
}

fn filter_form(page: &UsersPage) -> Markup {
    let filter = &page.filter;
    let field = |label, name, value| Field { label, name, value };
    let states = [Choice::new("true", "May come in"), Choice::new("false", "Shut out")];
    html! {
        form.filter method="get" action="/users" role="search" aria-label="Users" {
            div.fields {
                (text_field(field("Name has", "name__contains", &filter.name)))
                (text_field(field("E-mail has", "email__contains", &filter.email)))
                (choose(field("Role", "role", &filter.role), &page.roles))
                @if !page.institutions.is_empty() {
                    (choose(field("Institution", "institution_id", &filter.institution_id),
                        &page.institutions))
                }
                (choose(field("State", "deactivated_at__is_null", &filter.active), &states))
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/users" { "Clear" } }
                }
            }
        }
    }
}
