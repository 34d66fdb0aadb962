//! The closed sets of words that events are told in.

use crate::registry::holding::identity::by_name;

/// What kind of thing happened, in the words of the described registry and PREMIS 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the vocabulary's")]
pub enum EventType {
    AccessAssignment,
    Creation,
    Deletion,
    FixityCheck,
    FormatIdentification,
    IdentifierAssignment,
    Ingestion,
    MessageDigestCalculation,
    Repair,
    Replication,
    Restoration,
    Validation,
}

impl EventType {
    /// All of them, by name.
    pub const ALL: [EventType; 12] = [
        EventType::AccessAssignment,
        EventType::Creation,
        EventType::Deletion,
        EventType::FixityCheck,
        EventType::FormatIdentification,
        EventType::IdentifierAssignment,
        EventType::Ingestion,
        EventType::MessageDigestCalculation,
        EventType::Repair,
        EventType::Replication,
        EventType::Restoration,
        EventType::Validation,
    ];

    /// The words of the vocabulary.
    pub fn name(self) -> &'static str {
        match self {
            EventType::AccessAssignment => "access assignment",
            EventType::Creation => "creation",
            EventType::Deletion => "deletion",
            EventType::FixityCheck => "fixity check",
            EventType::FormatIdentification => "format identification",
            EventType::IdentifierAssignment => "identifier assignment",
            EventType::Ingestion => "ingestion",
            EventType::MessageDigestCalculation => "message digest calculation",
            EventType::Repair => "repair",
            EventType::Replication => "replication",
            EventType::Restoration => "restoration",
            EventType::Validation => "validation",
        }
    }
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Success,
    /// Not.
    Failure,
    /// Well, with something to know.
    Warning,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 3] = [Outcome::Success, Outcome::Failure, Outcome::Warning];

    /// The described registry's word, which its clients compare with.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Success => "Success",
            Outcome::Failure => "Failure",
            Outcome::Warning => "Warning",
        }
    }
}

/// Which files an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// None of them, but their object.
    Object,
    /// Every one that the object held at the moment.
    Held,
    /// All that the deposit saved.
    Files,
    /// Those of them below `data/`.
    Payload,
    /// Those of them whose path no earlier version had.
    New,
    /// One.
    File,
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 6] =
        [Scope::Object, Scope::Held, Scope::Files, Scope::Payload, Scope::New, Scope::File];

    /// The word in the table.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Object => "object",
            Scope::Held => "held",
            Scope::Files => "files",
            Scope::Payload => "payload",
            Scope::New => "new",
            Scope::File => "file",
        }
    }
}

by_name!(EventType, Outcome, Scope);
