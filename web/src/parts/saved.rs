//! Filters of a list that whoever looks has saved.

use maud::{Markup, html};
use serde::Serialize;

use super::figures::count;
use super::links::Link;

/// What somebody has saved of a list, and what is asked of it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SavedFilters {
    /// The list's address.
    pub page: String,
    /// What it is asked now, as in the address; empty when nothing is.
    pub query: String,
    /// What was saved, by name.
    pub rows: Vec<SavedLine>,
    /// The longest name, in characters.
    pub longest: u64,
}

/// One saved filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SavedLine {
    /// Its number.
    pub id: u64,
    /// Its name, and the list as it asks for it.
    pub link: Link,
}

/// Renders the saved filters of a list, with the means to save and to remove.
pub fn saved_filters(saved: &SavedFilters) -> Markup {
    html! {
        details.saved {
            summary { "Saved filters " span.tally { (count(saved.rows.len() as u64)) } }
            @if saved.rows.is_empty() { p.quiet { "You have saved none for this page." } }
            @else {
                ul {
                    @for row in &saved.rows {
                        li {
                            a href=(row.link.href) { bdi { (row.link.label) } }
                            form method="post" action={ "/filters/" (row.id) "/remove" } {
                                button type="submit" {
                                    "Remove" span.unseen { " the filter " (row.link.label) }
                                }
                            }
                        }
                    }
                }
            }
            @if saved.query.is_empty() {
                p.quiet { "Choose what to look for, and it can be saved here under a name." }
            } @else {
                form.saving method="post" action="/filters" {
                    input type="hidden" name="page" value=(saved.page);
                    input type="hidden" name="query" value=(saved.query);
                    div.field {
                        label for="filter-name" { "Save what is shown as" }
                        input id="filter-name" name="name" type="text" required
                            maxlength=(saved.longest) autocomplete="off" dir="auto";
                    }
                    button type="submit" { "Save the filter" }
                }
            }
        }
    }
}
