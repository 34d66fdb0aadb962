//! One item: what it is, how far it is, what went wrong, and what can be done.

use maud::{Markup, html};
use serde::Serialize;

use super::item_history::{AttemptRow, FindingGroup, attempts, findings};
use super::item_steps::{StepRow, steps};
use crate::parts::{Badge, Choice, Fact, Link, badge, facts, path, time};
use crate::shell::{Frame, Shell, document};

/// Everything the page of one item shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ItemPage {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its flow, for people.
    pub flow: String,
    /// Its stage, for people.
    pub label: String,
    /// Its state in a word.
    pub status: Badge,
    /// The stages of its flow in order, each with how far it is.
    pub steps: Vec<StepRow>,
    /// What it waits for, when it does.
    pub waits: Option<Waits>,
    /// What a person should know when it is parked or failed.
    pub trouble: Option<Trouble>,
    /// Stages it may be sent to again, the one that is proposed first; empty when it may not.
    pub requeue: Vec<Choice>,
    /// Whether it may be cancelled.
    pub cancellable: bool,
    /// Whether its rejected deposit may be removed.
    pub removable: bool,
    /// Whether its deposit lies in the receiving area and may be taken again.
    pub takeable: bool,
    /// What is known of it: institution, size, digests, times.
    pub facts: Vec<Fact>,
    /// What was tried, newest first.
    pub attempts: Vec<AttemptRow>,
    /// What was wrong with the deposit, by attempt, newest first.
    pub findings: Vec<FindingGroup>,
    /// Where the findings stand as a text that can be sent on.
    pub report: Option<Link>,
    /// Facts as stored, for those who look closer.
    pub raw: Vec<Fact>,
}

/// The three sentences a person needs when an item stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// What happened.
    pub happened: String,
    /// What was kept.
    pub kept: String,
    /// What to do next.
    pub next: String,
}

/// Why an item does not go on at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Waits {
    /// What it waits for.
    pub why: String,
    /// Since when, as RFC 3339 in UTC.
    pub since: Option<String>,
    /// When it is tried again, as RFC 3339 in UTC.
    pub until: Option<String>,
}

/// Renders the page of one item.
pub fn item_page(shell: &Shell, page: &ItemPage) -> Markup {
    let main = html! {
        p.eyebrow { a href="/items" { "Items" } " / Item " (page.id) }
        h1.item-name { bdi { (page.name) } }
        div #item data-refresh=(path(&["fragments", "items", &page.id.to_string()]))
            data-every="15" { (item_fragment(page)) }
    };
    // What is under way moves; what has ended or waits for a person does not.
    let moves = page.cancellable && page.trouble.is_none();
    document(shell, if moves { Frame::Watched } else { Frame::Live }, main)
}

/// Renders all below the heading; served at `/fragments/items/{id}`.
pub fn item_fragment(page: &ItemPage) -> Markup {
    html! {
        p.item-state { (badge(&page.status)) " " (page.flow) ", " (page.label) }
        div.halves {
            div {
                @if let Some(trouble) = &page.trouble { (panel(trouble, page.status.tone.class())) }
                @if let Some(waits) = &page.waits { (waiting(waits)) }
                (steps(page.id, &page.steps))
                (findings(&page.findings, page.report.as_ref()))
                (attempts(&page.attempts))
            }
            div {
                section.panel aria-labelledby="facts-heading" {
                    h2 #facts-heading { "Facts" }
                    (facts(&page.facts))
                }
                (deeds(page))
                @if !page.raw.is_empty() {
                    details.raw #raw { summary { "Facts as stored" } (facts(&page.raw)) }
                }
            }
        }
    }
}

fn panel(trouble: &Trouble, tone: &str) -> Markup {
    html! {
        section class={ "trouble " (tone) } aria-label="What happened and what to do" {
            dl.answers {
                dt { "What happened" } dd { (trouble.happened) }
                dt { "What was kept" } dd { (trouble.kept) }
                dt { "What to do next" } dd { (trouble.next) }
            }
        }
    }
}

fn waiting(waits: &Waits) -> Markup {
    html! {
        section.trouble.warn aria-label="What it waits for" {
            dl.answers {
                dt { "It waits" } dd { (waits.why) }
                @if let Some(since) = &waits.since {
                    dt { "Since" } dd { (time(since)) }
                }
                @if let Some(until) = &waits.until {
                    dt { "Tried again" } dd { (time(until)) }
                }
            }
        }
    }
}

fn deeds(page: &ItemPage) -> Markup {
    let to = |verb| path(&["items", &page.id.to_string(), verb]);
    html! {
        @if !page.requeue.is_empty() || page.cancellable || page.removable || page.takeable {
            section.panel aria-labelledby="deeds-heading" {
                h2 #deeds-heading { "Actions" }
                @if !page.requeue.is_empty() {
                    form.requeue method="post" action=(to("requeue")) data-inplace {
                        div.field {
                            label for="stage" { "Send again, starting at" }
                            select #stage name="stage" {
                                @for stage in &page.requeue {
                                    option value=(stage.value) { (stage.label) }
                                }
                            }
                        }
                        button.solid #requeue type="submit" { "Requeue" }
                    }
                }
                @if page.removable {
                    details #remove {
                        summary { "Remove the rejected deposit" }
                        p {
                            "The deposit is deleted from the receiving area, and this item ends. "
                            "Its problems and its report stay. This cannot be undone."
                        }
                        form method="post" action=(to("remove-deposit")) {
                            button.danger #remove-deposit type="submit" { "Remove" }
                        }
                    }
                }
                @if page.takeable {
                    form method="post" action=(to("take-again")) {
                        p {
                            "The bag is still in the receiving area. A new item can take it from "
                            "the start; this one stays as it is."
                        }
                        button.solid #take-again type="submit" { "Take the bag again" }
                    }
                }
                @if page.cancellable {
                    p { a.button.danger #cancel href=(to("cancel")) { "Cancel this item\u{2026}" } }
                }
            }
        }
    }
}
