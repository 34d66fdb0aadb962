//! How the checks of what is held stand: what is not sound first of all, then each replica.

use maud::{Markup, html};
use serde::Serialize;

use super::fixity_plot::{AgeBar, plot};
use crate::parts::{
    Badge, Link, Tone, badge, cell, count, counted, empty, num, post_button, query, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FixityPage {
    /// What each replica lacks that a storage option asks for, in sentences.
    pub missing: Vec<String>,
    /// Versions of files that no hot replica has a sound copy of.
    pub lost_count: u64,
    /// What to do about them.
    pub lost_advice: String,
    /// Copies that were damaged or missing when last looked at.
    pub unsound_count: u64,
    /// The first of them, the lost ones before the others.
    pub unsound: Vec<UnsoundLine>,
    /// Those beyond them.
    pub unsound_unshown_count: u64,
    /// Whether whoever looks at it may have everything checked.
    pub may_check: bool,
    /// Items that check or wait to.
    pub waiting: u64,
    /// Whether the pace that is set keeps every promise.
    pub forecast: String,
    /// Each hot replica.
    pub replicas: Vec<CheckPanel>,
    /// Replicas beyond them.
    pub replicas_unshown_count: u64,
}

/// A copy that was not sound when last looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnsoundLine {
    /// The file.
    pub file: Link,
    /// Of which version.
    pub version: u64,
    /// Where.
    pub replica: String,
    /// What is wrong with it.
    pub state: Badge,
    /// When it was looked at.
    pub checked: String,
}

/// One replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckPanel {
    /// Its name.
    pub name: String,
    /// Which building or provider it is in.
    pub place: String,
    /// How it stands, in a word.
    pub state: Badge,
    /// Objects that it has copies of.
    pub object_count: u64,
    /// Copies that it has.
    pub copy_count: u64,
    /// Those of them that are not sound.
    pub unsound_count: u64,
    /// When the copy that was not read for longest was read.
    pub stalest: Option<String>,
    /// How many days ago that is.
    pub stalest_days: u64,
    /// Days after which a copy is due.
    pub every_days: u64,
    /// Copies that are due now.
    pub due_count: u64,
    /// When the next one is.
    pub next_due: Option<String>,
    /// What is to be expected.
    pub outlook: String,
    /// How long ago its copies were read.
    pub bars: Vec<AgeBar>,
}

/// Renders the page.
pub fn fixity_page(shell: &Shell, page: &FixityPage) -> Markup {
    let main = html! {
        div.title-row {
            h1 { "Fixity" }
            @if page.may_check {
                div.actions {
                    (post_button("check-all", "/fixity/check", "Check everything now", "in every replica"))
                }
            }
        }
        p.lead {
            "Every copy is read again from time to time and compared with its digest. What is \
             damaged is set aside and replaced from a sound copy."
        }
        div #fixity data-refresh="/fragments/fixity" data-every="30" { (fixity_fragment(page)) }
    };
    document(shell, Frame::Live, main)
}

/// Renders all of the page that changes; served at `/fragments/fixity`.
pub fn fixity_fragment(page: &FixityPage) -> Markup {
    html! {
        (unsound(page))
        (missing(&page.missing))
        p { (page.forecast) " " (waiting(page.waiting)) }
        @if page.replicas.is_empty() {
            (empty("No replica is known yet.", html! {
                "The first deposit makes them known. " a href="/deposits" { "Send a bag" } "."
            }))
        }
        div.replicas {
            @for (at, replica) in page.replicas.iter().enumerate() { (panel(replica, at)) }
        }
        @if page.replicas_unshown_count > 0 {
            p.quiet { "and " (count(page.replicas_unshown_count)) " more, in the table to download." }
        }
        p {
            "For spreadsheets: "
            a #replicas-csv href="/api/v1/fixity/report.csv" { "the replicas" } ", "
            a #unsound-csv href="/api/v1/fixity/unsound.csv" { "copies that are not sound" } "."
        }
    }
}

