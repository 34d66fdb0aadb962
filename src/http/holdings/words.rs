//! What is held, in words for people.

use storage::registry::{EventRow, EventType, FileRow, Outcome, Scope};
use web::{Badge, EventLine, Link, Tone, object_path};

use crate::desk::unbraced;

/// A stored word as it begins a sentence.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The way to an object.
pub(super) fn object_link(identifier: &str, id: i64) -> Link {
    Link::new(object_path(identifier, id), identifier)
}

/// A format by its name, or by what else is known of it.
pub(super) fn format_name(name: &str, version: &str, puid: &str) -> String {
    match format!("{name} {version}").trim() {
        "" if puid.is_empty() => "Unknown".to_owned(),
        "" => puid.to_owned(),
        name => name.to_owned(),
    }
}

/// A file's format, for a list.
pub(super) fn file_format(file: &FileRow) -> String {
    format_name(&file.format_name, &file.format_version, &file.puid)
}

pub(super) fn outcome(outcome: Outcome) -> Badge {
    match outcome {
        Outcome::Success => Badge::new("Success", Tone::Good),
        Outcome::Failure => Badge::new("Failure", Tone::Bad),
        Outcome::Warning => Badge::new("Warning", Tone::Warn),
    }
}

/// What a kind of event means.
pub(super) fn meaning(kind: EventType) -> &'static str {
    match kind {
        EventType::AccessAssignment => "It was set who may see the object.",
        EventType::Creation => "Something came into being here.",
        EventType::Deletion => "Bytes were deleted; what is known about them stays.",
        EventType::FixityCheck => "Digests were compared with those that were known before.",
        EventType::FormatIdentification => "Formats were told by signatures.",
        EventType::IdentifierAssignment => "Something was given a name that it keeps.",
        EventType::Ingestion => "Files were copied into preservation storage.",
        EventType::MessageDigestCalculation => "Digests were computed from the bytes.",
        EventType::Repair => "A copy that was damaged or missing was replaced by a sound one.",
        EventType::Replication => "Files were copied to a further replica.",
        EventType::Restoration => "Files were brought back out of preservation storage.",
        EventType::Validation => "A deposit was judged by the rules of its profile.",
    }
}

/// What an event is about.
pub(super) fn about(event: &EventRow) -> String {
    let of = event.version.map(|version| format!(" of version {version}")).unwrap_or_default();
    if let Some(file) = &event.generic_file_identifier {
        let object = format!("{}/", event.intellectual_object_identifier);
        return file.strip_prefix(&object).unwrap_or(file).to_owned();
    }
    match event.scope {
        Scope::Object => "the object".to_owned(),
        Scope::Held => "all files held".to_owned(),
        Scope::Files => format!("all files{of}"),
        Scope::Payload => format!("the payload{of}"),
        Scope::New => format!("the new files{of}"),
        Scope::File => "a file".to_owned(),
    }
}

/// An event in a list. What differs from file to file is left out of it.
pub(super) fn event_line(event: &EventRow, with_object: bool) -> EventLine {
    let (done, result) = (unbraced(&event.detail), unbraced(&event.outcome_detail));
    let words = match result.trim_matches(|letter| letter == '…' || letter == ' ') {
        "" => done,
        _ => format!("{done}: {result}"),
    };
    let object = &event.intellectual_object_identifier;
    EventLine {
        href: format!("/events/{}", event.identifier),
        kind: capital(event.event_type.name()),
        when: event.date_time.to_string(),
        words: capital(&words),
        outcome: outcome(event.outcome),
        about: about(event),
        object: with_object.then(|| object_link(object, event.intellectual_object_id.0)),
    }
}

/// Whether an event that is about many files has words that each file fills in.
pub(super) fn has_braces(event: &EventRow) -> bool {
    let many = matches!(event.scope, Scope::Held | Scope::Files | Scope::Payload | Scope::New);
    let told = [&event.detail, &event.outcome_detail, &event.outcome_information];
    many && event.generic_file_id.is_none() && told.iter().any(|text| unbraced(text) != **text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_each_file_are_left_out() {
        assert_eq!(unbraced("md5:{md5}"), "md5:…");
        assert_eq!(unbraced("{uuid} {a b} {} {"), "… {a b} {} {");
        assert_eq!(capital("é"), "É");
        assert_eq!(format_name("", "", ""), "Unknown");
        assert_eq!(format_name("TIFF", "", "fmt/353"), "TIFF");
    }
}
