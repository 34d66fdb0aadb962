//! My account: what is said of somebody, their sessions, and the tokens of their programs.

use maud::{Markup, html};
use serde::Serialize;

use super::account::problem;
use crate::parts::{
    Asked, Badge, Choice, Fact, Field, Tone, ask_field, badge, cell, choose_one, facts, path,
    text_field, time,
};
use crate::shell::{Frame, Shell, document};

/// Somebody's own account.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OwnPage {
    /// The name.
    pub name: String,
    /// The phone number, or nothing.
    pub phone_number: String,
    /// The e-mail.
    pub email: String,
    /// Whether the owner can change the e-mail: a link is mailed to the old one.
    pub changes_email: bool,
    /// The new e-mail that the old address has not confirmed yet.
    pub pending_email: Option<String>,
    /// What else is known: e-mail, institution, role.
    pub facts: Vec<Fact>,
    /// Whether there is a second factor.
    pub has_factor: bool,
    /// Sessions that go on.
    pub sessions: Vec<SessionLine>,
    /// Tokens, the newest first.
    pub tokens: Vec<TokenLine>,
    /// A token that was just made, shown this once.
    pub made_token: Option<String>,
    /// What was wrong with what was just sent.
    pub problem: Option<String>,
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SessionLine {
    /// Its number.
    pub id: i64,
    /// Where it was begun.
    pub address: String,
    /// What the browser called itself.
    pub browser: String,
    /// When it was begun.
    pub created: String,
    /// The last sign of life.
    pub seen: String,
    /// Whether it is the one that looks.
    pub is_this: bool,
}

/// A token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TokenLine {
    /// Its number.
    pub id: i64,
    /// What the owner calls it.
    pub name: String,
    /// What it is for, in words.
    pub scope: String,
    /// Whether it deletes and changes users.
    pub manages: bool,
    /// Whether it works.
    pub state: Badge,
    /// Until when.
    pub expires: String,
    /// When it was last used.
    pub used: Option<String>,
    /// Whether it can be revoked.
    pub works: bool,
}

/// Renders somebody's own account.
pub fn own_page(shell: &Shell, page: &OwnPage) -> Markup {
    let main = html! {
        h1 { "My account" }
        (problem(page.problem.as_deref()))
        @if let Some(token) = &page.made_token {
            div.notice.good role="status" {
                p { "This is the new token. It is shown this once: copy it now." }
                p { code.secret { (token) } }
            }
        }
        section aria-labelledby="who" {
            h2 #who { "Who you are" }
            (facts(&page.facts))
            form.entry.narrow method="post" action="/account" {
                (ask_field(Asked::text("Name", "name", "name", &page.name)))
                (text_field(Field {
                    label: "Phone number, with country code (may be empty)",
                    name: "phone_number",
                    value: &page.phone_number,
                }))
                @if page.changes_email {
                    (ask_field(Asked {
                        hint: Some("A link to confirm it is mailed to the present e-mail, which \
                            stays until the link is opened."),
                        ..Asked::email(&page.email)
                    }))
                }
                div.actions { button.solid type="submit" { "Change" } }
            }
            @if let Some(email) = &page.pending_email {
                p.notice role="status" {
                    "The change of your e-mail to " bdi { (email) } " waits: open the link that was \
                     mailed to " bdi { (page.email) } "."
                }
            }
            @if !page.changes_email {
                p.quiet { "An administrator can change your e-mail." }
            }
        }
        section aria-labelledby="secrets" {
            h2 #secrets { "How you sign in" }
            p {
                @if page.has_factor {
                    "With your e-mail, your password and a code of your second factor."
                } @else {
                    "With your e-mail and your password. A second factor keeps out who has learned \
                     them."
                }
            }
            div.actions {
                a.button href="/password" { "Change the password" }
                a.button href="/account/second-factor" {
                    @if page.has_factor { "Second factor" } @else { "Set up a second factor" }
                }
            }
        }
        (sessions(&page.sessions))
        (tokens(&page.tokens))
    };
    document(shell, Frame::Still, main)
}

fn sessions(rows: &[SessionLine]) -> Markup {
    html! {
        section aria-labelledby="sessions" {
            h2 #sessions { "Where you are signed in" }
            table {
                thead { tr {
                    th scope="col" { "Browser" }
                    th scope="col" { "Address" }
                    th scope="col" { "Since" }
                    th scope="col" { "Last seen" }
                    th scope="col" { "End" }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { bdi {
                        @if row.browser.is_empty() { "Unknown" } @else { (row.browser) }
                    } }
                    (cell("Address", &row.address))
                    (cell("Since", time(&row.created)))
                    (cell("Last seen", time(&row.seen)))
                    td {
                        @if row.is_this { "This one" } @else {
                            form method="post"
                                action=(path(&["account", "sessions", &row.id.to_string(), "end"])) {
                                button type="submit" {
                                    "End" span.unseen { " session " (row.id) }
                                }
                            }
                        }
                    }
                } } }
            }
        }
    }
}

/// What the most dangerous token is for.
const MANAGES: &str = "Deleting, changing users, and everything else";

fn tokens(rows: &[TokenLine]) -> Markup {
    let scopes = [
        Choice::new("read", "Reading"),
        Choice::new("write", "Reading and changing"),
        Choice::new("research", "Taking part in research, and nothing else"),
        Choice::new("manage", MANAGES),
    ];
    let days = [
        Choice::new("7", "A week"),
        Choice::new("30", "A month"),
        Choice::new("90", "Three months"),
        Choice::new("365", "A year"),
    ];
    html! {
        section aria-labelledby="tokens" {
            h2 #tokens { "Tokens of your programs" }
            p.quiet {
                "A program that works for you sends a token instead of your password: "
                code { "Authorization: Bearer TOKEN" } "."
            }
            @if !rows.is_empty() {
                table {
                    thead { tr {
                        th scope="col" { "Token" }
                        th scope="col" { "For" }
                        th scope="col" { "State" }
                        th scope="col" { "Until" }
                        th scope="col" { "Last used" }
                        th scope="col" { "Revoke" }
                    } }
                    tbody { @for row in rows { (token(row)) } }
                }
            }
            form.filter method="post" action="/account/tokens" aria-label="A new token" {
                div.fields {
                    (ask_field(Asked::text("Name of a new token", "token_name", "off", "")))
                    (choose_one(Field { label: "For", name: "scope", value: "read" }, &scopes))
                    (choose_one(Field { label: "Works for", name: "days", value: "90" }, &days))
                    div.field.send { button.solid type="submit" { "Make a token" } }
                }
            }
            p.quiet {
                "A token for deleting and changing users can also request deletions, add users and \
                 reset their passwords. Make one only for a program that needs it."
            }
        }
    }
}

fn token(row: &TokenLine) -> Markup {
    let id = row.id.to_string();
    html! {
        tr {
            th scope="row" { bdi { (row.name) } }
            @if row.manages {
                (cell("For", badge(&Badge::new(MANAGES, Tone::Bad))))
            } @else { (cell("For", &row.scope)) }
            td { (badge(&row.state)) }
            (cell("Until", time(&row.expires)))
            td data-label="Last used" {
                @match &row.used { Some(used) => (time(used)), None => "Never" }
            }
            td {
                @if row.works {
                    form method="post" action=(path(&["account", "tokens", &id, "revoke"])) {
                        button type="submit" { "Revoke" span.unseen { " " (row.name) } }
                    }
                }
            }
        }
    }
}
