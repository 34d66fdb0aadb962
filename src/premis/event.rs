//! What happened to the object and its files.

use std::collections::BTreeSet;
use std::io;

use storage::registry::{EventRow, EventType, ObjectRow, Outcome, Registry, Scope};

use super::deposit::{Deposits, Saved};
use super::vocabulary::{self, event_type};
use super::xml::Xml;
use super::{
    Identifier, PremisError, agent, agent_id, deposit_id, file_id, institution_id, object_id,
};

/// Everyone whom events name, in their words. There are few: they are programs and people.
#[derive(Default)]
pub(super) struct Agents(pub(super) BTreeSet<String>);

pub(super) fn write(
    xml: &mut Xml<'_>,
    registry: &Registry,
    object: &ObjectRow,
    deposits: &Deposits,
    agents: &mut Agents,
) -> Result<(), PremisError> {
    registry.walk_events::<PremisError>(object.id, &mut |event| {
        // What was sealed after the object was read belongs to a later document.
        if event.version.is_some_and(|version| version > object.version) {
            return Ok(());
        }
        let Some(whom) = whom(&event, object, deposits) else { return Ok(()) };
        agents.0.extend([event.agent.clone(), event.object.clone()]);
        let told = Told { event: event.about_each(), whom, object };
        Ok(xml.element("event", |xml| told.write(xml))?)
    })
}

/// Whom an event is about.
struct Whom {
    id: Identifier,
    /// Which files of the deposit; empty for what is about one thing.
    which: String,
    /// Of an identification of formats: how many of them are unknown or not for sure.
    unsure: u64,
}

/// None for an event about some files of a deposit that has no such files.
fn whom(event: &EventRow, object: &ObjectRow, deposits: &Deposits) -> Option<Whom> {
    let one = |id| Some(Whom { id, which: String::new(), unsure: 0 });
    let many = |count: fn(&Saved) -> u64, which: &str| {
        let version = event.version?;
        let saved = deposits.of(version)?;
        let count = count(saved);
        let which = format!("of every file {which} version {version} (count: {count})");
        let id = deposit_id(object, version);
        let all = event.event_type == EventType::FormatIdentification
            && event.outcome == Outcome::Success
            && event.scope == Scope::Files;
        let unsure = if all { saved.unsure } else { 0 };
        (count > 0).then_some(Whom { id, which, unsure })
    };
    match event.scope {
        Scope::Object => one(object_id(object)),
        Scope::Held => {
            let which = "of every file that was held at the moment".to_owned();
            Some(Whom { id: object_id(object), which, unsure: 0 })
        }
        Scope::File => one(file_id(event.generic_file_identifier.as_deref()?)),
        Scope::Files => many(|saved| saved.files, "saved in"),
        Scope::Payload => many(|saved| saved.payload, "below data/ saved in"),
        Scope::New => many(|saved| saved.new, "first saved in"),
    }
}

/// An event, with its words for all that it is about.
struct Told<'t> {
    event: EventRow,
    whom: Whom,
    object: &'t ObjectRow,
}

impl Told<'_> {
    fn write(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let event = &self.event;
        let uuid = Identifier { domain: "UUID", value: event.identifier.to_string() };
        xml.identifier("eventIdentifier", &uuid, |_| Ok(()))?;
        xml.term("eventType", &event_type(event.event_type))?;
        xml.text("eventDateTime", &event.date_time.to_string())?;
        for detail in [&event.detail, &self.whom.which] {
            if !detail.is_empty() {
                xml.element("eventDetailInformation", |xml| xml.text("eventDetail", detail))?;
            }
        }
        self.outcome(xml)?;
        self.agents(xml)?;
        xml.identifier("linkingObjectIdentifier", &self.whom.id, |_| Ok(()))?;
        // What happened to the object happened by one of its deposits.
        match event.version {
            Some(version) if event.scope == Scope::Object => {
                let deposit = deposit_id(self.object, version);
                xml.identifier("linkingObjectIdentifier", &deposit, |_| Ok(()))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn outcome(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let event = &self.event;
        // As it is told about one file, so is it about all of them.
        let (outcome, sentence) = match (event.outcome, self.whom.unsure) {
            (outcome, 0) => (outcome, String::new()),
            (_, count) => {
                let sentence = format!("files whose format is unknown or not for sure: {count}");
                (Outcome::Warning, sentence)
            }
        };
        xml.element("eventOutcomeInformation", |xml| {
            xml.term("eventOutcome", &vocabulary::outcome(outcome))?;
            for note in [&event.outcome_detail, &event.outcome_information, &sentence] {
                if !note.is_empty() {
                    xml.element("eventOutcomeDetail", |xml| {
                        xml.text("eventOutcomeDetailNote", note)
                    })?;
                }
            }
            Ok(())
        })
    }

    fn agents(&self, xml: &mut Xml<'_>) -> io::Result<()> {
        let event = &self.event;
        let both: BTreeSet<&String> = [&event.agent, &event.object].into();
        for words in both.into_iter().filter(|words| !words.is_empty()) {
            xml.identifier("linkingAgentIdentifier", &agent_id(words), |xml| {
                match agent::role(words) {
                    Some(role) => xml.term("linkingAgentRole", &role),
                    None => Ok(()),
                }
            })?;
        }
        if event.event_type == EventType::Ingestion && event.scope == Scope::Object {
            let depositor = institution_id(self.object);
            xml.identifier("linkingAgentIdentifier", &depositor, |xml| {
                xml.text("linkingAgentRole", "depositor")
            })?;
        }
        Ok(())
    }
}
