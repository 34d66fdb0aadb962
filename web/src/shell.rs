//! The document frame around every page: head, navigation, notices, footer.

use maud::{DOCTYPE, Markup, html};
use serde::Serialize;

use crate::assets::asset_url;
use crate::parts::{Tone, time};

/// Seconds between reloads of a live page in a browser without script.
const RELOAD_SECONDS: u32 = 15;

/// Which entry of the navigation is the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Here {
    /// The front page.
    Overview,
    /// The stages and what waits before them.
    Queues,
    /// The items, or one of them.
    Items,
    /// The receiving areas.
    Deposits,
    /// What is held: the objects, one of them, or a file.
    Objects,
    /// Whether what is held is sound.
    Fixity,
    /// What is given back.
    Restorations,
    /// What was looked for by words.
    Search,
    /// What happened to what is held.
    Events,
    /// Requests to delete.
    Deletions,
    /// What is held, added up.
    Reports,
    /// What people were told of.
    Alerts,
    /// Users, or one of them.
    Users,
    /// Institutions, or one of them.
    Institutions,
    /// The log of who did what.
    Audit,
    /// None of them, as on a problem page.
    #[default]
    None,
}

impl Here {
    /// The entries of the navigation, in its order.
    pub const ENTRIES: [Here; 14] = [
        Here::Overview,
        Here::Deposits,
        Here::Objects,
        Here::Fixity,
        Here::Restorations,
        Here::Events,
        Here::Deletions,
        Here::Reports,
        Here::Items,
        Here::Queues,
        Here::Alerts,
        Here::Users,
        Here::Institutions,
        Here::Audit,
    ];
}

/// A sentence for the reader, with its tone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// How it should feel.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

impl Notice {
    /// Pairs a tone with a sentence.
    pub fn new(tone: Tone, text: impl Into<String>) -> Notice {
        Notice { tone, text: text.into() }
    }
}

/// Who looks at a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visitor {
    /// Not known here: the page was made without asking.
    #[default]
    Unasked,
    /// Nobody has signed in.
    Stranger,
    /// Who has signed in, by name.
    Person(String),
}

/// What every page needs besides its own value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shell {
    /// The page's title, without the product's name.
    pub title: String,
    /// The current entry of the navigation.
    pub here: Here,
    /// The program's version.
    pub version: String,
    /// What everybody should know now, for example that the disk is almost full.
    pub notices: Vec<Notice>,
    /// What came of the action just taken.
    pub flash: Option<Notice>,
    /// The entries of the navigation that open to who looks at it.
    pub entries: Vec<Here>,
    /// Who looks at it.
    pub visitor: Visitor,
    /// How many alerts whoever looks at it has not read.
    pub unread: u64,
    /// What stands in the field of the search.
    pub sought: String,
    /// When the page was made, as RFC 3339 in UTC.
    pub now: String,
}

/// Whether a page keeps itself up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Shows what was so when it was made.
    Still,
    /// Follows live events; without script it changes only when the reader asks.
    Live,
    /// Follows live events; without script it reloads itself.
    Watched,
}

/// Renders a whole document around a page's own content.
pub fn document(shell: &Shell, frame: Frame, main: Markup) -> Markup {
    let live = (frame != Frame::Still).then_some("/live");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (shell.title) " \u{2013} Strongroom" }
                link rel="icon" type="image/svg+xml" href=(asset_url("icon.svg"));
                link rel="stylesheet" href=(asset_url("app.css"));
                script type="module" src=(asset_url("app.js")) defer {}
                @if frame == Frame::Watched {
                    noscript { meta http-equiv="refresh" content=(RELOAD_SECONDS); }
                }
            }
            body data-live=[live] {
                a.skip href="#main" { "Skip to the content" }
                (header(shell))
                main #main tabindex="-1" {
                    @for notice in &shell.notices {
                        p role="alert" class={ "notice " (notice.tone.class()) } { (notice.text) }
                    }
                    (flash(shell.flash.as_ref()))
                    (main)
                }
                (footer(shell))
            }
        }
    }
}

fn header(shell: &Shell) -> Markup {
    let entries = [
        (Here::Overview, "/", "Overview"),
        (Here::Deposits, "/deposits", "Deposits"),
        (Here::Objects, "/objects", "Objects"),
        (Here::Fixity, "/fixity", "Fixity"),
        (Here::Restorations, "/restorations", "Restorations"),
        (Here::Events, "/events", "Events"),
        (Here::Deletions, "/deletions", "Deletions"),
        (Here::Reports, "/reports", "Reports"),
        (Here::Items, "/items", "Items"),
        (Here::Queues, "/queues", "Queues"),
        (Here::Alerts, "/alerts", "Alerts"),
        (Here::Users, "/users", "Users"),
        (Here::Institutions, "/institutions", "Institutions"),
        (Here::Audit, "/audit", "Log"),
    ];
    html! {
        header.top {
            a.brand href="/" {
                img src=(asset_url("icon.svg")) alt="" width="26" height="26";
                "Strongroom"
            }
            nav aria-label="Main" {
                @for (entry, href, label) in entries.into_iter().filter(|it| shell.entries.contains(&it.0)) {
                    a href=(href) aria-current=[(entry == shell.here).then_some("page")] {
                        (label)
                        @if entry == Here::Alerts && shell.unread > 0 {
                            " " span.unread { (shell.unread) " unread" }
                        }
                    }
                }
            }
            @if shell.entries.contains(&Here::Objects) { (search(&shell.sought)) }
            (visitor(&shell.visitor))
        }
    }
}

/// The field of the search, on every page of those who may read.
fn search(sought: &str) -> Markup {
    html! {
        form.search role="search" method="get" action="/search" {
            label for="search-field" {
                span.unseen { "Search titles, identifiers, file names and digests" }
            }
            input #search-field type="search" name="q" value=(sought) maxlength="400"
                placeholder="Search" autocomplete="off";
            button type="submit" { "Search" }
        }
    }
}

fn visitor(visitor: &Visitor) -> Markup {
    html! {
        @match visitor {
            Visitor::Unasked => {},
            Visitor::Stranger => nav.visitor aria-label="Account" {
                a href="/sign-in" { "Sign in" }
            },
            Visitor::Person(name) => nav.visitor aria-label="Account" {
                a href="/account" {
                    span.unseen { "Account of " } bdi { (name) }
                }
                form method="post" action="/sign-out" {
                    button type="submit" { "Sign out" }
                }
            },
        }
    }
}

/// Stands in the page even when empty: a status is announced only by an element already there.
fn flash(flash: Option<&Notice>) -> Markup {
    html! {
        div #flash role="status" {
            @if let Some(notice) = flash {
                p class={ "notice " (notice.tone.class()) } { (notice.text) }
            }
        }
    }
}

fn footer(shell: &Shell) -> Markup {
    html! {
        footer.bottom {
            span { "Strongroom " (shell.version) }
            @if !shell.now.is_empty() { span { "Page made " (time(&shell.now)) } }
            nav aria-label="For machines" {
                a href="/health" { "Health" }
                a href="/metrics" { "Metrics" }
            }
        }
    }
}