/// Nothing of it when all is sound, but for the words that say so.
fn unsound(page: &FixityPage) -> Markup {
    if page.unsound_count == 0 {
        return html! {
            p.verdict { (badge(&Badge::new("No copy is known to be damaged", Tone::Good))) }
        };
    }
    let tone = if page.lost_count > 0 { "bad" } else { "warn" };
    html! {
        section class={ "trouble unsound " (tone) } aria-labelledby="unsound-heading" {
            h2 #unsound-heading { (headline(page)) }
            @if page.lost_count > 0 {
                p {
                    "Lost means that no hot replica has a sound copy. Nothing was removed: what is left of \
                     the bytes is where it was. " (page.lost_advice)
                }
            }
            @if page.unsound_count > page.lost_count {
                p {
                    "What is damaged or missing in one hot replica and sound in another is repaired by \
                     the next check; no check reads cold storage. If it stays, an item says what \
                     stands in the way: "
                    a #fixity-items href=(items("true")) { "checks that need a person" } "."
                }
            }
            table {
                thead { tr {
                    th scope="col" { "File" }
                    th.num scope="col" { "Version" }
                    th scope="col" { "Replica" }
                    th scope="col" { "State" }
                    th scope="col" { "Last check" }
                } }
                tbody { @for line in &page.unsound { (row(line)) } }
            }
            @if page.unsound_unshown_count > 0 {
                p { "and " (count(page.unsound_unshown_count)) " more, in the table to download." }
            }
        }
    }
}

/// Nothing of it where every replica has everything.
fn missing(sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            section.trouble.warn aria-labelledby="missing-heading" {
                h2 #missing-heading { "Copies are missing" }
                ul { @for sentence in sentences { li { (sentence) } } }
            }
        }
    }
}

fn headline(page: &FixityPage) -> String {
    let copies = match page.unsound_count {
        1 => "1 copy is not sound".to_owned(),
        many => format!("{} copies are not sound", count(many)),
    };
    match page.lost_count {
        0 => copies,
        1 => format!("1 file is lost, {copies}"),
        lost => format!("{} files are lost, {copies}", count(lost)),
    }
}

fn row(line: &UnsoundLine) -> Markup {
    html! {
        tr {
            th.name scope="row" { a href=(line.file.href) { bdi { (line.file.label) } } }
            (num("Version", line.version))
            (cell("Replica", &line.replica))
            td data-label="State" { (badge(&line.state)) }
            (cell("Last check", time(&line.checked)))
        }
    }
}

fn items(parked: &str) -> String {
    format!("/items{}", query(&[("action", "Fixity Check"), ("needs_admin_review", parked)]))
}

fn waiting(waiting: u64) -> Markup {
    let verb = if waiting == 1 { "is" } else { "are" };
    html! {
        @if waiting > 0 {
            a #waiting href=(items("")) { (counted(waiting, "object")) " " (verb) " in line" } "."
        }
    }
}

fn panel(replica: &CheckPanel, at: usize) -> Markup {
    html! {
        section.panel aria-labelledby={ "replica-" (at) } {
            h2 id={ "replica-" (at) } { "Replica " bdi { (replica.name) } " " (badge(&replica.state)) }
            dl.facts {
                @if !replica.place.is_empty() {
                    div { dt { "Place" } dd { bdi { (replica.place) } } }
                }
                div {
                    dt { "Copies" }
                    dd {
                        (count(replica.copy_count)) " of " (counted(replica.object_count, "object"))
                    }
                }
                div { dt { "Not sound" } dd { (count(replica.unsound_count)) } }
                div { dt { "Oldest unverified byte" } dd { (stalest(replica)) } }
                div {
                    dt { "Due now" }
                    dd { (count(replica.due_count)) " (every " (counted(replica.every_days, "day")) ")" }
                }
                @if let Some(at) = &replica.next_due {
                    div { dt { "Next due" } dd { (time(at)) } }
                }
            }
            p { (replica.outlook) }
            (plot(&replica.name, &replica.bars, (replica.every_days, at)))
        }
    }
}

fn stalest(replica: &CheckPanel) -> Markup {
    html! {
        @match &replica.stalest {
            None => span.quiet { "none: nothing is held here" },
            Some(at) => {
                "The stalest copy was read "
                @match replica.stalest_days {
                    0 => "less than a day",
                    days => (counted(days, "day")),
                }
                " ago, on " (time(at))
            },
        }
    }
}
