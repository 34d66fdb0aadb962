//! One deletion request: what would go, who says so, and the second person's word.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Asked, Badge, Fact, Link, ask_field, badge, cell, count, facts, human_size, path,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one request shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeletionPage {
    /// Its number.
    pub id: i64,
    /// How it stands.
    pub state: Badge,
    /// What that means, and what happens next.
    pub next: String,
    /// Why, in the words of who asked.
    pub reason: String,
    /// Who, when, how much.
    pub facts: Vec<Fact>,
    /// What it names.
    pub parts: Vec<DeletionPartLine>,
    /// Parts beyond those listed.
    pub parts_unshown_count: u64,
    /// What the reader may do about it; none when nothing can be done any more.
    pub verdict: Option<Verdict>,
    /// Whether it is being carried out.
    pub moves: bool,
    /// Whether everything is gone, and certified.
    pub has_certificate: bool,
}

/// One thing that a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeletionPartLine {
    /// The object or file.
    pub what: Link,
    /// Files of it.
    pub file_count: u64,
    /// Bytes of it.
    pub size: u64,
    /// How far it is.
    pub state: Badge,
    /// The item that does it.
    pub item: Option<Link>,
}

/// What a reader may do about a request that waits for an approval, or for its time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Why the reader may not agree; empty when they may.
    pub refusal: String,
    /// A stranger may sign in.
    pub sign_in: Option<Link>,
    /// Whether the reader is asked to confirm a request that was entered in their name, and not to agree.
    pub confirms: bool,
    /// The words that have to be typed to agree.
    pub words: String,
    /// Whether the reader's password is asked for.
    pub asks_password: bool,
    /// Whether a code of the reader's second factor is asked for.
    pub asks_code: bool,
    /// Whether the reader may withdraw it.
    pub may_cancel: bool,
    /// What was wrong with the last try.
    pub problem: Option<String>,
}

/// Why both are asked for.
const NEW_FACTOR: &str = "Asked for as well because your second factor is younger than seven days, or \
    than this request.";

/// Renders the page of one request.
pub fn deletion_page(shell: &Shell, page: &DeletionPage) -> Markup {
    let id = page.id.to_string();
    let main = html! {
        p.eyebrow { a href="/deletions" { "Deletions" } " / Request " (id) }
        h1 { "Deletion request " (id) }
        @if page.moves {
            div #deletion data-refresh=(path(&["fragments", "deletions", &id])) data-every="5" {
                (deletion_fragment(page))
            }
        } @else { (deletion_fragment(page)) }
    };
    // While a person types nothing may be replaced.
    document(shell, if page.moves { Frame::Watched } else { Frame::Still }, main)
}

/// Renders all below the heading; served at `/fragments/deletions/{id}`.
pub fn deletion_fragment(page: &DeletionPage) -> Markup {
    html! {
        p.item-state { (badge(&page.state)) " " (page.next) }
        div.halves {
            div {
                section aria-labelledby="reason-heading" {
                    h2 #reason-heading { "Why" }
                    p.lead.said dir="auto" { (page.reason) }
                }
                (parts(page))
            }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                }
                @if page.has_certificate { (certificate(page.id)) }
                @if let Some(said) = &page.verdict { (verdict(page.id, said)) }
            }
        }
    }
}

fn parts(page: &DeletionPage) -> Markup {
    html! {
        section aria-labelledby="parts-heading" {
            h2 #parts-heading { "What" }
            table {
                thead { tr {
                    th scope="col" { "Object or file" }
                    th.num scope="col" { "Files" }
                    th.num scope="col" { "Size" }
                    th scope="col" { "State" }
                    th scope="col" { "Item" }
                } }
                tbody { @for part in &page.parts { tr {
                    th scope="row" { a href=(part.what.href) { bdi { (part.what.label) } } }
                    td.num data-label="Files" { (count(part.file_count)) }
                    td.num data-label="Size" { (human_size(part.size)) }
                    td { (badge(&part.state)) }
                    @if let Some(item) = &part.item {
                        (cell("Item", html! { a href=(item.href) { (item.label) } }))
                    } @else { td {} }
                } } }
            }
            @if page.parts_unshown_count > 0 {
                p.quiet { "And " (count(page.parts_unshown_count)) " more." }
            }
        }
    }
}

fn certificate(id: i64) -> Markup {
    let to = |name| path(&["deletions", &id.to_string(), name]);
    html! {
        section.panel aria-labelledby="certificate-heading" {
            h2 #certificate-heading { "Certificate" }
            p { "What was deleted, when, who asked, who agreed, and what remained." }
            p.actions {
                a.button href=(to("certificate.txt")) { "As text" }
                a.button href=(to("certificate.json")) { "As JSON" }
            }
        }
    }
}

fn verdict(id: i64, said: &Verdict) -> Markup {
    let to = |verb| path(&["deletions", &id.to_string(), verb]);
    html! {
        section.panel aria-labelledby="verdict-heading" {
            h2 #verdict-heading { "Your word" }
            @if let Some(problem) = &said.problem {
                p.notice.bad #problem role="alert" { (problem) }
            }
            @if !said.refusal.is_empty() { p { (said.refusal) } }
            @if let Some(link) = &said.sign_in {
                p.actions { a.button href=(link.href) { (link.label) } }
            }
            @if said.refusal.is_empty() && said.confirms {
                form.entry method="post" action=(to("confirm")) {
                    p {
                        "It was entered in your name. Confirm it if you want it deleted; another \
                         administrator can approve it then. Otherwise cancel it."
                    }
                    (proof(said))
                    div.actions { button.danger.solid type="submit" { "Confirm the request" } }
                }
            } @else if said.refusal.is_empty() {
                form.entry method="post" action=(to("approve")) {
                    p { "What is deleted cannot be brought back." }
                    div.field {
                        label for="words" { "To agree, type: " strong { (said.words) } }
                        input #words name="words" type="text" autocomplete="off" required;
                    }
                    (proof(said))
                    div.actions { button.danger.solid type="submit" { "Approve the deletion" } }
                }
            }
            @if said.may_cancel {
                form method="post" action=(to("cancel")) {
                    button type="submit" { "Cancel the deletion" }
                }
            }
        }
    }
}

/// The fields by which the reader proves once more who they are.
fn proof(said: &Verdict) -> Markup {
    html! {
        @if said.asks_password {
            (ask_field(Asked {
                hint: said.asks_code.then_some(NEW_FACTOR),
                ..Asked::password("Your password", "password", "current-password")
            }))
        }
        @if said.asks_code {
            (ask_field(Asked {
                hint: Some("A code of your second factor, or a backup code."),
                ..Asked::text("Code", "code", "one-time-code", "")
            }))
        }
    }
}
