//! The forms that add episodes or clips: one by hand, many from a file, those of an object.

use maud::{Markup, html};
use serde::Serialize;

use super::recordings::RecordingKind;
use crate::parts::{Choice, Field, choose_one, count, date_field, human_size, text_field};

/// The forms, shown again with what was typed when something was wrong.
///
/// By hand: POST to `/research/episodes` or `/research/clips` with the names of [`RecordingForm`].
/// From a file: `multipart/form-data` to `.../import` with the file in `file`. From an object: POST
/// to `.../from-object` with `object`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AddRecordings {
    /// What was typed for one.
    pub form: RecordingForm,
    /// The identifier of the object that was typed.
    pub from_object: String,
    /// What was wrong with the last try, whichever form it was.
    pub problem: Option<String>,
    /// What was wrong with lines of the file that was sent.
    pub findings: Vec<ImportFinding>,
    /// Findings beyond those listed.
    pub findings_unshown_count: u64,
    /// The largest file that is taken, in bytes.
    pub most_bytes: u64,
}

/// What was typed for one episode or clip, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingForm {
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// When it was aired, as `2026-11-16`.
    pub date_aired: String,
    /// Where its bytes are: `vault`, `file` or `url`.
    pub location_kind: String,
    /// The identifier of the object, of one in the vault.
    pub location_object: String,
    /// The path in the object, the path on the server, or the address.
    pub location: String,
    /// Its media type; empty to be told from the name.
    pub media_type: String,
    /// How urgent it is.
    pub priority: String,
}

/// What is wrong with one line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportFinding {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it, and what to do.
    pub sentence: String,
}

/// Renders what was wrong with the last try; nothing when nothing was.
pub(super) fn troubles(adding: &AddRecordings) -> Markup {
    html! {
        @if let Some(problem) = &adding.problem {
            p.notice.bad #problem role="alert" { (problem) }
        }
        @if !adding.findings.is_empty() {
            section aria-labelledby="findings-heading" {
                h2 #findings-heading { "What is wrong with the file" }
                ul.findings {
                    @for finding in &adding.findings {
                        li { "Line " (count(finding.line)) ": " bdi { (finding.sentence) } }
                    }
                }
                @if adding.findings_unshown_count > 0 {
                    p.quiet { "and " (count(adding.findings_unshown_count)) " more." }
                }
            }
        }
    }
}

/// Renders the three forms, folded until they are wanted.
pub(super) fn forms(kind: RecordingKind, adding: &AddRecordings) -> Markup {
    let (address, word) = (kind.address(), kind.word());
    let typed = adding.form != RecordingForm::default();
    html! {
        section.panel aria-labelledby="add-heading" {
            h2 #add-heading { "Add " (kind.plural().to_lowercase()) }
            details #add-one open[typed] {
                summary { "One by hand" }
                (by_hand(kind, &adding.form))
            }
            details #add-file open[!adding.findings.is_empty()] {
                summary { "Many from a file" }
                form.entry.narrow method="post" action={ (address) "/import" }
                    enctype="multipart/form-data" {
                    div.field {
                        label for="file" { "A JSON, CSV or RSS file" }
                        input #file name="file" type="file" required
                            accept=".json,.jsonl,.csv,.tsv,.rss,.atom,.xml"
                            aria-describedby="file-hint file-columns";
                        p.hint #file-hint {
                            "At most " (human_size(adding.most_bytes)) ". What cannot be used is \
                             named with its line and left out; the rest is taken. What is here \
                             already is brought up to date."
                        }
                        p.hint #file-columns {
                            "The first line of a CSV file names its columns, and JSON has the same \
                             names: " code { "title" } " and " code { "url" } " (or " code { "path" }
                            ", or " code { "location" } ") are needed; " code { "date_aired" } ", "
                            code { "description" } ", " code { "media_type" } ", "
                            code { "priority" } " and " code { "curator" } " may be there."
                        }
                    }
                    div.actions { button.solid type="submit" { "Import the file" } }
                }
            }
            details #add-object open[!adding.from_object.is_empty()] {
                summary { "From an object that is held" }
                form.entry.narrow method="post" action={ (address) "/from-object" } {
                    div.field {
                        label for="object" { "Identifier of the object" }
                        input #object name="object" type="text" value=(adding.from_object) required
                            autocomplete="off" dir="auto" aria-describedby="object-hint";
                        p.hint #object-hint {
                            "Each audio file of it becomes one " (word)
                            ". The files stay where they are."
                        }
                    }
                    div.actions {
                        button.solid type="submit" {
                            "Treat its audio files as " (kind.plural().to_lowercase())
                        }
                    }
                }
            }
        }
    }
}

fn by_hand(kind: RecordingKind, form: &RecordingForm) -> Markup {
    let field = |label, name, value| Field { label, name, value };
    let kinds = [
        Choice::new("vault", "In an object that is held"),
        Choice::new("file", "In a file on this server"),
        Choice::new("url", "At a web address"),
    ];
    html! {
        form.entry method="post" action=(kind.address()) {
            div.field {
                label for="title" { "Title" }
                input #title name="title" type="text" value=(form.title) required
                    maxlength="250" autocomplete="off" dir="auto";
            }
            div.field {
                label for="description" { "Description" }
                textarea #description name="description" dir="auto" { (form.description) }
            }
            div.fields {
                (date_field(field("Aired", "date_aired", &form.date_aired)))
                div.field {
                    label for="priority" { "Priority, the highest first" }
                    input #priority name="priority" type="number" value=(form.priority);
                }
                (text_field(field("Media type, if known", "media_type", &form.media_type)))
            }
            div.fields {
                (choose_one(field("Where the sound is", "location_kind", &form.location_kind),
                    &kinds))
                (text_field(field("Object, if it is in one", "location_object",
                    &form.location_object)))
                div.field {
                    label for="location" { "Path or address" }
                    input #location name="location" type="text" value=(form.location) required
                        maxlength="2048" autocomplete="off" dir="auto";
                }
            }
            div.actions { button.solid type="submit" { "Add the " (kind.word()) } }
        }
    }
}
