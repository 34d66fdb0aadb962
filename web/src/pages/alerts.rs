//! What people were told of: the list, and one alert.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{
    Badge, Choice, Fact, Field, Link, Pager, badge, cell, choose, empty, facts, pager, path, query,
    time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the list shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlertsPage {
    /// What was asked for.
    pub filter: AlertFilter,
    /// The kinds there are.
    pub kinds: Vec<Choice>,
    /// Whether somebody is signed in, who reads for themselves.
    pub has_reader: bool,
    /// How many of the newest the reader has not read.
    pub unread: u64,
    /// Which rows these are.
    pub pager: Pager,
    /// The rows.
    pub rows: Vec<AlertLine>,
}

/// Which alerts are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlertFilter {
    /// The kind's name.
    pub kind: String,
    /// Only what is still so, or happened once.
    pub open: bool,
    /// Only what the reader has not read.
    pub unread: bool,
}

/// One alert in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlertLine {
    /// Its number.
    pub id: i64,
    /// Its kind in words.
    pub kind: Badge,
    /// What it says, in a line.
    pub subject: String,
    /// When it was raised, as RFC 3339 in UTC.
    pub created: String,
    /// When it was no longer so.
    pub ended: Option<String>,
    /// Whether the reader has not read it; none when nobody is signed in.
    pub unread: Option<bool>,
}

/// One alert.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AlertPage {
    /// What the list says of it.
    pub line: AlertLine,
    /// What happened, what was kept, what to do next: paragraphs.
    pub content: Vec<String>,
    /// Where to go.
    pub link: Option<Link>,
    /// What is known about it.
    pub facts: Vec<Fact>,
    /// What was sent about it, and what became of that.
    pub sent: Vec<SentLine>,
}

/// A message about an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SentLine {
    /// To whom.
    pub to: String,
    /// What became of it.
    pub state: Badge,
    /// When, as RFC 3339 in UTC.
    pub when: String,
    /// What went wrong, if something did.
    pub trouble: String,
}

impl AlertFilter {
    fn pairs(&self) -> [(&'static str, &str); 3] {
        let on = |set: bool| if set { "true" } else { "" };
        [("kind", &self.kind), ("ended_at__is_null", on(self.open)), ("unread", on(self.unread))]
    }

    fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }
}

impl AlertsPage {
    fn href(&self, page: u64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let mut pairs = self.filter.pairs().to_vec();
        pairs.push(("page", &page));
        format!("/alerts{}", query(&pairs))
    }
}

/// Renders the list.
pub fn alerts_page(shell: &Shell, page: &AlertsPage) -> Markup {
    let main = html! {
        h1 { "Alerts" }
        (filter_form(page))
        @if page.unread > 0 {
            form method="post" action="/alerts/read" {
                p {
                    (unread_words(page.unread)) " "
                    button type="submit" { "Mark all as read" }
                }
            }
        }
        @if page.rows.is_empty() { (nothing(page)) } @else { (list(page)) }
    };
    document(shell, Frame::Still, main)
}

fn unread_words(count: u64) -> String {
    match count {
        1 => "You have not read 1 alert.".into(),
        many => format!("You have not read {many} alerts."),
    }
}

fn filter_form(page: &AlertsPage) -> Markup {
    let filter = &page.filter;
    let check = |name: &str, label: &str, set: bool| {
        html! {
            div.field.check {
                input id=(name) name=(name) type="checkbox" value="true" checked[set];
                label for=(name) { (label) }
            }
        }
    };
    html! {
        form.filter method="get" action="/alerts" role="search" aria-label="Alerts" {
            div.fields {
                (choose(Field { label: "Kind", name: "kind", value: &filter.kind }, &page.kinds))
                (check("ended_at__is_null", "Not over", filter.open))
                @if page.has_reader { (check("unread", "Unread", filter.unread)) }
                div.field.send {
                    button.solid type="submit" { "Show" }
                    @if filter.is_set() { a.button href="/alerts" { "Clear" } }
                }
            }
        }
    }
}

