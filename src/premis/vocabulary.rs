//! Words of the Library of Congress's preservation vocabularies, with their addresses. Nobody asks
//! there: the addresses are names.

use storage::registry::{EventType, Outcome};

/// A word, and where it is defined.
pub(super) struct Term {
    pub(super) words: &'static str,
    /// The vocabulary and the code in it; none for words of our own.
    defined: Option<(&'static str, &'static str)>,
}

impl Term {
    const fn new(words: &'static str, vocabulary: &'static str, code: &'static str) -> Term {
        Term { words, defined: Some((vocabulary, code)) }
    }

    pub(super) fn address(&self) -> Option<String> {
        let (vocabulary, code) = self.defined?;
        Some(format!("http://id.loc.gov/vocabulary/preservation/{vocabulary}/{code}"))
    }
}

pub(super) const STRUCTURAL: Term = Term::new("structural", "relationshipType", "str");
pub(super) const REPLACEMENT: Term = Term::new("replacement", "relationshipType", "rep");
pub(super) const REPRESENTS: Term = Term::new("represents", "relationshipSubType", "rep");
pub(super) const INCLUDED_IN: Term = Term::new("is included in", "relationshipSubType", "isi");
pub(super) const SUPERSEDES: Term = Term::new("supersedes", "relationshipSubType", "sup");
pub(super) const SPECIFICATION: Term = Term::new("specification", "formatRegistryRole", "spe");
pub(super) const SOFTWARE: Term = Term::new("software", "agentType", "sof");
pub(super) const PERSON: Term = Term::new("person", "agentType", "per");
pub(super) const ORGANIZATION: Term = Term::new("organization", "agentType", "org");
pub(super) const PROGRAM: Term = Term::new("executing program", "eventRelatedAgentRole", "exe");
pub(super) const IMPLEMENTER: Term = Term::new("implementer", "eventRelatedAgentRole", "imp");

/// Our own words for what the vocabulary has no word for.
pub(super) fn event_type(event_type: EventType) -> Term {
    let code = match event_type {
        EventType::Creation => "cre",
        EventType::Deletion => "del",
        EventType::FixityCheck => "fix",
        EventType::FormatIdentification => "for",
        EventType::Ingestion => "ing",
        EventType::MessageDigestCalculation => "mes",
        EventType::Replication => "rep",
        EventType::Validation => "val",
        // The vocabulary's word for it.
        EventType::Repair => return Term::new("recovery", "eventType", "rec"),
        EventType::AccessAssignment | EventType::IdentifierAssignment | EventType::Restoration => {
            return Term { words: event_type.name(), defined: None };
        }
    };
    Term::new(event_type.name(), "eventType", code)
}

pub(super) fn outcome(outcome: Outcome) -> Term {
    match outcome {
        Outcome::Success => Term::new("success", "eventOutcome", "suc"),
        Outcome::Failure => Term::new("failure", "eventOutcome", "fai"),
        Outcome::Warning => Term::new("warning", "eventOutcome", "war"),
    }
}
