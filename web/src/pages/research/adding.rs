//! The forms that add episodes or clips: one by hand, many from a file, those of an object.

use serde::Serialize;

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
