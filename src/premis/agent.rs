//! Who did it: programs with their versions, people, and the institution.

use std::io;

use storage::registry::ObjectRow;

use super::event::Agents;
use super::vocabulary::{IMPLEMENTER, ORGANIZATION, PERSON, PROGRAM, SOFTWARE, Term};
use super::xml::Xml;
use super::{agent_id, institution_id};

pub(super) fn write(xml: &mut Xml<'_>, object: &ObjectRow, agents: &Agents) -> io::Result<()> {
    for words in agents.0.iter().filter(|words| !words.is_empty()) {
        xml.element("agent", |xml| {
            xml.identifier("agentIdentifier", &agent_id(words), |_| Ok(()))?;
            match Kind::of(words) {
                Kind::Program { name, version } => {
                    xml.text("agentName", name)?;
                    xml.term("agentType", &SOFTWARE)?;
                    xml.text("agentVersion", version)
                }
                Kind::Person => {
                    xml.text("agentName", words)?;
                    xml.term("agentType", &PERSON)
                }
                Kind::Unknown => xml.text("agentName", words),
            }
        })?;
    }
    xml.element("agent", |xml| {
        xml.identifier("agentIdentifier", &institution_id(object), |_| Ok(()))?;
        xml.text("agentName", &object.institution_name)?;
        xml.term("agentType", &ORGANIZATION)
    })
}

/// What a program or a person does in an event.
pub(super) fn role(words: &str) -> Option<Term> {
    match Kind::of(words) {
        Kind::Program { .. } => Some(PROGRAM),
        Kind::Person => Some(IMPLEMENTER),
        Kind::Unknown => None,
    }
}

/// What the words of an event name.
#[derive(Debug, PartialEq)]
enum Kind<'w> {
    /// A name with a version behind it.
    Program { name: &'w str, version: &'w str },
    /// A mail address.
    Person,
    /// Anything else.
    Unknown,
}

impl Kind<'_> {
    fn of(words: &str) -> Kind<'_> {
        match words.rsplit_once(' ') {
            Some((name, version)) if version.starts_with(|it: char| it.is_ascii_digit()) => {
                Kind::Program { name, version }
            }
            None if words.contains('@') => Kind::Person,
            Some(_) | None => Kind::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_a_version_and_people_an_address() {
        let program = Kind::Program { name: "Strongroom", version: "0.1.0" };
        assert_eq!(Kind::of("Strongroom 0.1.0"), program);
        assert_eq!(Kind::of("ann@example.edu"), Kind::Person);
        for words in ["Strongroom", "https://example.edu/tool", "Ann of example", ""] {
            assert_eq!(Kind::of(words), Kind::Unknown, "{words}");
        }
    }
}
