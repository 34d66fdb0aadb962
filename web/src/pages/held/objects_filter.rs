//! The search and the filters of the objects page; their names are those of the registry's API.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{Choice, Field, choose, choose_or, date_field};

/// Which objects are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectFilter {
    /// What is looked for, by whichever name.
    pub find: String,
    /// `true` for what other institutions share.
    pub shared: String,
    /// The institution's id.
    pub institution_id: String,
    /// The storage option.
    pub storage_option: String,
    /// Who may see it.
    pub access: String,
    /// Whether it is there.
    pub state: String,
    /// The least size in bytes.
    #[serde(rename = "size__gteq")]
    pub size_from: String,
    /// The largest size in bytes.
    #[serde(rename = "size__lteq")]
    pub size_to: String,
    /// The first day of the last change.
    #[serde(rename = "updated_at__gteq")]
    pub updated_from: String,
    /// The last day of the last change.
    #[serde(rename = "updated_at__lteq")]
    pub updated_to: String,
    /// The first day of the first deposit.
    #[serde(rename = "created_at__gteq")]
    pub created_from: String,
    /// The last day of the first deposit.
    #[serde(rename = "created_at__lteq")]
    pub created_to: String,
}

/// What the selects offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectChoices {
    /// Whose besides one's own; empty for those who see everything.
    pub sharers: Vec<Choice>,
    /// The institutions.
    pub institutions: Vec<Choice>,
    /// The storage options.
    pub storage_options: Vec<Choice>,
    /// Who may see an object.
    pub accesses: Vec<Choice>,
    /// Whether it is there.
    pub states: Vec<Choice>,
    /// Sizes in bytes.
    pub sizes: Vec<Choice>,
}

impl ObjectFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 12] {
        [
            ("find", &self.find),
            ("shared", &self.shared),
            ("institution_id", &self.institution_id),
            ("storage_option", &self.storage_option),
            ("access", &self.access),
            ("state", &self.state),
            ("size__gteq", &self.size_from),
            ("size__lteq", &self.size_to),
            ("updated_at__gteq", &self.updated_from),
            ("updated_at__lteq", &self.updated_to),
            ("created_at__gteq", &self.created_from),
            ("created_at__lteq", &self.created_to),
        ]
    }

    /// Says whether anything is asked for at all.
    pub fn is_set(&self) -> bool {
        self.pairs().iter().any(|(_, value)| !value.is_empty())
    }

    /// Says whether one of the fields folded away is set, so that the fold opens.
    fn is_detailed(&self) -> bool {
        self.pairs()[1..].iter().any(|(_, value)| !value.is_empty())
    }
}

/// Renders search and filters as one GET form, so that every view of the objects has an address.
pub(super) fn filter_form(filter: &ObjectFilter, choices: &ObjectChoices, sort: &str) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    html! {
        form.filter method="get" action="/objects" role="search" aria-label="Objects and files" {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            div.find {
                div.field {
                    label for="find" { "Find an object or a file" }
                    input #find name="find" type="search" value=(filter.find) autocomplete="off"
                        dir="auto" maxlength="500" aria-describedby="find-what";
                }
                div.field.send {
                    button.solid type="submit" { "Find" }
                    @if filter.is_set() { a.button href="/objects" { "Clear" } }
                }
            }
            p.quiet #find-what {
                "By the start of any word of a title or identifier, the start of a file name, the \
                 end of a path (folder/name), or a digest (8 digits or more)."
            }
            details open[filter.is_detailed()] {
                summary { "Filters" }
                div.fields {
                    @if !choices.sharers.is_empty() {
                        (choose_or(field("Whose", "shared", &filter.shared), "Our own",
                            &choices.sharers))
                    }
                    (choose(field("Institution", "institution_id", &filter.institution_id),
                        &choices.institutions))
                    (choose(field("Storage option", "storage_option", &filter.storage_option),
                        &choices.storage_options))
                    (choose(field("Access", "access", &filter.access), &choices.accesses))
                    (choose(field("State", "state", &filter.state), &choices.states))
                    (choose(field("At least", "size__gteq", &filter.size_from), &choices.sizes))
                    (choose(field("At most", "size__lteq", &filter.size_to), &choices.sizes))
                    (date_field(field("Changed from", "updated_at__gteq", &filter.updated_from)))
                    (date_field(field("Changed to", "updated_at__lteq", &filter.updated_to)))
                    (date_field(field("First held from", "created_at__gteq", &filter.created_from)))
                    (date_field(field("First held to", "created_at__lteq", &filter.created_to)))
                }
            }
        }
    }
}
