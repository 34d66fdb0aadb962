//! One user, and the form to add one.

use maud::{Markup, html};
use serde::Serialize;

use crate::pages::account::problem;
use crate::parts::{
    Asked, Badge, Choice, Fact, Field, ask_field, badge, choose_one, facts, path, text_field,
};
use crate::shell::{Frame, Shell, document};

/// What is said of a user, in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UserForm {
    /// The name.
    pub name: String,
    /// The e-mail.
    pub email: String,
    /// The phone number, or nothing.
    pub phone_number: String,
    /// The role.
    pub role: String,
    /// Roles to choose from.
    pub roles: Vec<Choice>,
}

/// One user.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UserPage {
    /// The number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// Whether they may come in.
    pub state: Badge,
    /// What is known of them.
    pub facts: Vec<Fact>,
    /// What can be changed; none for those who may only look.
    pub form: Option<UserForm>,
    /// Whether they were not shut out themselves.
    pub is_let_in: bool,
    /// Whether they have a second factor.
    pub has_factor: bool,
    /// A link that sets a password, shown this once.
    pub link: Option<String>,
    /// What was wrong with what was just sent.
    pub problem: Option<String>,
}

/// The form to add a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewUserPage {
    /// What was typed before.
    pub form: UserForm,
    /// The institution that was chosen.
    pub institution: String,
    /// Institutions to choose from.
    pub institutions: Vec<Choice>,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// Renders one user.
pub fn user_page(shell: &Shell, page: &UserPage) -> Markup {
    let id = page.id.to_string();
    let main = html! {
        p.quiet { a href="/users" { "All users" } }
        h1 { bdi { (page.name) } }
        p { (badge(&page.state)) }
        (problem(page.problem.as_deref()))
        @if let Some(link) = &page.link {
            div.notice.good role="status" {
                p { "Hand over this link. It sets the password, once, within a day, and is shown \
                    this once:" }
                p { code.secret { (link) } }
            }
        }
        section aria-labelledby="facts" {
            h2 #facts { "Details" }
            (facts(&page.facts))
        }
        @if let Some(form) = &page.form { (change(&id, form)) (deeds(&id, page)) }
    };
    document(shell, Frame::Still, main)
}

fn change(id: &str, form: &UserForm) -> Markup {
    html! {
        section aria-labelledby="change" {
            h2 #change { "Change" }
            form.entry.narrow method="post" action=(path(&["users", id])) {
                (fields(form))
                div.actions { button.solid type="submit" { "Change" } }
            }
        }
    }
}

fn fields(form: &UserForm) -> Markup {
    html! {
        (ask_field(Asked::text("Name", "name", "off", &form.name)))
        (ask_field(Asked { autocomplete: "off", ..Asked::email(&form.email) }))
        (text_field(Field {
            label: "Phone number, with country code (may be empty)",
            name: "phone_number",
            value: &form.phone_number,
        }))
        (choose_one(Field { label: "Role", name: "role", value: &form.role }, &form.roles))
    }
}

fn deeds(id: &str, page: &UserPage) -> Markup {
    html! {
        section aria-labelledby="door" {
            h2 #door { "The door" }
            div.actions {
                @if page.is_let_in {
                    (deed(id, "reset", "Make a link that sets a password"))
                    @if page.has_factor {
                        (deed(id, "reset-factor", "Take the second factor away"))
                    }
                    (deed(id, "deactivate", "Shut out"))
                } @else {
                    (deed(id, "reactivate", "Let in again"))
                }
            }
            p.quiet {
                "Who is shut out is signed out everywhere at once, and their tokens stop working. \
                 What they did stays in the log."
            }
        }
    }
}

fn deed(id: &str, word: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(path(&["users", id, word])) {
            button type="submit" { (label) }
        }
    }
}

/// Renders the form to add a user.
pub fn new_user_page(shell: &Shell, page: &NewUserPage) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Add a user" }
            p.lead { "They set their password by a link, which is mailed to them or shown to you." }
            (problem(page.problem.as_deref()))
            form.entry method="post" action="/users" {
                (fields(&page.form))
                (choose_one(
                    Field {
                        label: "Institution",
                        name: "institution",
                        value: &page.institution,
                    },
                    &page.institutions,
                ))
                div.actions {
                    button.solid type="submit" { "Add" }
                    a.button href="/users" { "Back" }
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}
