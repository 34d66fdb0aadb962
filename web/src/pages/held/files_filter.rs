//! The search and the filters of the files page; their names are those of the registry's API.

use maud::{Markup, html};
use serde::Serialize;

use super::objects_filter::ObjectChoices;
use crate::parts::{Field, choose, date_field, text_field};

/// Which files are wanted; an empty text asks for any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileFilter {
    /// What is looked for: a name, the end of a path, a digest.
    pub find: String,
    /// Identifier of the object.
    pub object_identifier: String,
    /// Identifier of the file.
    pub identifier: String,
    /// The file's UUID.
    pub uuid: String,
    /// The institution's id.
    pub institution_id: String,
    /// The storage option.
    pub storage_option: String,
    /// Whether it is there.
    pub state: String,
    /// The format by its identifier in PRONOM.
    pub puid: String,
    /// The format by its MIME type.
    pub file_format: String,
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
    /// The first day of its first deposit.
    #[serde(rename = "created_at__gteq")]
    pub created_from: String,
    /// The last day of its first deposit.
    #[serde(rename = "created_at__lteq")]
    pub created_to: String,
    /// The first day of its last check.
    #[serde(rename = "last_fixity_check__gteq")]
    pub checked_from: String,
    /// The last day of its last check.
    #[serde(rename = "last_fixity_check__lteq")]
    pub checked_to: String,
}

impl FileFilter {
    /// Lists the filter as query pairs; those not set have an empty value.
    pub fn pairs(&self) -> [(&'static str, &str); 17] {
        [
            ("find", &self.find),
            ("object_identifier", &self.object_identifier),
            ("identifier", &self.identifier),
            ("uuid", &self.uuid),
            ("institution_id", &self.institution_id),
            ("storage_option", &self.storage_option),
            ("state", &self.state),
            ("puid", &self.puid),
            ("file_format", &self.file_format),
            ("size__gteq", &self.size_from),
            ("size__lteq", &self.size_to),
            ("updated_at__gteq", &self.updated_from),
            ("updated_at__lteq", &self.updated_to),
            ("created_at__gteq", &self.created_from),
            ("created_at__lteq", &self.created_to),
            ("last_fixity_check__gteq", &self.checked_from),
            ("last_fixity_check__lteq", &self.checked_to),
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

/// Renders search and filters as one GET form, so that every view of the files has an address.
pub(super) fn filter_form(filter: &FileFilter, choices: &ObjectChoices, sort: &str) -> Markup {
    html! {
        form.filter method="get" action="/files" role="search" aria-label="Files" {
            @if !sort.is_empty() { input type="hidden" name="sort" value=(sort); }
            div.find {
                div.field {
                    label for="find" { "Find a file" }
                    input #find name="find" type="search" value=(filter.find) autocomplete="off"
                        dir="auto" maxlength="500" aria-describedby="find-what";
                }
                div.field.send {
                    button.solid type="submit" { "Find" }
                    @if filter.is_set() { a.button href="/files" { "Clear" } }
                }
            }
            p.quiet #find-what {
                "By the start of any word of its path, or by a whole digest (md5, sha1, sha256, \
                 sha512). The search in the bar finds parts of digests, too."
            }
            details open[filter.is_detailed()] {
                summary { "Filters" }
                (fields(filter, choices))
            }
        }
    }
}

fn fields(filter: &FileFilter, choices: &ObjectChoices) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    html! {
        div.fields {
            (text_field(field("Identifier of the object", "object_identifier",
                &filter.object_identifier)))
            (text_field(field("Identifier of the file", "identifier", &filter.identifier)))
            (text_field(field("UUID", "uuid", &filter.uuid)))
            (choose(field("Institution", "institution_id", &filter.institution_id),
                &choices.institutions))
            (choose(field("Storage option", "storage_option", &filter.storage_option),
                &choices.storage_options))
            (choose(field("State", "state", &filter.state), &choices.states))
            (text_field(field("Format in PRONOM (fmt/353)", "puid", &filter.puid)))
            (text_field(field("MIME type (image/tiff)", "file_format", &filter.file_format)))
            (choose(field("At least", "size__gteq", &filter.size_from), &choices.sizes))
            (choose(field("At most", "size__lteq", &filter.size_to), &choices.sizes))
            (date_field(field("Changed from", "updated_at__gteq", &filter.updated_from)))
            (date_field(field("Changed to", "updated_at__lteq", &filter.updated_to)))
            (date_field(field("First held from", "created_at__gteq", &filter.created_from)))
            (date_field(field("First held to", "created_at__lteq", &filter.created_to)))
            (date_field(field("Checked from", "last_fixity_check__gteq", &filter.checked_from)))
            (date_field(field("Checked to", "last_fixity_check__lteq", &filter.checked_to)))
        }
    }
}