fn list(page: &AlertsPage) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Alert" }
                th scope="col" { "Kind" }
                th scope="col" { "When" }
                th scope="col" { "State" }
                @if page.has_reader { th scope="col" { "Read" } }
            } }
            tbody { @for row in &page.rows { (line(row)) } }
        }
        (pager(&page.pager, |number| page.href(number)))
    }
}

fn line(row: &AlertLine) -> Markup {
    let id = row.id.to_string();
    let unread = row.unread == Some(true);
    html! {
        tr {
            th scope="row" {
                a href=(path(&["alerts", &id])) { bdi { (row.subject) } }
                @if unread { " " (badge(&Badge::new("Unread", crate::parts::Tone::Busy))) }
            }
            td { (badge(&row.kind)) }
            (cell("When", time(&row.created)))
            td data-label="State" { (state(row)) }
            @if let Some(unread) = row.unread { td { (mark(&id, &row.subject, unread)) } }
        }
    }
}

fn state(row: &AlertLine) -> Markup {
    html! {
        @match &row.ended {
            Some(ended) => { "Over since " (time(ended)) },
            None => { "" },
        }
    }
}

/// A form that is one button; its words are whole for those who hear it alone.
fn mark(id: &str, subject: &str, unread: bool) -> Markup {
    let (word, label) =
        if unread { ("read", "Mark as read") } else { ("unread", "Mark as unread") };
    html! {
        form method="post" action=(path(&["alerts", id, word])) {
            button type="submit" { (label) span.unseen { ": " (subject) } }
        }
    }
}

fn nothing(page: &AlertsPage) -> Markup {
    if page.pager.page > 1 || page.filter.is_set() {
        return empty(
            "No alert matches.",
            html! { "Ask for less, or " a href="/alerts" { "show all alerts" } "." },
        );
    }
    empty(
        "There are no alerts.",
        html! { "People are told here when something needs them, or when something they asked for \
        is done." },
    )
}

/// Renders one alert.
pub fn alert_page(shell: &Shell, page: &AlertPage) -> Markup {
    let id = page.line.id.to_string();
    let main = html! {
        p.quiet { a href="/alerts" { "All alerts" } }
        h1 { bdi { (page.line.subject) } }
        p {
            (badge(&page.line.kind)) " " (time(&page.line.created))
            @if page.line.ended.is_some() { ". " (state(&page.line)) }
            @if page.line.unread == Some(true) {
                " " (badge(&Badge::new("Unread", crate::parts::Tone::Busy)))
            }
        }
        @for paragraph in &page.content { p.told dir="auto" { (paragraph) } }
        div.actions {
            @if let Some(link) = &page.link { a.button href=(link.href) { (link.label) } }
            @if let Some(unread) = page.line.unread { (mark(&id, &page.line.subject, unread)) }
        }
        section aria-labelledby="facts" {
            h2 #facts { "Details" }
            (facts(&page.facts))
        }
        (sent(&page.sent))
    };
    document(shell, Frame::Still, main)
}

fn sent(rows: &[SentLine]) -> Markup {
    html! {
        section aria-labelledby="sent" {
            h2 #sent { "Messages" }
            @if rows.is_empty() {
                p.quiet { "Nothing was sent about it: no e-mail and no webhook was set up, or \
                    nobody was there to be told." }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "To" }
                        th scope="col" { "State" }
                        th scope="col" { "When" }
                        th scope="col" { "Trouble" }
                    } }
                    tbody {
                        @for row in rows {
                            tr {
                                th scope="row" { bdi { (row.to) } }
                                td { (badge(&row.state)) }
                                (cell("When", time(&row.when)))
                                @if row.trouble.is_empty() { td {} }
                                @else { td.note { span dir="auto" { (row.trouble) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}
