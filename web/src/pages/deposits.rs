//! Deposits: what lies in the receiving areas, and a form that brings another.

use maud::{Markup, html};
use serde::Serialize;

use crate::assets::asset_url;
use crate::parts::{
    Badge, Choice, badge, cell, count, counted, empty, path, progress_of, size, time,
};
use crate::shell::{Frame, Shell, document};

/// Everything the page of deposits shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DepositsPage {
    /// The institutions that may deposit.
    pub choices: Vec<Choice>,
    /// The bucket that deposits are put into, if they cannot be sent here.
    pub elsewhere: Option<String>,
    /// One receiving area each.
    pub areas: Vec<AreaPanel>,
    /// The largest deposit that is taken.
    pub most_bytes: u64,
    /// The same, for people.
    pub most: String,
}

/// The receiving area of one institution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AreaPanel {
    /// The institution's identifier.
    pub institution: String,
    /// The institution's name for people.
    pub label: String,
    /// The folder that deposits are put into, or the address in a bucket.
    pub folder: String,
    /// How much of its quota the area has; none without a quota.
    pub used: Option<String>,
    /// Why what is shown may not be all, or not be so any more.
    pub note: Option<String>,
    /// What lies there, the newest first.
    pub rows: Vec<DepositRow>,
    /// How many lie there beyond those.
    pub unshown_count: u64,
}

/// Something in a receiving area.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DepositRow {
    /// Its name.
    pub name: String,
    /// Its size; none for a folder.
    pub size_bytes: Option<u64>,
    /// When it was last changed, as RFC 3339 in UTC.
    pub changed: Option<String>,
    /// What it does there, in a word.
    pub state: Badge,
    /// The same, in a sentence.
    pub sentence: String,
    /// The item that says more.
    pub item: Option<u64>,
    /// Whether that item has findings.
    pub findings: bool,
    /// Whether that item was given up, and another one can be made of it.
    pub takeable: bool,
}

/// Renders the page of deposits.
pub fn deposits_page(shell: &Shell, page: &DepositsPage) -> Markup {
    let main = html! {
        h1 { "Deposits" }
        (form(page))
        div #deposits data-refresh="/fragments/deposits" data-every="5" {
            (deposits_fragment(page))
        }
        script type="module" src=(asset_url("upload.js")) {}
    };
    document(shell, Frame::Live, main)
}

fn form(page: &DepositsPage) -> Markup {
    html! {
        section.panel aria-labelledby="upload-heading" {
            h2 #upload-heading { "Send a bag" }
            @if page.choices.is_empty() {
                p { "No institution may deposit here." }
            } @else if let Some(bucket) = &page.elsewhere {
                p {
                    "Deposits of this appliance are received in " code { (bucket) }
                    ". Put bags there, below the name of the institution; they are found by "
                    "themselves."
                }
            } @else {
                form.upload #upload method="post" action="/deposits" enctype="multipart/form-data"
                    data-most=(page.most_bytes) {
                    @if let [only] = page.choices.as_slice() {
                        input type="hidden" name="institution" value=(only.value);
                    } @else {
                        div.field {
                            label for="institution" { "Whose it is" }
                            select #institution name="institution" {
                                @for choice in &page.choices {
                                    option value=(choice.value) { (choice.label) }
                                }
                            }
                        }
                    }
                    div.field {
                        label for="file" { "A .tar, .tar.gz or .zip file" }
                        input #file name="file" type="file" required accept=".tar,.gz,.tgz,.zip"
                            aria-describedby="upload-hint";
                    }
                    button.solid #send type="submit" { "Upload" }
                    p.quiet #upload-hint {
                        "At most " (page.most) ". It is preserved by itself once it is here."
                    }
                }
                div #upload-trouble role="alert" {}
                div.sending #sending hidden {
                    (progress_of("upload-bar", "Bytes sent"))
                    button #upload-cancel type="button" { "Cancel the upload" }
                }
                p.unseen #upload-said role="status" {}
            }
        }
    }
}

/// Renders the receiving areas alone; served at `/fragments/deposits`.
pub fn deposits_fragment(page: &DepositsPage) -> Markup {
    // One area is always shown; of many, those where something lies.
    let (shown, bare): (Vec<_>, Vec<_>) = page
        .areas
        .iter()
        .partition(|area| page.areas.len() == 1 || !area.rows.is_empty() || area.note.is_some());
    html! {
        @for area in shown {
            section aria-labelledby={ "area-" (area.institution) } {
                h2 id={ "area-" (area.institution) } { "In the receiving area of " (area.label) }
                p.quiet {
                    @if page.elsewhere.is_some() { "Bags are put into " }
                    @else { "Bags can also be put into " }
                    code { (area.folder) }
                    @if let Some(used) = &area.used { ". Used: " (used) }
                }
                @if let Some(note) = &area.note { p { (note) } }
                (deposits(area))
            }
        }
        @if !bare.is_empty() { (bare_areas(&bare)) }
    }
}

/// The areas in which nothing lies, folded. The id keeps them open when the fragment is replaced.
fn bare_areas(areas: &[&AreaPanel]) -> Markup {
    html! {
        details #bare-areas {
            summary {
                "Nothing lies in " (counted(areas.len() as u64, "receiving area"))
            }
            ul.areas { @for area in areas { li { (area.label) ": " code { (area.folder) } } } }
        }
    }
}

fn deposits(area: &AreaPanel) -> Markup {
    if area.rows.is_empty() {
        let then = html! { "What is preserved goes from here by itself; it is then an object." };
        return empty("Nothing lies here.", then);
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "Name" }
                th.num scope="col" { "Size" }
                th scope="col" { "Changed" }
                th scope="col" { "State" }
                th scope="col" { "What that means" }
            } }
            tbody { @for row in &area.rows { (deposit(row)) } }
        }
        @if area.unshown_count > 0 {
            p.quiet { "and " (count(area.unshown_count)) " more that were changed earlier." }
        }
    }
}

fn deposit(row: &DepositRow) -> Markup {
    html! {
        tr {
            th.name scope="row" { bdi { (row.name) } }
            td.num data-label="Size" {
                @match row.size_bytes { Some(bytes) => (size(bytes)), None => "folder" }
            }
            @match &row.changed {
                Some(moment) => (cell("Changed", time(moment))),
                None => td {},
            }
            (cell("State", badge(&row.state)))
            td.say data-label="What that means" { (words(row)) }
        }
    }
}

/// The sentence, with the way to the item that says more.
fn words(row: &DepositRow) -> Markup {
    html! {
        (row.sentence)
        @if let Some(item) = row.item {
            @let to = path(&["items", &item.to_string()]);
            " "
            @if row.findings {
                a href={ (to) "#findings-heading" } { "See the findings of item " (item) }
                " "
                a href={ (to) "#remove" } { "Remove\u{2026}" }
            } @else {
                a href=(to) { "See item " (item) }
            }
            @if row.takeable {
                form method="post" action={ (to) "/take-again" } {
                    button type="submit" { "Take it again" }
                }
            }
        }
    }
}
