//! Every setting: its value, where that came from, and what it means.

use maud::{Markup, html};
use serde::Serialize;

use crate::shell::{Frame, Shell, document};

/// How the house is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SettingsPage {
    /// The configuration file that was read, if there was one.
    pub file: Option<String>,
    /// The data directory.
    pub data: String,
    /// The sections of the configuration, in its order.
    pub sections: Vec<SettingsSection>,
}

/// Settings that stand together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SettingsSection {
    /// The section's name in the file; empty for what stands before all sections.
    pub name: String,
    /// The settings.
    pub rows: Vec<SettingRow>,
}

/// One setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SettingRow {
    /// Its key in the section.
    pub key: String,
    /// The value in force, as it would stand in the file; none when it is not set.
    pub value: Option<String>,
    /// Where the value came from, for people.
    pub from: String,
    /// Whether somebody set it.
    pub is_set: bool,
    /// What it is for.
    pub about: String,
    /// What may stand there.
    pub allowed: String,
    /// Environment variables and flags that set it as well.
    pub also: Vec<String>,
}

/// Renders the settings.
pub fn settings_page(shell: &Shell, page: &SettingsPage) -> Markup {
    let main = html! {
        h1 { "Settings" }
        p.lead {
            "Settings are read once, at the start. "
            @match &page.file {
                Some(file) => { "This appliance read " code { (file) } "." },
                None => {
                    "No configuration file was read; one named " code { "strongroom.toml" }
                    " in the data directory would be."
                },
            }
        }
        details {
            summary { "How to change a setting" }
            ol {
                li {
                    "Write it into " code { (page.file.as_deref().unwrap_or("strongroom.toml")) }
                    ", under its section. A variable of the environment wins over the file, and a \
                     flag of the command line over both."
                }
                li { "Start the appliance again. What is under way goes on where it was." }
                li {
                    "A value that cannot be used is refused at the start, with its line and what \
                     may stand there."
                }
            }
        }
        p {
            "Data directory: " code { (page.data) } ". "
            a href="/maintenance" { "Close the house for maintenance" } "."
        }
        @for section in &page.sections { (section_table(section)) }
    };
    document(shell, Frame::Still, main)
}

fn section_table(section: &SettingsSection) -> Markup {
    let id = format!("s-{}", section.name.replace('.', "-"));
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) {
                @if section.name.is_empty() { "General" }
                @else { "[" (section.name) "]" }
            }
            table.settings {
                thead { tr {
                    th scope="col" { "Key" }
                    th scope="col" { "Value" }
                    th scope="col" { "From" }
                    th scope="col" { "Meaning" }
                } }
                tbody { @for row in &section.rows { (setting(row)) } }
            }
        }
    }
}

fn setting(row: &SettingRow) -> Markup {
    html! {
        tr {
            th scope="row" { code { (row.key) } }
            td data-label="Value" {
                @match &row.value {
                    Some(value) => code { (value) },
                    None => span.quiet { "not set" },
                }
            }
            td data-label="From" {
                @if row.is_set { strong { (row.from) } } @else { (row.from) }
            }
            td.say {
                (row.about) " " span.quiet {
                    "It is " (row.allowed) "."
                    @if !row.also.is_empty() { " Also: " (row.also.join(", ")) "." }
                }
            }
        }
    }
}
