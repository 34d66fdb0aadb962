//! The document frame around every page: head, navigation, notices, footer.

use maud::{DOCTYPE, Markup, html};
use serde::Serialize;

use crate::assets::asset_url;
use crate::navigation::{self, Here};
use crate::pages::help_on;
use crate::parts::{SavedFilters, Tone, saved_filters, time};

/// Seconds between reloads of a live page in a browser without script.
const RELOAD_SECONDS: u32 = 15;

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
    /// What whoever looks at it has saved of this list, on a list.
    pub saved: Option<SavedFilters>,
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
                    (tools(shell))
                    (main)
                }
                (footer(shell))
            }
        }
    }
}

fn header(shell: &Shell) -> Markup {
    html! {
        header.top {
            a.brand href="/" {
                img src=(asset_url("icon.svg")) alt="" width="26" height="26";
                "Strongroom"
            }
            (navigation::groups(shell))
            @if shell.entries.contains(&Here::Objects) { (search(&shell.sought)) }
            (visitor(&shell.visitor))
            (navigation::pages(shell))
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

/// What every page offers besides its own: filters that were saved, and what the page is for.
fn tools(shell: &Shell) -> Markup {
    let help = help_on(shell.here).filter(|_| shell.entries.contains(&Here::Help));
    html! {
        @if help.is_some() || shell.saved.is_some() {
            div.tools {
                @if let Some(saved) = &shell.saved { (saved_filters(saved)) }
                @if let Some(href) = help { a.about href=(href) { "About this page" } }
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
